// A session bound to a block, by hooks as processes and by a program: every hash in it is recomputed here
// from the entries and the content that is kept, with node:crypto alone.
import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRecorder } from '../../src/entry/index.ts';
import { type Entry, parseEntry, parseSalt, saltPath } from '../../src/format/index.ts';
import { nobody, real, serveEsplora, TIP } from '../anchor/blocks/servers.ts';
import { ends, Sandbox } from '../cli/foil.ts';

const ZEROS = '0'.repeat(64);
const LATER = real(900_001);

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
  sandbox.ledger();
});
afterEach(() => sandbox.remove());

function entries(): Entry[] {
  const directory = sandbox.path('.foil/ledger');
  return readdirSync(directory)
    .sort()
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n').slice(0, -1))
    .map((line) => parseEntry(Buffer.from(line)));
}
const of = (kind: string): Entry[] => entries().filter((entry) => entry.kind === kind);
const raw = (...parts: readonly string[]): string =>
  createHash('sha256')
    .update(Buffer.from(parts.join(''), 'hex'))
    .digest('hex');
const hmac = (key: Uint8Array, text: string | Uint8Array): Buffer =>
  createHmac('sha256', key).update(text).digest();
/** As spec/content.md says, by hand. */
const salted = (session: string, text: string): string => {
  const salt = parseSalt(readFileSync(sandbox.path('.foil', saltPath(session))));
  const derived = createHash('sha256').update('counterfoil/derived-key/v1\n').update(salt).digest();
  const key = hmac(hmac(derived, 'content'), createHash('sha256').update(text).digest());
  return hmac(key, text).toString('hex');
};

/** Not synchronously: the block source is in this process. */
async function hook(event: string, more: Record<string, unknown> = {}, host = 'host-1'): Promise<void> {
  const input = { session_id: host, cwd: sandbox.work, hook_event_name: event, transcript_path: '', ...more };
  const child = sandbox.start(['hook', 'claude-code']);
  child.stdin.end(JSON.stringify(input));
  expect(await ends(child)).toMatchObject({ code: 0 });
}

const TURNS = [
  ['add a test', 'I added one.'],
  ['and run it', 'It passes, I think. Not verified.'],
  ['thanks', 'You are welcome.'],
] as const;

async function turns(host?: string): Promise<void> {
  for (const [prompt, answer] of TURNS) {
    await hook('UserPromptSubmit', { prompt }, host);
    await hook('Stop', { last_assistant_message: answer, stop_hook_active: false }, host);
  }
}

/** Every hash of a session, from its start to its end. */
function recompute(session: string, kind = 'response'): void {
  const all = entries().filter((entry) => entry.session_id === session);
  const start = all.find((entry) => entry.kind === 'session.start');
  const block = start?.payload.block as { hash: string; height: number } | null;
  expect(session).toBe(raw(String(start?.payload.auth_key), block?.hash ?? ZEROS, start?.prev_hash ?? ''));
  let chain = session;
  const interactions = all.filter((entry) => entry.kind === kind);
  for (const [i, { payload }] of interactions.entries()) {
    expect(payload.sequence).toBe(i + 1);
    chain = raw(chain, String(payload.prompt_hash ?? ZEROS), String(payload.response_hash ?? ZEROS));
    expect(payload.chain_hash).toBe(chain);
  }
  const end = all.find((entry) => entry.kind === 'session.end')?.payload;
  const closing = end?.block as { hash: string } | null;
  expect(end).toMatchObject({
    interactions: interactions.length,
    chain_hash: interactions.length === 0 ? null : chain,
    final_hash: raw(session, closing?.hash ?? ZEROS, interactions.length === 0 ? ZEROS : chain),
  });
}

