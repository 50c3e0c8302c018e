// foil verify on a stamped ledger: what is required, what was kept, which headers and which chain count.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../src/verify/index.ts';
import type { FileMap } from '../verify/make-ledger.ts';
import { rewritten, rootOf, SessionMaker, stampPath, testBlock } from '../verify/make-sessions.ts';
import { Sandbox } from './foil.ts';

const START = 1_763_200_000;
const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

function stamped(): SessionMaker {
  const made = new SessionMaker();
  const id = made.start({ block: testBlock(100, START) });
  made.turns(id, 2).end(id);
  made.seal().stamp(103, START + 3600);
  return made;
}

function write(name: string, files: FileMap): string {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(sandbox.path(name, path)), { recursive: true });
    writeFileSync(sandbox.path(name, path), bytes);
  }
  return sandbox.path(name);
}

function verify(...words: string[]): { code: number | null; report: Report } {
  const { code, stdout, stderr } = sandbox.run(['verify', ...words, '--json']);
  if (stdout === '') throw new Error(stderr);
  return { code, report: JSON.parse(stdout) as Report };
}

const made = stamped();
const kept = sandbox.path('kept.ots');
const trust = join(sandbox.root, 'config/counterfoil/trust.yaml');
let ledger = '';

beforeAll(() => {
  ledger = write('ledger-a', made.files);
  writeFileSync(kept, made.files.get(stampPath(7, 'ots')) as Uint8Array);
  mkdirSync(dirname(trust), { recursive: true });
});

const chooseChain = (text: string): void => writeFileSync(trust, `bitcoin: ${text}\n`);

describe('X2 --require anchored', () => {
  it('does not hold by a test network that nobody chose', () => {
    chooseChain('{network: main}');
    const { code, report } = verify(ledger, '--key', made.vkey, '--require', 'signed,anchored');
    expect(code).toBe(6);
    expect(report.required.missing).toEqual(['anchored']);
    expect(report.facets.time.findings.map(({ code: each }) => each)).toContain('BLOCK_REGTEST');
  });

  it('holds where trust.yaml chose it, and every word says what that is worth', () => {
    chooseChain('{network: regtest}');
    const { code, report } = verify(ledger, '--key', made.vkey, '--require', 'signed,anchored');
    expect(code).toBe(0);
    expect(report.marks.anchored).toMatchObject({ from: 1, to: 7, height: 103, network: 'regtest' });
    const text = sandbox.ok(['verify', ledger]);
    expect(text).toMatch(
      /^INTACT: If the test network \(regtest\) that you chose proved anything, nobody can/,
    );
    expect(text).toContain('ANCHORED 1–7 (regtest block 103, 2025-11-15 10:46 UTC)');
    expect(text).toMatch(/^time +pass .*not before block 100 .* and not after block 103 /m);
    expect(text).toMatch(/^sessions +pass +1 session, unauthenticated, 2 interactions in their chains\.$/m);
  });
});

describe('X2 --stamp', () => {
  it('passes on the ledger it is of, longer by now, and fails on one that was written anew with the same keys', () => {
    chooseChain('{network: regtest}');
    expect(verify(ledger, '--stamp', kept).code).toBe(0);
    const longer = write(
      'ledger-b',
      rewritten(made, ({ payload }) => ({ ...payload }))
        .notes(1)
        .seal().files,
    );
    expect(verify(longer, '--stamp', kept).code).toBe(0);
    const again = rewritten(made, ({ kind, payload }) =>
      kind === 'session.end' ? { ...payload, reason: 'x' } : payload,
    );
    const { code, report } = verify(write('ledger-c', again.files), '--stamp', kept);
    expect(code).toBe(4);
    expect(report.failures).toEqual([{ seq: null, error: 'STAMP_NOT_KEPT' }]);
  });

  it('takes nothing but a proof', () => {
    const { code, stderr } = sandbox.run(['verify', ledger, '--stamp', sandbox.write('no.ots', 'no')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not an OpenTimestamps proof')]);
  });
});

describe('X2 --headers', () => {
  const bare = stamped();
  bare.files.delete(stampPath(7, 'headers.json'));
  const block = testBlock(103, START + 3600, rootOf(bare.digest()));
  const headers = `[{"height":103,"hash":"${block.hash}","header":"${block.header}"}]`;

  it('complete a stamp that lies there without', () => {
    const place = write('ledger-d', bare.files);
    const file = sandbox.write('headers.json', headers);
    chooseChain('{network: regtest}');
    expect(verify(place, '--require', 'anchored').code).toBe(6);
    expect(verify(place, '--require', 'anchored', '--headers', file).code).toBe(0);
    chooseChain(`{network: regtest, headers: ${file}}`);
    expect(verify(place, '--require', 'anchored').code).toBe(0);
    expect(sandbox.run(['verify', place, '--headers', 'nowhere']).stderr).toContain('there is no file');
  });

  it.each([
    ['no headers', 'garbage that is no header at all', 'neither JSON nor a whole number of 80-byte headers'],
    ['another list', '{"blocks": []}', 'JSON, but not a list of headers'],
    ['an empty list', '[]', 'no block'],
  ])('are refused as %s', (_, text, why) => {
    const file = sandbox.write('bad-headers', text);
    chooseChain('{network: regtest}');
    const { code, stderr } = sandbox.run(['verify', write('ledger-f', bare.files), '--headers', file]);
    expect(code).toBe(2);
    expect(stderr).toContain(`--headers: no blocks can be read from ${file}`);
    expect(stderr).toContain(why);
    chooseChain(`{network: regtest, headers: ${file}}`);
    expect(sandbox.run(['verify', ledger]).stderr).toContain('bitcoin.headers in trust.yaml: no blocks');
  });

  it('are good for the blocks that they have, whatever the newest is', () => {
    const broken = `{"height":104,"hash":"${'0'.repeat(64)}","header":"${'0'.repeat(160)}"}`;
    const file = sandbox.write('bad-tip.json', headers.replace(']', `,${broken}]`));
    chooseChain('{network: regtest}');
    const place = write('ledger-g', bare.files);
    expect(verify(place, '--require', 'anchored', '--headers', file).code).toBe(0);
  });

  it('are held against the proof like all others', () => {
    const other = testBlock(103, START + 3600, rootOf(new Uint8Array(32)));
    const file = sandbox.write('wrong.json', JSON.stringify([other]));
    chooseChain('{network: regtest}');
    const { code, report } = verify(write('ledger-e', bare.files), '--headers', file);
    expect(code).toBe(4);
    expect(report.failures).toEqual([{ seq: 7, error: 'STAMP_INVALID' }]);
  });
});

describe('trust.yaml', () => {
  it.each([
    ['{network: testnet}', 'bitcoin.network: neither main nor regtest'],
    ['{headers: there}', 'bitcoin.headers: not an absolute path'],
    ['{chain: main}', 'bitcoin: unknown member "chain"'],
  ])('with bitcoin: %s is refused', (text, message) => {
    chooseChain(text);
    const { code, stderr } = sandbox.run(['verify', ledger]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });
});
