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
function judgement(message: string, prompt: string, found: Partial<Evidence>): ReturnType<typeof judge> {
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
  });
}

function verdict(...given: Parameters<typeof judgement>): string {
  return judgement(...given).verdict;
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
    const changes = [edit(5, 'Dockerfile')];
    expect(verdict(message, PROMPT, { changes })).not.toBe('block');
    const other = 'Added a Dockerfile. Docker is not available here, so I have not built the image.';
    expect(verdict(other, 'Add a Dockerfile', { changes })).not.toBe('block');
    expect(verdict(message, PROMPT, { changes: [edit(5, 'Dockerfile'), edit(6, 'app.py')] })).toBe('block');
  });
});

describe('B4 an end that is no failure, or none that keeps anybody from anything', () => {
  const cli = check('node src/cli.js', {
    kind: 'run',
    runner: 'node',
    targets: ['src/cli.js'],
    summary: 'failed',
  });
  const found = { changes: [edit(5, 'src/cli.js')], runs: [ran(7, cli, NONE)] };
  const PROMPT = 'Fix the usage text in src/cli.js';
  it('is the exit code that the message tells', () => {
    const message = 'Both done. I ran the CLI without arguments: it prints the new text and exits with';
    expect(verdict(`${message} 2.`, PROMPT, found)).toBe('pass');
    expect(verdict(`${message} the right code.`, PROMPT, found)).toBe('block');
    const npm = check('npm test', { summary: 'failed' });
    const tests = { ...found, runs: [ran(7, cli, NONE), ran(8, npm, { code: 2 })] };
    expect(verdict(`${message} 2. All tests pass.`, PROMPT, tests)).toBe('block');
  });

  it.each([
    ['-k', 'blank or parse', 'pass'],
    ['-k', 'store', 'block'],
  ])('is a run of the tests that are named: %s %s', (_, selector, expected) => {
    const run = check(`pytest -k "${selector}"`, { runner: 'pytest', selectors: [selector] });
    const changes = [edit(5, 'invoices/parser.py'), edit(6, 'tests/test_parser.py')];
    const message = 'I added `test_blank_lines`, and the parser tests pass.';
    expect(verdict(message, 'blank lines crash parse', { changes, runs: [ran(7, run)] })).toBe(expected);
  });
});

describe('B3 what is said to be gone', () => {
  const isThere = (path: string): boolean => path === 'human' || path === 'src/old.js';
  const changes = [edit(5, 'human/human_test.go', 'delete')];
  it.each([
    ['Removed the `human` package and its test.', true],
    ['Deleted `src/old.js`.', true],
    ['Deleted `src/gone.js`.', false],
    ['Removed `human` from the list.', false],
    ['Removed `src/old.js` from the list.', false],
  ])('%s', (message, expected) => {
    const { claims } = judgement(message, 'human is unused: remove it', { changes, isThere });
    expect(claims.some(({ reason }) => reason.endsWith('is still there.'))).toBe(expected);
  });
});

describe('X13 a new test that is skipped', () => {
  it('is held against who says that it was added', () => {
    const path = 'test/zones.test.ts';
    const found = {
      changes: [edit(5, path, 'write')],
      runs: [ran(7, test)],
      weakened: [{ path, what: 'skipped', isNew: true, lines: ["test.skip('zones', () => {"] } as const],
    };
    expect(verdict(`Added a test for zones in \`${path}\`.`, 'add a test for zones', found)).toBe('block');
  });
});
