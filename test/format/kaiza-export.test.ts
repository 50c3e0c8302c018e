// Entries of a ledger as a log in the KAIZA format: which become lines, what stands in them, and how they are chained.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Json, type JsonObject, ParseError } from '../../src/core/index.ts';
import { exportKaiza, parseKaizaEntry, uuidOf, verifyKaizaLog } from '../../src/exports/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { hashByTheBook } from '../verify/make-kaiza.ts';

const SESSION = '600c5b08f9ce1a0b984bed3316867bdd41663868d75d73ff018e9b1328b67662';
const HASH = 'ab'.repeat(32);
const MEMBERS =
  'ts seq prev_hash session_id role workspace_root tool intent plan_hash phase_id args_hash result error_code invariant_id result_hash notes entry_hash';

function entry(seq: number, kind: string, payload: JsonObject, more: Partial<Entry> = {}): Entry {
  return {
    cause: null,
    kind,
    payload,
    prev_hash: HASH,
    seq,
    session_id: SESSION,
    source: 'sdk',
    ts: `2026-11-15T10:00:${String(seq).padStart(2, '0')}.000Z`,
    v: 1,
    entry_hash: HASH,
    ...more,
  };
}

const tool = (name: string, more: JsonObject = {}): JsonObject => ({
  tool: name,
  workspace_root: '/work',
  role: 'executor',
  intent: null,
  plan_hash: null,
  phase_id: null,
  invariant_id: null,
  notes: null,
  args_hash: HASH,
  ...more,
});

function lines(entries: readonly Entry[]): Record<string, unknown>[] {
  const log = exportKaiza();
  const text = entries.map((each) => log.add(each)).join('') + log.end().text;
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      expect(parseKaizaEntry(Buffer.from(line)).entry_hash).toHaveLength(64);
      return JSON.parse(line) as Record<string, unknown>;
    });
}

describe('parseKaizaEntry', () => {
  it('throws nothing but ParseError, and refuses what could not be written back', () => {
    const [line = {}] = lines([entry(1, 'tool.result', tool('x'))]);
    const parse = (value: unknown): unknown => parseKaizaEntry(Buffer.from(JSON.stringify(value)));
    expect(parse(line)).toEqual(line);
    for (const name of Object.keys(line)) {
      expect(() => parse({ ...line, [name]: '\ud800' }), name).toThrow(ParseError);
      expect(() => parse({ ...line, [name]: {} }), name).toThrow(ParseError);
    }
    expect(() => parse({ ...line, notes: '\ud800' })).toThrow('lone surrogate');
  });
});

