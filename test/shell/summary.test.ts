// A runner's own summary where its exit code did not come through: what is seen behind `| tail`, what is not behind
// `| grep ok`, and that nothing a line prints by itself counts.
import { describe, expect, it } from 'vitest';
import { testCounts } from '../../src/record/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';

function summary(command: string, output: string, exit: number | null = 0): string | undefined {
  const read = readCommand(command, { cwd: '/work/app', root: '/work/app' });
  const tests = read.pasted === null ? testCounts(output, !read.says) : null;
  return completeChecks(read, { output, exit, tests })[0]?.summary;
}

const PYTEST = '......   [100%]\n6 passed in 1.09s\n';
const VITEST = ' Test Files  2 passed (2)\n      Tests  3 passed (3)\n';
const NODE = '# pass 2\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 51.2\n';
const GO = 'ok  \texample.org/a\t0.01s\nok  \texample.org/b\t0.02s\n';

describe('B4a what is read behind a program that only shows', () => {
  it.each([
    ['pytest -q | tail -5', PYTEST],
    // What stands first is the runner's word, whatever a program of the project prints behind it.
    ['pytest -q 2>&1 | tail -4 && PYTHONPATH=src python3 -m shop list', `${PYTEST}pears 3\napples 4\n`],
    ['npm test 2>&1 | grep -E "^not ok|^# (pass|fail)"; node -e "shop()"', '# pass 2\n# fail 0\n3 pears\n'],
    [
      '/usr/bin/python3 -m unittest 2>&1 | tail -3; /usr/bin/python3 shop.py; git status --short',
      'Ran 2 tests in 0.000s\n\nOK\n57\n M a.py\n',
    ],
    [
      'cargo test -q 2>&1 | tail -3; cargo run -q -- a.txt',
      '\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n\n2 6\n',
    ],
    ['pytest -q 2>&1 | tee out.log', PYTEST],
    ['pytest -q |& cat', PYTEST],
    ['pytest -q | tee out.log | tail -n 3', PYTEST],
    ['pytest -q 2>&1 | grep -E "passed|failed"', PYTEST],
    ['pytest -q 2>&1 | grep -iE "PASSED|FAILED|error" | tail -3', PYTEST],
    ['pytest -q | head -50', PYTEST],
    // A summary with failures names the passes, too.
    ['pytest -q | grep passed', PYTEST],
    ['npx vitest run 2>&1 | grep -E "Tests|Test Files|Errors"', VITEST],
    ['npx vitest run 2>&1 | tail -15', VITEST],
    ['npx vitest run | grep -E "Test Files|Tests "', VITEST],
    ['go test ./... | tail -20', GO],
    // The line that counts all of them was cut away; those of passes and failures are in view.
    ['npm test 2>&1 | tail -6', NODE],
    ['npm test | tail -6', NODE.replaceAll('#', '\u2139')],
    ['npm test 2>&1 | grep -E "(pass|fail|cancelled) [0-9]"', NODE.split('\n').slice(0, 3).join('\n')],
    // Below the name of a script that says nothing if all is well: nothing but what came after it.
    [
      'npm run types 2>&1 | tail -3; npx vitest run 2>&1 | tail -4',
      `> shop@1.0.0 types\n> tsc --noEmit\n\n${VITEST}`,
    ],
    // As many passed as there are.
    ['npm test 2>&1 | tail -8 | head -3', '# tests 5\n# suites 0\n# pass 5\n'],
    ['gofmt -l . | head', ''],
    ['go test ./... 2>&1 | grep -v "no test files" | tail', ''],
    ['npx tsc --noEmit | tail -5', ''],
    ['npm run build 2>&1 | tail -5', '\n> shop@1.0.0 build\n> tsc -p .\n'],
    ['ruff check . | tail -1', 'All checks passed!\n'],
    ['git push 2>&1 | tail -2', 'To example.org:a/b.git\n   1a2b3c4..5d6e7f8  main -> main\n'],
    ['git commit -m x 2>&1 | tail -3', '[main 1a2b3c4] x\n 1 file changed, 2 insertions(+)\n'],
  ])('%s', (command, output) => {
    expect(summary(command, output)).toBe(
      output === '' && command.includes('go test') ? undefined : 'passed',
    );
  });

  it.each([
    ['go test ./... | grep ok', GO],
    [
      'cargo test | grep "result: ok"',
      'test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n',
    ],
    ['pytest -q | grep -c passed', PYTEST],
    ['npm run types 2>&1 | tail -3; npx vitest run', `error TS2322: no\n\n> shop@1.0.0 test\n${VITEST}`],
    ['npm run types 2>&1 | head -3; npx vitest run', `> shop@1.0.0 types\n> tsc --noEmit\n\n${VITEST}`],
    ['npm run all 2>&1 | tail -3; ls', '> shop@1.0.0 all\n> tsc --noEmit && node lint.js\n\na.js\nb.js\n'],
    ['npm test 2>&1 | head -3', '# tests 5\n# suites 0\n# pass 5\n'],
    ['npm test 2>&1 | tail -8 | head -3', '# tests 6\n# suites 0\n# pass 5\n'],
    ['pytest -q | grep -v FAILED', PYTEST],
    ['pytest -q | grep -o "6 passed"', PYTEST],
    ['pytest -q | sed -n "$p"', PYTEST],
    ['pytest -q | awk 1', PYTEST],
    ['pytest -q | perl -pe s/failed/passed/', PYTEST],
    ['pytest -q | head -2', PYTEST],
    // What tells of a file that did not load, or of an error, was cut away.
    ['npx vitest run | tail -2', '      Tests  1 passed (1)\n   Duration  1s\n'],
    ['npx vitest run | grep "Tests "', '      Tests  1 passed (1)\n'],
    ['npx jest | tail -3', 'Tests:       2 passed, 2 total\nTime: 1 s\n'],
    ['npx jest | grep Tests:', 'Tests:       2 passed, 2 total\n'],
    ['npm test | tail -5', NODE.slice(NODE.indexOf('# fail'))],
    ['npm test | grep "# pass"', '# pass 2\n'],
    ['npx playwright test | tail -1', '  1 passed (2.1s)\n'],
    // Somebody else may have printed it.
    ['npx vitest run >/dev/null 2>&1 | tail -5', VITEST],
    ['npx vitest run 2>&1 | tail -0; bash fake.sh', VITEST],
    ['npx vitest run 2>&1 | tail -20 < out.txt', VITEST],
    ['tail() { bash fake.sh; }; npx vitest run 2>&1 | tail -8', VITEST],
    ['npx vitest run 2>&1 | tail -5; ./fake', VITEST],
    ['npx vitest run 2>&1 | tail -5; bash fake', VITEST],
    ['pytest -q 2>&1 | tail -2; python3 -m shop', `No module named pytest\n${PYTEST}`],
    ['pytest -q 2>&1 | tail -1; python3 -m shop', `a line\nof the shop\n${PYTEST}`],
    ['pytest -q 2>&1 | tail -3; python3 -m shop', `${PYTEST}${PYTEST}`],
    ['pytest -q | tail -c 20', PYTEST],
    ['pytest -q | sort | tail -3', PYTEST],
    ['pytest -q | grep -E "(a+)+b|passed|failed"', PYTEST],
    ['pytest -q || true', PYTEST],
    ['pytest -q; echo done', PYTEST],
    ['pytest -q | tail -3; echo "6 passed in 1.09s"', PYTEST],
    ['npx tsc --noEmit | grep -c error', '0\n'],
    ['npx tsc --noEmit | wc -l', '0\n'],
    // ESLint ends with a blank line, also after errors.
    ['npx eslint . | tail -1', '\n'],
    ['npx tsc --noEmit | tail -0', ''],
    ['npx tsc --noEmit | tail -n 0', ''],
    ['pytest tests/a | tail -1; pytest tests/b | tail -1', PYTEST],
  ])('not behind %s', (command, output) => {
    expect([undefined, 'unclear']).toContain(summary(command, output));
  });

  it('a failure in view is a failure', () => {
    expect(summary('pytest -q | tail -3', '1 failed, 5 passed in 1.1s\n')).toBe('failed');
    expect(summary('npx tsc --noEmit | tail -3', 'a.ts(1,1): error TS2322: no\n')).toBe('failed');
    expect(summary('npm test | tail -6', NODE.replace('fail 0', 'fail 1'))).toBe('failed');
  });
});

