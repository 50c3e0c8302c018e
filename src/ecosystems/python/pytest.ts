// pytest.
import { add, countOf, flushListed, type LineReader, type Output, take, wait } from '../report.ts';
import type { Mark, TestConfig, Traits } from '../runner.ts';
import { type Reader, readOptions, type Table, type Tool } from '../tool.ts';

const PYTEST: Tool = {
  kind: 'test',
  runner: 'pytest',
  values:
    '-n --numprocesses -c --config-file -p -o --override-ini -W --pythonwarnings --maxfail --durations --durations-min --tb -r --junitxml --junit-xml --junit-prefix --cov-report --cov-config --cov-fail-under --confcutdir --basetemp --import-mode --log-level --log-cli-level --log-file --timeout --dist --tx --count --reruns --reruns-delay --color --show-capture --randomly-seed --ds --html --splits --group --asyncio-mode --benchmark-json --verbosity --capture --assert --rootdir --cov --hypothesis-seed --hypothesis-profile --alluredir --browser --base-url --log-format --code-highlight',
  flags:
    '-x -v -vv -s -q -l --exitfirst --verbose --quiet --no-header --no-summary --strict-markers --strict-config --showlocals --full-trace --pdb --cov-append --cov-branch --disable-warnings --forked --no-cov --runxfail --doctest-modules --snapshot-update --inline-snapshot',
  selectors: '-k -m',
  excludes: '--deselect --ignore --ignore-glob',
  directory: '',
  narrowing: '--lf --last-failed --ff --failed-first --nf --sw --stepwise --testmon',
  dry: '--collect-only --co --collectonly --fixtures --fixtures-per-test --markers --setup-plan --setup-only --cache-show --trace-config --funcargs -h -V',
  rewrites: '--snapshot-update --force-regen',
};

/** `tests/a.py::TestX::test_b` is a file and a name. */
const pytest: Reader = (args) => {
  const targets: string[] = [];
  const selectors: string[] = [];
  // --cov is a flag, or takes a path with =.
  const read = readOptions(
    PYTEST,
    args.map((arg) => (arg === '--cov' ? '--no-cov' : arg)),
  );
  for (const word of read.targets) {
    const at = word.indexOf('::');
    targets.push(at < 0 ? word : word.slice(0, at));
    if (at >= 0) selectors.push(word.slice(at + 2));
  }
  return { ...read, targets: [...new Set(targets)], selectors: [...read.selectors, ...selectors] };
};

export const programs = (): Table => ({ pytest, 'py.test': pytest, 'pytest-3': pytest, ptw: pytest });

/** What runs a file of tests by itself, by what the file is written for. */
export function pythonTests(text: string, folder: string): string {
  const isUnittest = /^(?:import|from) unittest/m.test(text) && !/\bpytest\b|^def test/m.test(text);
  return `python3 -m ${isUnittest ? `unittest discover -s ${folder}` : 'pytest'}`;
}

// ==== 1 failed, 2 passed, 1 xfailed in 0.12s ====
const read: LineReader = (line, report) => {
  const match = /^=*\s*(no tests ran|\d{1,9} [a-z].*) in \d+(?:\.\d+)?s(?: \([\d:, a-z]+\))?\s*=*$/.exec(
    line,
  );
  if (!match) return false;
  const text = match[1] ?? '';
  const failed = countOf(text, 'failed', 'error', 'errors');
  // A test that failed as expected was not seen to pass.
  const skipped = countOf(text, 'skipped', 'xfailed');
  const passed = countOf(text, 'passed', 'xpassed');
  if (passed + failed + skipped === 0 && !/no tests ran|deselected/.test(text)) return false;
  return add(report, 'pytest', passed, failed, skipped);
};

// ..s.F                   [100%], which is all that `-qq` prints.
const readProgress: LineReader = (line, report) => {
  const [, marks = '', share] = /^([.sxXFE]{1,200})\s+\[\s*(\d{1,3})%\]$/.exec(line) ?? [];
  if (share === undefined) return false;
  const among = (signs: string): number => [...marks].filter((mark) => signs.includes(mark)).length;
  wait(report, 'pytest passed', among('.X'));
  wait(report, 'pytest failed', among('FE'));
  return wait(report, 'pytest skipped', among('sx')) && (share !== '100' || wait(report, WHOLE, 1));
};

/** It came to the end of its tests. */
const WHOLE = 'pytest 100%';

export const outputs: readonly Output[] = [
  {
    signs: ['%]'],
    read: readProgress,
    flush: (report) => {
      if (take(report, WHOLE) > 0) flushListed(report, 'pytest');
    },
  },
  {
    signs: [
      ' passed',
      ' failed',
      ' error',
      ' skipped',
      ' xfailed',
      ' xpassed',
      ' deselected',
      'no tests ran',
    ],
    read,
  },
];

