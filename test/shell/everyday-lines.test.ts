// Everyday lines, each with what it printed when the tests passed and when one failed. A pass is told only by a line that
// would have told the failure as well. The outputs are written after those of the programs.
import { describe, expect, it } from 'vitest';
import { testCounts } from '../../src/record/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';

/** The end of each check as the rules read it: its summary, else its flaw, else the line's own code. */
function endsOf(command: string, output: string, exit: number): string {
  const read = readCommand(command, { cwd: '/w', root: '/w' });
  const tests = read.pasted === null ? testCounts(output, !read.says) : null;
  const ends = completeChecks(read, { output, exit, tests }).map(
    ({ summary, flaw }) =>
      summary ?? (flaw === null || flaw.code === 'overtaken' ? `exit ${exit}` : flaw.code),
  );
  return ends.join(' ');
}

const PYTEST = '..                                      [100%]\n2 passed in 0.01s\n';
const PYTEST_BAD =
  ".F                                      [100%]\n=== FAILURES ===\nFAILED test_a.py::test_two - assert '1' is None\n1 failed, 1 passed in 0.03s\n";
const LAST = '2 passed in 0.01s\n';
const LAST_BAD = '1 failed, 1 passed in 0.03s\n';
const GO = '?   \texample.org/m/b\t[no test files]\nok  \texample.org/m/a\t0.002s\n';
const GO_BAD =
  '--- FAIL: TestA (0.00s)\n    a_test.go:3: bad\nFAIL\nFAIL\texample.org/m/a\t0.002s\n?   \texample.org/m/b\t[no test files]\nFAIL\n';
const NODE =
  '# tests 2\n# suites 0\n# pass 2\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 51.2\n';
const NODE_BAD = NODE.replace('pass 2', 'pass 1').replace('fail 0', 'fail 1');
const VITEST =
  ' Test Files  1 passed (1)\n      Tests  2 passed (2)\n   Start at  10:00:00\n   Duration  310ms\n';
const VITEST_BAD =
  ' FAIL  a.test.ts > two\nAssertionError: expected 1 to be undefined\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed (2)\n   Start at  10:00:00\n   Duration  310ms\n';

/** What the line prints and how it ends, by whether the tests passed. */
type Row = readonly [
  line: string,
  good: string,
  bad: string,
  told?: readonly [good: string, bad: string],
  exits?: readonly [number, number],
];

const TOLD = ['passed', 'failed'] as const;
const OWN = ['exit 0', 'exit 1'] as const;
const CODES = [0, 1] as const;