describe('exportKaiza', () => {
  it('K13a, K2: has every member, in order, with what the ledger says', () => {
    const facts = tool('write_file', {
      intent: 'Update version',
      plan_hash: 'cd'.repeat(32),
      phase_id: 'p1',
      invariant_id: 'inv-1',
      notes: 'as agreed',
    });
    const [line, ...others] = lines([
      entry(7, 'tool.call', facts),
      entry(
        8,
        'tool.result',
        { ...facts, result: 'ok', error_code: null, result_hash: 'ef'.repeat(32) },
        { cause: 7 },
      ),
    ]);
    expect(others).toEqual([]);
    expect(Object.keys(line ?? {}).join(' ')).toBe(MEMBERS);
    expect(line).toMatchObject({
      ts: '2026-11-15T10:00:08.000Z',
      seq: 1,
      workspace_root: '/work',
      tool: 'write_file',
      intent: 'Update version',
      plan_hash: 'cd'.repeat(32),
      phase_id: 'p1',
      args_hash: HASH,
      result: 'ok',
      error_code: null,
      invariant_id: 'inv-1',
      result_hash: 'ef'.repeat(32),
      notes: 'as agreed',
    });
  });

  it('K13a: tells every outcome of a call, in the two words there are', () => {
    const outcome = (result: string, more: JsonObject = {}): JsonObject => ({
      ...tool('Bash'),
      result,
      ...more,
    });
    const found = lines([
      entry(1, 'tool.result', outcome('ok', { exit_code: 0 })),
      entry(2, 'tool.result', outcome('ok', { exit_code: 3 })),
      entry(3, 'tool.result', outcome('error', { error_code: 'INVALID_PATH' })),
      entry(4, 'tool.result', outcome('aborted')),
      entry(5, 'tool.result', outcome('timeout', { error_code: null })),
      entry(6, 'tool.call', tool('Bash')),
      entry(7, 'tool.denied', { ...tool('Bash'), by: 'user', reason: 'no' }, { cause: 6 }),
      entry(8, 'tool.call', tool('Bash')),
    ]);
    expect(found.map(({ result, error_code, notes }) => [result, error_code, notes])).toEqual([
      ['ok', null, 'Bash completed successfully, exit code 0 (ledger entry 1)'],
      ['ok', null, 'Bash returned, exit code 3 (ledger entry 2)'],
      ['error', 'INVALID_PATH', 'Bash failed (ledger entry 3)'],
      ['error', 'ABORTED', 'Bash was aborted (ledger entry 4)'],
      ['error', 'TIMEOUT', 'Bash timed out (ledger entry 5)'],
      ['error', 'DENIED', 'Bash was denied by user (ledger entries 6, 7)'],
      ['error', 'NO_RESULT', 'Bash has no result on record (ledger entry 8)'],
    ]);
  });

  it('K13a: tells of sessions, plans, gaps, failed keys and crashes, and of nothing else', () => {
    const found = lines([
      entry(1, 'ledger.open', {}, { session_id: null }),
      entry(2, 'session.start', { workspace_root: '/home/dev/proj' }),
      entry(3, 'prompt', { prompt_hash: HASH }),
      entry(4, 'plan.propose', { plan_hash: HASH, role: 'executor' }),
      entry(5, 'plan.approve', { plan_hash: HASH }, { session_id: null }),
      entry(6, 'gap', { reason: 'off' }),
      entry(7, 'gap', { file: 'ledger/1.jsonl', bytes: 3 }, { session_id: null }),
      entry(8, 'auth.fail', {}),
      entry(9, 'crash', { hook: 'Stop' }),
      entry(10, 'session.end', {}),
      entry(11, 'note', { text: 'x' }, { session_id: null }),
    ]);
    expect(found.map(({ tool: name, error_code, workspace_root: root }) => [name, error_code, root])).toEqual(
      [
        ['session.start', null, '/home/dev/proj'],
        ['plan.propose', null, '/home/dev/proj'],
        ['plan.approve', null, ''],
        ['gap', 'OFF', '/home/dev/proj'],
        ['gap', 'TORN', ''],
        ['auth.fail', 'AUTH_FAIL', '/home/dev/proj'],
        ['crash', 'CRASH', '/home/dev/proj'],
        ['session.end', null, '/home/dev/proj'],
      ],
    );
    expect(found[1]?.plan_hash).toBe(HASH);
  });

  it('K13b: maps roles to those two, and sessions to UUIDs that begin as they do', () => {
    const roles = ['planner', 'executor', null, 'reviewer'].map((role) =>
      entry(1, 'tool.result', { ...tool('x'), role, result: 'ok' }),
    );
    const approved = entry(2, 'plan.approve', {}, { session_id: null });
    const found = lines([...roles, approved, entry(3, 'plan.propose', { role: 'executor' })]);
    expect(found.map(({ role }) => role)).toEqual([
      'ANTIGRAVITY',
      'WINDSURF',
      'WINDSURF',
      'WINDSURF',
      'ANTIGRAVITY',
      'WINDSURF',
    ]);
    expect(found[0]?.session_id).toBe('600c5b08-f9ce-8a0b-984b-ed3316867bdd');
    expect(found[4]?.session_id).toBe('00000000-0000-0000-0000-000000000000');
    for (const digit of '0123456789abcdef')
      expect(uuidOf(digit.repeat(64))).toMatch(/^([0-9a-f])\1{7}-\1{4}-8\1{3}-[89ab]\1{3}-\1{12}$/);
  });

  it('K13c: chains the lines by the rule of the format, from GENESIS', () => {
    const found = lines([
      entry(1, 'session.start', { workspace_root: '/wörk "x"' }),
      entry(2, 'tool.result', { ...tool('a'), result: 'ok', buffered: true }),
      entry(3, 'session.end', {}),
    ]);
    expect(found.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(found.map(({ prev_hash }) => prev_hash)).toEqual([
      'GENESIS',
      found[0]?.entry_hash,
      found[1]?.entry_hash,
    ]);
    for (const line of found) expect(line.entry_hash).toBe(hashByTheBook(line));
    expect(found.map(({ buffered }) => buffered)).toEqual([undefined, true, undefined]);
  });

  it('puts calls without a result before the end of their session, and the others last', () => {
    const other = 'f0'.repeat(32);
    const entries = [
      entry(1, 'tool.call', tool('mine')),
      entry(2, 'tool.call', tool('other'), { session_id: other }),
      entry(3, 'session.end', {}),
    ];
    expect(lines(entries).map(({ tool: name, error_code }) => [name, error_code])).toEqual([
      ['mine', 'NO_RESULT'],
      ['session.end', null],
      ['other', 'NO_RESULT'],
    ]);
    const log = exportKaiza();
    for (const each of entries) log.add(each);
    expect(log.end().open).toBe(1);
  });

  it('remembers so many calls, and tells of the oldest when there are more', () => {
    const log = exportKaiza();
    let told = '';
    for (let seq = 1; seq <= 10_002; seq++)
      told += log.add(
        entry(seq, 'tool.call', tool(`t${seq}`), {
          ts: '2026-11-15T10:00:00.000Z',
          session_id: seq % 2 ? SESSION : HASH,
        }),
      );
    expect(told.match(/"tool":"t\d+"/g)).toEqual(['"tool":"t1"', '"tool":"t3"']);
    expect(log.end().open).toBe(10_000);
  });

  it('writes what can be read back, whatever is in a payload', async () => {
    const kind = fc.constantFrom(
      ...'session.start session.end tool.call tool.result tool.denied gap crash plan.propose prompt'.split(
        ' ',
      ),
    );
    const name = fc.constantFrom(
      ...'tool role intent plan_hash args_hash result error_code notes workspace_root buffered by reason'.split(
        ' ',
      ),
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('ok', 'planner', HASH, true),
    ) as fc.Arbitrary<Json>;
    const some = fc.record({ kind, payload: fc.dictionary(name, value), cause: fc.nat(6) });
    await fc.assert(
      fc.asyncProperty(fc.array(some, { minLength: 1, maxLength: 12 }), async (list) => {
        const log = exportKaiza();
        const ts = '2026-11-15T10:00:00.000Z';
        const text = list
          .map(({ payload, cause, ...of }, i) => log.add(entry(i + 1, of.kind, payload, { cause, ts })))
          .join('');
        const report = await verifyKaizaLog([Buffer.from(text + log.end().text)]);
        expect(report.failures.filter(({ error }) => error !== 'EMPTY_LOG')).toEqual([]);
      }),
    );
  });

  it('cuts what would be too long for a line, and stays readable', () => {
    const long = '\u0001'.repeat(9000);
    const [line] = lines([
      entry(1, 'tool.result', tool(long, { intent: long, notes: `${'x'.repeat(1022)}💥${long}` })),
    ]);
    expect(String(line?.intent)).toHaveLength(1024);
    expect(String(line?.notes)).toBe(`${'x'.repeat(1022)}\ufffd…`);
    expect(line?.result).toBe('error');
  });
});
