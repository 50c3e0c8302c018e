// What accuses nobody by itself: failures of before, of a copy, of a question; what a document tells; a request for what only
// the user has. Beside each a turn that is held.
import { describe, expect, it } from 'vitest';
import { readClaims } from '../../src/gate/read-claims.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import {
  type Evidence,
  evidenceIn,
  judge,
  NO_MEMORY,
  type ResultSeen,
  readContract,
  rememberResult,
} from '../../src/rules/index.ts';
import { readCommand } from '../../src/shell/index.ts';
import { check, counts, edit, evidence, ran, tried } from './cases.ts';

/** What is open, as `type code`; the prompt came at 1. */
function open(
  prompt: string,
  message: string,
  found: Partial<Evidence>,
  more: { outside?: boolean; called?: boolean } = {},
): string[] {
  const { claims, disclosures, failures } = readClaims(message);
  const judgement = judge({
    claims,
    message,
    disclosures,
    failures,
    evidence: evidence(found),
    contract: readContract(prompt, DEFAULT_POLICY),
    policy: DEFAULT_POLICY,
    project: { test: null, build: null, types: null, lint: null },
    since: 1,
    idle: false,
    ...more,
  });
  return judgement.claims
    .filter(({ status }) => status !== 'backed' && status !== 'excused')
    .map(({ claim, code }) => `${claim.type} ${code}`);
}

const NONE = { tests: null };
const red = (seq: number, more: object = {}) =>
  ran(seq, check('pytest'), { ...counts(20, 2), code: 1, ...more });
const EDITED = [edit(4, 'src/cart.py')];
const ADD = 'Add a discount to src/cart.py';
const ADDED = 'Implemented the discount in `src/cart.py`.';

describe('B5 failures of before the work', () => {
  it.each<[string, string, string, Partial<Evidence>, string[]]>([
    ['as many as at first', ADD, ADDED, { changes: EDITED, runs: [red(2, { old: 'first' }), red(6)] }, []],
    [
      'more than at first',
      ADD,
      ADDED,
      { changes: EDITED, runs: [red(2, { old: 'first', ...counts(21, 1) }), red(6)] },
      ['done failed'],
    ],
    ['not known of before', ADD, ADDED, { changes: EDITED, runs: [red(2), red(6)] }, ['done failed']],
    [
      'of other tests',
      ADD,
      ADDED,
      {
        changes: EDITED,
        runs: [red(2, { old: 'first', checks: [check('pytest tests/x', { targets: ['tests/x'] })] }), red(6)],
      },
      ['done failed'],
    ],
    [
      'what a fix was asked for',
      'Fix src/cart.py, the total is wrong',
      'Fixed the total.',
      { changes: EDITED, runs: [red(2, { old: 'first' }), red(6)] },
      ['done failed'],
    ],
    [
      'as with the change put aside',
      'Fix src/cart.py, the total is wrong',
      'Fixed the total.',
      { changes: EDITED, runs: [red(5, { old: 'stashed' }), red(6)] },
      [],
    ],
    [
      'the failing tests themselves',
      'Fix the failing tests of src/cart.py',
      'Fixed the total.',
      { changes: EDITED, runs: [red(5, { old: 'stashed' }), red(6)] },
      ['done failed'],
    ],
    [
      'all tests',
      ADD,
      'All tests pass.',
      { changes: EDITED, runs: [red(2, { old: 'first' }), red(6)] },
      ['tested failed'],
    ],
  ])('%s', (_, prompt, message, found, expected) => {
    expect(open(prompt, message, found)).toEqual(expected);
  });

  const seen = (seq: number, more: Partial<ResultSeen> = {}): ResultSeen => ({
    seq,
    id: `${seq}`,
    tool: 'Bash',
    outcome: 'error',
    exit: { code: 1, origin: 'host' },
    tests: { runner: 'pytest', passed: 5, failed: 1, skipped: 0, total: 6 },
    checks: [check('pytest')],
    attempts: [],
    treeBefore: null,
    tree: null,
    background: false,
    files: [],
    callSeq: seq - 1,
    ...more,
  });
  const STASH = [{ capability: 'run', way: 'git', target: 'git stash -q', ok: true, status: null }] as const;
  const POP = [{ ...STASH[0], target: 'git stash pop' }] as const;
  const WRITE = seen(4, { checks: null, outcome: 'ok', files: [{ path: 'src/a.py', op: 'edit' }] });

  it('are remembered beside those of now', () => {
    const oldOf = (...all: ResultSeen[]) =>
      evidenceIn(all.reduce(rememberResult, NO_MEMORY)).runs.map(({ seq, old }) => [seq, old]);
    expect(oldOf(seen(2), WRITE, seen(6), seen(8))).toEqual([
      [2, 'first'],
      [8, undefined],
    ]);
    const aside = seen(5, { attempts: STASH });
    expect(oldOf(WRITE, aside, seen(7), seen(9, { attempts: POP }))).toEqual([
      [7, 'stashed'],
      [9, undefined],
    ]);
    expect(oldOf(WRITE, seen(5, { attempts: [...STASH, ...POP] }), seen(7))).toEqual([
      [5, 'stashed'],
      [7, undefined],
    ]);
    expect(
      oldOf(WRITE, seen(6, { tests: { runner: 'pytest', passed: 1, failed: 0, skipped: 0, total: 1 } })),
    ).toEqual([[6, undefined]]);
  });
});

