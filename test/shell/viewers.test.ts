// Pairs: what one command line shows of a pass, and what it would have shown of a failure. A viewer gives a summary only
// if the second could not be taken for the first.
import { describe, expect, it } from 'vitest';
import { testCounts } from '../../src/record/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';

function summaries(
  command: string,
  output: string,
  exit: number | null = 0,
  changed: readonly string[] = [],
): (string | undefined)[] {
  const read = readCommand(command, { cwd: '/work/app', root: '/work/app' });
  const tests = read.pasted === null ? testCounts(output, !read.says) : null;
  return completeChecks(read, { output, exit, tests, changed }).map(({ summary }) => summary);
}

const summary = (command: string, output: string): string | undefined => summaries(command, output).at(-1);

const RED = '\u001b[31m';
const GREEN = '\u001b[32m';
const END = '\u001b[39m';
const DIM = '\u001b[2m';
const BRIGHT = '\u001b[22m';

const VITEST = `${DIM} Test Files ${BRIGHT} ${GREEN}2 passed${END} (2)\n${DIM}      Tests ${BRIGHT} ${GREEN}6 passed${END} (6)\n`;
const VITEST_BAD = `${DIM} Test Files ${BRIGHT} ${RED}1 failed${END} | ${GREEN}1 passed${END} (2)\n${DIM}      Tests ${BRIGHT} ${RED}1 failed${END} | ${GREEN}5 passed${END} (6)\n`;
const JEST = `\u001b[1mTest Suites: ${BRIGHT}${GREEN}2 passed${END}, 2 total\n\u001b[1mTests:       ${BRIGHT}${GREEN}6 passed${END}, 6 total\n`;
const JEST_BAD = JEST.replace(`${GREEN}6 passed`, `${RED}1 failed${END}, ${GREEN}5 passed`);
const PYTEST = '..\r....  [100%]\r\n6 passed in 1.09s\r\n';
const PYTEST_BAD = '..\r..F.  [100%]\r\n1 failed, 5 passed in 1.09s\r\n';
const TAP = '# tests 9\n# pass 9\n# fail 0\n';
const GO = 'ok  \texample.org/a\t0.01s\nok  \texample.org/b\t0.02s\n';
const PUSHED = '   1a2b3c4..5d6e7f8  main -> main\n';
const REJECTED = ` ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'x'\n`;

it.each([
  ['ok  \texample.org/a\t0.01s\nFAIL\texample.org/b\t0.02s\nFAIL\n'],
  [`${GO}go: cannot find main module\n`],
  ['ok  \texample.org/a\t0.01s\n'],
])('B4a two runs of Go in a line pass where each says so and nothing else is said: %j', (bad) => {
  const line = 'go test ./a | tail -5; go test ./b | tail -5';
  expect(summaries(line, GO)).toEqual(['passed', 'passed']);
  expect(summaries(line, bad)).toEqual([undefined, undefined]);
});

