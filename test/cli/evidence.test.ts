// What others are given to check: keys, checkpoints and proofs, and every exit code of verify.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from './foil.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const SEGMENT = '.foil/ledger/0000000000000001.jsonl';

function verdict(...words: string[]): {
  code: number | null;
  report: { verdict: string; failures: { seq: number; error: string }[] };
} {
  const { code, stdout } = sandbox.run(['verify', '--json', ...words]);
  return { code, report: JSON.parse(stdout) };
}

describe('verify', () => {
  it('K6a names the entry, in the sentence and as a failure; exit 4', () => {
    const vkey = sandbox.ledger(5);
    sandbox.ok(['checkpoint']);
    sandbox.write(SEGMENT, sandbox.read(SEGMENT).replace('note 3', 'nope 3'));
    const { code, stdout } = sandbox.run(['verify', '--key', vkey]);
    expect(code).toBe(4);
    const [first = ''] = stdout.split('\n');
    expect(first).toMatch(/^BROKEN: .*entry 4 was changed/);
    expect(stdout).toContain('HASH_MISMATCH (entry 4, ledger/0000000000000001.jsonl)');
    expect(verdict('--key', vkey).report.failures).toContainEqual({ seq: 4, error: 'HASH_MISMATCH' });
  });

  it('K6c an empty log is broken, exit 4', () => {
    sandbox.ledger(1);
    sandbox.write(SEGMENT, '');
    expect(verdict()).toMatchObject({
      code: 4,
      report: { verdict: 'BROKEN', valid: false, status: 'EMPTY_LOG' },
    });
  });

  it('takes a directory, or the one that has .foil/ in it, and needs nothing but the files', () => {
    const vkey = sandbox.ledger(2);
    sandbox.ok(['checkpoint']);
    cpSync(sandbox.path('.foil'), sandbox.path('copy'), { recursive: true });
    for (const name of ['lock', 'keys', 'head']) rmSync(sandbox.path('copy', name), { recursive: true });
    for (const path of ['.', '.foil', 'copy'])
      expect(verdict(path, '--key', vkey).report).toMatchObject({ verdict: 'INTACT', entries: 3 });
  });

  it('exits 6 where what is required does not hold, and says so', () => {
    const vkey = sandbox.ledger(2);
    expect(sandbox.run(['verify', '--require', 'signed']).code).toBe(6);
    const { code, stdout } = sandbox.run(['verify', '--require', 'signed', '--key', vkey]);
    expect(code).toBe(6);
    expect(stdout).toContain("SIGNED was required for 1–3, but doesn't hold there.");
    sandbox.ok(['checkpoint']);
    expect(sandbox.run(['verify', '--require', 'signed', '--key', vkey]).code).toBe(0);
  });

  it('fails the identity for a key that is not of this ledger', () => {
    sandbox.ledger(1);
    const { vkey } = sandbox.json(['init', '--ledger', 'other']) as { vkey: string };
    expect(verdict('.foil', '--key', vkey)).toMatchObject({
      code: 4,
      report: { facets: { identity: { status: 'fail' } } },
    });
  });

  it('sees by a kept checkpoint that the whole directory was put back', () => {
    const vkey = sandbox.ledger(2);
    sandbox.ok(['checkpoint']);
    cpSync(sandbox.path('.foil'), sandbox.path('old'), { recursive: true });
    sandbox.ok(['append', 'note']);
    sandbox.write('kept', sandbox.ok(['checkpoint']));
    expect(verdict('old', '--key', vkey).code).toBe(0);
    expect(verdict('old', '--key', vkey, '--checkpoint', 'kept')).toMatchObject({
      code: 4,
      report: { facets: { truncation: { status: 'fail' } } },
    });
    expect(verdict('.foil', '--key', vkey, '--checkpoint', 'kept').code).toBe(0);
  });
});