describe('a session that is bound to a block', () => {
  it('G3, G4, G5, G6, G12 through hooks: id, chain, branch and final hash follow from what is kept', async () => {
    const esplora = await serveEsplora(LATER, [TIP]);
    sandbox.write('counterfoil.yaml', `anchor:\n  blocks: [${esplora.url}]\n`);
    sandbox.ok(['anchor', 'accept']);
    await hook('SessionStart', { source: 'startup' });
    await turns();
    esplora.tip = TIP;
    await hook('SessionEnd', { reason: 'exit' });

    const [start] = of('session.start');
    const session = start?.session_id ?? '';
    expect(start?.payload).toMatchObject({
      block: { height: LATER.height, hash: LATER.hash, header: LATER.header, time: LATER.time },
      branch: `branch-${(LATER.height % 7) + 1}`,
      interaction: 'hook:claude-code',
      interaction_kind: 'response',
      auth_key: ZEROS,
    });
    expect(of('branch.create')).toMatchObject([
      { session_id: session, payload: { branch: `branch-${(LATER.height % 7) + 1}` }, cause: start?.seq },
    ]);
    expect(of('session.end')[0]?.payload).toMatchObject({ block: { height: TIP.height, hash: TIP.hash } });
    recompute(session);
    // The hashes are those of what was said.
    expect(of('response').map(({ payload }) => [payload.prompt_hash, payload.response_hash])).toEqual(
      TURNS.map(([prompt, answer]) => [salted(session, prompt), salted(session, answer)]),
    );
    expect(of('prompt').map(({ payload }) => payload.sequence)).toEqual([1, 2, 3]);
    expect(sandbox.ok(['session', 'show', session.slice(0, 10)])).toMatch(
      new RegExp(`began at ${LATER.height}, ended at ${TIP.height}; branch-${(LATER.height % 7) + 1}`),
    );
  });

  it('G3 two of one key in one block, at once, have two ids; a branch is created once and switched to', async () => {
    const esplora = await serveEsplora(TIP, [LATER]);
    sandbox.write('counterfoil.yaml', `anchor:\n  blocks: [${esplora.url}]\n`);
    sandbox.ok(['anchor', 'accept']);
    await hook('SessionStart', { source: 'startup' }, 'one');
    await hook('SessionStart', { source: 'startup' }, 'two');
    esplora.tip = LATER;
    await hook('SessionStart', { source: 'startup' }, 'three');
    const starts = of('session.start');
    expect(new Set(starts.map(({ session_id }) => session_id)).size).toBe(3);
    const [first, , third] = starts.map(({ payload }) => String(payload.branch));
    expect(of('branch.create').map(({ payload }) => payload.branch)).toEqual([first, third]);
    expect(of('branch.switch').map(({ payload }) => payload)).toEqual([{ from: first, to: third }]);
  });

  it('G12 begins without one where none can be had, says so, and has one later', async () => {
    const esplora = await serveEsplora(TIP);
    sandbox.write('counterfoil.yaml', `anchor:\n  blocks: [${await nobody()}]\n`);
    sandbox.ok(['anchor', 'accept']);
    await hook('SessionStart', { source: 'startup' });
    expect(of('session.start')[0]?.payload).toMatchObject({ block: null, branch: 'branch-0' });
    await turns();
    expect(of('anchor.block')).toEqual([]);
    await hook('SessionEnd', { reason: 'exit' });
    recompute(of('session.start')[0]?.session_id ?? '');

    const recorder = await openRecorder({
      cwd: sandbox.work,
      place: { directory: sandbox.path('.foil'), keyDirectory: sandbox.path('.foil/keys') },
      config: { anchor: { blocks: [esplora.url] } },
    });
    const session = await recorder.session();
    await session.prompt('hello');
    await session.response('hello yourself', { model: 'm-1' });
    await session.end();
    await recorder.close();
    recompute(session.id);
    const last = of('response').at(-1)?.payload;
    expect(last).toMatchObject({
      sequence: 1,
      model: 'm-1',
      prompt_hash: salted(session.id, 'hello'),
      response_hash: salted(session.id, 'hello yourself'),
    });
  });

  it('G12 is anchored by the next entry once a source answers again', async () => {
    const esplora = await serveEsplora(null);
    const recorder = await openRecorder({
      cwd: sandbox.work,
      place: { directory: sandbox.path('.foil'), keyDirectory: sandbox.path('.foil/keys') },
      config: { anchor: { blocks: [esplora.url] } },
    });
    const session = await recorder.session();
    esplora.tip = TIP;
    await session.prompt('one');
    // Asked for in the background, when its pause is over; another session of this ledger was quicker.
    const other = await openRecorder({
      cwd: sandbox.work,
      place: { directory: sandbox.path('.foil'), keyDirectory: sandbox.path('.foil/keys') },
      config: { anchor: { blocks: [(await serveEsplora(TIP)).url] } },
    });
    await (await other.session()).end();
    await other.close();
    await session.response('two');
    await session.end();
    await recorder.close();
    recompute(session.id);
    expect(of('session.start')[0]?.payload).toMatchObject({ block: null, branch: 'branch-0' });
  });
});
