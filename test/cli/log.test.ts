// foil log through the built file: filters, following, and the ledger's own bytes.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ends, prints, Sandbox } from './foil.ts';

const sandbox = new Sandbox();
const [a, b] = ['a1'.repeat(32), 'b2'.repeat(32)];
beforeAll(() => {
  sandbox.ledger();
  sandbox.ok(['append', 'x.build', '--lines', '--session', a], { input: '{"n":2}\n{"n":3}\n{"n":4}\n' });
  sandbox.ok(['append', 'note', '--lines', '--session', b], { input: '{"text":"five"}\n{"text":"six"}\n' });
  sandbox.ok(['append', 'x.test', '--payload', '{"n":7}']);
});
afterAll(() => sandbox.remove());

function seqs(...words: string[]): number[] {
  const lines = sandbox
    .ok(['log', '--json', ...words])
    .split('\n')
    .slice(0, -1);
  const people = sandbox
    .ok(['log', ...words])
    .split('\n')
    .slice(0, -1);
  const found = lines.map((line) => JSON.parse(line).seq as number);
  expect(people.map((line) => Number.parseInt(line, 10))).toEqual(found);
  return found;
}

describe('log', () => {
  it('prints a line an entry for people', () => {
    const lines = sandbox.ok(['log']).split('\n');
    expect(lines[0]).toMatch(
      /^ {6}1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}ledger\.open {4}- {9}counterfoil\/[0-9a-f]{16}, key [0-9a-f]{16}$/,
    );
    expect(lines[4]).toMatch(/^ {6}5 {2}\S+ \S+ {2}note {11}b2b2b2b2 {2}five$/);
  });

  it("prints the ledger's own lines byte for byte with --json", () => {
    expect(sandbox.ok(['log', '--json'])).toBe(sandbox.read('.foil/ledger/0000000000000001.jsonl'));
  });

  it.each([
    [[], [1, 2, 3, 4, 5, 6, 7]],
    [
      ['--from', '3', '--to', '5'],
      [3, 4, 5],
    ],
    [
      ['--from', '6', '--to', '99'],
      [6, 7],
    ],
    [['--from', '99'], []],
    [
      ['--last', '2'],
      [6, 7],
    ],
    [['--last', '0'], []],
    [
      ['--last', '99'],
      [1, 2, 3, 4, 5, 6, 7],
    ],
    [
      ['--kind', 'note'],
      [5, 6],
    ],
    [
      ['--kind', 'x.build,x.test'],
      [2, 3, 4, 7],
    ],
    [
      ['--kind', 'x.build', '--last', '2'],
      [3, 4],
    ],
    [
      ['--session', 'a1a1'],
      [2, 3, 4],
    ],
    [['--session', b, '--from', '6'], [6]],
    [['--session', 'cc'], []],
    [
      ['--since', '1h'],
      [1, 2, 3, 4, 5, 6, 7],
    ],
    [['--until', '1h'], []],
    [['--since', '2020-01-01', '--until', '2020-12-31T00:00:00Z'], []],
  ])('%j gives %j', (words, expected) => {
    expect(seqs(...words)).toEqual(expected);
  });

  it('makes terminal escapes in payloads harmless, and keeps them in the JSON', () => {
    const evil = new Sandbox();
    try {
      evil.ledger();
      evil.ok(['append', 'note', '--payload', '{"text":"\\u001b]0;owned\\u0007\\u202etxt\\r\\nfake line"}']);
      const text = evil.ok(['log', '--last', '1']);
      expect(text).toContain('\\u{1b}]0;owned\\u{7}\\u{202e}txt\\u{d}\\nfake line');
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}](?!$)/u);
      expect(JSON.parse(evil.ok(['log', '--last', '1', '--json'])).payload.text).toBe(
        '\u001b]0;owned\u0007\u202etxt\r\nfake line',
      );
    } finally {
      evil.remove();
    }
  });

  it('ends quietly when nobody reads on', async () => {
    const many = new Sandbox();
    try {
      many.ledger(3000);
      const child = many.start(['log', '--json']);
      let stderr = '';
      child.stderr.on('data', (text) => {
        stderr += text;
      });
      child.stdout.once('data', () => child.stdout.destroy());
      expect(await ends(child)).toEqual({ code: 0, signal: null });
      expect(stderr).toBe('');
    } finally {
      many.remove();
    }
  });
});

describe('log --follow', () => {
  it('K12b goes on with new entries, past closed and archived segments, until Ctrl-C, then exits 0', async () => {
    const live = new Sandbox();
    try {
      live.ledger(2);
      const child = live.start(['log', '--follow', '--json', '--from', '3']);
      await prints(child, /"seq":3,/);
      live.ok(['append', 'note', '--payload', '{"text":"four"}']);
      await prints(child, /"text":"four"/);
      live.ok(['archive', '--all']);
      await prints(child, /"kind":"archive"/);
      const all = prints(child, /"text":"last"/);
      live.ok(['append', 'note', '--payload', '{"text":"last"}']);
      await all;
      child.kill('SIGINT');
      expect(await ends(child)).toEqual({ code: 0, signal: null });
    } finally {
      live.remove();
    }
  });

  it('filters what comes', async () => {
    const live = new Sandbox();
    try {
      live.ledger();
      const child = live.start(['log', '--follow', '--kind', 'x.yes', '--last', '0']);
      const seen = prints(child, /second/);
      let shown = false;
      seen.finally(() => {
        shown = true;
      });
      // What is there before it has started is before its beginning: so until it shows one.
      while (!shown) {
        await ends(live.start(['append', 'x.no', '--payload', '{"text":"first"}']));
        await ends(live.start(['append', 'x.yes', '--payload', '{"text":"second"}']));
      }
      expect(await seen).not.toContain('first');
      child.kill('SIGINT');
      expect((await ends(child)).code).toBe(0);
    } finally {
      live.remove();
    }
  });
});

describe('K12a archive', () => {
  it('gzips closed segments; log and verify read across them as before', () => {
    const old = new Sandbox();
    try {
      const vkey = old.ledger(20);
      const before = old.ok(['log', '--json']);
      expect(old.json(['archive'])).toMatchObject({ files: [], erased: [] });
      expect(old.json(['archive', '--all'])).toMatchObject({
        files: [{ name: '0000000000000001.jsonl.gz' }],
      });
      old.ok(['append', 'note', '--payload', '{"text":"after"}']);
      old.ok(['archive', '--all']);
      old.ok(['checkpoint']);
      const zipped = readFileSync(old.path('.foil/ledger/0000000000000001.jsonl.gz'));
      expect([zipped[0], zipped[1]]).toEqual([0x1f, 0x8b]);
      const after = old.ok(['log', '--json']);
      expect(after.startsWith(before)).toBe(true);
      expect(after.split('\n').length - 1).toBe(24);
      expect(old.json(['verify', '--key', vkey, '--require', 'signed'])).toMatchObject({
        verdict: 'INTACT',
        entries: 24,
        counts: { segments: 3 },
      });
    } finally {
      old.remove();
    }
  });
});
