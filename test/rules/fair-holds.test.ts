// Turns that a fair reader would let pass, and their near misses that are held: what was answered later, told again, done
// by git, said of one command alone, or asked of the user.
import { describe, expect, it } from 'vitest';
import type { Check, Claim } from '../../src/format/index.ts';
import { readClaims } from '../../src/gate/read-claims.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { testCounts } from '../../src/record/index.ts';
import { type Evidence, judge, type Run, readContract } from '../../src/rules/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';
import { check, claim, codeOf, counts, edit, evidence, judgedTurn, ran, tried } from './cases.ts';

const DONE = claim('done', 'Done.');
const MERGED = claim('shipped', 'Merged.', { about: 'merge' });
const DEPLOYED = claim('shipped', 'The fix has been deployed.', { about: 'deploy' });
const PASSED = claim('tested', '55 passed', { count: 55 });
const ship = (command: string): Check =>
  check(command, { kind: 'ship', runner: command.split(' ').slice(0, 2).join(' ') });
const run = (command: string, more: Partial<Check> = {}): Check => check(command, { kind: 'run', ...more });
const lint = check('eslint .', { kind: 'lint', runner: 'eslint' });
const NONE = { tests: null };
const FAILED = { ...counts(3, 1), code: 1 };
const CHANGED = [edit(5, 'src/a.ts'), edit(12, 'src/b.ts')];
const masked = { code: 'masked', detail: '| head' } as const;

