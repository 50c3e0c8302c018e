// Makes the logs of spec/vectors/kaiza: a good one, and one for each way of tampering with it. The chain is made here by
// the format's own words and nothing of src/, so that the two can contradict each other.
import { createHash } from 'node:crypto';
import type { KaizaReport } from '../../src/exports/index.ts';

export interface KaizaVector {
  readonly name: string;
  readonly about: string;
  /** The log as text; hex where it is no UTF-8; or `before`, `text` so many `times`, `after`. */
  readonly log?: string;
  readonly hex?: string;
  readonly repeat?: {
    readonly before: string;
    readonly text: string;
    readonly times: number;
    readonly after: string;
  };
  readonly continues?: string;
}

export interface KaizaExpectation extends Pick<KaizaReport, 'verdict' | 'status' | 'entries' | 'failures'> {
  readonly integrity: string;
  readonly truncation: string;
}

type Members = Record<string, unknown>;

/** "Create a copy without entry_hash, sort all keys alphabetically, serialize without white space, hash with SHA-256." */
export function hashByTheBook(entry: Members): string {
  const sorted = Object.fromEntries(
    Object.entries(entry)
      .filter(([name]) => name !== 'entry_hash')
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

const SESSION = '600c5b08-f9ce-8a0b-984b-ed3316867bdd';

function facts(n: number, more: Members = {}): Members {
  return {
    ts: `2026-01-19T14:30:4${n}.123Z`,
    seq: n,
    prev_hash: '',
    session_id: SESSION,
    role: 'WINDSURF',
    workspace_root: '/workspace',
    tool: ['', 'begin_session', 'read_file', 'write_file', 'write_file', 'run'][n],
    intent: n === 1 ? null : `step ${n}`,
    plan_hash: n === 3 ? 'plan-abc123' : null,
    phase_id: null,
    args_hash: n === 1 ? null : createHash('sha256').update(`args ${n}`).digest('hex'),
    result: 'ok',
    error_code: null,
    invariant_id: null,
    result_hash: null,
    notes: `line ${n} — “ünïcödé” \u2028 \u0001`,
    ...more,
  };
}

/** The lines of these entries, chained. */
export function chain(entries: readonly Members[], from = 'GENESIS'): string[] {
  let prev = from;
  return entries.map((entry) => {
    const body = { ...entry, prev_hash: prev };
    prev = hashByTheBook(body);
    return JSON.stringify({ ...body, entry_hash: prev });
  });
}

const GOOD = [1, 2, 3, 4, 5].map((n) =>
  facts(n, n === 4 ? { role: 'ANTIGRAVITY', result: 'error', error_code: 'PLAN_NOT_APPROVED' } : {}),
);

export function kaizaVectors(): KaizaVector[] {
  const good = chain(GOOD);
  const [one = '', two = '', three = '', four = '', five = ''] = good;
  const log = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const hash = (line: string): string => String((JSON.parse(line) as Members).entry_hash);
  const vector = (
    name: string,
    about: string,
    lines: readonly string[],
    more: Partial<KaizaVector> = {},
  ) => ({
    name,
    about,
    log: log(lines),
    ...more,
  });
  /** The third line otherwise, and its hash and those behind it made again: well chained, and still no such log. */
  const remade = (change: (entry: Members) => Members): string[] =>
    chain(GOOD.map((entry, i) => (i === 2 ? change(entry) : entry)));
  const third = (line: string): string[] => [one, two, line, four, five];
  const { seq: _, ...withoutSeq } = GOOD[2] as Members;
  const buffered = GOOD.map(({ ts, ...rest }, i) =>
    i === 1 ? { ts, buffered: true, ...rest } : { ts, ...rest },
  );

  return [
    vector('good', 'Five entries.', good),
    vector('one-entry', 'One entry is a log.', [one]),
    vector('buffered', 'An entry that came before its session has one member more.', chain(buffered)),
    vector('kept-last', 'The log ends in the hash that was kept.', good, { continues: hash(five) }),
    vector('kept-earlier', 'The log goes on from the hash that was kept.', good, { continues: hash(two) }),
    vector('tail-dropped', 'Whole lines are gone at the end: the format alone can not tell.', [
      one,
      two,
      three,
    ]),
    vector('tail-dropped-kept', 'The same, and a hash was kept.', [one, two, three], {
      continues: hash(five),
    }),
    vector('empty', 'No bytes at all.', []),
    { name: 'tail-cut', about: 'The last line breaks off.', log: log(good).slice(0, -40) },
    { name: 'no-last-newline', about: 'Only the last newline is gone.', log: log(good).slice(0, -1) },
    vector(
      'member-changed',
      'A word of the third line is another.',
      third(three.replace('step 3', 'step 9')),
    ),
    vector('member-changed-rehashed', 'The same, with the hash made again.', [
      one,
      two,
      ...chain([{ ...GOOD[2], intent: 'step 9' }], hash(two)),
      four,
      five,
    ]),
    vector(
      'hash-changed',
      'The hash of the third line is another.',
      third(three.replace(hash(three), 'ab'.repeat(32))),
    ),
    vector(
      'prev-changed',
      'The third line follows another.',
      third(three.replace(hash(two), 'cd'.repeat(32))),
    ),
    vector(
      'seq-changed',
      'The third line says that it is the ninth: what was changed is not believed.',
      third(three.replace('"seq":3', '"seq":9')),
    ),
    vector('line-dropped', 'The third line is gone.', [one, two, four, five]),
    vector('first-dropped', 'The first line is gone.', [two, three, four, five]),
    vector('line-doubled', 'The third line stands there twice.', [one, two, three, three, four, five]),
    vector('lines-swapped', 'The third and the fourth have changed places.', [one, two, four, three, five]),
    vector('line-inserted', 'A line that follows the second, and is none of the log.', [
      one,
      two,
      ...chain([facts(3, { tool: 'read_file' })], hash(two)),
      three,
      four,
      five,
    ]),
    vector('two-logs', 'A second log is put behind the first.', [one, two, ...chain([facts(1), facts(2)])]),
    vector('other-genesis', 'The first line follows a hash.', chain(GOOD, '0'.repeat(64))),
    vector(
      'seq-from-zero',
      'The first entry is number 0.',
      chain(GOOD.map((entry, i) => ({ ...entry, seq: i }))),
    ),
    vector(
      'seq-from-two',
      'The first entry is number 2.',
      chain(GOOD.map((entry, i) => ({ ...entry, seq: i + 2 }))),
    ),
    vector('seq-jumps', 'A number is left out, and all is chained.', chain([...GOOD.slice(0, 3), facts(5)])),
    vector('blank-line', 'An empty line in between.', [one, two, '', three, four, five]),
    { name: 'crlf', about: 'Lines end in CR LF.', log: log(good).replaceAll('\n', '\r\n') },
    vector('byte-order-mark', 'A byte order mark comes first.', [`\ufeff${one}`, two]),
    vector('white-space', 'A space behind a colon.', third(three.replace('"seq":3', '"seq": 3'))),
    vector('trailing-space', 'A space behind the line.', third(`${three} `)),
    vector('number-as-float', 'The number 3.0.', third(three.replace('"seq":3', '"seq":3.0'))),
    vector('number-with-exponent', 'The number 3e0.', third(three.replace('"seq":3', '"seq":3e0'))),
    vector(
      'number-as-text',
      'The number is a string.',
      remade((entry) => ({ ...entry, seq: '3' })),
    ),
    vector(
      'number-too-large',
      'A number that no double holds.',
      third(three.replace('"seq":3', '"seq":1e999')),
    ),
    vector(
      'needless-escape',
      'A letter is written as an escape.',
      third(three.replace('step 3', '\\u0073tep 3')),
    ),
    vector(
      'name-twice',
      'A name stands there twice, the right value last: readers that keep the first would see another.',
      third(three.replace('"result":"ok"', '"result":"error","result":"ok"')),
    ),
    vector(
      'name-twice-escaped',
      'The same, the first of them written with an escape.',
      third(three.replace('"result":"ok"', '"resul\\u0074":"error","result":"ok"')),
    ),
    vector('members-sorted', 'The members are sorted by name, as for the hash.', [
      JSON.stringify(
        Object.fromEntries(Object.entries(JSON.parse(one) as Members).sort(([a], [b]) => (a < b ? -1 : 1))),
      ),
    ]),
    vector(
      'member-missing',
      'A member is missing, and the hash made again.',
      remade(() => withoutSeq),
    ),
    vector(
      'member-unknown',
      'One member more, and the hash made again.',
      remade((entry) => ({ ...entry, more: 1 })),
    ),
    vector(
      'prototype',
      'A member named __proto__.',
      third(three.replace('"notes"', '"__proto__":null,"notes"')),
    ),
    vector(
      'buffered-false',
      'A mark that says no.',
      remade(({ ts, ...rest }) => ({ ts, buffered: false, ...rest })),
    ),
    vector(
      'another-role',
      'A role that the format has not.',
      remade((entry) => ({ ...entry, role: 'planner' })),
    ),
    vector(
      'another-result',
      'A result that the format has not.',
      remade((entry) => ({ ...entry, result: 'aborted' })),
    ),
    vector(
      'session-not-uuid',
      'A session id of 64 hex digits.',
      remade((entry) => ({ ...entry, session_id: 'ab'.repeat(32) })),
    ),
    vector(
      'another-clock',
      'A time without milliseconds.',
      remade((entry) => ({ ...entry, ts: '2026-01-19T14:30:43Z' })),
    ),
    vector(
      'no-such-day',
      'A day that does not exist.',
      remade((entry) => ({ ...entry, ts: '2026-02-30T14:30:43.000Z' })),
    ),
    vector(
      'notes-null',
      'Notes are never null.',
      remade((entry) => ({ ...entry, notes: null })),
    ),
    vector(
      'nested',
      'A member that holds an object.',
      remade((entry) => ({ ...entry, intent: { a: 1 } })),
    ),
    vector(
      'lone-surrogate',
      'Half of a character, as an escape.',
      remade((entry) => ({ ...entry, notes: '\ud800' })),
    ),
    {
      name: 'not-utf-8',
      about: 'A byte that is no UTF-8.',
      hex: Buffer.from(log(good))
        .toString('hex')
        .replace(Buffer.from('step 3').toString('hex'), '73746570ff33'),
    },
    vector('not-json', 'A line of something else.', [one, two, 'the third entry', four, five]),
    vector('not-an-object', 'An array.', [one, two, '[]', four, five]),
    {
      name: 'too-long',
      about: 'A line of more than 65,535 bytes, with its hash.',
      ...repeated(GOOD[0] as Members, 65_536),
    },
    {
      name: 'deep',
      about: 'Thirty thousand brackets.',
      repeat: { before: `${one}\n`, text: '[', times: 30_000, after: `\n${three}\n` },
    },
  ];
}

function repeated(entry: Members, times: number): Pick<KaizaVector, 'repeat'> {
  const [line = ''] = chain([{ ...entry, notes: 'x'.repeat(times) }]);
  const [before = '', after = ''] = line.split('x'.repeat(times));
  return { repeat: { before, text: 'x', times, after: `${after}\n` } };
}

export function kaizaBytes({ log, hex, repeat }: KaizaVector): Uint8Array {
  if (hex !== undefined) return Buffer.from(hex, 'hex');
  return Buffer.from(log ?? `${repeat?.before}${repeat?.text.repeat(repeat.times)}${repeat?.after}`);
}

export function expectationOf(report: KaizaReport): KaizaExpectation {
  const { verdict, status, entries, failures, facets } = report;
  return {
    verdict,
    status,
    entries,
    integrity: facets.integrity.status,
    truncation: facets.truncation.status,
    failures,
  };
}
