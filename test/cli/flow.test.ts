// The ways through the command that people take, each in an empty folder of its own, through the built file.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseEntry } from '../../src/format/index.ts';
import { Sandbox } from './foil.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

type Verdict = {
  verdict: string;
  valid: boolean;
  status: string;
  entries: number;
  marks: { signed: unknown };
  facets: Record<string, { status: string }>;
};

describe('an empty folder', () => {
  it('K6b init --here, append, verify --json', () => {
    const { vkey, directory, origin } = sandbox.json(['init', '--here']) as Record<string, string>;
    expect(directory).toBe(sandbox.path('.foil'));
    expect(vkey).toMatch(new RegExp(`^${origin}\\+[0-9a-f]{8}\\+`));
    expect(sandbox.json(['append', 'note', '--payload', '{"text":"hi"}'])).toEqual({
      seq: 2,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const report = sandbox.json(['verify']) as Verdict;
    expect(report).toMatchObject({
      verdict: 'INTACT',
      valid: true,
      status: 'VALID',
      entries: 2,
      marks: { signed: null },
    });
    expect(report.facets).toMatchObject({
      integrity: { status: 'pass' },
      truncation: { status: 'unknown' },
      identity: { status: 'unknown' },
    });
    sandbox.ok(['checkpoint']);
    const pinned = sandbox.json(['verify', '--key', vkey ?? '', '--require', 'signed']) as Verdict;
    expect(pinned).toMatchObject({
      marks: { signed: { from: 1, to: 2 } },
      facets: { identity: { status: 'pass' }, truncation: { status: 'pass' } },
    });
  });

  it('touches nothing outside .foil/ with --here but the record that it is ours', () => {
    sandbox.ledger(1);
    sandbox.ok(['verify']);
    sandbox.ok(['key', 'rotate']);
    expect(readdirSync(sandbox.root)).toEqual(['run', 'state', 'work']); // run was there before
    expect(readdirSync(join(sandbox.root, 'run'))).toEqual([]);
    expect(readdirSync(join(sandbox.root, 'state/counterfoil')).sort()).toEqual(['here', 'modes']);
    expect(readdirSync(sandbox.work)).toEqual(['.foil']);
    expect(sandbox.read('.foil/.gitignore')).toBe('*\n');
  });

  it('without --here has its ledger in the state directory, its key in the configuration, and the pin in trust.yaml', () => {
    const made = sandbox.json(['init']) as Record<string, string>;
    expect(made.directory).toMatch(
      new RegExp(`^${join(sandbox.root, 'state/counterfoil/work-')}[0-9a-f]{16}$`),
    );
    const trust = join(sandbox.root, 'config/counterfoil/trust.yaml');
    expect(made.trust).toBe(trust);
    expect(parse(sandbox.read('../config/counterfoil/trust.yaml'))).toEqual({
      ledgers: [{ vkey: made.vkey, path: made.directory }],
    });
    const [keyFile = ''] = readdirSync(made.key_directory ?? '');
    expect(statSync(join(made.key_directory ?? '', keyFile)).mode & 0o777).toBe(0o600);
    expect(readdirSync(sandbox.work)).toEqual([]);
    expect((sandbox.json(['verify', '--require', 'signed']) as Verdict).marks.signed).toEqual({
      from: 1,
      to: 1,
    });
  });

  it('says what to do next, for a person', () => {
    const text = sandbox.ok(['init', '--here']);
    expect(text).toMatch(/verifier key {4}counterfoil\/\S+\n/);
    expect(text).toContain('foil append note');
  });
});

describe('init on a ledger that is there', () => {
  it('exits 1 and changes nothing', () => {
    sandbox.ledger(1);
    const before = [
      sandbox.read('.foil/head'),
      sandbox.read('.foil/checkpoint'),
      readdirSync(sandbox.path('.foil/keys')),
    ];
    const again = sandbox.run(['init', '--here', '--json']);
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stdout).error.code).toBe('EXISTS');
    expect([
      sandbox.read('.foil/head'),
      sandbox.read('.foil/checkpoint'),
      readdirSync(sandbox.path('.foil/keys')),
    ]).toEqual(before);
    sandbox.ok(['archive', '--all']);
    expect(sandbox.run(['init', '--here']).code).toBe(1);
    expect((sandbox.json(['verify']) as Verdict).entries).toBe(3);
  });

  it('makes nothing where trust.yaml is not in order', () => {
    sandbox.ok(['init', '--ledger', 'first']);
    sandbox.write('../config/counterfoil/trust.yaml', 'ledgers: oops\n');
    expect(sandbox.run(['init', '--ledger', 'second']).code).toBe(1);
    expect(existsSync(sandbox.path('second'))).toBe(false);
  });
});

