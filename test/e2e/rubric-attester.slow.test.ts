// C11, C12: a rubric at an attester that serves others, and the rubric of an encrypted pack, which is nobody else's business.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { BUNDLE_PARTS, parseBundle, parseSignedAttestation } from '../../src/format/index.ts';
import { encryptPack, parseEncryptionKey } from '../../src/harness/index.ts';
import { ends, prints } from '../cli/foil.ts';
import { expectIntact } from '../file-ledger.ts';
import { running } from './gateway-process.ts';
import {
  type AttesterBox,
  answers,
  attesterBox,
  JUDGE_KEY,
  judgedRun,
  RUBRIC,
  voting,
} from './judged-run.ts';

const refusal = ({ stdout }: { stdout: string }): { code: string; message: string } =>
  (JSON.parse(stdout) as { error: { code: string; message: string } }).error;

async function served({ sandbox, state }: AttesterBox, ...words: readonly string[]) {
  const child = sandbox.start(['attester', 'serve', '--listen', '127.0.0.1:0', '--state', state, ...words]);
  const ended = ends(child);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  onTestFinished(stop);
  const greeting = await prints(child, /token +in .+\n/);
  const [url = '', token = ''] = [/http:\S+/, /token +in (.+)\n/].map(
    (form) => form.exec(greeting)?.slice(-1)[0],
  );
  const ask = (bundle = 'run.bundle', ...more: readonly string[]) =>
    running(sandbox, ['attest', bundle, '--server', url, '--token-file', token, '--json', ...more]);
  return { ask, stop };
}

describe('C12 foil attester serve', () => {
  it('NEEDS_JUDGE unless its operator says who is asked; then the same submission is judged', async () => {
    const box = await attesterBox(await judgedRun(), answers(voting(91)));
    const without = await served(box);
    expect(refusal(await without.ask()).code).toBe('NEEDS_JUDGE');
    await without.stop();
    box.sandbox.env.ANTHROPIC_API_KEY = JUDGE_KEY;
    const judging = await served(box, '--judge', 'auto', '--trust', box.sandbox.path('trust.yaml'));
    const { code, stdout } = await judging.ask();
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { result: 'PASS', rubric: { score: 91 } }]);
    expect(box.entries('judge.vote')).toHaveLength(3);
    // It has its answer, and nobody is asked again.
    expect((await judging.ask()).code).toBe(0);
    expect(box.provider.arrived).toHaveLength(3);
  });

  it('judges two at a time, each in a session of its own', async () => {
    const [one, other] = [await judgedRun(), await judgedRun({ votes: 2 })];
    const box = await attesterBox(one, answers(voting(91)));
    box.sandbox.write('trust.yaml', JSON.stringify({ gateways: [one.gateway, other.gateway] }));
    writeFileSync(box.sandbox.path('other.bundle'), other.bundle);
    box.sandbox.env.ANTHROPIC_API_KEY = JUDGE_KEY;
    const { ask } = await served(box, '--judge', 'anthropic', '--trust', box.sandbox.path('trust.yaml'));
    const here = box.attest('--out', 'here.json');
    const both = await Promise.all([ask(), ask('other.bundle', '--out', 'other.json'), here]);
    expect(both.map(({ code }) => code)).toEqual([0, 0, 0]);
    const votes = box.entries('judge.vote');
    expect(votes).toHaveLength(8);
    expect(new Set(votes.map(({ session_id }) => session_id)).size).toBe(3);
    await expectIntact(box.ledger);
  });

  it('takes no judge by halves', async () => {
    const box = await attesterBox(await judgedRun(), answers(voting(91)));
    const said = box.sandbox.run(['attester', 'serve', '--secret-rubrics']);
    expect([said.code, said.stderr]).toEqual([2, expect.stringContaining('need --judge')]);
    expect(box.sandbox.run([...box.words, '--judge', '../x']).code).toBe(2);
  });
});

describe('C12 the rubric of an encrypted pack', () => {
  it('SECRET_RUBRIC: stays here unless the operator says otherwise, and then leaves nothing on the disk', async () => {
    const run = await judgedRun();
    const box = await attesterBox(run, answers(voting(91)));
    // Makes its keys.
    expect(refusal(await running(box.sandbox, box.words)).code).toBe('NO_JUDGE_KEY');
    const shown = box.sandbox.json(['attester', 'show', '--state', box.state]) as {
      encryption_key: JsonObject;
    };
    const archive = parseBundle(run.bundle).parts.get(BUNDLE_PARTS.pack) ?? new Uint8Array();
    const sealed = await encryptPack(archive, [parseEncryptionKey(shown.encryption_key, false)]);
    writeFileSync(box.sandbox.path('pack.jwe.json'), JSON.stringify(sealed));
    const refused = await box.attest('--pack', 'pack.jwe.json');
    expect([refused.code, refusal(refused).code]).toEqual([1, 'SECRET_RUBRIC']);
    expect(box.provider.arrived).toEqual([]);
    const judged = await box.attest('--pack', 'pack.jwe.json', '--secret-rubrics');
    expect(judged.code).toBe(0);
    const { reason } = parseSignedAttestation(
      new Uint8Array(readFileSync(box.sandbox.path('attestation.json'))),
    ).attestation;
    expect(box.provider.arrived[0]?.body.toString()).toContain(JSON.stringify(RUBRIC).slice(1, -1));
    for (const text of [reason, refused.text, judged.text]) expect(text).not.toContain('poem');
    const files = (): string[] =>
      readdirSync(box.state, { recursive: true, encoding: 'utf8' })
        .map((name) => join(box.state, name))
        .filter((path) => statSync(path).isFile());
    const holding = (): string[] =>
      files().filter((path) => readFileSync(path).includes('poem about the sea'));
    expect(holding()).toEqual([]);
    expect(box.entries('judge.vote')).toHaveLength(3);
    // Of a pack that is no secret it is kept, as of every model call.
    expect((await box.attest()).code).toBe(0);
    expect(holding()).not.toEqual([]);
  });
});