const ROWS: readonly Row[] = [
  // What follows only prints, or tidies up.
  ['python -m pytest -x -q; git diff --stat', `${PYTEST} a.py | 2 +-\n`, `${PYTEST_BAD} a.py | 2 +-\n`],
  ['pytest -q 2>&1 | tail -1; git status --short', `${LAST} M a.py\n`, `${LAST_BAD} M a.py\n`],
  ['npm test -s; git status -sb | head -1', `${NODE}## main\n`, `${NODE_BAD}## main\n`],
  ['npx vitest run --reporter=dot 2>&1 | tail -6; echo done', `${VITEST}done\n`, `${VITEST_BAD}done\n`],
  ['pytest -q; echo ---; git diff --stat', `${PYTEST}---\n a | 2 +-\n`, `${PYTEST_BAD}---\n a | 2 +-\n`],
  ['(pytest -q; ls)', `${PYTEST}a.py\n`, `${PYTEST_BAD}a.py\n`],
  ['{ pytest -q; ls; } 2>&1 | tail -20', `${PYTEST}a.py\n`, `${PYTEST_BAD}a.py\n`],
  // A program that nobody knows has run before.
  [
    'python3 -m etl in.csv out.csv && cat out.csv && pytest -q 2>&1 | tail -1',
    `a,b\n${LAST}`,
    `a,b\n${LAST_BAD}`,
    ['exit 0 passed', 'exit 0 failed'],
  ],
  [
    'go run ./cmd/x; rm -rf cmd/x; go test -count=1 ./... | grep -v "no test files"; git status --short',
    `x\n${GO}`,
    `x\n${GO_BAD}`,
    ['unclear passed', 'unclear failed'],
  ],
  [
    'gofmt -w a/a_test.go && go test -coverprofile=c.out ./a && go tool cover -func=c.out | tail -3; rm -f c.out',
    'ok  \texample.org/m/a\t0.030s\tcoverage: 95.0% of statements\ntotal:\t(statements)\t95.0%\n',
    GO_BAD,
    ['passed passed', 'passed failed'],
  ],
  // Viewers that would have kept a failure.
  ['go test ./... | grep -v "no test files"', GO, GO_BAD],
  ['go test -count=1 ./... 2>&1 | head -20', GO, GO_BAD],
  [
    'go test -v ./a 2>&1 | grep -E "PASS|FAIL"',
    '--- PASS: TestA (0.00s)\nPASS\n',
    '--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.org/m/a\t0.002s\nFAIL\n',
  ],
  ['npm test 2>&1 | grep -E "^# (pass|fail)"', '# pass 2\n# fail 0\n', '# pass 1\n# fail 1\n'],
  ['timeout 60 pytest -q | tail -2', PYTEST, PYTEST_BAD],
  ['time (pytest -q | tail -1)', `${LAST}\nreal\t0m0.3s\n`, `${LAST_BAD}\nreal\t0m0.3s\n`],
  // Loops: every round is in view.
  [
    'for i in 1 2; do npx vitest run 2>&1 | grep -E "Tests|FAIL"; done',
    '      Tests  2 passed (2)\n      Tests  2 passed (2)\n',
    '      Tests  2 passed (2)\n FAIL  a.test.ts > two\n      Tests  1 failed | 1 passed (2)\n',
  ],
  ['for i in 1 2; do pytest -q | tail -1; done', `${LAST}${LAST}`, `${LAST}${LAST_BAD}`],
  [
    'for i in 1 2; do pytest -q >/dev/null 2>&1; echo "run $i: $?"; done',
    'run 1: 0\nrun 2: 0\n',
    'run 1: 0\nrun 2: 1\n',
  ],
  ['for i in 1 2; do pytest -q || exit 1; done', `${PYTEST}${PYTEST}`, PYTEST_BAD, OWN, CODES],
  // Codes, and words that are only reached after a pass.
  ['pytest -q >/dev/null 2>&1; echo "exit=$?"', 'exit=0\n', 'exit=1\n'],
  [`pytest -q | tail -3; echo "exit $\{PIPESTATUS[0]}"`, `${PYTEST}exit 0\n`, `${PYTEST_BAD}exit 1\n`],
  ['./check.sh; rc=$?; git status --short; echo "rc=$rc"', ' M a\nrc=0\n', ' M a\nrc=1\n'],
  [
    'go build ./... && echo built || echo broken',
    'built\n',
    '# example.org/m/a\na/a.go:2:25: cannot use "x"\nbroken\n',
    ['passed', 'masked'],
  ],
  // Checkers that say nothing if all is well.
  [
    'go vet ./...; go test ./...',
    GO,
    `# example.org/m/a\na/a.go:2:25: cannot use "x"\n${GO_BAD}`,
    ['passed exit 0', 'unclear failed'],
    CODES,
  ],
  [
    'go build -o b . && file b | cut -c1-80; rm -f b',
    'b: ELF 64-bit\n',
    'a/a.go:2:25: cannot use "x"\n',
    ['passed', 'failed'],
  ],
  [
    'npx tsc --noEmit; npm test 2>&1 | tail -8',
    NODE,
    `a.ts(1,1): error TS2322: no\n${NODE}`,
    ['passed passed', 'unclear passed'],
  ],
  // A code that is the check's own.
  ['set -o pipefail; pytest -q | tail -2', PYTEST, PYTEST_BAD, ['exit 0', 'failed'], CODES],
  ['pytest -q & wait $!', PYTEST, PYTEST_BAD, OWN, CODES],
  ['time pytest -q', PYTEST, PYTEST_BAD, OWN, CODES],
  ['npm test || { echo "FAILED"; exit 1; }', NODE, `${NODE_BAD}FAILED\n`, OWN, CODES],
  // What git made.
  [
    'git commit -m two; git log --oneline -1',
    '[main abc1234] two\n 1 file changed\nabc1234 two\n',
    'no changes added to commit\nabc1234 one\n',
  ],
  [
    'git add -A && git commit -qm two; git log --oneline -1',
    'abc1234 two\n',
    'nothing to commit, working tree clean\nabc1234 one\n',
    ['passed', ''],
  ],
  [
    'git tag v1; git push -q origin v1; git log --oneline -1',
    'abc1234 two\n',
    "fatal: tag 'v1' already exists\nabc1234 two\n",
    ['passed passed', 'unclear unclear'],
  ],
];