describe('append', () => {
  it('K1a writes a line as asked: payload, session, cause and source', () => {
    sandbox.ledger();
    const session = 'ab'.repeat(32);
    sandbox.write('payload.json', '{ "b": [1, 2],\n "a": "ü" }');
    sandbox.ok([
      'append',
      'x.build.done',
      '--payload',
      '@payload.json',
      '--session',
      session,
      '--cause',
      '1',
      '--source',
      'ci:github',
    ]);
    sandbox.ok(['append', 'note', '--payload', '-'], { input: '{"text":"from a pipe"}' });
    const [, second = '', third = ''] = sandbox.read('.foil/ledger/0000000000000001.jsonl').split('\n');
    expect(parseEntry(Buffer.from(second))).toMatchObject({
      kind: 'x.build.done',
      payload: { a: 'ü', b: [1, 2] },
      session_id: session,
      cause: 1,
      source: 'ci:github',
    });
    expect(parseEntry(Buffer.from(third)).payload).toEqual({ text: 'from a pipe' });
  });

  it('keeps content and commits to it', () => {
    sandbox.ledger();
    sandbox.write('out.log', 'the whole output');
    sandbox.ok([
      'append',
      'note',
      '--payload',
      '{"text":"built"}',
      '--content',
      'out.log',
      '--type',
      'text/plain',
    ]);
    const [line = ''] = sandbox.ok(['log', '--last', '1', '--json']).split('\n');
    expect(JSON.parse(line).payload).toEqual({
      text: 'built',
      content: {
        $content: expect.stringMatching(/^keyed-sha256:[0-9a-f]{64}$/),
        bytes: 16,
        type: 'text/plain',
      },
    });
    expect(sandbox.json(['verify'])).toMatchObject({ counts: { contentChecked: 1 } });
  });

  it.each([
    ['too long', JSON.stringify({ text: 'x'.repeat(65_500) })],
    ['longer than any line', JSON.stringify({ text: 'x'.repeat(200_000) })],
    ['nested too deeply', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`],
    ['with a number that is not exact', '{"n":9007199254740993}'],
    ['with half a character', '{"text":"\\ud800"}'],
  ])('refuses a payload %s, and writes nothing', (_, payload) => {
    sandbox.ledger();
    sandbox.write('payload.json', payload);
    expect(sandbox.run(['append', 'note', '--payload', '@payload.json']).code).toBe(2);
    expect(sandbox.run(['append', 'note', '--payload', '-'], { input: payload }).code).toBe(2);
    expect(sandbox.json(['verify'])).toMatchObject({ entries: 1 });
  });

  it('refuses a cause that is not before it', () => {
    sandbox.ledger();
    expect(sandbox.run(['append', 'note', '--cause', '2']).stderr).toContain('cause: not a seq below 2');
  });

  it('--lines acknowledges each line with its number and hash', () => {
    sandbox.ledger();
    const input = Array.from({ length: 2500 }, (_, i) => `{"n":${i}}\n`)
      .join('')
      .trimEnd();
    const lines = sandbox.ok(['append', 'x.n', '--lines'], { input }).trimEnd().split('\n');
    expect(lines.map((line) => Number(line.split(' ')[0]))).toEqual(
      Array.from({ length: 2500 }, (_, i) => i + 2),
    );
    const stored = sandbox
      .ok(['log', '--from', '2', '--json'])
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(stored.map(({ seq, entry_hash }) => `${seq} ${entry_hash}`)).toEqual(lines);
    expect(stored.map(({ payload }) => payload.n)).toEqual(Array.from({ length: 2500 }, (_, i) => i));
  });

  it('--lines stops at a bad line, having written those before it and none after', () => {
    sandbox.ledger();
    const { code, stdout, stderr } = sandbox.run(['append', 'x.n', '--lines', '--json'], {
      input: '{"n":1}\n{"n":2}\nnonsense\n{"n":4}\n',
    });
    expect(code).toBe(2);
    const [first = '', second = '', error = ''] = stdout.split('\n');
    expect([JSON.parse(first).seq, JSON.parse(second).seq]).toEqual([2, 3]);
    expect(JSON.parse(error).error.message).toContain('line 3: not JSON');
    expect(stderr).toBe('');
    expect(sandbox.json(['verify'])).toMatchObject({ entries: 3 });
  });
});

describe('where the ledger is', () => {
  it('is told by --ledger, then FOIL_LEDGER, then a .foil/ above, then the project', () => {
    sandbox.ledger();
    for (const name of ['one', 'two']) sandbox.ok(['init', '--ledger', name]);
    const where = (words: string[], env: NodeJS.ProcessEnv = {}) =>
      (
        JSON.parse(sandbox.ok(['doctor', '--json', ...words], { env })).checks as {
          name: string;
          message: string;
        }[]
      ).find(({ name }) => name === 'ledger')?.message;
    expect(where(['--ledger', 'one'], { FOIL_LEDGER: 'two' })).toBe(
      `${sandbox.path('one')} (given with --ledger)`,
    );
    expect(where([], { FOIL_LEDGER: 'two' })).toBe(`${sandbox.path('two')} (given with FOIL_LEDGER)`);
    expect(where([])).toBe(`${sandbox.path('.foil')} (in .foil/ here or above)`);
  });
});

describe('K1d append after a crash', () => {
  const segment = '.foil/ledger/0000000000000001.jsonl';
  const kinds = (): string[] =>
    sandbox
      .ok(['log', '--json'])
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).kind);

  it('leaves torn bytes where they are and records them by a gap', () => {
    sandbox.ledger(1);
    const before = `${sandbox.read(segment)}{"cause":null,"ki`;
    sandbox.write(segment, before);
    expect(sandbox.json(['verify'])).toMatchObject({ verdict: 'INTACT', counts: { tornBytes: 17 } });
    expect(sandbox.json(['append', 'x.after'])).toMatchObject({ seq: 4 });
    expect(sandbox.read(segment)).toBe(before);
    expect(kinds()).toEqual(['ledger.open', 'note', 'gap', 'x.after']);
    expect(sandbox.json(['verify'])).toMatchObject({
      verdict: 'INTACT',
      entries: 4,
      counts: { tornBytes: 0 },
    });
  });

  it('takes in whole lines that the head does not know yet', () => {
    sandbox.ledger(1);
    const head = readFileSync(sandbox.path('.foil/head'));
    sandbox.ok(['append', 'x.unpublished']);
    writeFileSync(sandbox.path('.foil/head'), head);
    expect(sandbox.json(['append', 'x.after'])).toMatchObject({ seq: 4 });
    expect(kinds()).toEqual(['ledger.open', 'note', 'x.unpublished', 'x.after']);
  });

  it('rebuilds a head that is missing or torn', () => {
    sandbox.ledger(1);
    rmSync(sandbox.path('.foil/head'));
    expect(sandbox.json(['append', 'note'])).toMatchObject({ seq: 3 });
    writeFileSync(sandbox.path('.foil/head'), 'half a he');
    expect(sandbox.json(['append', 'note'])).toMatchObject({ seq: 4 });
    expect(sandbox.json(['verify'])).toMatchObject({ verdict: 'INTACT', entries: 4 });
  });

  it('refuses where acknowledged entries are gone; exit 1', () => {
    sandbox.ledger(2);
    sandbox.write(segment, sandbox.read(segment).split('\n').slice(0, 2).join('\n'));
    const { code, stdout } = sandbox.run(['append', 'note', '--json']);
    expect([code, JSON.parse(stdout).error.code]).toEqual([1, 'SHORT_LOG']);
  });
});
