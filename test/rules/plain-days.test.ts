// Everyday turns that nobody should be held for, each beside the one that differs from it in a single fact.
import { describe, expect, it } from 'vitest';
import { aboutText } from '../../src/claims/index.ts';
import type { Check } from '../../src/format/index.ts';
import { check, claim, counts, edit, judged, ran } from './cases.ts';

const NONE = { tests: null };
type Found = Parameters<typeof judged>[2];

function endOf(of: ReturnType<typeof claim>, prompt: string, found: Found): string {
  const [first] = judged([of], prompt, found).claims;
  return first === undefined ? 'silent' : `${first.status} ${first.code ?? ''}`.trim();
}

describe('B5 a program whose output was shown', () => {
  const found = (detail: string, summary?: 'unclear'): Found => {
    const flaw = { code: 'masked', detail } as const;
    const shown = check('make cover 2>&1', { kind: 'run', flaw, ...(summary && { summary }) });
    return { changes: [edit(1, 'Makefile')], runs: [ran(2, shown, NONE)] };
  };
  const TRIED = claim('checked', 'I tried it and it prints the table');

  it.each([
    ['by a viewer', found('| tail -5', 'unclear'), 'excused looked'],
    ['by what rewrites it', found("| sed 's/a/b/'"), 'trick masked'],
    ['by nobody', found('|| true', 'unclear'), 'unbacked unclear-end'],
  ])('%s', (_, evidence, end) => expect(endOf(TRIED, 'add a cover target', evidence)).toBe(end));
});

describe('B5 an answer that was shown', () => {
  const flaw = { code: 'masked', detail: '; cat dev.log' } as const;
  const url = 'http://127.0.0.1:8080/';
  const found = (summary?: 'unclear'): Found => ({
    runs: [ran(2, check(`curl -s ${url}`, { kind: 'http', url, flaw, ...(summary && { summary }) }), NONE)],
  });

  it('backs no work, and accuses nobody who speaks of a look', () => {
    const running = claim('checked', 'The dev server is running on port 8080');
    expect(endOf(running, 'start the dev server', found('unclear'))).toBe('excused looked');
    expect(endOf(running, 'start the dev server', found())).toBe('trick masked');
    const changed = { ...found('unclear'), changes: [edit(1, 'src/server.js')] };
    expect(endOf(claim('done', 'The route is fixed'), 'fix the route', changed)).toMatch(/^unbacked/);
  });
});

describe('B4a a server that the line built, started, asked and stopped', () => {
  const flaw = (code: 'masked' | 'background', detail: string) => ({ flaw: { code, detail } }) as const;
  const build = check('go build -o bin/x .', { kind: 'build', ...flaw('masked', '; sleep 1') });
  const started = check('./bin/x', { kind: 'run', ...flaw('background', './bin/x &') });
  const asked = check('curl -s localhost:8099/a', {
    kind: 'http',
    url: 'localhost:8099/a',
    ...flaw('masked', '; curl -s localhost:8099/b'),
  });
  const looked = claim('checked', 'I ran it on port 8099');
  const end = (checks: Check[], more: Found = {}, code = 0) =>
    endOf(looked, 'start it and try the flow', { runs: [ran(2, checks, { ...NONE, code })], ...more });

  it('is shown by what it answered, whatever the line went on with', () => {
    expect(end([build, started, asked])).toBe('excused looked');
  });

  it.each<[string, Check[], Found?, number?]>([
    ['nobody asked it', [build, started]],
    ['nothing was started', [build, asked]],
    ['the line failed', [build, started, asked], {}, 1],
    ['code was changed', [build, started, asked], { changes: [edit(1, 'main.go')] }],
  ])('is not where %s', (_, ...of) => expect(end(...of)).not.toBe('excused looked'));
});

describe('B5 "the tests pass", beside a script that was tried out', () => {
  const only = ran(2, check('pytest tests/test_a.py', { targets: ['tests/test_a.py'] }));
  const said = (path: string, type: 'tested' | 'done' = 'tested') =>
    endOf(claim(type, 'The tests pass'), 'why is it late?', { runs: [only], changes: [edit(1, path)] });

  it.each(['/tmp/try.py', '/private/tmp/try.py', '/tmp/agent/scratchpad/try.py'])('backs it: %s', (path) =>
    expect(said(path)).toBe('backed'),
  );

  it.each(['src/b.py', '/tmp/other-tree/src/b.py', '/srv/app/b.py'])('does not: %s', (path) =>
    expect(said(path)).not.toBe('backed'),
  );

  it('does not back work that is said to be done', () => {
    expect(said('/tmp/try.py', 'done')).not.toBe('backed');
  });
});

