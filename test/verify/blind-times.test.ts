// Times in which nothing could be seen, from entries alone: what each is called, how far it reaches, and what of it is
// remembered.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { BlindTimes } from '../../src/verify/blind-times.ts';
import { Findings } from '../../src/verify/findings.ts';

const SESSION = 'a'.repeat(64);
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 10, minute)).toISOString();

function look(
  entries: readonly (readonly [minute: number, kind: string, payload: JsonObject, source?: string])[],
  bounds = {},
): { readonly found: [string, number | null][]; readonly times: BlindTimes } {
  const findings = new Findings();
  const times = new BlindTimes(findings, bounds);
  for (const [index, [minute, kind, payload, source = 'cli']] of entries.entries())
    times.entry({
      seq: index + 1,
      kind,
      payload,
      source,
      session_id: source === 'cli' ? null : SESSION,
      ts: at(minute),
    } as Entry);
  times.finish();
  const found = findings.of('completeness').map(({ code, seq }): [string, number | null] => [code, seq]);
  return { found, times };
}

const HOOK = 'hook:claude-code';
const pause = (until: string | null): JsonObject => ({ what: 'pause', until });
const mode = (from: string, to: string): JsonObject => ({ what: 'mode', from, to });
const gap = (reason: string, since: number, until: number, why: string): JsonObject => ({
  reason,
  since: at(since),
  until: at(until),
  events: 1,
  why,
  calls: [],
});

describe('a pause', () => {
  it('lasts as long as it says, or until it is ended', () => {
    const { found, times } = look([
      [0, 'config.change', pause(at(30))],
      [10, 'config.change', pause(null)],
      [40, 'config.change', pause(at(50))],
    ]);
    expect(found).toEqual([
      ['BLIND_PAUSED', 1],
      ['BLIND_PAUSED', 3],
    ]);
    expect(times.within(SESSION, at(5), at(6))?.seq).toBe(1);
    expect(times.within(SESSION, at(20), at(25))).toBeUndefined();
    expect(times.within(SESSION, at(25), at(45))?.seq).toBe(3);
  });

  it('that a gap tells of is one time, and without an entry it is untold', () => {
    const passed = gap('off', 1, 5, 'recording was paused');
    expect(
      look([
        [0, 'config.change', pause(at(30))],
        [31, 'gap', passed, HOOK],
      ]).found,
    ).toEqual([['BLIND_PAUSED', 1]]);
    expect(look([[31, 'gap', passed, HOOK]]).found).toEqual([['BLIND_UNTOLD', 1]]);
  });

  it('that could not be recorded counts as told', () => {
    const why = `that recording was paused until ${at(30)} could not be recorded: full`;
    const { found } = look([
      [31, 'gap', gap('unrecorded', 0, 0, why), HOOK],
      [31, 'gap', gap('off', 1, 5, 'recording was paused'), HOOK],
    ]);
    expect(found.map(([code]) => code).sort()).toEqual(['BLIND', 'BLIND_PAUSED']);
  });

  it('with a moment that is none lasts no time at all', () => {
    expect(
      look([[0, 'config.change', pause('for ever')]]).times.within(SESSION, at(1), at(2)),
    ).toBeUndefined();
  });
});

describe('a mode', () => {
  it('is MODE_RELAXED only while a session is open', () => {
    const start = [0, 'session.start', { mode: 'guard' }, HOOK] as const;
    const end = [1, 'session.end', {}, HOOK] as const;
    const relax = [2, 'config.change', mode('guard', 'observe')] as const;
    expect(look([start, relax]).found).toEqual([['MODE_RELAXED', 2]]);
    expect(look([start, end, relax]).found).toEqual([]);
    expect(look([start, [2, 'config.change', mode('observe', 'guard')]]).found).toEqual([]);
  });

  it('is MODE_UNTOLD once, where a session has a laxer one than was set', () => {
    const { found } = look([
      [0, 'config.change', mode('observe', 'guard')],
      [1, 'session.start', { mode: 'observe' }, HOOK],
      [2, 'config.change', mode('guard', 'observe'), HOOK],
    ]);
    expect(found).toEqual([['MODE_UNTOLD', 2]]);
    expect(look([[1, 'session.start', { mode: 'observe' }, HOOK]]).found).toEqual([]);
  });
});

it('hooks that are gone are HOOKS_MISSING, and their session is blind until it ends', () => {
  const gone = [1, 'config.change', { what: 'hooks', missing: ['PreToolUse'] }, HOOK] as const;
  const { found, times } = look([gone]);
  expect(found).toEqual([['HOOKS_MISSING', 1]]);
  expect(times.within(SESSION, at(5), at(6))).toBeDefined();
  expect(times.within(SESSION, at(0), at(0))).toBeUndefined();
  expect(times.within('b'.repeat(64), at(0), at(6))).toBeUndefined();
  const ended = look([gone, [3, 'session.end', {}, HOOK]]).times;
  expect(ended.within(SESSION, at(2), at(3))).toBeDefined();
  expect(ended.within(SESSION, at(5), at(6))).toBeUndefined();
});

it('a harness that changed is HARNESS_CHANGED, names the files, and is no blind time', () => {
  const changes = [{ path: 'static/AGENTS.md', change: 'changed' }];
  const { found, times } = look([[1, 'harness.change', { changes }, 'run']]);
  expect(found).toEqual([['HARNESS_CHANGED', 1]]);
  expect(times.within(SESSION, at(0), at(6))).toBeUndefined();
  // Nothing that an entry may hold makes the verifier throw.
  for (const odd of [{}, { changes: null }, { changes: [null, 7, {}] }])
    expect(look([[1, 'harness.change', odd as JsonObject, 'run']]).found).toEqual(found);
});

it('a claim across such a time is `CLAIM_BLIND`: a gap of another session is not one', () => {
  const { times } = look([[5, 'gap', gap('unrecorded', 1, 2, 'x'), HOOK]]);
  expect(times.within(SESSION, at(0), at(3))).toBeDefined();
  expect(times.within('b'.repeat(64), at(0), at(3))).toBeUndefined();
});

it('more than are remembered is said', () => {
  const many = [0, 1, 2].map((minute) => [minute, 'config.change', pause(at(minute + 1))] as const);
  expect(look(many, { times: 2 }).times.isFull).toBe(true);
  expect(look(many).times.isFull).toBe(false);
});
