// What the pages make of entries, without a browser: steps, time, sums, and two sessions held against each other.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import type { SessionRow } from '../../src/view/answers.ts';
import { judgedClaims } from '../../web/model/judged-claims.ts';
import { pauseBetween } from '../../web/model/pace.ts';
import { sessionModel } from '../../web/model/session.ts';
import { diffOf } from '../../web/model/session-diff.ts';
import { signerStanding } from '../../web/model/signer-standing.ts';
import { linkBetween } from '../../web/model/steps.ts';
import { panned, showing, ticksIn, wholeWindow, zoomed } from '../../web/model/time-window.ts';
import { toolTotals, totalsBy, totalsByDay } from '../../web/model/totals.ts';

const START = Date.parse('2026-11-01T10:00:00.000Z');

/** Entries a second apart, numbered from 1. */
function modelOf(...told: readonly (readonly [kind: string, payload: JsonObject, cause?: number])[]) {
  const entries = told.map(([kind, payload, cause = null], i) => ({
    v: 1,
    seq: i + 1,
    ts: new Date(START + i * 1000).toISOString(),
    kind,
    source: 'hook:claude-code',
    session_id: 'a'.repeat(64),
    cause,
    payload,
    prev_hash: '',
    entry_hash: '',
  })) as unknown as Entry[];
  return sessionModel(entries, new Map());
}

describe('steps', () => {
  const { rows, steps, stepIndex } = modelOf(
    ['prompt', { text: 'Fix it' }],
    ['tool.call', { tool: 'Bash', tool_use_id: 't1' }, 1],
    ['approval', { tool: 'Bash', state: 'asked' }, 2],
    ['approval', { tool: 'Bash', state: 'granted', waited_ms: 1000 }, 3],
    ['tool.result', { tool: 'Bash', tool_use_id: 't1', result: 'ok', exit_code: 1 }, 2],
    ['tool.call', { tool: 'Edit' }, 1],
    ['tool.denied', { tool: 'Edit', reason: 'not granted' }, 6],
    ['tool.result', { tool: 'Bash', result: 'ok', repeated: true }, 2],
    ['tool.result', { tool: 'Read', result: 'ok' }, 99],
  );

  it('X9 fold a call with the permission it waited for and with what it came to', () => {
    expect(steps.map(({ seq, parts }) => [seq, parts.map((part) => part.seq)])).toEqual([
      [1, []],
      [2, [3, 4, 5]],
      [6, [7]],
      [8, []],
      [9, []],
    ]);
    expect(steps[1]).toMatchObject({
      title: 'Bash',
      outcome: 'exit 1',
      tone: 'bad',
      from: START + 1000,
      to: START + 4000,
      permission: { state: 'granted', milliseconds: 1000 },
    });
    expect(steps[2]).toMatchObject({
      title: 'Edit denied',
      lane: 'gate',
      tone: 'bad',
      outcome: 'not granted',
    });
    expect([1, 5, 7, 9].map((seq) => stepIndex.get(seq))).toEqual([0, 1, 2, 4]);
  });

  it('X9 tell links that an id names from those that follow from the order', () => {
    const of = (seq: number) => rows[seq - 1] as (typeof rows)[number];
    expect(linkBetween(of(5), of(2))).toBe('recorded');
    expect(linkBetween(of(2), of(1))).toBe('inferred');
    expect(linkBetween(of(8), of(2))).toBe('inferred');
    expect(linkBetween(of(9), of(9))).toBe('inferred');
  });
});

