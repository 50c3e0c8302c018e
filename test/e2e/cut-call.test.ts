// The attack that the closing of a run is for: whoever owns a ledger, keys and all, goes back to a copy from before the last model
// call, writes down another command than the one that was run, ends the run again and bundles it. The gateway knows better.
import { cpSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sha256Hex } from '#platform';
import { canonicalize, encodeVerifierKey, type JsonObject } from '../../src/core/index.ts';
import { openLedger, openRecorder } from '../../src/entry/index.ts';
import type { NewEntry } from '../../src/ledger/index.ts';
import { readSettings, writeSettings } from '../../src/ledger/index.ts';
import { Sandbox } from '../cli/foil.ts';
import { pair, trusted, until } from '../service/gateway/independent-stage.ts';
import { ask, entriesIn } from '../service/gateway/stage.ts';
import { temporary } from '../temporary.ts';
import { running } from './gateway-process.ts';

const ANSWER = '{"id":"msg_1","type":"message","content":[],"model":"m-1","stop_reason":"end_turn"}';
const REQUEST = '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Clean up."}]}';

/** A run of two calls with a command between them, and the ledger as it was before that command. */
async function ran() {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  const { local, gateway, upstream: to } = await pair();
  to.answer = (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
  const { directory } = local;
  const located = withKeys(directory);
  const recorder = await openRecorder({ place: located, cwd: directory, agent: 'test' });
  const session = await recorder.session();
  const call = () => ask(`${local.url}/session/${session.id}/anthropic/v1/messages`, REQUEST);
  expect((await call()).status).toBe(200);
  await until(local, 'gateway.receipt', 1);
  const before = join(temporary(), 'before');
  cpSync(directory, before, { recursive: true, filter: (path) => !lstatSync(path).isSocket() });
  await session.tool('Bash', { command: 'rm -rf build' }, () => Promise.resolve('done'));
  expect((await call()).status).toBe(200);
  await until(local, 'gateway.receipt', 2);
  await session.end({ reason: 'exit' });
  await recorder.close();
  await local.stop();

  const ledger = openLedger(located);
  const { firstKey } = await ledger.identity();
  await ledger.close();
  const trust = sandbox.write(
    'trust.yaml',
    JSON.stringify({
      ledgers: [{ vkey: encodeVerifierKey(firstKey) }],
      gateways: [trusted(gateway, [to.url])].map(({ key, upstreams }) => ({
        vkey: encodeVerifierKey(key),
        upstreams,
      })),
    }),
  );
  const told = entriesIn(directory).find(({ kind }) => kind === 'tool.call');
  /** What `foil verify` says of the bundle that `foil bundle create` makes there. */
  const bundled = async (where: string) => {
    const file = join(sandbox.root, 'run.bundle');
    const made = await running(sandbox, ['bundle', 'create', session.id, '--ledger', where, '--out', file]);
    expect(made).toMatchObject({ code: 0 });
    const verified = await running(sandbox, ['verify', file, '--trust', trust, '--json']);
    const { verdict, tier, whyNotHigher: why, findings } = JSON.parse(verified.stdout);
    const codes = (findings as { code: string }[]).map(({ code }) => code);
    return { verdict, tier, why, codes, said: made.text };
  };
  /** Another command in its place, and the run's end behind it. */
  const rewritten = async (): Promise<string> => {
    const args = { command: 'echo harmless' };
    const payload = { ...(told?.payload as JsonObject), args, args_hash: sha256Hex(canonicalize(args)) };
    await appended(before, { kind: 'tool.call', source: 'sdk', session_id: session.id, payload });
    expect(await running(sandbox, ['session', 'end', session.id, '--ledger', before])).toMatchObject({
      code: 0,
    });
    return before;
  };
  return { directory, run: session.id, bundled, rewritten };
}

/** Commands find the keys where this says that they are. */
function withKeys(directory: string) {
  const keyDirectory = join(directory, 'keys');
  writeSettings(directory, { ...readSettings(directory), keys: keyDirectory });
  return { directory, keyDirectory, how: 'option' as const };
}

async function appended(directory: string, entry: NewEntry): Promise<void> {
  const ledger = openLedger(withKeys(directory));
  await ledger.append(entry);
  await ledger.close();
}

it('C14 an honest run is of tier gateway; rewritten after it was closed, it is not, whatever its owner signs', async () => {
  const { directory, run, bundled, rewritten } = await ran();
  expect(await bundled(directory)).toMatchObject({ verdict: 'PASS', tier: 'gateway', codes: [] });

  const forged = await rewritten();
  const { said, ...without } = await bundled(forged);
  expect(said).toContain('the gateway closed this run with a different end');
  expect(without).toMatchObject({ verdict: 'PASS', tier: 'self', codes: [] });
  expect(without.why).toContain("the gateway didn't close the run");

  // With the closing that the gateway made, which is of the end that was.
  const entries = entriesIn(directory);
  const payload = entries.find(({ kind }) => kind === 'gateway.closing')?.payload as JsonObject;
  const cause = entriesIn(forged).find(({ kind }) => kind === 'session.end')?.seq ?? null;
  await appended(forged, { kind: 'gateway.closing', source: 'bundle', session_id: run, cause, payload });
  expect(await bundled(forged)).toMatchObject({
    verdict: 'FAIL',
    tier: 'self',
    codes: ['GATEWAY_CLOSING_OTHER_END'],
  });
}, 120_000);

it('C14 rewritten before it was closed, its closing counts a call that is gone', async () => {
  const { bundled, rewritten } = await ran();
  const { why, ...rest } = await bundled(await rewritten());
  expect(rest).toMatchObject({ verdict: 'PASS', tier: 'self', codes: [] });
  expect(why).toContain('the gateway counted 2 model calls, but the run has 1');
}, 120_000);
