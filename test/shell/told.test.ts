// Behind a check its line may go on, or print how it ended: the check says what it said. Whatever hides an end still does.
import { describe, expect, it } from 'vitest';
import { testCounts } from '../../src/record/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';

function endsOf(command: string, output: string): (string | null)[] {
  const read = readCommand(command, { cwd: '/w', root: '/w' });
  const tests = testCounts(output, !read.says);
  return completeChecks(read, { output, exit: 0, tests }).map(
    ({ summary, flaw }) => summary ?? flaw?.code ?? null,
  );
}

const PASSED = '===== 3 passed in 0.10s =====';
const FAILED = '===== 1 failed, 2 passed in 0.10s =====';

const RAN = 'Ran 4 tests in 0.01s\n\nOK';
const GO = 'ok  \texample.org/m/a\t0.002s\n?   \texample.org/m/cmd/a\t[no test files]';

describe('B4a a sum amid what other programs print', () => {
  const testIn = (line: string, output: string) => {
    const read = readCommand(line, { cwd: '/w', root: '/w' });
    const ended = { output, exit: 0, tests: testCounts(output) };
    return completeChecks(read, ended).find(({ kind }) => kind === 'test');
  };
  const LOOK = ' a.py | 2 +-\n b.py | 2 +-\n c.py | 2 +-\n d.py | 2 +-\n';
  const LINE = 'git diff --stat; python -m unittest 2>&1 | tail -3; python -m shop --top 1';
  it.each([
    ['behind a look and before a program', LINE, `${LOOK}${RAN}\n2 pears`],
    ['of packages', 'go test ./... && date; go run ./cmd/a x; rm x', `${GO}\n1 a`],
  ])('%s', (_, line, output) => {
    expect(testIn(line, output)?.summary).toBe('passed');
  });

  it.each([
    ['twice', LINE, `${LOOK}${RAN}\n${RAN}`],
    ['of which the failing one is cut off', LINE.replace('tail -3', 'tail -1'), `${LOOK}${RAN}`],
    ['with errors that go elsewhere', LINE.replace('2>&1 |', '2>/dev/null |'), `${LOOK}${RAN}`],
    [
      'of a group that prints elsewhere',
      `{ ${LINE.replace('; python -m shop', '; } 2>/dev/null; python -m shop')}`,
      `${LOOK}${RAN}`,
    ],
    ['that may never have begun', LINE.replace('; python', ' | grep -q x && python'), `${LOOK}${RAN}`],
    ['below a failure to begin', LINE, `${LOOK}No module named unittest\n${RAN}`],
    ['below an end by force', LINE, `${LOOK}Killed\n${RAN}`],
    ['below an error', LINE, `${LOOK}ImportError: no shop\n${RAN}`],
    ['that is ended from outside', LINE.replace('python -m u', 'timeout 1 python -m u'), `${LOOK}${RAN}`],
    ['with a script before it', LINE.replace('git diff --stat', './stat.sh'), `${LOOK}${RAN}`],
    ['with a script behind it', LINE.replace('python -m shop', './shop.sh'), `${LOOK}${RAN}`],
    ['further down than it can stand', LINE.replace('git diff --stat; ', ''), `1\n2\n3\n${RAN}`],
    ['of packages, without failures', 'go test ./... | grep ^ok; go run ./cmd/a x; rm x', `${GO}\n1 a`],
    [
      'of packages, one of which failed',
      'go test ./...; go run ./cmd/a; rm x',
      `${GO}\nFAIL\texample.org/m/b\t0.1s`,
    ],
    [
      'of packages, none of which is there',
      'go test ./...; go run ./cmd/a; rm x',
      `go: cannot find main module\n${GO}`,
    ],
  ])('%s', (_, line, output) => {
    expect(testIn(line, output)?.summary).not.toBe('passed');
  });
});

const NEW_BRANCH = ' * [new branch]      knots -> knots';

