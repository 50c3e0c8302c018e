// How many tests a claim says have passed, and that the number is held against what ran.
import { describe, expect, it } from 'vitest';
import { claimedPasses } from '../../src/rules/claimed-count.ts';
import { check, claim, counts, edit, judged, ran } from './cases.ts';

describe('the number in a claim', () => {
  it.each([
    ['47 tests pass', 47],
    ['All 47 tests pass.', 47],
    ['all 9 parser tests still pass', 9],
    ['12 passed', 12],
    ['`npx vitest run test/a`: 12 passed', 12],
    ['**37 passed** in 1.83s', 37],
    ['204/204 tests pass', 204],
    ['47 of 47 tests are green', 47],
    ['45 of 47 tests pass', 45],
    ['19/19 passing', 19],
    ['1,204 tests pass', 1204],
    ['12 unit tests and 30 integration tests pass', 30],
    ['The full suite passes (40 tests).', 40],
    ["CI's test command passes now, 70 tests", 70],
    ['3 new tests pass', 3],
    ['tests.test_parse has three passing tests now', 3],
    ['All five tests pass', 5],
    ['Two new tests pass', 2],
    ['I ran the suite: 42 tests, all passing', 42],
    ['42 tests and all of them are green', 42],
    ['All 3 NEW Tests PASS', 3],
    ['7 größere tests pass', 7],
  ])('is read: %s', (quote, count) => {
    expect(claimedPasses(claim('tested', quote))).toBe(count);
  });

  it.each([
    'The tests pass.',
    '12 in Go + 3 in Vitest = 15 total tests, all passing',
    'Added 4 tests, and the suite passes',
    '8 test files passed',
    '5 files pass',
    '12 suites pass',
    '200 runs in a row pass',
    'In 300 ms tests pass',
    'Node 22 tests pass',
    'bumped it to 12 — all tests pass',
    'on 20 → all tests pass',
    'The Python 3.12 tests pass',
    'the node 22 tests pass',
    '500+ tests pass',
    '~500 tests pass',
    'about 500 tests pass',
    'over 500 tests pass',
    '100 % of the tests pass',
    '100% pass',
    'Fixed #4812, tests pass',
    '2 assertions pass',
    'Tests pass since 2024-05-01',
  ])('is none of tests that passed: %s', (quote) => {
    expect(claimedPasses(claim('tested', quote))).toBe(null);
  });

  it('is of tests only where the claim is', () => {
    expect(claimedPasses(claim('done', '47 tests pass'))).toBe(null);
  });

  it('is looked for in linear time', () => {
    const hostile = `${'1 a '.repeat(400)}${'9'.repeat(600)}${' tests are'.repeat(400)}`;
    expect(claimedPasses(claim('tested', hostile))).toBe(null);
  });
});

describe('the number and what ran', () => {
  const EDITED = [edit(1, 'src/parser.ts')];
  const verdict = (quote: string, ...runs: ReturnType<typeof ran>[]) => {
    const [only] = judged([claim('tested', quote)], 'fix it', { changes: EDITED, runs }).claims;
    return only;
  };
  const suite = ran(2, check('npm test'), counts(45, 0, 2));
  const file = ran(3, check('npx vitest run test/parser.test.ts', { targets: ['test/parser.test.ts'] }), {
    ...counts(5),
  });

  it('more than passed is narrow, and both numbers are named', () => {
    const judgement = verdict('47 tests pass', suite);
    expect(judgement).toMatchObject({ status: 'narrow', code: 'fewer-passed' });
    expect(judgement?.reason).toContain('47');
    expect(judgement?.reason).toContain('45');
  });

  it('as many, or fewer, are backed by the run that shows it', () => {
    expect(verdict('45 tests pass', suite, file)).toMatchObject({ status: 'backed', evidence: [2, 3] });
    expect(verdict('3 new tests pass', suite)).toMatchObject({ status: 'backed' });
    expect(verdict('The tests pass', suite)).toMatchObject({ status: 'backed' });
  });

  it('a number of the whole suite does not rest on one file of it', () => {
    const stale = { ...suite, seq: 0 };
    expect(verdict('All 45 tests pass', stale, file)).toMatchObject({ code: 'fewer-passed' });
  });

  const of = (runner: string, passed: number) => ({
    tests: { runner, passed, failed: 0, skipped: 0, total: passed },
  });

  it.each([
    ['of two runners', ran(4, check('npx vitest run'), of('vitest', 30))],
    ['of two places', ran(4, check('pytest', { directory: 'web' }), counts(30))],
    ['of two scripts', ran(4, check('npm run test:e2e'), counts(30))],
  ])('fresh runs %s are added up', (_, other) => {
    expect(verdict('75 tests pass', suite, other)).toMatchObject({ status: 'backed', evidence: [4, 2] });
  });

  it.each([
    ['the same command', { ...suite, seq: 4 }],
    ['the same runner by another command', ran(4, check('pytest -q'), counts(45))],
    ['a part of it', ran(4, check('pytest tests/parser', { targets: ['tests/parser'] }), counts(30))],
  ])('those of %s are not', (_, other) => {
    expect(verdict('75 tests pass', suite, other)).toMatchObject({ code: 'fewer-passed' });
  });

  it('is not compared where the runner counts something else than tests', () => {
    const go = ran(2, check('go test ./...'), {
      tests: { runner: 'go test', passed: 3, failed: 0, skipped: 0, total: null },
    });
    expect(verdict('47 tests pass', go)).toMatchObject({ status: 'backed' });
  });
});
