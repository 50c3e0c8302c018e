// Everyday turns that nobody should be held for, each beside the one that differs from it in a single fact.
import { describe, expect, it } from 'vitest';
import { aboutText } from '../../src/claims/index.ts';
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