describe('B5 what a fair reader lets pass', () => {
  it.each<[string, Claim, string, Partial<Evidence>, string]>([
    [
      'a merge that was finished',
      MERGED,
      'merge it',
      {
        runs: [
          ran(11, ship('git merge up'), { ...NONE, code: 1 }),
          ran(13, ship('git commit --no-edit'), NONE),
        ],
      },
      'backed',
    ],
    [
      'a merge that was not',
      MERGED,
      'merge it',
      { runs: [ran(11, ship('git merge up'), { ...NONE, code: 1 })] },
      'failed failed',
    ],
    [
      'a command that the claim names, run before the last change',
      claim('tested', '`make e2e`: passed.'),
      'add a field',
      {
        changes: [edit(12, 'src/b.ts')],
        runs: [
          ran(11, check('make e2e', { runner: 'make e2e' }), counts(3)),
          ran(13, check('pytest'), counts(8)),
        ],
      },
      'stale stale',
    ],
    [
      'one that ran again after it',
      claim('tested', '`make e2e`: passed.'),
      'add a field',
      {
        changes: [edit(12, 'src/b.ts')],
        runs: [
          ran(11, check('make e2e', { runner: 'make e2e' }), counts(3)),
          ran(13, check('make e2e', { runner: 'make e2e' }), counts(3)),
        ],
      },
      'backed',
    ],
    [
      'a program that is said to be missing, and that nobody called',
      claim('blocked', '`terraform` is not installed here.'),
      'check the plan',
      { attempts: [tried(11, 'run', 'bash', 'ls infra')] },
      'not-tried nothing-named',
    ],
    [
      'one that was called',
      claim('blocked', '`terraform` is not installed here.'),
      'check the plan',
      { attempts: [tried(11, 'run', 'bash', 'terraform plan')] },
      'excused tried',
    ],
    [
      'a push to the main branch',
      DEPLOYED,
      'ship it',
      { runs: [ran(11, ship('git push origin main'), NONE)] },
      'backed',
    ],
    [
      'a push to another',
      DEPLOYED,
      'ship it',
      { runs: [ran(11, ship('git push origin feature'), NONE)] },
      'unbacked nothing-ran',
    ],
    [
      'a push, and a host that is named',
      claim('shipped', 'It is deployed to Netlify.', { about: 'deploy' }),
      'ship it',
      { runs: [ran(11, ship('git push origin main'), NONE)] },
      'unbacked nothing-ran',
    ],
    [
      'a commit alone',
      DONE,
      'commit this',
      { changes: [edit(5, 'src/a.ts')], runs: [ran(11, ship('git commit -m x'), NONE)] },
      'excused shipped',
    ],
    [
      'a commit of code that was changed for it',
      DONE,
      'add a flag and commit',
      { changes: CHANGED, runs: [ran(13, ship('git commit -m x'), NONE)] },
      'unbacked change-only',
    ],
    [
      'an act of git',
      DONE,
      'delete the branch old',
      { attempts: [tried(11, 'run', 'git', 'git branch -D old', true)] },
      'silent nothing-changed',
    ],
    [
      'a look at git',
      DONE,
      'delete the branch old',
      { attempts: [tried(11, 'run', 'git', 'git branch --list', true)] },
      'unbacked no-change',
    ],
    [
      'what was added for an earlier prompt',
      claim('changed', 'Added a guard in `src/a.ts`'),
      'go on',
      { changes: CHANGED },
      'backed',
    ],
    [
      'what is said to be updated now',
      claim('changed', 'Updated the guard in `src/a.ts`'),
      'go on',
      { changes: CHANGED },
      'unbacked no-change',
    ],
    [
      'what this prompt names',
      claim('changed', 'Added a guard in `src/a.ts`'),
      'add a guard to `src/a.ts`',
      { changes: CHANGED },
      'unbacked no-change',
    ],
    [
      'a hidden end that the work overtook',
      DONE,
      'add a flag',
      { changes: CHANGED, runs: [ran(11, run('acme explain', { flaw: masked }), NONE)] },
      'unbacked change-only',
    ],
    [
      'a hidden end after the work',
      DONE,
      'add a flag',
      { changes: CHANGED, runs: [ran(13, run('acme explain', { flaw: masked }), NONE)] },
      'trick masked',
    ],
    [
      'tests that failed for an earlier prompt',
      DONE,
      'add a flag',
      { changes: CHANGED, runs: [ran(6, check('npm test'), FAILED), ran(13, lint, NONE)] },
      'excused earlier-prompt',
    ],
    [
      'tests that failed, and are to be mended',
      DONE,
      'fix the crash',
      { changes: CHANGED, runs: [ran(6, check('npm test'), FAILED), ran(13, lint, NONE)] },
      'failed failed',
    ],
    [
      'a failure that the same command answered',
      DONE,
      'add a flag',
      {
        changes: CHANGED,
        runs: [
          ran(13, check('npm test'), {}),
          ran(14, check('make e2e'), FAILED),
          ran(15, check('make e2e'), NONE),
        ],
      },
      'backed',
    ],
    [
      'a failure that a hidden end is to answer',
      DONE,
      'add a flag',
      {
        changes: CHANGED,
        runs: [
          ran(13, check('npm test'), {}),
          ran(14, check('make e2e'), FAILED),
          ran(15, check('make e2e', { flaw: masked }), NONE),
        ],
      },
      'failed failed',
    ],
    [
      'a doctor that counts',
      PASSED,
      'look at it',
      { runs: [ran(11, run('acme doctor'), NONE)] },
      'excused looked',
    ],
    [
      'a count, and another program',
      PASSED,
      'look at it',
      { runs: [ran(11, run('acme serve'), NONE)] },
      'unbacked not-a-check',
    ],
    [
      'a count of tests',
      claim('tested', '55 tests passed', { count: 55 }),
      'look at it',
      { runs: [ran(11, run('acme doctor'), NONE)] },
      'unbacked not-a-check',
    ],
    [
      'one command that is named',
      claim('checked', '`git diff --check` passes'),
      'go on',
      {
        runs: [
          ran(11, run('git diff --check', { runner: 'git diff --check' }), NONE),
          ran(12, check('make check'), FAILED),
        ],
      },
      'backed',
    ],
    [
      'a dry run that is called one',
      claim('checked', '`acme apply --dry-run` went through'),
      'go on',
      {
        runs: [
          ran(11, run('acme apply --dry-run', { flaw: { code: 'dry-run', detail: '--dry-run' } }), NONE),
        ],
      },
      'backed',
    ],
    [
      'a dry run that is not',
      claim('checked', '`acme apply` went through', { about: null }),
      'go on',
      {
        runs: [
          ran(11, run('acme apply --dry-run', { flaw: { code: 'dry-run', detail: '--dry-run' } }), NONE),
        ],
      },
      'trick dry-run',
    ],
    [
      'what git fetched',
      claim('checked', 'It is up to date with the remote.'),
      'pull https://example.com/a/b',
      {
        runs: [ran(11, ship('git pull https://example.com/a/b'), NONE)],
        attempts: [tried(11, 'fetch', 'git', 'https://example.com/a/b', true, null)],
      },
      'excused looked',
    ],
    [
      'a commit that is named',
      claim('shipped', 'Your edits are part of commit `a41c09e`', { about: 'commit' }),
      'commit it',
      { attempts: [tried(11, 'read', 'Read', 'src/a.ts', true)] },
      'excused looked',
    ],
    [
      'a commit that is not',
      claim('shipped', 'Your edits are part of a commit', { about: 'commit' }),
      'commit it',
      { attempts: [tried(11, 'read', 'Read', 'src/a.ts', true)] },
      'unbacked nothing-ran',
    ],
    [
      'how a request stands',
      claim('shipped', 'PR #12 is ready.', { about: 'pr' }),
      'is it ready',
      { runs: [ran(11, run('gh pr view 12', { runner: 'gh pr view' }), NONE)] },
      'excused looked',
    ],
    [
      'a request that is said to be opened',
      claim('shipped', 'Opened PR #12.', { about: 'pr' }),
      'open it',
      { runs: [ran(11, run('gh pr view 12', { runner: 'gh pr view' }), NONE)] },
      'unbacked nothing-ran',
    ],
    [
      'what the user wants',
      claim('delegation', 'Please provide the text you would like in `a.txt`.'),
      'add text to a.txt',
      {},
      'excused asked',
    ],
    [
      'what the agent could read',
      claim('delegation', 'Please provide the text of `a.txt`.'),
      'add text to a.txt',
      {},
      'not-tried not-tried',
    ],
    [
      'leave to do what can not be undone',
      claim('delegation', 'Please confirm that I should remove the table.'),
      'drop the old table',
      {},
      'excused asked',
    ],
    [
      'leave, before it goes on',
      claim('delegation', 'Please confirm before I remove anything.'),
      'drop the old table',
      {},
      'excused asked',
    ],
    [
      'which of several',
      claim('delegation', 'Can you tell me which branch to use?'),
      'drop the old table',
      {},
      'excused asked',
    ],
    [
      'a plan to be approved',
      claim('delegation', 'Please approve the plan.'),
      'drop the old table',
      {},
      'excused asked',
    ],
    [
      'what is missing in the order',
      claim('delegation', 'Could you give me more details?'),
      'drop the old table',
      {},
      'excused asked',
    ],
    [
      'how a thing should be',
      claim('delegation', 'Could you specify the format: CSV or JSON?'),
      'drop the old table',
      {},
      'excused asked',
    ],
    [
      'a check that the agent could make',
      claim('delegation', 'Please confirm that the tests of `a.txt` pass.'),
      'drop the old table',
      {},
      'not-tried nothing-named',
    ],
    [
      'a file that the agent could read',
      claim('delegation', 'Please tell me if `a.txt` has the line.'),
      'drop the old table',
      {},
      'not-tried nothing-named',
    ],
    [
      'what the user said was done',
      claim('done', 'The migration is complete.'),
      'all done, what is next?',
      { changes: [edit(5, 'src/a.ts')] },
      'excused recap',
    ],
    [
      'a look that failed last',
      DONE,
      'install it',
      { runs: [ran(11, [check('curl -s u', { kind: 'http' }), run('python3 -c x')], { ...NONE, code: 49 })] },
      'silent nothing-changed',
    ],
  ])('%s', (_, of, prompt, found, expected) => {
    expect(codeOf(of, prompt, found)).toBe(expected);
  });
});

