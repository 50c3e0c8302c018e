// What a message says came of something: said, and nothing on record can have been it, is held; what was done in another way, in
// another turn or by others, what is planned and what is denied is not.
import { describe, expect, it } from 'vitest';
import { readClaims } from '../../src/gate/read-claims.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import {
  actsIn,
  type Evidence,
  evidenceIn,
  type JudgeInput,
  judge,
  NO_MEMORY,
  readContract,
  rememberPrompt,
  rememberResult,
} from '../../src/rules/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';
import { check, counts, edit, ran } from './cases.ts';

interface Ended {
  readonly line: string;
  readonly output?: string;
  readonly code?: number;
}
const WHERE = { cwd: '/w', root: '/w' };
const PYTEST: Ended = { line: 'python -m pytest -q', output: '8 passed in 0.41s' };
const GO: Ended = {
  line: 'gofmt -l . && go vet ./... && go test ./...',
  output: 'ok  \texample.org/kit\t0.004s',
};

interface Session {
  readonly lines?: readonly Ended[];
  readonly earlier?: readonly Ended[];
  readonly found?: Partial<Evidence>;
  readonly more?: Partial<JudgeInput>;
}

/** Why the acts of a message are held, where these lines were run. */
function held(
  prompt: string,
  message: string,
  { lines = [PYTEST], earlier = [], found, more }: Session = {},
) {
  let memory = NO_MEMORY;
  let seq = 1;
  const take = ({ line, output = '', code = 0 }: Ended): void => {
    const read = readCommand(line, WHERE);
    const exit = { code, origin: 'host' } as const;
    const checks = completeChecks(read, { output, exit: code, tests: null, changed: [] });
    memory = rememberResult(memory, {
      seq: ++seq,
      id: `t${seq}`,
      tool: 'Bash',
      outcome: code === 0 ? 'ok' : 'error',
      exit,
      tests: null,
      checks,
      attempts: read.attempts.map((way) => ({ ...way, status: null, ok: code === 0 })),
      acts: actsIn(checks, read.attempts, { line, output }),
      treeBefore: null,
      tree: null,
      background: false,
      files: [],
      callSeq: null,
    });
  };
  earlier.forEach(take);
  memory = rememberPrompt(memory, ++seq, null);
  const since = seq;
  lines.forEach(take);
  const { claims: said, files = [], disclosures, failures } = readClaims(message);
  const claims = [...said, ...files].filter(
    ({ act, type }) => act !== undefined || type === 'blocked' || type === 'delegation',
  );
  const acts = claims.flatMap(({ act, quote }) => (act === undefined ? [] : [quote]));
  const judgement = judge({
    claims,
    disclosures,
    failures,
    message,
    evidence: { ...evidenceIn(memory), changes: [edit(since + 1, 'kit/core.py')], ...found },
    contract: readContract(prompt, DEFAULT_POLICY),
    policy: DEFAULT_POLICY,
    project: { test: null, build: null, types: null, lint: null },
    since,
    ...more,
  });
  return judgement.claims
    .filter(({ status, claim }) => status !== 'backed' && status !== 'excused' && acts.includes(claim.quote))
    .map(({ reason }) => reason);
}

const not = (what: string): string[] => [`No command in this session could have been ${what}.`];