describe('B5 a failure of something else', () => {
  const green = ran(5, check('pytest'), counts(22));

  it('is one of a copy that lies elsewhere', () => {
    const copy = (directory: string | null) => ({
      changes: EDITED,
      runs: [green, ran(6, check('pytest -q', { directory }), { ...counts(20, 2), code: 1 })],
    });
    expect(open(ADD, `${ADDED} All tests pass.`, copy(null))).toEqual([]);
    expect(open(ADD, `${ADDED} All tests pass.`, copy(''))).toEqual(['done failed', 'tested failed']);
    const line = (place: string) =>
      readCommand(`PYTHONPATH=${place} python3 -m unittest`, { cwd: '/w', root: '/w' }).checks[0]?.flaw?.code;
    expect(line('/private/tmp/m1')).toBe('shadowed');
    expect(line('/w/src')).toBeUndefined();
    const shadow = { code: 'shadowed', detail: 'PYTHONPATH=/tmp/m1' } as const;
    const mutant = check('PYTHONPATH=/tmp/m1 pytest', { flaw: shadow, summary: 'failed' });
    const killed = ran(6, mutant, counts(20, 2));
    expect(open(ADD, `${ADDED} All tests pass.`, { changes: EDITED, runs: [green, killed] })).toEqual([]);
    expect(open(ADD, `${ADDED} All tests pass.`, { changes: EDITED, runs: [killed] })).toEqual([
      'done shadowed',
      'tested shadowed',
    ]);
  });

  it('is a module that was not found', () => {
    const probe = (command: string) => ({
      attempts: [tried(2, 'read', 'Read', 'README.md', true)],
      runs: [ran(3, check(command, { kind: 'run', runner: 'node -e' }), { ...NONE, code: 1 })],
    });
    const resolve = probe(`node -p "require.resolve('kit')"`);
    expect(open('check that the kit server works', 'Verified that the server starts.', resolve)).toEqual([]);
    expect(open('check that the kit server works', 'Verified that kit can be imported.', resolve)).toEqual([
      'checked failed',
    ]);
    expect(
      open(
        'check that the kit server works',
        'Verified that the server starts.',
        probe(`node -e "require('kit').start()"`),
      ),
    ).toEqual(['checked failed']);
  });

  it('is what broke before the work, and ran no tests', () => {
    const crash = (seq: number) => ran(seq, check('npm run build', { kind: 'build' }), { ...NONE, code: 1 });
    expect(open(ADD, ADDED, { changes: EDITED, runs: [crash(2)] })).toEqual(['done change-only']);
    expect(open(ADD, ADDED, { changes: EDITED, runs: [crash(6)] })).toEqual(['done failed']);
  });

  it('is told', () => {
    const runs = [
      ran(6, check('npm run build', { kind: 'build' }), { ...NONE, code: 1 }),
      ran(5, check('npm run lint', { kind: 'lint' }), NONE),
    ];
    const message = `${ADDED}\n\nLint: 27 warnings. The build fails because NODE_ENV is not set.`;
    expect(open(ADD, message, { changes: EDITED, runs })).toEqual([]);
    expect(open(ADD, ADDED, { changes: EDITED, runs })).toEqual(['done failed']);
    const past = `${ADDED} The build failed at first, so I fixed it.`;
    expect(open(ADD, past, { changes: EDITED, runs })).toContain('done failed');
  });
});