describe('B4a what came through a viewer', () => {
  it.each([
    ['npx vitest run 2>&1 | tail -8', VITEST, VITEST_BAD],
    ['npx vitest run 2>&1 | grep -E "Test Files|Tests|FAIL|failed|Error"', VITEST, VITEST_BAD],
    ['npm test 2>&1 | tail -20', VITEST, VITEST_BAD],
    ['npx jest 2>&1 | tail -5', JEST, JEST_BAD],
    ['pytest -q | tail -3', PYTEST, PYTEST_BAD],
    ['pytest -q 2>&1 | grep -v Warning | tail -3', PYTEST, PYTEST_BAD],
    ['pytest -q 2>&1 | grep -vE "^$|^\\s*$" | tail -3', PYTEST, PYTEST_BAD],
    ['npm test 2>&1 | grep -E "^# (tests|pass|fail)"', TAP, TAP.replace('fail 0', 'fail 1')],
    ['npm test 2>&1 | grep -E "^# (pass|fail)"', '# pass 9\n# fail 0\n', '# pass 8\n# fail 1\n'],
    ['node --test | grep -E "ℹ (pass|fail)"', 'ℹ pass 9\nℹ fail 0\n', 'ℹ pass 8\nℹ fail 1\n'],
    [
      'node --test | grep -E -e " pass " -e " fail "',
      `${DIM}ℹ pass 9${END}\n${DIM}ℹ fail 0${END}\n`,
      'ℹ pass 8\nℹ fail 1\n',
    ],
    ['go test ./... 2>&1 | grep -v "no test files"', GO, `${GO}FAIL\texample.org/c\t0.01s\nFAIL\n`],
    [
      'go test ./... 2>&1 | grep -v -e "no test files" -e "^#"',
      GO,
      `${GO}FAIL\texample.org/c\t0.01s\nFAIL\n`,
    ],
    [
      'cargo test 2>&1 | grep "test result"',
      'test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n',
      'test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n',
    ],
    ['npm test 2>&1 | grep -E "^# (pass|fail)" | tr -s " "', '# pass 9\n# fail 0\n', '# pass 8\n# fail 1\n'],
    ['pytest -q 2>&1 | tail -3 | cut -c1-200', PYTEST, PYTEST_BAD],
    [
      'pytest -v 2>&1 | grep -E "(PASSED|FAILED|ERROR|===)"',
      'a.py::test_a PASSED [100%]\n======= 6 passed, 2 warnings in 1.09s =======\n',
      'a.py::test_a FAILED [100%]\n======= 1 failed, 5 passed in 1.09s =======\n',
    ],
    ['git push 2>&1 | tail -1', PUSHED, REJECTED],
    ['npm run lint 2>&1 | tail -1', 'no problems\n', '2 problems\n'],
    ['npm run build 2>&1 | tail -2', '\nbuilt 3 files into dist\n', '\n1 problem\n'],
    ['git push origin main 2>&1 | grep -e "->"', PUSHED, REJECTED],
    ['git push 2>&1 | grep -v "^remote:"', PUSHED, REJECTED],
    [
      'gh pr create --fill 2>&1 | tail -2',
      'https://example.org/a/b/pull/7\n',
      'a pull request for branch "x" into branch "main" already exists:\nhttps://example.org/a/b/pull/7\n',
    ],
  ])('%s', (command, good, bad) => {
    expect(summary(command, good)).toBe('passed');
    expect(summary(command, bad)).toBe('failed');
  });

  it.each([
    // The pattern fits one number of failures, or the passing line alone.
    ['npx vitest run | grep -E "2 passed|6 passed|1 failed|1 error"', VITEST],
    ['npx vitest run | grep -E "Tests  [0-9]+ failed|Tests.*6 passed|Test Files|Errors"', VITEST],
    ['pytest -q | grep -E "6 passed|1 failed|1 error"', PYTEST],
    ['pytest -q | grep -wE "[0-9]+ passed in|fail|erro"', PYTEST],
    ['pytest -q | grep -E "PASSED|FAILED|ERROR|[0-9] passed in"', PYTEST],
    // What is left out may be the line that tells.
    ['pytest -q | grep -v "warnings"', PYTEST],
    ['pytest -q | grep -v "[0-9] failed"', PYTEST],
    ['pytest -q | grep -vE "^[1-9]"', PYTEST],
    ['pytest -q | grep -v failed', PYTEST],
    ['go test ./... | grep -vi fail', GO],
    ['go test ./... | grep -v "example.org"', GO],
    // Only the package's own line is hidden: what is left of the failure is in view.
    ['go test ./... | grep -v "org/c"', `${GO}FAIL\n`],
    ['npx tsc --noEmit | grep -v node_modules', ''],
    ['npx tsc --noEmit | tail -n +2', ''],
    ['npm test | grep -E "^# (tests|pass)"', '# tests 9\n# pass 9\n'],
    ['npm test | grep -E "pass|fail 0"', '# pass 9\n# fail 0\n'],
    // One of the ten is neither a pass nor a failure.
    ['npm test | grep -E "^# (tests|pass|fail)"', TAP.replace('tests 9', 'tests 10')],
    ['git push 2>&1 | tail -1', 'Everything up-to-date\n'],
    ['git push 2>&1 | grep -v rejected', PUSHED],
    ['git push 2>&1 | grep -E "[0-9a-f]{7}\\.\\."', PUSHED],
    ['gh pr create --fill 2>&1 | tail -1', 'https://example.org/a/b/pull/7\n'],
    ['gh pr create --fill 2>&1 | grep https', 'https://example.org/a/b/pull/7\n'],
    ['git push origin a 2>&1 | tail -1; git push origin b 2>&1 | tail -1', PUSHED],
  ])('nothing is told by %s', (command, output) => {
    expect(summary(command, output)).toBeUndefined();
  });

  it('a commit and a push in one line each tell their own end', () => {
    const line = 'git add -A && git commit -m "x" 2>&1 | tail -1 && git push 2>&1 | tail -3';
    const made = '[main 1a2b3c4] x\n 1 file changed\n';
    expect(summaries(line, `${made}${PUSHED}`)).toEqual(['passed', 'passed']);
    expect(summaries(line, `${made}${REJECTED}`)).toEqual(['passed', undefined]);
    expect(summaries(line, 'nothing to commit, working tree clean\nEverything up-to-date\n')).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('a formatter that lists files in colour has found some', () => {
    expect(summary('gofmt -l .', '\u001b[36mcmd/main.go\u001b[0m\n')).toBe('failed');
  });
});

describe('B4a a program in the words of a line', () => {
  it.each([
    'bun -e "const types = 1; lint()"',
    'bun --eval "test()"',
    'bun run -e "run test"',
    'bun -p build',
  ])('%s is no script', (command) => {
    const { checks } = readCommand(command, { cwd: '/work/app', root: '/work/app' });
    expect(checks.map(({ kind }) => kind)).toEqual(['run']);
  });
});

describe('B4a a program behind a viewer', () => {
  it.each([
    ['python3 -m app report | head -20', 'a 1\n', 'unclear'],
    ['make demo 2>&1 | tail -5', 'ok\n', 'unclear'],
    ['./bin/kit | sort | uniq -c', '2 a\n', 'unclear'],
    // What tells of a failure, is not in view or was rewritten shows nothing.
    ['python3 -m app report 2>&1 | head -20', 'Traceback (most recent call last):\n', undefined],
    ['python3 -m app 2>&1 | tail -1', 'python3: No module named app\n', undefined],
    ['./bin/kit | tail -3', '1 failed, 5 passed in 1.09s\n', undefined],
    ['./bin/kit | tail -3', '', undefined],
    ["./bin/kit | sed 's/bad/good/'", 'good\n', undefined],
  ])('%s', (command, output, expected) => expect(summaries(command, output)[0]).toBe(expected));

  it.each([
    ['curl -s http://127.0.0.1:8080/a | jq .', '[]\n', 'unclear'],
    ['curl -s http://127.0.0.1:8080/a; cat dev.log', 'ok\nlistening on 8080\n', 'unclear'],
    ['curl -s http://127.0.0.1:8080/a', 'ok\n', 'unclear'],
    ['curl -s http://127.0.0.1:8080/a', 'Internal Server Error\n', undefined],
    ['curl -s http://127.0.0.1:8080/a | jq .', '{ "error": "no such table" }\n', undefined],
    ['curl -s http://127.0.0.1:8080/a; cat dev.log', 'listen EADDRINUSE\n', undefined],
    ['curl -s http://127.0.0.1:8080/a; cat dev.log', '', undefined],
  ])('%s: %j', (command, output, expected) => expect(summaries(command, output)[0]).toBe(expected));

  it('a build that names a place in a file has failed', () => {
    expect(summaries('go build ./... 2>&1 | tail -3', 'a.go:5:2: undefined: x\n')).toEqual(['failed']);
    expect(summaries('go build ./... 2>&1 | tail -3', 'go: downloading example.org/x v1.2.0\n')).toEqual([
      'unclear',
    ]);
  });
});

describe('B4a a script whose exit code nobody told', () => {
  const failed = (line: string): string => `6 passed in 1.09s\n${line}\n`;

  it.each([
    ['make check', '6 passed in 1.09s\n', [], 'passed'],
    ['npm run test:all', '# tests 9\n# suites 0\n# pass 9\n# fail 0\n', ['src/a.js'], 'passed'],
    ['make check', failed('make: *** [Makefile:3: check] Error 1'), [], 'failed'],
    ['make check', failed('make[1]: *** [lint] Error 2'), [], 'failed'],
    ['make check', failed('make: *** [Makefile:12: scripts-test] Error 1'), [], 'failed'],
    ['make check 2>&1 | tail -7', failed('make: *** [Makefile:12: scripts-test] Error 1'), [], 'failed'],
    ['just ci | tail -7', failed('error: Recipe `lint` failed on line 2 with exit code 1'), [], 'failed'],
    ['make vet && make check', failed('make: *** [Makefile:12: scripts-test] Error 1'), [], undefined],
    ['npm test', failed('npm ERR! code 1'), [], 'failed'],
    ['npm test', failed('npm error Lifecycle script `test` failed'), [], 'failed'],
    ['pnpm test', failed('\u2009ELIFECYCLE\u2009 Test failed.'), [], 'failed'],
    ['yarn test', failed('error Command failed with exit code 1.'), [], 'failed'],
    ['bun run test', failed('error: script "test" exited with code 1'), [], 'failed'],
    ['just test', failed('error: Recipe `test` failed on line 2 with exit code 1'), [], 'failed'],
    // What it prints is the session's own word.
    ['make check', '6 passed in 1.09s\n', ['Makefile'], undefined],
    ['npm test', '6 passed in 1.09s\n', ['web/package.json'], undefined],
  ])('%s', (command, output, changed, expected) => {
    expect(summaries(command, output, null, changed)[0]).toBe(expected);
  });
});