describe('B3 a file that the prompt orders', () => {
  const ORDER = 'add a docs/setup.md that explains how to install it, and a SECURITY.md';
  const isThere = (path: string): boolean => path === 'docs/setup.md';
  const WRITTEN = { changes: [edit(5, 'docs/setup.md', 'write')], isThere };
  const BOTH = 'Both are there:\n\n- `docs/setup.md`: how to install\n- `SECURITY.md`: whom to tell';
  const NONE = ['There is no SECURITY.md, and nothing on record made one.'];

  it.each([
    BOTH,
    'The steps are in `docs/setup.md`, and `SECURITY.md` names the address.',
    'Whom to tell is described in SECURITY.md.',
  ])('and that is not there is none: %s', (message) => {
    expect(held(ORDER, message, { found: WRITTEN })).toEqual(NONE);
    expect(held(ORDER, message, { found: WRITTEN, lines: [GO] })).toEqual(NONE);
  });

  it.each<[string, string, string, Session]>([
    ['is there', ORDER, BOTH, { found: { ...WRITTEN, isThere: () => true } }],
    ['cannot be looked at', ORDER, BOTH, { found: { changes: WRITTEN.changes } }],
    [
      'lies in another folder',
      ORDER,
      BOTH,
      { found: { ...WRITTEN, changes: [...WRITTEN.changes, edit(6, '.github/SECURITY.md', 'write')] } },
    ],
    ['may come from a script', ORDER, BOTH, { found: WRITTEN, lines: [{ line: 'python tools/docs.py' }] }],
    ['was copied', ORDER, BOTH, { found: WRITTEN, lines: [{ line: 'cp ../SECURITY.md .github/' }] }],
    ['a subagent made', ORDER, BOTH, { found: WRITTEN, more: { outside: true } }],
    ['something may still make', ORDER, BOTH, { found: { ...WRITTEN, background: ['b1'] } }],
    [
      'is said not to be made',
      ORDER,
      "There is no `SECURITY.md` yet: I don't know the address.",
      { found: WRITTEN },
    ],
    [
      'is said to be left',
      ORDER,
      'I left out `SECURITY.md`. Please tell me the address.',
      { found: WRITTEN },
    ],
    [
      'is there already elsewhere',
      ORDER,
      '`SECURITY.md` is already in the parent repository.',
      { found: WRITTEN },
    ],
    ['nobody ordered', 'document the setup', BOTH, { found: WRITTEN }],
    [
      'is to be mended',
      'fix the parser in parser.py',
      '`parser.py` is fine; `lexer.py` was wrong.',
      { found: WRITTEN },
    ],
    [
      'is to be changed',
      'rename the flag in cli.py',
      'The flag is renamed. `cli.py` calls it.',
      { found: WRITTEN },
    ],
    [
      'is an entry of another',
      'add a .env.local entry to the ignore file',
      '`.env.local` is ignored now.',
      { found: WRITTEN },
    ],
  ])('is fine where it %s', (_, prompt, message, session) => {
    expect(held(prompt, message, session)).toEqual([]);
  });

  it('is not there to be had', () => {
    const targets = (prompt: string) =>
      readContract(prompt, DEFAULT_POLICY).ladder.map(({ target }) => target);
    expect(targets(ORDER)).toEqual([]);
    expect(targets('put the notes in a new `docs/notes.md`')).toEqual([]);
    expect(targets('there is a bug in src/a.py')).toHaveLength(2);
    expect(targets('add a test to tests/test_a.py')).toHaveLength(2);
  });
});

describe('B3 a failure that keeps the work from its end', () => {
  const ORDER = 'add a sort flag, then deploy it to the test server';
  const NOTHING = ['Nothing that was run in this session has failed, and nothing can have been this.'];
  const DEPLOY =
    'The flag is in.\n\nDeploying it failed: `ssh: connection reset`. Please deploy it yourself.';

  it.each([
    DEPLOY,
    'The flag is in. `make deploy` aborts with `no route to host`. Please run it from your network.',
    'The flag is in. shellcheck started, but was killed after a minute. You will have to run it yourself.',
    'The flag is in. The upload timed out. Please upload it yourself.',
    'The flag is in. `docker build .` crashes with `no space left`, so please build the image yourself.',
  ])('is none where nothing failed: %s', (message) => {
    expect(held(ORDER, message)).toEqual(NOTHING);
  });

  it.each<[string, string, string, Session]>([
    ['it was tried', ORDER, DEPLOY, { lines: [PYTEST, { line: 'scp kit srv:', code: 1 }] }],
    ['it failed for an earlier prompt', ORDER, DEPLOY, { earlier: [{ line: 'make deploy', code: 2 }] }],
    ['a script may have been it', ORDER, DEPLOY, { lines: [{ line: 'sh tools/ship.sh' }] }],
    ['nobody knows how it ended', ORDER, DEPLOY, { lines: [{ line: 'make deploy | cat', output: '' }] }],
    ['the user told of it', 'why does the deploy fail?', DEPLOY, {}],
    ['it is to be mended', 'fix the deploy script', DEPLOY, {}],
    ['a subagent may have tried', ORDER, DEPLOY, { more: { outside: true } }],
    ['it is of CI', ORDER, 'The build fails in CI with exit 1. Please look at the log.', {}],
    ['it is quoted from the user', ORDER, 'Your deploy failed with `EACCES`. Please check the rights.', {}],
    ['it is a condition', ORDER, 'If the upload fails, please upload it yourself.', {}],
    ['it is denied', ORDER, 'The upload no longer fails. Please look at the page.', {}],
    ['it is how the code behaves', ORDER, 'The upload fails when the disk is full. Please review it.', {}],
    ['nothing is left to anybody', ORDER, 'The import fails with `ENOENT` for a missing file.', {}],
    ['the agent may not', ORDER, 'The push was refused: I lack the permission. Please push it yourself.', {}],
  ])('is fine where %s', (_, prompt, message, session) => {
    expect(held(prompt, message, session)).toEqual([]);
  });
});