describe('B4a where the line failed or nobody knows how it ended', () => {
  it('each check of a line has its own end, as far as it can be told', () => {
    expect(summary('npx vitest run && npx eslint .', `${VITEST}\n1 error\n`, 1)).toBe('passed');
    expect(summary('npx vitest run && npx eslint .', '      Tests  1 failed | 2 passed (3)\n', 1)).toBe(
      'failed',
    );
    // `sed` failed, and the tests never ran.
    expect(summary('sed -i s/a/b/ x.go && go test ./...', 'sed: x.go: No such file\n', 1)).toBe('unclear');
  });

  it('an exit code that is the check’s own needs no summary', () => {
    expect(summary('cd app && npx vitest run', VITEST, 1)).toBeUndefined();
    expect(summary('npx vitest run', VITEST, 0)).toBeUndefined();
  });

  it('without an exit code the summary of a known runner stands in', () => {
    expect(summary('go test ./...', GO, null)).toBe('passed');
    expect(summary('./check.sh', 'OK\n', null)).toBeUndefined();
  });
});

describe('B4a a formatter that only shows what it would change', () => {
  it.each([
    ['gofmt -l .', 'cmd/main.go\n', 'failed'],
    ['gofmt -d .', 'diff main.go.orig main.go\n--- main.go.orig\n+++ main.go\n', 'failed'],
    ['cd api && goimports -l .', 'api/http.go\n', 'failed'],
    ['black --diff src', '--- src/a.py\t2026\n+++ src/a.py\t2026\n@@ -1 +1 @@\n', 'failed'],
    ['clang-format --dry-run a.c', 'a.c:1:4: warning: x [-Wclang-format-violations]\n', 'failed'],
    // Nothing is in view, or somebody else may have printed it.
    ['gofmt -l . > /dev/null', '', 'unclear'],
    ['find . -name "*.go" && gofmt -l .', 'main.go\n', 'unclear'],
    ['gofmt -l .', '', undefined],
    ['gofmt -d . 2>&1', '', undefined],
    ['gofmt -l -w .', 'main.go\n', undefined],
    ['gofmt -l . && go test ./...', GO, undefined],
  ])('%s', (command, output, expected) => {
    expect(summary(command, output)).toBe(expected);
  });
});