export const traits: readonly Traits[] = [
  {
    name: 'pytest',
    finds: true,
    options: 'PYTEST_ADDOPTS',
    module: 'pytest',
    once: / in [\d.]+s(?: \([\d:, a-z]+\))?\s*=*$/,
    depth: 1,
    // Either all summary lines of a run stand between such signs, or none does.
    mark: /^(?:=+ )?(?=\d+ passed\b.* in [\d.]+s)/m,
    failing: [
      '=================== 1 failed, 2 passed in 0.12s ===================',
      '#2 passed, 1 error in 0.12s',
      '#1 failed, 2 passed, 1 skipped, 1 deselected, 1 xfailed, 2 warnings in 65.43s (0:01:05)',
    ],
  },
];

export const marks: readonly Mark[] = [
  ['skip-next', /^\s*@(?:pytest\.)?mark\.(?:(?:skip|skipif|xfail)\b|parametrize\(.*,\s*\[\s*\])/],
  [
    'skip-file',
    /^pytestmark\b[^#]*\b(?:skip|skipif|xfail)\b|^(?:pytest\.(?:skip|xfail)\s*\(|(?:test_\w+\.)?__test__\s*=\s*False|del test_)|\b(?:pytest|sys|os)\.(?:_?exit)\(\s*(?:0|["'])/,
  ],
  ['skip-here', /^\s+(?:pytest\.(?:skip|xfail|importorskip)\s*\(|__test__\s*=\s*False)/],
  ['assert', /^\s*assert\b|\bpytest\.(?:raises|warns|fail)\b/],
  ['table', /@pytest\.mark\.parametrize\b/],
];

/** Here, or in a plugin of any name: how a test ended, or what its assertions do, as it would have it. */
export const defeats: readonly RegExp[] = [
  /^.*(?:\.outcome\s*=\s*["']passed|\bexitstatus\s*=\s*0|\.(?:longrepr|excinfo)\s*=\s*None)/m,
  /^[ \t]*(?:(?:\w+\.)*TestCase\.(?:assert\w+|fail)|pytest\.(?:fail|raises|approx)|builtins\.AssertionError)\s*=(?!=)/m,
  /\bsetattr\(\s*(?:\w+\.)*TestCase\s*,/,
  /^[ \t]*def assert\w+\(self\b[^)\n]*\)[^:\n]*:\s*(?:pass|return(?: None| True)?|\.\.\.)[ \t]*$/m,
];

export const config: TestConfig = {
  projects: [
    ['pytest.ini', 'pytest', null],
    ['conftest.py', 'pytest', null],
    ['pyproject.toml', 'pytest', null],
    ['setup.py', 'pytest', null],
  ],
  names: '\\.?pytest\\.(?:ini|toml)|setup\\.cfg|pyproject\\.toml|conftest\\.py|\\.coveragerc',
  members: [
    [/^/, /^addopts$/, 'options', 'pytest'],
    [/^/, /^fail_under$/, 'threshold'],
    [/pytest/, /^testpaths$/, 'reaches'],
    [/pytest/, /^python_(?:files|functions|classes)$/, 'chooses'],
    [/^/, /^(?:norecursedirs|collect_ignore)$/, 'leaves-out'],
  ],
  oneOf: {
    // biome-ignore format: a list
    files: [
      'pytest.toml', '.pytest.toml', 'pytest.ini', '.pytest.ini', 'pyproject.toml', 'tox.ini', 'setup.cfg',
    ],
    named: 4,
    section: /^(?:tool\.pytest(?:\.ini_options)?|tool:pytest|pytest)(?=\.|$)/,
  },
  lines: [
    ['deselect', /(^|\/)conftest\.py$/, /\bcollect_ignore(?:_glob)?\b|\bdef\s+pytest_ignore_collect\b/],
    [
      'deselect',
      /(^|\/)conftest\.py$/,
      /\badd_marker\(.{0,40}\b(?:skip|xfail)\b|\bitems(?:\[:\]\s*=|\.(?:remove|clear|pop)\()|\bdel items\b/,
    ],
    // A hook that skips tests by their names, or all there are; and one that passes over files of tests.
    [
      'deselect',
      /(^|\/)conftest\.py$/,
      /^(?:raise )?(?:pytest\.)?(?:skip|xfail)(?:\.Exception)?\(/,
      /^\s*(?:el)?if\b.*\bitem\.(?:name|nodeid|originalname|fspath|path)\b|^\s*def pytest_runtest_\w+\(/,
    ],
    [
      'deselect',
      /(^|\/)conftest\.py$/,
      /^(?:if|return)\b.*["'/]test_\w|^return True/,
      /^def pytest_ignore_collect\b/,
    ],
    // How a test ended, or the code that it tests, as the hook would have it.
    // A name that a test loaded stands for something else in it.
    [
      'loosen',
      /(^|\/)conftest\.py$/,
      /\b(?:monkeypatch\.setattr|patch)\(\s*["'](?:\w+\.)*(?:test_\w+|\w+_test)\.\w+["']/,
    ],
    ['loosen', /(^|\/)conftest\.py$/, /\bforce_result\(|\b(?:os\._|sys\.)exit\(0/],
  ],
};