describe('the part of the time that is shown', () => {
  const whole = wholeWindow(0, 100_000);

  it('is zoomed around a place, moved, and never leaves the session', () => {
    const near = zoomed(whole, 0.1, 50_000, whole);
    expect([Math.round(near.to - near.from), near.from < 50_000 && near.to > 50_000]).toEqual([10_200, true]);
    expect(zoomed(near, 1e9, 50_000, whole)).toEqual(whole);
    expect(zoomed(near, 0, 50_000, whole).to - zoomed(near, 0, 50_000, whole).from).toBeCloseTo(20);
    expect(panned(near, -1e9, whole).from).toBe(whole.from);
    expect(panned(near, 1e9, whole).to).toBeCloseTo(whole.to);
    expect(showing(near, 50_000, whole)).toBe(near);
    expect(showing(near, 90_000, whole).to).toBeGreaterThan(90_000);
    const instant = wholeWindow(5, 5);
    expect(instant.to).toBeGreaterThan(instant.from);
  });

  it('has ticks that people can read', () => {
    expect(ticksIn({ from: 0, to: 10_000 }, 0, 5).map(({ label }) => label)).toEqual(
      ['0 s', '2 s', '4 s', '6 s', '8 s', '10 s'].slice(0, 6),
    );
    expect(ticksIn({ from: 3_600_000, to: 3_720_000 }, 0, 2).map(({ label }) => label)).toEqual([
      '1:00:00',
      '1:01:00',
      '1:02:00',
    ]);
    expect(ticksIn({ from: 0, to: 1e13 }, 0, 4).length).toBeLessThanOrEqual(5);
  });

  it('X9 plays pauses short and instants long enough to be seen', () => {
    expect([pauseBetween(0, 0, 1), pauseBetween(0, 1000, 4), pauseBetween(0, 1e9, 64)]).toEqual([
      80, 250, 1500,
    ]);
  });
});

describe('X9 claims beside their evidence', () => {
  const { claims, rows } = modelOf(
    ['tool.result', { tool: 'Bash', result: 'ok', exit_code: 0 }],
    ['claim', { claim: 'tested', quote: 'All tests pass' }],
    ['validation', { validator: 'test_pass', outcome: 'pass', evidence: [1] }],
    ['gate', { verdict: 'pass', claims: [{ claim: 2, status: 'backed', validation: 3 }] }],
    ['tool.result', { tool: 'Read', result: 'ok', files: [{ path: '/w/a.js', op: 'read' }] }],
    ['tool.result', { tool: 'Edit', result: 'ok', files: [{ path: '/w/a.js', op: 'edit' }] }],
    ['tool.denied', { tool: 'Read', reason: 'needs fs:read:/w/b/**' }],
  );
  const judged = (code: string, seq: number, isSound = true) => {
    const found = { code, level: 'unknown', seq, message: 'part of it was not seen', line: null } as never;
    return judgedClaims(claims, [found], isSound).map(({ tone, status, reason }) => [tone, status, reason]);
  };

  it('say which entry changed a file after the run that proved them', () => {
    expect(claims).toMatchObject([{ seq: 2, status: 'backed', evidence: [1], changedIn: 6 }]);
  });

  it('are in doubt where the check says that not all could be seen, and where the record was changed', () => {
    expect(judged('CLAIM_BLIND', 2)).toEqual([['doubt', 'blind', 'part of it was not seen']]);
    expect(judged('CLAIM_BLIND', 9)).toEqual([['good', 'backed', null]]);
    expect(judged('RUN_OPEN', 2)).toEqual([['good', 'backed', null]]);
    expect(judged('RUN_OPEN', 2, false)).toEqual([['doubt', 'unknown', null]]);
  });

  it('and a denial names what the grants name', () => {
    expect(rows.at(-1)?.text).toBe('needs fs:read:/w/b/**');
  });
});

