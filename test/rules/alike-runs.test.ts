// What the gate remembers of runs that are alike: the newest, and of those over the same code how many there were.
import { expect, it } from 'vitest';
import { evidenceIn, NO_MEMORY, type ResultSeen, rememberResult } from '../../src/rules/index.ts';
import { check } from './cases.ts';

const TREE = 'a'.repeat(64);
const seen = (seq: number, more: Partial<ResultSeen> = {}): ResultSeen => ({
  seq,
  id: `toolu_${seq}`,
  tool: 'Bash',
  outcome: 'ok',
  exit: { code: 0, origin: 'host' },
  tests: { runner: 'pytest', passed: 5, failed: 0, skipped: 0, total: 5 },
  checks: [check('pytest')],
  attempts: [],
  treeBefore: TREE,
  tree: TREE,
  background: false,
  files: [],
  callSeq: seq - 1,
  ...more,
});
const remembered = (...all: ResultSeen[]) =>
  evidenceIn(all.reduce(rememberResult, NO_MEMORY)).runs.map(({ seq, alike = [] }) => [seq, ...alike]);

it('B4a runs of the same command over the same code are counted', () => {
  expect(remembered(seen(2), seen(4), seen(6))).toEqual([[6, 2, 4]]);
});

it('B6 a run over other code, or of another end, is not', () => {
  const other = 'b'.repeat(64);
  expect(remembered(seen(2), seen(4, { tree: other, treeBefore: other }))).toEqual([[4]]);
  expect(remembered(seen(2, { tree: null }), seen(4, { tree: null }))).toEqual([[4]]);
  expect(remembered(seen(2), seen(4, { tests: null }))).toEqual([[4]]);
});

it('B3b a call that may act where nothing is recorded is remembered, unless it failed', () => {
  const call = (seq: number, more: Partial<ResultSeen>) =>
    seen(seq, { tool: 'mcp__tracker__create', checks: null, ...more });
  const last = (...all: ResultSeen[]) => all.reduce(rememberResult, NO_MEMORY).lastUnseen;
  expect(last(call(2, { unseen: true }), seen(4))).toBe(2);
  expect(last(call(2, {}))).toBeUndefined();
  expect(last(call(2, { unseen: true, outcome: 'error' }))).toBeUndefined();
});