describe('B5 what stands behind a check', () => {
  it.each([
    [
      'a commit before a push that shows',
      'pytest -q | tail -3 && git commit -qam x && git push -u origin knots 2>&1 | tail -2; git log -1',
      `${PASSED}\n${NEW_BRANCH}`,
      ['passed', 'passed', 'passed'],
    ],
    [
      'a commit before a push that does not',
      'pytest -q | tail -3 && git commit -qam x && git push -u origin knots 2>&1 | tail -2; git log -1',
      PASSED,
      ['passed', 'unclear', 'masked'],
    ],
    [
      'a commit that the push did not wait for',
      'true && git commit -qam x; git push -u origin knots 2>&1 | tail -2; git log -1',
      NEW_BRANCH,
      ['unclear', 'passed'],
    ],
    ['tests, then tidying up', 'pytest; rm -rf "$d"', PASSED, ['passed']],
    ['tests that fail, then tidying up', 'pytest; rm -rf "$d"', FAILED, ['failed']],
    ['several that tidy up', 'pytest; kill $pid; wait; rm -r out', PASSED, ['passed']],
    ['a program', './tool.sh in; rm -rf "$d"', 'wrote it', ['unclear']],
    [
      'a program that is given a file',
      'echo hi > "$d/f" && ./tool.sh "$d/f"; rm -rf "$d"',
      'hi',
      ['unclear'],
    ],
    [
      'a program that shows a failure',
      'python3 tool.py; rm -f x',
      'Traceback (most recent call last):',
      ['failed'],
    ],
    ['its exit code', './tool.sh in; echo "exit $?"', 'exit 0', ['passed']],
    ['its exit code, another', './tool.sh in; echo "exit $?"', 'exit 3', ['failed']],
    [
      'two exit codes',
      './tool.sh a; echo "rc=$?"; ./tool.sh b; echo "rc=$?"; rm -r "$d"',
      'no a\nrc=1\nrc=0',
      ['failed', 'passed'],
    ],
    ['a line that looks like it', './tool.sh in; echo "exit $?"', 'exit 0\nexit 3', ['unclear']],
    ['another code than its own', './tool.sh in; true; echo "exit $?"', 'exit 0', ['masked']],
    ['a code that is made up', './tool.sh in; echo "exit 0"', 'exit 0', ['masked']],
    ['what only hides', 'pytest; true', PASSED, ['masked']],
    ['what hides behind tidying up', 'pytest || true; rm -r out', PASSED, ['masked']],
    ['what is put in for the check alone', 'cp good.py a.py; pytest; rm a.py', PASSED, ['masked']],
    ['the same, through a viewer', 'cp good.py a.py; pytest | tail -3; rm a.py', PASSED, ['masked']],
    ['errors that go elsewhere', 'pytest 2>/dev/null; rm -r out', PASSED, ['passed']],
    ['a check that prints elsewhere', 'cat old.log; pytest >/dev/null; rm -r out', PASSED, ['masked']],
    ['a group that prints elsewhere', 'cat old.log; { pytest; } >out; rm -r out', PASSED, ['masked']],
    ['a code that is printed for a quiet check', 'pytest >out 2>&1; echo "rc=$?"', 'rc=0', ['passed']],
    ['a code that is rewritten', '(pytest; echo "rc=$?") | sed s/1/0/', 'rc=0', ['masked']],
    ['the same, of another shell', `bash -c 'pytest; echo "rc=$?"' | tr 1 0`, 'rc=0', ['masked']],
    ['a code that goes elsewhere', '(pytest; echo "rc=$?") >/dev/null; cat codes', 'rc=0', ['masked']],
    ['the same by exec', 'exec >/dev/null; pytest; echo "rc=$?"; cat codes >&2', 'rc=0', ['masked']],
    ['the same, kept', 'X=$(pytest; echo "rc=$?"); cat codes', 'rc=0', ['masked']],
    ['a summary that is rewritten', '(pytest; rm -r out) | sed s/failed/passed/', PASSED, ['masked']],
    ['a code behind other words', './tool.sh; echo "rc=$?"; cat codes', 'no rc=1\nrc=0', ['unclear']],
    ['a bare code', './tool.sh; echo $?', 'wrote it\n0\n', ['passed']],
    ['a bare code behind other words', './tool.sh; echo $?', '0\nno1\n', ['unclear']],
    ['a bare code before other output', './tool.sh; echo $?; cat codes', 'no1\n0\n', ['unclear']],
    [
      'an old summary beside two codes',
      'cat old.log; pytest >out; echo "rc=$?"; cat codes',
      `${PASSED}\nrc=1\nrc=0`,
      ['masked'],
    ],
    [
      'the exit code of what runs behind a check',
      'sh -n a.sh && ./a.sh deploy; echo "exit $?"',
      'no\nexit 1',
      ['unclear', 'unclear'],
    ],
    [
      'the exit code of a check behind a step',
      'cd web && tsc --noEmit; echo "exit $?"',
      'exit 2',
      ['failed'],
    ],
    ['the exit code of code with a semicolon', 'python3 -c "a(); b()"; echo "exit $?"', 'exit 1', ['failed']],
    ['a line behind &&', './tool.sh && echo "built it"; rm -r out', 'x\nbuilt it', ['passed']],
    ['a line behind && that is missing', 'make build && echo built; rm -r out', 'x', ['unclear']],
    [
      'a line of the last part',
      'make build && d=$(mktemp -d) && cd $d && (node /w/a.mjs; echo "exit $?"); cd - >/dev/null; rm -rf $d',
      'src is empty\nexit 1',
      ['passed', 'failed'],
    ],
    ['a line that another may have printed', 'cat log; make build && echo ok; rm x', 'ok', ['unclear']],
    ['the same behind &&', 'cat log && make build && echo ok; rm x', 'ok', ['unclear']],
    [
      'a line behind &&, and what comes through a pipe',
      'npm run -s types && echo typed; pytest -q 2>&1 | tail -1',
      `typed\n${PASSED}`,
      ['passed', 'passed'],
    ],
    [
      'the same, and a file behind the viewer',
      'npm run -s types && echo typed; pytest -q 2>&1 | tail -1; tail -1 notes',
      `${PASSED}\ntyped`,
      ['unclear', 'passed'],
    ],
    ['the same, and a file before it', 'make build && echo ok; cat log | tail -1; rm x', 'ok', ['unclear']],
    [
      'the same, of files that are named',
      'make build && echo ok; ls | xargs tail -1; rm x',
      'ok',
      ['unclear'],
    ],
    ['the same words through a viewer', 'make build && echo ok; echo ok | tail -1; rm x', 'ok', ['unclear']],
    ['a count of what git lists', 'make build && echo ok; git ls-files | wc -l; rm x', 'ok\n3', ['passed']],
    ['a line that stands there twice', 'make build && echo ok; rm x', 'ok\nok', ['unclear']],
    ['a line that || prints', 'make build || true && echo ok; rm x', 'ok', ['masked']],
    ['a line beside failing tests', 'pytest && echo ok; rm -r out', `ok\n${FAILED}`, ['failed']],
    ['what is called so', 'rm() { :; }; pytest; rm x', PASSED, ['masked']],
  ])('%s', (_, command, output, expected) => {
    expect(endsOf(command, output)).toEqual(expected);
  });

  it('an answer is had, whoever is ended after it', () => {
    const command = 'curl -s -w "%{http_code}" http://127.0.0.1:8080/a; kill $pid';
    const read = readCommand(command, { cwd: '/w', root: '/w' });
    const [request] = completeChecks(read, { output: 'no\n404', exit: 0, tests: null });
    expect(request).toMatchObject({ kind: 'http', status: 404, summary: 'passed' });
  });

  it('no answer is none, whoever is ended after it, unless it is asked again', () => {
    const request = 'curl -s -o /dev/null -w "%{http_code}\\n" http://127.0.0.1:8080/a';
    const of = (command: string, output: string) =>
      completeChecks(readCommand(command, { cwd: '/w', root: '/w' }), { output, exit: 0, tests: null });
    expect(of(`${request}; kill $pid`, '000\n')).toMatchObject([{ status: null, summary: 'failed' }]);
    expect(of(`${request}; sleep 1; ${request}`, '000\n200\n').map(({ summary }) => summary)).not.toContain(
      'failed',
    );
  });
});