it('X9 two sessions part where a prompt or a call differs, and differ in tools, claims and files', () => {
  const call = (tool: string, args: string): readonly [string, JsonObject] => ['tool.call', { tool, args }];
  const file = (path: string, op: string): readonly [string, JsonObject] => [
    'tool.result',
    { tool: 'x', files: [{ path, op }] },
  ];
  const one = modelOf(
    ['prompt', { text: 'Fix it' }],
    call('Read', 'a'),
    call('Edit', 'a'),
    file('a.js', 'edit'),
  );
  const other = modelOf(
    ['prompt', { text: 'Fix it' }],
    call('Read', 'a'),
    call('Bash', 'npm test'),
    file('a.js', 'read'),
  );
  const diff = diffOf(one, other);
  expect([diff.same, diff.before?.title, diff.after.map((steps) => steps.map(({ title }) => title))]).toEqual(
    [2, 'Read', [['Edit'], ['Bash']]],
  );
  expect(diff.tools).toContainEqual({ name: 'Edit', counts: [1, 0] });
  expect(diff.files).toEqual([{ path: 'a.js', did: ['written', 'read'] }]);
  expect(diffOf(one, one).after).toEqual([[], []]);
});

it('X9 sessions are summed up by day, by agent and by tool', () => {
  const row = (id: string, start: string, agent: string, unproven: number): SessionRow => ({
    ...{
      id,
      agent,
      workspace_root: null,
      erased: null,
      mode: null,
      start,
      last: start,
      state: 'ended',
      prompts: 1,
      calls: 2,
    },
    ...{ denied: 1, entries: 5, models: ['m'], tokens: 10, proven: 1, unproven, stale: 0, blocks: 0 },
  });
  const sessions = [
    row('a', '2026-11-03T01:00:00.000Z', 'codex', 1),
    row('b', '2026-11-01T01:00:00.000Z', 'codex', 0),
    row('c', '2026-11-01T02:00:00.000Z', 'gemini', 0),
  ];
  expect(totalsBy(sessions, ({ agent }) => [agent ?? ''])[0]).toEqual({
    name: 'codex',
    sessions: 2,
    calls: 4,
    tokens: 20,
    denied: 2,
    proven: 2,
    unproven: 1,
  });
  expect(totalsByDay(sessions, 4).map(({ name, calls }) => [name, calls])).toEqual([
    ['2026-10-31', 0],
    ['2026-11-01', 4],
    ['2026-11-02', 0],
    ['2026-11-03', 2],
  ]);
  expect(totalsByDay([], 4)).toEqual([]);
  const used = {
    from: 1,
    sessions: [
      ['a', [['Bash', 2]]],
      [
        'b',
        [
          ['Bash', 1],
          ['Edit', 9],
        ],
      ],
      ['c', [['Read', 50]]],
    ],
  } as const;
  expect(toolTotals(used, new Set(['a', 'b']))).toEqual([
    { name: 'Edit', calls: 9 },
    { name: 'Bash', calls: 3 },
  ]);
});

it('X4 nobody is told that a key signed what was changed, or that another key did where none is told', () => {
  const report = (verdict: string, ...codes: string[]) =>
    ({ verdict, findings: codes.map((code) => ({ code })) }) as never;
  const [own, other] = ['own', 'other'];
  const cases = [
    [{ signer: own, report: report('UNKNOWN', 'KEY_NOT_TRUSTED'), isSound: true }, [], 'unconfirmed'],
    [{ signer: own, report: report('PASS'), isSound: true }, [own], 'confirmed'],
    [{ signer: own, report: report('UNKNOWN', 'KEY_NOT_TRUSTED'), isSound: true }, [other], 'other'],
    [{ signer: own, report: report('FAIL', 'CONTENT_WRONG'), isSound: false }, [own], 'changed'],
    [{ signer: null, report: report('FAIL', 'BUNDLE_MALFORMED'), isSound: false }, [own], 'changed'],
    [{ signer: own, report: report('FAIL', 'CLAIM_UNPROVEN'), isSound: true }, [own], 'confirmed'],
    // A changed name of the key in the envelope: the file names none, which is no word on who signed it.
    [{ signer: null, report: report('UNKNOWN', 'KEY_NOT_TRUSTED'), isSound: true }, [own], 'nobody'],
  ] as const;
  for (const [answer, given, standing] of cases)
    expect(signerStanding({ ...answer, unread: [] }, given)).toBe(standing);
});