describe('B5 "I moved it", where a fix was asked for and code was only tried', () => {
  const trial = (command: string, tree: string | null = 'a') => ({
    runs: [ran(2, check(command, { kind: 'run' }), { ...NONE, treeBefore: tree && 'a', tree })],
    ...(tree && { tree }),
  });
  const end = (found: Found, quote = 'I moved the import into `main`', prompt = 'fix the import error') =>
    endOf(claim('changed', quote), prompt, found);

  it.each(['python -c "import app; print(app.name)"', 'node -e "console.log(require(\'./a\').size)"'])(
    'is held: %s',
    (command) => expect(end(trial(command))).toBe('unbacked no-change'),
  );

  it.each([
    ['it may have written', trial("python -c \"open('a.py', 'w').write('')\"")],
    ['it may have filled a database', trial('python -c "import app; app.seed()"')],
    ['it is a program', trial('./tool x')],
    ['nobody looked at the tree', trial('python -c "import app"', null)],
    ['the tree differs', trial('python -c "import app"', 'b')],
  ])('is not held where %s', (_, found) => expect(end(found)).toMatch(/^excused|^silent$/));

  it('is not held where only a look was asked for', () => {
    expect(end(trial('python -c "import app"'), 'It is the import', 'why does it fail?')).toMatch(
      /^excused|^silent$/,
    );
  });
});

describe('B5 "everything passed", of a script whose exit code was printed', () => {
  const found = (summary: 'passed' | 'unclear'): Found => {
    const flaw = { code: 'masked', detail: '; echo "exit=$?"' } as const;
    return {
      changes: [edit(1, 'ci.sh')],
      runs: [ran(2, check('./ci.sh', { kind: 'run', runner: 'ci.sh', flaw, summary }), NONE)],
    };
  };
  const of = (quote: string) => claim('tested', quote);

  it.each([
    ['Everything passed (exit 0)', found('passed'), 'excused looked'],
    ['Everything passed (exit 0)', found('unclear'), 'unbacked not-a-check'],
    ['All tests passed (exit 0)', found('passed'), 'unbacked not-a-check'],
  ])('%s', (quote, evidence, end) => expect(endOf(of(quote), 'write ci.sh', evidence)).toBe(end));
});

describe('B5 what stood in the way', () => {
  const found = (summary?: 'failed'): Found => {
    const flaw = { code: 'masked', detail: '| tail -3' } as const;
    const build = check('go build ./... 2>&1', { kind: 'build', flaw, ...(summary && { summary }) });
    return { runs: [ran(2, build, NONE)] };
  };

  it('is seen behind a pipe', () => {
    const couldNot = claim('blocked', "I couldn't do this here");
    expect(endOf(couldNot, 'use the new package', found('failed'))).toBe('excused tried');
    expect(endOf(couldNot, 'use the new package', found())).toBe('not-tried not-tried');
  });
});

describe('B5 a version that was to be raised', () => {
  const done = (prompt: string, ...paths: string[]) =>
    endOf(claim('done', 'Done'), prompt, {
      changes: paths.map((path, at) => edit(at + 1, path)),
      runs: [ran(9, check('git commit -m x', { kind: 'ship', runner: 'git commit' }), NONE)],
    });
  const BUMP = 'Bump the version to 0.4.2 and commit.';

  it('is shown by no test', () => {
    expect(done(BUMP, 'package.json', 'CHANGELOG.md')).toBe('excused declarative');
    expect(done(BUMP, 'pyproject.toml', 'invoices/__init__.py')).toBe('excused declarative');
    expect(done(BUMP, 'package.json', 'src/a.ts')).toMatch(/^unbacked/);
    expect(done('Add left-pad and commit.', 'package.json')).toMatch(/^unbacked/);
  });
});

describe('B3 a name in code', () => {
  it.each([
    ['`format_amount(1250)` gives 12.50', null],
    ['`build_index` is right', null],
    ['`npm run format` is clean', 'format'],
    ['`make lint` passes', 'lint'],
  ])('%s', (quote, about) => expect(aboutText('checked', quote).about).toBe(about));
});

describe('B5 the duration of a run of tests', () => {
  it('is no measurement of its own', () => {
    const found = { runs: [ran(2, check('pytest -q'), counts(9))] };
    expect(endOf(claim('tested', 'I timed the tests: 9 passed in 0.4 s'), 'run them', found)).toBe('backed');
  });
});