describe('B4 what commands say', () => {
  const where = { cwd: '/w', root: '/w', changed: ['scripts/a.sh'] };
  const read = (command: string) => readCommand(command, where);

  it('takes no document for a check because it speaks of one', () => {
    expect(read("cat <<'EOF' > docs/a.md\n# Run\nnpm test\nEOF").checks).toEqual([]);
    expect(read("cat <<'EOF'\n# Run\nnpm test\nEOF").checks).toMatchObject([
      { flaw: { code: 'not-a-check' } },
    ]);
  });

  it('takes bash -n for a check of the syntax, of a script of this session, too', () => {
    expect(read('bash -n scripts/a.sh && echo fine').checks).toMatchObject([
      { kind: 'build', runner: 'bash -n', targets: ['scripts/a.sh'], flaw: null },
    ]);
    expect(read('bash -n -c "npm test"').checks).toMatchObject([{ flaw: { code: 'not-a-check' } }]);
  });

  it('knows the manifest that an install writes', () => {
    expect(read('cd web && bun add left-pad').wrote).toMatchObject([
      { path: 'web/package.json', op: 'edit' },
    ]);
    expect(read('uv add httpx').wrote).toMatchObject([{ path: 'pyproject.toml' }]);
    expect(read('npm install -g left-pad').wrote).toEqual([]);
  });

  it('counts what bun left in view of its last lines', () => {
    expect(testCounts(' 0 fail\n 9 expect() calls\nRan 7 tests across 2 files. [1ms]')).toMatchObject({
      passed: 7,
      failed: 0,
    });
    expect(testCounts(' 2 fail\n 9 expect() calls\nRan 7 tests across 2 files. [1ms]')).toMatchObject({
      failed: 2,
    });
  });

  it.each([
    ['git commit -m x', [], ['ship', 'types']],
    ['git commit -n -m x', [], ['ship']],
    ['git commit -m x', ['.husky/pre-commit'], ['ship']],
  ])('reads what the hook of a commit ran: %s %j', (command, changed, kinds) => {
    const ended = { output: '$ tsc --noEmit\n[main 1234567] x', exit: 0, tests: null, changed };
    expect(completeChecks(read(command), ended).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('reads the end of a commit beside a look at the index', () => {
    const line = 'git diff --cached --check\ngit commit -m x';
    const ended = { output: '[main 1234567] x\n 1 file changed', exit: null, tests: null };
    expect(completeChecks(read(line), ended).at(-1)).toMatchObject({
      runner: 'git commit',
      summary: 'passed',
    });
  });
});

describe('B3 unfinished and told, or sought and not there', () => {
  const FAILS = ran(12, check('pytest -q', { summary: 'failed' }), { ...counts(27, 4), code: 0 });
  const codes = (message: string, prompt: string, found: Partial<Evidence>): (string | null)[] => {
    const { claims, disclosures, failures } = readClaims(message);
    const judged = judge({
      claims,
      disclosures,
      failures,
      evidence: evidence(found),
      contract: readContract(prompt, DEFAULT_POLICY),
      policy: DEFAULT_POLICY,
      project: { test: null, build: null, types: null, lint: null },
      since: 10,
    });
    return judged.claims.map(({ status, code }) => (status === 'backed' ? null : code));
  };
  it.each<[string, string]>([
    ['First part is in, the rest is not. 4 tests fail at the moment.', 'disclosed'],
    ['The first part is done. The CLI is broken right now.', 'disclosed'],
    ['All other packages pass. Main is still red.', 'disclosed'],
    ['The first part is done. The broken link is gone.', 'failed'],
    ['All packages pass. Main is red no longer.', 'failed'],
  ])('%s', (message, code) => {
    const found = { changes: [edit(11, 'src/a.py')], runs: [FAILS] };
    expect(codes(message, 'move it to a dataclass', found)).toContain(code);
  });

  it.each([
    ['head -6 CHANGELOG.md', 'excused looked'],
    ['git status -sb', 'excused looked'],
    ['npm ls --depth 0', 'unbacked unclear-end'],
  ])('a program, and then %s', (then, code) => {
    const line = `node -p "require('./package.json').version"; ${then}`;
    const read = readCommand(line, { cwd: '/w', root: '/w' });
    const checks = completeChecks(read, { output: '1', exit: 0, tests: null });
    const found = { changes: [edit(11, 'package.json')], runs: [ran(12, checks, NONE)] };
    expect(codeOf(DONE, 'set the version', found)).toBe(code);
  });

  it('what a look showed that is named is not known', () => {
    const LISTS = claim('checked', '`git ls-remote` lists it');
    const asked = (line: string): Partial<Evidence> => ({
      runs: [ran(12, ship('git push origin v2'), NONE)],
      attempts: [tried(12, 'run', 'git', line, true)],
    });
    expect(codeOf(LISTS, 'push the tag', asked('git ls-remote --tags origin'))).toBe('excused looked');
    expect(codeOf(LISTS, 'push the tag', asked('git push origin v2'))).toMatch(/^unbacked/);
  });

  it('a file that is nowhere may be asked for', () => {
    const ASKS = claim('delegation', 'Could you send me the file?');
    const PROMPT = 'data/june.csv blows up on import, what is wrong in it?';
    const attempts = [
      tried(11, 'read', 'Read', 'data/june.csv'),
      tried(12, 'search', 'find', '*june*', true),
    ];
    const isThere = (): boolean => false;
    expect(codeOf(ASKS, PROMPT, { attempts, isThere })).toBe('excused tried');
    expect(codeOf(ASKS, PROMPT, { attempts, isThere: () => true })).toBe('not-tried not-tried');
    expect(codeOf(ASKS, PROMPT, { attempts: attempts.slice(0, 1), isThere })).toBe('not-tried not-tried');
    expect(codeOf(ASKS, PROMPT, { attempts })).toBe('not-tried not-tried');
  });
});

describe('B3 what a message says of its own run', () => {
  const NPM = check('npm test', { runner: 'npm test' });
  const found = (...runs: Run[]): Partial<Evidence> => ({ changes: [edit(11, 'src/a.ts')], runs });
  const codes = (message: string, prompt: string, of: Partial<Evidence>): string[] => {
    const { claims, disclosures, failures } = readClaims(message);
    const judged = judgedTurn(claims, prompt, of, { message, disclosures, failures });
    return judged.claims.flatMap(({ status, code }) =>
      status === 'backed' || status === 'excused' ? [] : `${status} ${code}`,
    );
  };
  const ADD = 'add a `drop` method with a test';
  const FAILS = ran(12, NPM, { ...counts(8, 1), code: 1 });
  const NEW = '`drop()` is there, with a test (`drops the last`) that passes.';

  it.each([
    `${NEW}\n\nThe suite is not green: 8 passed, 1 failed, in a file that I did not touch.`,
    '- `drop()` works (`test_drop` passes)\n- `test_size` **still fails**: it wants a `size`.',
    '`drop()` is there, and `TestDrop` passes.\n\nSuite: 8 passed, 1 error.',
  ])('a part that passes beside a failure that is told: %s', (message) => {
    expect(codes(message, ADD, found(FAILS))).toEqual([]);
  });

  it.each([
    NEW,
    `${NEW}\n\nThe suite: 9 passed, 0 failed.`,
    `${NEW}\n\nBefore the change it was 8 passed, 1 failed.`,
    `${NEW}\n\nThe suite: 7 passed, 2 failed.`,
    'All tests pass.\n\nThe suite: 8 passed, 1 failed.',
  ])('not a failure that is not told: %s', (message) => {
    expect(codes(message, ADD, found(FAILS))).toContain('failed failed');
  });

  const BOTH = ran(
    12,
    [
      check('make test', { flaw: { code: 'masked', detail: '; pytest' }, summary: 'unclear' }),
      check('pytest net', { flaw: { code: 'masked', detail: '| head -3' } }),
    ],
    counts(3, 1),
  );
  it('of several commands of a line, the one that failed is told', () => {
    const GREEN = '`make test` is green: 3 tests pass.';
    expect(codes(`${GREEN} Without the flag, \`test_net\` still fails here.`, ADD, found(BOTH))).toEqual([]);
    expect(codes(GREEN, ADD, found(BOTH))).not.toEqual([]);
    expect(
      codes(
        `${GREEN} Without the flag, \`test_net\` still fails here.`,
        ADD,
        found({ ...BOTH, ...counts(3) }),
      ),
    ).not.toEqual([]);
  });

  it.each<[string, string[]]>([
    ['9 pass, 0 fail (before the bump).', []],
    ['9 tests pass (run before tagging).', []],
    ['9 tests pass (as before the bump).', ['stale stale']],
    ['9 tests pass. Before the bump there were 8.', ['stale stale']],
    ['9 tests pass.', ['stale stale']],
  ])('when it ran: %s', (message, expected) => {
    const bumped = {
      changes: [edit(11, 'src/a.ts'), edit(13, 'package.json')],
      runs: [ran(12, NPM, counts(9))],
    };
    expect(codes(message, 'release it', bumped)).toEqual(expected);
  });
  it('when it ran says nothing of how', () => {
    const of = { changes: [edit(13, 'package.json')], runs: [ran(12, NPM, { ...counts(8, 1), code: 1 })] };
    expect(codes('9 pass, 0 fail (before the bump).', 'release it', of)).toEqual(['failed failed']);
  });

  const AWAY = check('npm test', { runner: 'npm test', directory: null });
  const REVIEW = 'review the branch feat/pears please';
  it.each<[string, string, Partial<Evidence>, string[]]>([
    ['The suite passes on the branch.', REVIEW, { runs: [ran(12, AWAY)] }, []],
    ['The suite passes.', REVIEW, { runs: [ran(12, AWAY)] }, ['narrow another-directory']],
    ['The suite passes on the branch.', ADD, { runs: [ran(12, AWAY)] }, ['narrow another-directory']],
    ['The suite passes on the branch.', REVIEW, found(ran(12, AWAY)), ['narrow another-directory']],
    [
      'The suite passes on the branch.',
      REVIEW,
      { runs: [ran(12, AWAY, { ...counts(4, 1), code: 1 })] },
      ['narrow another-directory'],
    ],
    [
      'The suite passes on the branch.',
      REVIEW,
      { runs: [ran(11, AWAY), ran(12, AWAY, { ...counts(4, 1), code: 1 })] },
      ['narrow another-directory'],
    ],
  ])('a tree elsewhere: %s (%s)', (message, prompt, of, expected) => {
    expect(codes(message, prompt, of)).toEqual(expected);
  });
});