describe('B4a what was built', () => {
  const build = check('npm run build', { kind: 'build' });
  const types = check('npx tsc --noEmit', { kind: 'types', runner: 'tsc' });

  it('is shown by a build, not by a check of types', () => {
    const found = { changes: EDITED, runs: [ran(5, types, NONE)] };
    expect(open(ADD, 'Build: success, all pages compile.', found)).toEqual(['checked nothing-ran']);
    expect(open(ADD, 'Everything compiles.', found)).toEqual([]);
    expect(
      open(ADD, 'Build: success, all pages compile.', { ...found, runs: [ran(5, build, NONE)] }),
    ).toEqual([]);
    expect(
      open(ADD, 'Build: success, all pages compile.', {
        changes: [edit(6, 'src/cart.py')],
        runs: [ran(5, build, NONE), ran(7, types, NONE)],
      }),
    ).toEqual(['checked stale']);
  });

  it('is shown by no commit that went through at the second try', () => {
    const commit = check('git commit -m x', { kind: 'ship', runner: 'git commit' });
    const runs = [
      ran(5, build, { ...NONE, code: 1 }),
      ran(6, commit, { ...NONE, code: 1 }),
      ran(7, commit, NONE),
    ];
    expect(open(ADD, 'The page was successfully built.', { changes: EDITED, runs })).not.toEqual([]);
  });
});

describe('B3c what is said of files', () => {
  const DOC = { changes: [edit(3, 'GUIDE.md')] };

  it.each<[string, string, Partial<Evidence>, boolean]>([
    ['a step of a plan', 'Included a test: added a task to create `tests/theme.test.ts`.', DOC, true],
    ['a file that was made', 'Wrote the plan and created `tests/theme.test.ts`.', DOC, false],
    [
      'a file that a document names',
      'Architecture: added `src/tree.gen.ts` as generated.',
      { ...DOC, attempts: [tried(2, 'read', 'Read', 'src/tree.gen.ts', true)] },
      true,
    ],
    ['a file that is not there', 'Added `src/tree.gen.ts` as a new module.', DOC, false],
    [
      'a file that was read, and is said to be changed',
      'Updated `src/tree.gen.ts` too.',
      { ...DOC, attempts: [tried(2, 'read', 'Read', 'src/tree.gen.ts', true)] },
      false,
    ],
  ])('%s', (_, message, found, isFine) => {
    expect(open('Update GUIDE.md', message, found).length === 0).toBe(isFine);
  });

  it('an ending is no file', () => {
    const found = { changes: EDITED, runs: [ran(5, check('pytest'))] };
    expect(open(ADD, 'Resolved paths without an ending to `.js` files.', found)).toEqual([]);
    expect(open(ADD, 'Updated the paths in `src/paths.js`.', found)).not.toEqual([]);
  });

  it('is not known where an agent of its own worked', () => {
    const found = { changes: EDITED, runs: [ran(5, check('pytest'))] };
    const message = 'Moved the bar in `src/bar.tsx`.';
    expect(open(ADD, message, found, { outside: true })).toEqual([]);
    expect(open(ADD, message, found)).toEqual(['changed no-change']);
  });

  it('is nothing where it was only read', () => {
    const looked = {
      changes: [edit(0, 'src/a.ts')],
      attempts: [tried(2, 'fetch', 'WebSearch', 'kit', true)],
    };
    expect(open('Update the notes on kit', "I've researched kit and its notes.", looked)).toEqual([]);
    expect(open('Update the notes on kit', "I've updated the notes on kit.", looked)).not.toEqual([]);
  });
});

describe('B5 what is asked of the user', () => {
  it.each([
    ['Internal Server Error. It was unable to answer.', 'Please paste the log output.', true],
    ['Fix this error:', 'Please paste the full error message.', true],
    ['Draft the invitation', 'Please provide the names of the guests.', true],
    ['Add a start page', "You'll need to run `npm install` first.", true],
    ['Fix the discount of the cart', 'Please share the log output.', false],
    ['Fix the login', 'Please paste src/login.ts here.', false],
    ['Fix the login', 'Please send me the credentials.', false],
    ['Run the migrations', 'Please run the migrations yourself.', false],
  ])('%s: %s', (prompt, message, isFine) => {
    expect(open(prompt, message, {}).filter((each) => each.startsWith('delegation')).length === 0).toBe(
      isFine,
    );
  });

  it('takes the way that the prompt names for tried', () => {
    const message = "I can't open http://localhost:5174/ via Chrome MCP.";
    const prompt = 'use chrome mcp to open http://localhost:5174/';
    expect(open(prompt, message, {}, { called: true })).toEqual([]);
    expect(open(prompt, message, {})).toEqual(['blocked not-tried']);
    expect(open('open http://localhost:5174/', message, {}, { called: true })).toEqual(['blocked not-tried']);
  });
});