describe('trust files', () => {
  const trust = (...ledgers: { vkey: string; path?: string }[]): string =>
    sandbox.write('trust.yaml', JSON.stringify({ ledgers }));

  it('pin by name', () => {
    const vkey = sandbox.ledger(0);
    expect(verdict('--trust', trust({ vkey })).report).toMatchObject({
      verdict: 'INTACT',
      marks: { signed: { from: 1, to: 1 } },
    });
  });

  it('that name another ledger fail the identity when they were asked for', () => {
    sandbox.ledger(0);
    const { vkey } = sandbox.json(['init', '--ledger', 'other']) as { vkey: string };
    expect(verdict('.foil', '--trust', trust({ vkey }))).toMatchObject({
      code: 4,
      report: { facets: { identity: { status: 'fail' } } },
    });
  });

  it("of the user have no opinion on a ledger they don't name, and pin one by its place", () => {
    sandbox.ledger(0);
    sandbox.ok(['init', '--ledger', 'mine']);
    expect(verdict('.foil')).toMatchObject({
      code: 0,
      report: { facets: { identity: { status: 'unknown' } } },
    });
    expect(verdict('mine')).toMatchObject({ code: 0, report: { facets: { identity: { status: 'pass' } } } });
    // Another ledger where mine was: rewritten with a fresh key, it would look just as good.
    rmSync(sandbox.path('mine'), { recursive: true });
    cpSync(sandbox.path('.foil'), sandbox.path('mine'), { recursive: true });
    expect(verdict('mine')).toMatchObject({ code: 4, report: { facets: { identity: { status: 'fail' } } } });
  });

  it('that are not in order are an error, never no pin', () => {
    sandbox.ledger(0);
    const { code, stderr } = sandbox.run(['verify', '--trust', sandbox.write('trust.yaml', 'ledgerz: []\n')]);
    expect(code).toBe(1);
    expect(stderr).toContain('unknown member "ledgerz"');
    sandbox.ok(['init', '--ledger', 'mine']);
    sandbox.write('../config/counterfoil/trust.yaml', '[]');
    expect(sandbox.run(['verify']).code).toBe(1);
  });
});

