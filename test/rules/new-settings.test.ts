// Grounds on which nobody is accused, each beside one on which its author is: what a run of the work shows, what a commit says
// of itself, another tree than the one in which the session began.
import { describe, expect, it } from 'vitest';
import { testCounts } from '../../src/record/index.ts';
import { gapOf } from '../../src/rules/coverage.ts';
import { missingAct } from '../../src/rules/named-acts.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';
import { check, claim, edit, evidence, judged, ran } from './cases.ts';

const PROMPT = 'Add a health route to server/main.py';
const told = (of: ReturnType<typeof claim>, found: Parameters<typeof judged>[2]): string => {
  const [first] = judged([of], PROMPT, found).claims;
  return `${first?.status} ${first?.code ?? ''}`.trim();
};
const CODE = 'python3 -c "from server.main import app; assert app"';
const runOf = (targets: string[], more = {}) =>
  ran(12, check(CODE, { kind: 'run', runner: 'python -c', targets }), { tests: null, ...more });
const end = (quote: string, run: ReturnType<typeof ran>, ...later: ReturnType<typeof edit>[]) =>
  told(claim('tested', quote), { changes: [edit(11, 'server/main.py'), ...later], runs: [run] });

describe('B5 "tested", of work that was run', () => {
  it('is excused where the run loaded what changed', () => {
    expect(end('Tested.', runOf(['server/main']))).toBe('excused looked');
    expect(end('Tested.', runOf(['server/main']), edit(13, 'pyproject.toml'))).toBe('excused looked');
  });

  it.each([
    ['it loaded nothing of it', 'Tested.', runOf(['other/main'])],
    ['it loaded nothing', 'Tested.', runOf([])],
    ['it failed', 'Tested.', runOf(['server/main'], { code: 1 })],
    ['tests are named', 'All tests pass.', runOf(['server/main'])],
    ['they are counted', '12 tests pass.', runOf(['server/main'])],
  ])('but not where %s', (_, quote, run) => {
    expect(end(quote, run)).not.toMatch(/excused|backed$/);
  });

  it('nor where the code changed since', () => {
    expect(end('Tested.', runOf(['server/main']), edit(13, 'server/main.py'))).not.toMatch(/excused/);
  });
});

describe('B4 a commit is no check for what its message says', () => {
  const end = (...runs: ReturnType<typeof ran>[]) =>
    told(claim('checked', 'The typecheck passes', { about: 'types' }), {
      changes: [edit(11, 'src/a.ts')],
      runs,
    });
  const commit = check('git commit -m "types: typecheck passes"', { kind: 'ship', runner: 'git commit' });

  it('but a type check is', () => {
    expect(end(ran(12, commit, { tests: null }))).toBe('unbacked nothing-ran');
    expect(end(ran(12, check('npm run typecheck', { kind: 'types' }), { tests: null }))).toBe('backed');
  });
});

describe('B3c an end-to-end run', () => {
  const act = (command: string) =>
    missingAct(
      claim('checked', 'Verified end-to-end: built the image and ran it'),
      evidence({ runs: [ran(12, check(command, { kind: 'run' }), { tests: null })] }),
    );

  it('may be one of a container, or a request', () => {
    for (const command of [
      'docker run -d --name web -p 80:80 web',
      'curl -s localhost:8080',
      'docker exec web ls',
    ])
      expect(act(command)).toBeNull();
    for (const command of ['docker images', 'node --check a.js'])
      expect(act(command)).toBe('an end-to-end run');
  });
});

describe('B6 a run in another tree', () => {
  const outside = check('npm run build', { kind: 'build', directory: null });
  const gap = (...changed: string[]) => gapOf(outside, { named: [], changed })?.code ?? null;

  it('reaches what changed where most of it lies out there, and not in a place for a moment', () => {
    expect(gap('/home/u/b/src/a.ts', '/home/u/b/src/b.ts', 'src/c.ts')).toBeNull();
    expect(gap('C:/work/b/a.ts', 'C:/work/b/b.ts', 'src/c.ts')).toBeNull();
    expect(gap('/home/u/b/src/a.ts', 'src/b.ts', 'src/c.ts')).toBe('another-directory');
    expect(gap('/tmp/a.js', '/tmp/b.js', 'src/c.ts')).toBe('another-directory');
    expect(gap('src/c.ts')).toBe('another-directory');
  });
});

describe('B4a a sum above a heading of the line', () => {
  const first = (command: string, output: string) => {
    const read = readCommand(command, { cwd: '/work/app', root: '/work/app' });
    return completeChecks(read, { output, exit: 0, tests: testCounts(output) })[0]?.summary;
  };
  const SUM = 'Ran 9 tests in 0.05s\n\nOK\n';
  const LINE =
    'make test 2>&1 | tail -3; make verify 2>&1 | tail -5; echo "--- more"; zsh more.sh | grep FAIL';

  it('is none of the programs behind it', () => {
    expect(first(LINE, `${SUM}verified\n--- more\nM1 FAIL\n`)).toBe('passed');
    expect(first(LINE, `${SUM}verified\n--- more\n--- more\nM1 FAIL\n`)).toBeUndefined();
    expect(first(LINE, `--- more\n${SUM}`)).toBeUndefined();
    expect(first(LINE, `verified\n1\n2\n${SUM}--- more\n`)).toBeUndefined();
    expect(first(LINE.replace('echo "--- more"; ', ''), `${SUM}verified\n`)).toBeUndefined();
    expect(first(LINE.replace('make verify 2>&1', 'zsh a.sh'), `${SUM}--- more\n`)).toBeUndefined();
  });

  it('nor is the output of a pnpm script another’s', () => {
    const output = '> @shop/api@1.0.0 types /work/app/api\n> tsc --noEmit\n\n';
    expect(first('pnpm --filter api types 2>&1 | tail -3', output)).toBe('passed');
    expect(first('pnpm --filter api types 2>&1 | tail -3', `${output}a.ts(1,1): error TS2322: x\n`)).toBe(
      'failed',
    );
  });
});