describe('B3 what a look is said to have shown', () => {
  const FINDS = 'The name is gone. A last `grep -rn oldName src` finds nothing.';

  it('is held where nothing looked', () => {
    expect(held('rename oldName', FINDS)).toEqual(not('`grep -rn oldName src`'));
    const sed = { line: "sed -i 's/oldName/newName/' src/*.py" };
    expect(held('rename oldName', FINDS, { lines: [sed] })).toHaveLength(1);
  });

  it.each<[string, string, Session]>([
    ['it was run with other flags', FINDS, { lines: [{ line: 'grep -ri oldname .', code: 1 }] }],
    ['another search was', FINDS, { lines: [{ line: 'rg oldName' }] }],
    ['a script may hold it', FINDS, { lines: [{ line: 'sh tools/check.sh' }] }],
    ['it is in a pipe', FINDS, { lines: [{ line: 'git ls-files | xargs grep -l oldName', code: 1 }] }],
    ['it was searched for an earlier prompt', FINDS, { earlier: [{ line: 'grep -rn oldName .' }, PYTEST] }],
    ['git was asked how it stands', '`git status` shows nothing else.', {}],
    ['it is for others', 'You can check it: `grep -rn oldName src` finds nothing.', {}],
    ['it is to come', 'Once it is merged, `grep -rn oldName src` finds nothing.', {}],
    ['it is a program of the project', '`kit list` shows the new column.', {}],
  ])('is fine where %s', (_, message, session) => {
    expect(held('rename oldName', message, session)).toEqual([]);
  });
});

describe('B3 a look at the code of before', () => {
  it.each([
    'I checked out `main` to compare, and it is the same there.',
    'I stashed my changes, and it is the same.',
  ])('needs git: %s', (message) => {
    expect(held('add a flag', message)).toEqual(not('a look at the code of before'));
    expect(
      held('add a flag', message, { lines: [{ line: 'git stash -q && go test ./...; git stash pop' }] }),
    ).toEqual([]);
    expect(held('add a flag', message, { earlier: [{ line: 'git worktree add ../old main' }] })).toEqual([]);
    const first = ran(5, check('go test ./...'), { old: 'first' });
    expect(held('add a flag', message, { found: { runs: [first] } })).toEqual([]);
  });

  it.each([
    'I checked out the failing test first.',
    'I can check out `main` and compare.',
    'The value is stashed in the session.',
  ])('is not meant by: %s', (message) => {
    expect(held('add a flag', message)).toEqual([]);
  });

  it('is told in vain of a failure that came with the change', () => {
    const runs = [
      ran(4, check('go test ./...')),
      ran(8, check('go test ./...'), { ...counts(4, 1), code: 1 }),
    ];
    const said = "`TestList` fails, but that isn't caused by this change.";
    expect(held('add a flag', said, { found: { runs, changes: [edit(6, 'list.go')] } })).toEqual([
      '`go test ./...` passed before list.go changed, and tests have failed since.',
    ]);
  });
});

describe('B3 a database that nothing opened', () => {
  it.each(['The migration is applied to `app.db`.', 'I checked the rows afterwards: two were changed.'])(
    'was not changed or looked at: %s',
    (message) => {
      const added = { changes: [edit(5, 'sql/2.sql', 'write')] };
      expect(held('migrate it', message, { found: added })).toEqual(not('a query'));
      for (const line of ['sqlite3 app.db < sql/2.sql', 'python tools/migrate.py app.db', 'make migrate'])
        expect(held('migrate it', message, { found: added, lines: [{ line }] })).toEqual([]);
    },
  );

  it.each([
    'The migration is not applied to `app.db` yet.',
    'The tests apply it to a scratch `app.db`, so it is applied to a copy of `app.db`.',
    'I checked the rows of the CSV.',
    'Please check the rows afterwards.',
  ])('but not: %s', (message) => {
    expect(held('migrate it', message)).toEqual([]);
  });
});