describe('prove', () => {
  it('gives a proof that verifies with the ledger absent', () => {
    const vkey = sandbox.ledger(9);
    sandbox.ok(['checkpoint']);
    sandbox.write('proof', sandbox.ok(['prove', '4']));
    sandbox.write('bare', sandbox.ok(['prove', '4', '--bare']));
    sandbox.write('entry', sandbox.ok(['log', '--from', '4', '--to', '4', '--json']));
    sandbox.write('wrong', sandbox.ok(['log', '--from', '5', '--to', '5', '--json']));
    expect(sandbox.json(['prove', '4'])).toEqual({ seq: 4, proof: sandbox.read('proof') });
    rmSync(sandbox.path('.foil'), { recursive: true });
    expect(sandbox.read('proof')).toMatch(/^c2sp\.org\/tlog-proof@v1\nextra /);
    expect(sandbox.read('bare')).toMatch(/^c2sp\.org\/tlog-proof@v1\nindex 3\n/);

    expect(verdict('proof', '--key', vkey)).toMatchObject({
      code: 0,
      report: { verdict: 'INTACT', valid: true, entry: { seq: 4 }, signers: [vkey] },
    });
    expect(verdict('bare', '--entry', 'entry', '--key', vkey).code).toBe(0);
    expect(verdict('bare', '--key', vkey).code).toBe(2);
    expect(verdict('bare', '--entry', 'wrong', '--key', vkey).code).toBe(4);
    expect(verdict('proof').code).toBe(6);
    expect(sandbox.run(['verify', 'proof']).stdout).toMatch(/^UNKNOWN: .*you pinned no key/);
    writeFileSync(sandbox.path('proof'), sandbox.read('proof').replace('index 3', 'index 2'));
    expect(verdict('proof', '--key', vkey).code).toBe(4);
  });

  it('says what is missing: no such entry, or not sealed yet; exit 3', () => {
    sandbox.ledger(1);
    expect(sandbox.run(['prove', '9'])).toMatchObject({
      code: 3,
      stderr: 'foil: there is no entry 9. The ledger has entries 1 to 2.\n',
    });
    expect(sandbox.run(['prove', '2'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('not sealed yet. Run `foil checkpoint` first.'),
    });
  });

  it.each([
    ['an empty file', ''],
    ['text', 'not a proof\n'],
    ['a list in JSON', '[1]\n'],
    ['more than any proof has', '\u0001'.repeat(300_000)],
  ])('%s is BROKEN, and it says which kinds of files there are', (_, text) => {
    const file = sandbox.write('junk', text);
    const { code, stdout, stderr } = sandbox.run(['verify', file, '--require', 'signed']);
    expect([code, stderr]).toEqual([4, '']);
    expect(stdout).toMatch(/^BROKEN: .*junk isn't a file that foil can verify:$/m);
    for (const kind of ['a ledger', 'a run', 'a bundle', 'a proof of one entry', '--format kaiza'])
      expect(stdout).toContain(kind);
    expect(verdict(file)).toMatchObject({ code: 4, report: { verdict: 'BROKEN', valid: false } });
  });

  it('one that lost its end is a broken proof', () => {
    const { code, report } = verdict(sandbox.write('cut', 'c2sp.org/tlog-proof@v1\nindex 3\n'));
    expect(code).toBe(4);
    expect(report).toMatchObject({ findings: [{ code: 'PROOF_INVALID' }] });
  });
});

describe('checkpoint', () => {
  it('prints the signed note', () => {
    sandbox.ledger(1);
    const note = sandbox.ok(['checkpoint']);
    expect(note).toMatch(
      /^counterfoil\/[0-9a-f]{16}\n2\n[A-Za-z0-9+/]{43}=\n\n— counterfoil\/[0-9a-f]{16} \S+\n$/,
    );
    expect(sandbox.json(['checkpoint'])).toEqual({
      origin: note.split('\n')[0],
      size: 2,
      root: note.split('\n')[2],
      note,
    });
  });

  it('says so where the key is not here; exit 1', () => {
    sandbox.ledger(1);
    rmSync(sandbox.path('.foil/keys'), { recursive: true });
    const { code, stdout } = sandbox.run(['checkpoint', '--json']);
    expect([code, JSON.parse(stdout).error.code]).toEqual([1, 'KEY']);
  });
});

describe('key', () => {
  it('rotate: both epochs verify with either key, and the old private key is gone', () => {
    const first = sandbox.ledger(2);
    const { seq, old, vkey } = sandbox.json(['key', 'rotate']) as { seq: number; old: string; vkey: string };
    expect([seq, old]).toEqual([4, first]);
    sandbox.ok(['append', 'note']);
    sandbox.ok(['checkpoint']);
    expect(sandbox.json(['key', 'list'])).toEqual([
      { vkey: first, from: 1, current: false, private: false },
      { vkey, from: 4, current: true, private: true },
    ]);
    expect(verdict('--key', first, '--require', 'signed')).toMatchObject({
      code: 0,
      report: { marks: { signed: { from: 1, to: 5 } } },
    });
    expect(verdict('--key', first, '--key', vkey).code).toBe(0);
    sandbox.write('proof', sandbox.ok(['prove', '2']));
    expect(verdict('proof', '--key', vkey).code).toBe(0);
  });

  it('rotate pins the new key where the old one is pinned, so that proofs verify', () => {
    sandbox.ok(['init']);
    const { vkey, trust } = sandbox.json(['key', 'rotate']) as Record<string, string>;
    expect(trust).toContain('trust.yaml');
    sandbox.write('proof', sandbox.ok(['prove', '1']));
    expect(verdict('proof')).toMatchObject({ code: 0, report: { signers: [vkey] } });
    expect(verdict()).toMatchObject({ code: 0, report: { marks: { signed: { from: 1, to: 2 } } } });
  });
});

describe('B5d key rotate --validator', () => {
  it('gives the validator a new key, listed beside the ledger’s own', () => {
    const ledgerKey = sandbox.ledger(1);
    const first = sandbox.json(['key', 'rotate', '--validator']) as Record<string, unknown>;
    expect(first).toMatchObject({ seq: 3, version: 1, old: null });
    const second = sandbox.json(['key', 'rotate', '--validator']) as Record<string, unknown>;
    expect(second).toMatchObject({ seq: 4, version: 2, old: 1 });
    expect(sandbox.json(['key', 'list'])).toEqual([
      { vkey: ledgerKey, from: 1, current: true, private: true },
      { vkey: first.vkey, from: 3, current: false, private: false, validator: 1 },
      { vkey: second.vkey, from: 4, current: true, private: true, validator: 2 },
    ]);
    expect(sandbox.ok(['key', 'list'])).toContain('from 4  validator 2, current, private key here');
    expect(sandbox.ok(['key', 'rotate', '--validator'])).toContain('still\nverifies');
    expect(sandbox.run(['key', 'list', '--validator']).code).toBe(2);
    expect(verdict().code).toBe(0);
  });
});

describe('recover', () => {
  it('has nothing to do on a ledger that is well', () => {
    sandbox.ledger(2);
    sandbox.ok(['checkpoint']);
    expect(sandbox.ok(['recover'])).toBe('There was nothing to recover.\n');
    expect(sandbox.json(['recover'])).toEqual({ done: [] });
  });

  it('writes a lost head again', () => {
    const vkey = sandbox.ledger(2);
    rmSync(sandbox.path('.foil/head'));
    expect(sandbox.ok(['recover'])).toContain('wrote the head again: the log ends at entry 3.\n');
    expect(verdict('--key', vkey, '--require', 'signed').code).toBe(0);
  });

  it('goes on after a loss only when told to, and the ledger says so ever after', () => {
    sandbox.ledger(4);
    sandbox.write(SEGMENT, `${sandbox.read(SEGMENT).split('\n').slice(0, 3).join('\n')}\n`);
    expect(sandbox.run(['append', 'note']).code).toBe(1);
    const { code, stderr } = sandbox.run(['recover']);
    expect(code).toBe(1);
    expect(stderr).toContain('--accept-loss');
    expect(sandbox.ok(['recover', '--accept-loss'])).toMatch(/recorded that entries 4–5 are lost/);
    sandbox.ok(['append', 'note']);
    expect(verdict()).toMatchObject({ code: 0, report: { facets: { truncation: { status: 'unknown' } } } });
  });
});
