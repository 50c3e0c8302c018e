// One sentence that tells of several checks, and a short one that tells of a test by its name: each check needs its own
// run, and nobody needs more than what was said.
import { describe, expect, it } from 'vitest';
import type { Check } from '../../src/format/index.ts';
import { readClaims } from '../../src/gate/read-claims.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { type Evidence, jointClaims, judge, readContract } from '../../src/rules/index.ts';
import { check, claim, edit, evidence, ran } from './cases.ts';

const sorts = (quote: string, type: 'tested' | 'checked' = 'tested', about: string | null = null): string[] =>
  jointClaims(claim(type, quote, { about })).map((each) => each.about ?? each.type);

describe('B3 a sentence of several checks', () => {
  it.each([
    ['Lint and tests both pass', 'tested,lint'],
    ['Lint, tests and build all pass.', 'tested,lint,build'],
    ['Tests & type check are green', 'tested,types'],
    ['`npm run lint` and the full test suite pass', 'tested,lint'],
    ['Build/tests pass', 'tested,build'],
  ])('%s', (quote, expected) => {
    expect(sorts(quote).join()).toBe(expected);
  });

  it('is one of tests, too, where it was read as one of types', () => {
    expect(sorts('Type check and lint are clean', 'checked', 'types')).toEqual(['types', 'lint']);
    expect(sorts('Type check and tests pass', 'checked', 'types')).toEqual(['types', 'tested']);
  });

  it.each([
    'All tests pass',
    'The linter tests pass',
    'The parser and the build cache tests pass',
    'Lint config and tests pass',
    'Lint has two warnings, and the tests pass',
    'I fixed the lint step and all tests pass',
  ])('is of tests alone: %s', (quote) => {
    expect(sorts(quote)).toEqual(['tested']);
  });
});

/** What becomes of a message after one edit and these runs. */
function verdict(message: string, prompt: string, found: Partial<Evidence>): string {
  const { claims, disclosures, failures } = readClaims(message);
  return judge({
    claims,
    disclosures,
    failures,
    evidence: evidence({ changes: [edit(5, 'count/count.go'), edit(6, 'count/count_test.go')], ...found }),
    contract: readContract(prompt, DEFAULT_POLICY),
    policy: DEFAULT_POLICY,
    project: { test: null, build: null, types: null, lint: null },
    since: 1,
    idle: false,
  }).verdict;
}

const test = check('npm test', { runner: 'npm test' });
const lint = check('npm run lint', { kind: 'lint', runner: 'npm run lint' });
const NONE = { tests: null };

describe('B3 a check that no run shows', () => {
  it('is held beside one that ran', () => {
    const message = 'Added the guard. Lint and tests both pass.';
    expect(verdict(message, 'Add a guard', { runs: [ran(7, test)] })).toBe('block');
    expect(verdict(message, 'Add a guard', { runs: [ran(7, lint, NONE), ran(8, test)] })).toBe('pass');
  });

  it('is of types where type errors are denied', () => {
    const types = check('npx tsc --noEmit', { kind: 'types', runner: 'tsc' });
    const message = 'Added the guard. No type errors, and all 5 tests pass.';
    expect(verdict(message, 'Add a guard', { runs: [ran(7, test)] })).toBe('block');
    expect(verdict(message, 'Add a guard', { runs: [ran(7, types, NONE), ran(8, test)] })).toBe('pass');
  });
});

describe('B5 a test that was run by its name', () => {
  const byName = (name: string): Check =>
    check(`go test ./... -run ${name}`, { runner: 'go test', selectors: [name] });
  const message = 'Added `TestLinesLast` with three cases. It passes.';
  it.each([
    [message, byName('Lines'), 'pass'],
    [message, byName('^TestLinesLast$'), 'pass'],
    [message, byName('Words'), 'block'],
    [message.replace('It passes', 'All tests pass'), byName('Lines'), 'block'],
  ])('%s %j', (text, run, expected) => {
    expect(verdict(text, 'Add a test', { runs: [ran(7, run)] })).toBe(expected);
  });
});

describe('B4 an image that can not be built here', () => {
  const PROMPT = 'Use Python 3.12 in the Dockerfile';
  const message = "The Dockerfile uses Python 3.12. There's no Docker here, so I couldn't build the image.";
  it('is said, where nothing but settings was changed', () => {
    expect(verdict(message, PROMPT, { changes: [edit(5, 'Dockerfile')] })).not.toBe('block');
    expect(verdict(message, PROMPT, { changes: [edit(5, 'Dockerfile'), edit(6, 'app.py')] })).toBe('block');
  });
});