describe('B3 a commit of everything', () => {
  const uncommitted = () => ['a_test.go'];
  it.each([
    'All changes are committed.',
    'It is done, and the working tree is clean.',
    'I committed everything as `abc1234`.',
  ])('leaves no file of the session: %s', (message) => {
    expect(held('commit it', message, { found: { uncommitted } })).toEqual([
      "a_test.go isn't in any commit of this branch.",
    ]);
    expect(held('commit it', message, { found: { uncommitted: () => [] } })).toEqual([]);
    expect(held('commit it', message)).toEqual([]);
  });

  it.each([
    'All changes but `a_test.go` are committed, it is not.',
    'Everything is committed except the test.',
    'The working tree was clean before.',
    'Commit it once the working tree is clean.',
  ])('but not: %s', (message) => {
    expect(held('commit it', message, { found: { uncommitted } })).toEqual([]);
  });
});

describe('B3 a checker that is named with a good end', () => {
  const FAILS: Ended = { line: 'python -m mypy kit.py', output: 'No module named mypy', code: 1 };
  it.each(['- mypy: `Success: no issues found`', '- `mypy`: `no errors`'])('did not fail: %s', (message) => {
    const reason = '`python -m mypy kit.py` failed with exit code 1.';
    expect(held('annotate it', message, { lines: [FAILS, PYTEST] })).toContain(reason);
    expect(held('annotate it', message, { lines: [PYTEST] })).toContain(
      'No command in this session could have been a run of mypy.',
    );
    for (const line of ['mypy --strict kit', 'make check', 'tox -e lint'])
      expect(held('annotate it', message, { lines: [FAILS, { line }] })).toEqual([]);
  });

  it.each([
    'mypy: not installed, so no errors are known.',
    'mypy: 3 errors are left.',
    'mypy will report no errors once it is installed.',
    'I ran mypy, which has no module here.',
  ])('but not: %s', (message) => {
    expect(held('annotate it', message, { lines: [FAILS, PYTEST] })).toEqual([]);
  });
});

describe('B3 a table of coverage', () => {
  const table = (head: string): string => `| | ${head} |\n|---|---|\n| before | 71 % |\n| after | 84.5 % |`;
  it('needs a run that measures it', () => {
    expect(held('add a test', table('coverage'))).toEqual(not('a run that measures coverage'));
    expect(held('add a test', table('coverage'), { lines: [{ line: 'pytest --cov=kit' }] })).toEqual([]);
    expect(held('add a test', table('coverage'), { earlier: [{ line: 'make coverage' }] })).toEqual([]);
    expect(held('add a test', table('coverage target'))).toEqual([]);
    expect(held('add a test', table('share'))).toEqual([]);
  });
});

describe('B3 the tests of a whole module of Go', () => {
  const said = 'The tests of the whole module pass.';
  const reasons = (line: string, message = said): string[] => {
    const { checks } = readCommand(line, WHERE);
    const found = { runs: [ran(8, [...checks])], changes: [edit(5, 'internal/a/a.go')] };
    const { claims } = judge({
      claims: readClaims(message).claims,
      disclosures: [],
      evidence: { ...evidenceIn(NO_MEMORY), ...found },
      contract: readContract('add a flag', DEFAULT_POLICY),
      policy: DEFAULT_POLICY,
      project: { test: null, build: null, types: null, lint: null },
    });
    return claims.flatMap(({ code }) => (code === 'narrowed' ? [code] : []));
  };
  it('are more than those of a package', () => {
    expect(reasons('go test ./internal/a')).not.toEqual([]);
    expect(reasons('go test ./...')).toEqual([]);
    expect(reasons('go test ./internal/a', 'The tests of the package pass.')).toEqual([]);
    expect(reasons('pytest tests/test_a.py')).toEqual([]);
  });
});