describe('B4a everyday lines', () => {
  it.each(ROWS.map((row) => [row[0], row] as const))('%s', (_, row) => {
    const [line, good, bad, told = TOLD, [onPass, onFail] = [0, 0]] = row;
    expect([endsOf(line, good, onPass), endsOf(line, bad, onFail)]).toEqual(told);
  });
});

/** What is printed is the same, or near enough, however the tests ended. */
const UNTOLD: readonly (readonly [line: string, output: string, told: string])[] = [
  ['go test ./... 2>&1 | grep "^ok"', 'ok  \texample.org/m/a\t0.002s\n', 'masked'],
  ['python3 -m pytest 2>&1 | grep -oE "[0-9]+ passed"', '2 passed\n', 'masked'],
  ['go test ./... -json | grep -c pass', '2\n', 'masked'],
  ['pytest -q 2>&1 | sed -n "$p"', LAST, 'masked'],
  // What is put there only to end with 0, or to have the last word, hides an end, whatever is in view.
  ['pytest -q; true', PYTEST, 'masked'],
  ['pytest -q; git status --short; true', PYTEST, 'masked'],
  ['pytest -q; echo done', `${PYTEST}done\n`, 'masked'],
  ['pytest -q; ruff check . || true', PYTEST, 'masked masked'],
  ['pytest -q || echo "it broke"', PYTEST, 'masked'],
  ['for i in 1 2; do pytest -q || break; done', `${PYTEST}${PYTEST}`, 'masked'],
  ['find tests -name "test_*.py" -exec pytest -q {} \\;', PYTEST, 'masked'],
  ['script -qc "pytest -q" /dev/null', PYTEST, 'masked'],
  ['if pytest -q >/dev/null 2>&1; then echo good; else echo broken; fi', 'good\n', 'masked'],
  ['pytest -q && echo good || echo broken', `${PYTEST}good\n`, 'masked'],
  ['pytest -q > o.log 2>&1; tail -1 o.log', LAST, 'masked'],
  ['pytest -q > o.log 2>&1 || true; tail -1 o.log', LAST, 'masked'],
  ['npx vitest run > o.log 2>&1; tail -1 o.log; rm o.log', '   Duration  310ms\n', 'masked'],
  ['node --test > o.txt; grep pass o.txt', '# pass 2\n', 'masked'],
  ['pytest -q 2>&1 | tail -1; ./report.sh', LAST, 'masked exit 0'],
  ['pytest() { echo "2 passed in 0.01s"; }; pytest -q', LAST, 'shadowed'],
  ['alias pytest="echo 2 passed in 0.01s"; pytest -q', LAST, 'shadowed'],
  ['go() { echo "ok  \texample.org/m/a\t0.002s"; }; go test ./...', GO, 'shadowed'],
  ['pytest a | tail -1; pytest b | tail -1', LAST, 'masked masked'],
  ['sed -i s/a/b/ x.go && go vet ./...; ls', 'sed: x.go: No such file\n', 'unclear'],
  ['cd x && go vet ./...; ls', 'bash: line 1: cd: x: No such file or directory\n', 'unclear'],
  ['cat notes && make build && echo built; ls', 'built\n', 'unclear'],
  ['npm publish; npm view x version', '1.0.1\n', 'unclear'],
];

describe('B4a lines that tell nothing', () => {
  it.each(UNTOLD)('%s', (line, output, told) => {
    expect(endsOf(line, output, 0)).toBe(told);
  });
});
