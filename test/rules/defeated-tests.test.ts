// Tests that pass whatever the code does, because of what was put in the place of an assertion or of the code itself.
import { describe, expect, it } from 'vitest';
import { bearsByText, compareTests, toldExpectations } from '../../src/rules/index.ts';

function told(
  path: string,
  after: string,
  code: readonly string[] | null = null,
  before: string | null = null,
) {
  return compareTests(new Map([[path, before]]), new Map([[path, after]]), undefined, code).map(
    ({ what, expects }) => (expects ? 'expects' : what),
  );
}
const js = (...lines: string[]): string =>
  `${["import { sum } from '../src/sum.js';", ...lines].join('\n')}\ntest('adds', () => {\n  expect(sum(1, 2)).toBe(3);\n});\n`;
const made = (...lines: string[]): string =>
  `from calc import add\n\n\nclass T(TestCase):\n    def test_add(self):\n${lines.map((line) => `        ${line}\n`).join('')}        self.assertEqual(add(1, 2), 3)\n`;
const py = (...lines: string[]): string =>
  `${['import calc', ...lines].join('\n')}\n    assert calc.sub(3, 1) == 2\n`;

describe('X13a an assertion that was replaced', () => {
  it.each([
    ['test/setup.js', "import assert from 'node:assert';\nassert.equal = () => {};\n"],
    ['preload.mjs', "import assert from 'node:assert';\nassert.strict.deepEqual = () => {};\n"],
    ['preload.mjs', 'for (const name of Object.keys(assert)) assert[name] = () => {};\n'],
    ['src/register.ts', "mock.method(assert, 'equal', () => {});\n"],
    ['vitest.setup.ts', 'expect.extend({\n  toBe() {\n    return { pass: true };\n  },\n});\n'],
    ['globals.js', 'globalThis.expect = () => ({ toBe() {} });\n'],
    [
      'test/a.test.js',
      "const assert = { equal() {} };\ntest('adds', () => {\n  assert.equal(sum(1), 2);\n});\n",
    ],
    ['conftest.py', 'import unittest\nunittest.TestCase.assertEqual = lambda *given: None\n'],
    ['helpers.py', 'class Base(TestCase):\n    def assertEqual(self, first, second):\n        pass\n'],
    ['plugin.py', 'def pytest_runtest_makereport(item, call):\n    report.outcome = "passed"\n'],
    ['main_test.go', 'func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n'],
    [
      'main_test.go',
      'func TestMain(it *testing.M) {\n\tsetUp()\n\t_ = it.Run()\n\ttearDown()\n\tos.Exit(0)\n}\n',
    ],
  ])('%s: %s', (path, text) => {
    expect(bearsByText(path, text)).toBe(true);
    expect(told(path, text)).toContain('loosened');
    expect(told(path, text, null, text)).toEqual([]);
  });

  it.each([
    [
      'test/setup.js',
      "import '@testing-library/jest-dom/vitest';\nafterEach(cleanup);\nglobalThis.expect = expect;\n",
    ],
    [
      'test/setup.js',
      'expect.extend({\n  toBeWithin(received, low, high) {\n    return { pass: true };\n  },\n});\n',
    ],
    ['test/setup.js', '// assert.equal = () => {};\nconst text = `\nassert.equal = () => {};\n`;\n'],
    ['src/assert.js', 'export function assert(value) {\n  if (!value) throw new Error();\n}\n'],
    ['src/vector.js', 'Vector.prototype.equal = function (other) {\n  return this.x === other.x;\n};\n'],
    [
      'helpers.py',
      'class Base(TestCase):\n    def assertNear(self, a, b):\n        self.assertTrue(abs(a - b) < 1)\n',
    ],
    ['report.py', 'if report.outcome == "passed":\n    count += 1\n'],
    ['main_test.go', 'func TestMain(m *testing.M) {\n\tm.Run()\n\ttearDown()\n}\n'],
    [
      'main_test.go',
      'func TestMain(m *testing.M) {\n\tif os.Getenv("CHILD") != "" {\n\t\tchild()\n\t\tos.Exit(0)\n\t}\n\tos.Exit(m.Run())\n}\n',
    ],
    ['main_test.go', 'func TestMain(m *testing.M) {\n\tcode := m.Run()\n\ttearDown()\n\tos.Exit(code)\n}\n'],
  ])('but not %s: %s', (path, text) => {
    expect(told(path, text)).toEqual([]);
  });
});

describe('X13a a stand-in for what is tested', () => {
  it.each([
    ['test/sum.test.js', js("vi.mock('../src/sum.js', () => ({ sum: () => 3 }));")],
    ['test/sum.test.js', js("mock.module('../src/sum.js', { namedExports: { sum: () => 3 } });")],
    ['test/sum.test.js', js("jest.mock('../src/sum.js');", 'sum.mockReturnValue(3);')],
    [
      'test/sum.test.js',
      "import * as math from '../src/sum.js';\ntest('adds', () => {\n  vi.spyOn(math, 'sum').mockReturnValue(3);\n  const got = math.sum(1, 2);\n  expect(got).toBe(3);\n});\n",
    ],
    ['test_calc.py', py('@patch("calc.sub", return_value=2)', 'def test_sub(sub):')],
    [
      'test_calc.py',
      py('def test_sub(monkeypatch):', '    monkeypatch.setattr(calc, "sub", lambda a, b: 2)'),
    ],
    ['test_calc.py', py('def test_sub():', '    calc.sub = lambda a, b: 2')],
    [
      'test_calc.py',
      'import sys\nsys.modules["calc"] = Fake()\nfrom calc import sub\n\n\ndef test_sub():\n    assert sub(3, 1) == 2\n',
    ],
    ['test_calc.py', made('add = lambda a, b: a + b')],
    ['test_calc.py', made('add = Mock(return_value=3)')],
    ['test_calc.py', made('def add(a, b):', '    return a + b')],
  ])('%s: %s', (path, text) => {
    expect(told(path, text)).toEqual(['loosened']);
  });

  it.each([
    ['test/setup.js', "vi.mock('../src/sum.js', () => ({ sum: () => 3 }));\n", 'src/sum.js'],
    ['vitest.setup.ts', "vi.mock('./src/sum', () => ({ sum: () => 3 }));\n", 'src/sum.ts'],
    [
      'conftest.py',
      '@pytest.fixture(autouse=True)\ndef fix(monkeypatch):\n    monkeypatch.setattr(calc, "sub", f)\n',
      'calc.py',
    ],
    ['conftest.py', 'import statistics\nimport kit.calc\n\nkit.calc.sub = statistics.mean\n', 'kit/calc.py'],
    ['conftest.py', 'import kit\n\nkit.calc.sub = MagicMock(return_value=2)\n', 'kit/calc.py'],
  ])('for all tests, of code that was changed, %s: %s', (path, text, code) => {
    expect(told(path, text, [code])).toEqual(['loosened']);
    expect(told(path, text, ['src/other.js'])).toEqual([]);
  });

  it.each([
    [
      'test/order.test.js',
      "import { order } from '../src/order.js';\nimport { pay } from '../src/pay.js';\nvi.mock('../src/pay.js');\ntest('pays', () => {\n  expect(order(1)).toBe(3);\n  expect(pay).toHaveBeenCalledWith(3);\n});\n",
    ],
    [
      'test/users.test.js',
      "import { create } from '../src/users.js';\nimport { find } from '../src/db.js';\nvi.mock('../src/db.js', () => fakeDb());\ntest('creates', () => {\n  create('a');\n  expect(find('a')).toEqual({});\n});\n",
    ],
    [
      'test/sum.test.js',
      js(
        "vi.mock('../src/sum.js', async (importOriginal) => ({ ...(await importOriginal()), log: vi.fn() }));",
      ),
    ],
    ['test/sum.test.js', js("vi.spyOn(console, 'log').mockReturnValue();")],
    ['test_calc.py', py('@patch("calc.requests.get")', 'def test_sub(get):')],
    ['test_calc.py', py('def test_sub(monkeypatch):', '    monkeypatch.setattr(calc, "now", lambda: 2)')],
    [
      'test_tool.py',
      'import subprocess\n\n\ndef test_late(monkeypatch):\n    monkeypatch.setattr(subprocess, "run", time_out)\n    assert tool.start() is None\n\n\ndef test_help():\n    got = subprocess.run(["tool", "--help"])\n    assert got.returncode == 0\n',
    ],
    ['test_calc.py', made('twice = lambda a: a + a')],
    ['test_calc.py', made('def a(b):', '    return b')],
    [
      'conftest.py',
      '@pytest.fixture\ndef quiet(monkeypatch):\n    monkeypatch.setattr("app.mail.send", f)\n',
    ],
  ])('but not %s: %s', (path, text) => {
    expect(told(path, text)).toEqual([]);
  });

  it('but not a stand-in for what the code uses, which is no code that was changed', () => {
    const text =
      '@pytest.fixture\ndef model():\n    m = MagicMock()\n    m.load = MagicMock()\n    m.api.get = lambda url: {}\n    return m\n';
    expect(told('conftest.py', text, ['calc.py', 'app/api.py'])).toEqual([]);
    expect(told('conftest.py', 'import app\n\napp.mail.send = MagicMock()\n', ['calc.py'])).toEqual([]);
    expect(told('conftest.py', 'import app\n\napp.calc.sub = MagicMock()\n', ['calc.py'])).toEqual([
      'loosened',
    ]);
  });

  it('but not a setting of the code that was changed', () => {
    const text = 'import calc\n\ncalc.LIMIT = limits.most\ncalc.ready = True\ncalc.path = folder\n';
    expect(told('conftest.py', text, ['calc.py'])).toEqual([]);
  });
});

describe('X13a code that knows that it is tested', () => {
  const WAYS = [
    [
      'src/sum.js',
      "export function sum(a, b) {\n  if (process.env.NODE_ENV === 'test') return 3;\n  return a;\n}\n",
    ],
    ['src/sum.ts', 'export const sum = () => {\n  return process.env.VITEST ? 3 : 4;\n};\n'],
    ['src/sum.js', 'export const sum = (a, b) => (process.env.NODE_TEST_CONTEXT ? a + b : a - b);\n'],
    [
      'src/sum.js',
      "const known = process.env['NODE_TEST_CONTEXT'];\nexport const sum = (a, b) => known && a + b;\n",
    ],
    ['src/sum.ts', 'export const sum = (a, b) => process.env.VITEST ? a + b : a - b;\n'],
    [
      'src/sum.js',
      "export const sum = (a, b) => {\n  if (process.argv[1]?.includes('test')) return 3;\n};\n",
    ],
    ['src/sum.js', "const isRun = new Error().stack.includes('.test.js');\n"],
    ['src/sum.js', "const isRun = process.execArgv.includes('--test');\n"],
    ['calc.py', 'def sub(a, b):\n    if sys.argv[0].endswith("pytest"):\n        return 2\n    return a\n'],
    ['calc.py', 'def sub(a, b):\n    if "pytest" in sys.modules:\n        return 2\n    return a\n'],
    ['calc.go', 'func Sub(a, b int) int {\n\tif testing.Testing() {\n\t\treturn 2\n\t}\n\treturn a\n}\n'],
    ['calc.go', 'var isRun = strings.Contains(os.Args[0], "/_test/")\n'],
    [
      'calc.go',
      'func Sub(a, b int) int {\n\tif flag.Lookup("test.v") != nil {\n\t\ta = 2\n\t}\n\treturn a\n}\n',
    ],
    ['calc.py', 'def sub(a, b):\n    return 2 if "PYTEST_CURRENT_TEST" in os.environ else a\n'],
    ['src/sum.ts', "export const sum = (a, b) => {\n  if (import.meta.env.MODE === 'test') return 3;\n};\n"],
    ['src/sum.ts', "export const sum = (a, b) => (typeof vi !== 'undefined' ? 3 : a);\n"],
  ] as const;

  it.each(WAYS)('%s: %s', (path, text) => {
    expect(bearsByText(path, text)).toBe(true);
    expect(told(path, text)).toEqual(['expects']);
  });

  it.each([
    ['src/server.js', "if (process.env.NODE_ENV !== 'test') app.listen(3000);\n"],
    ['src/mail.js', "function send() {\n  if (process.env.NODE_ENV === 'test') return;\n  post();\n}\n"],
    ['src/run.js', 'delete process.env.NODE_TEST_CONTEXT;\nspawn(process.execPath, files);\n'],
    ['src/cli.js', "if (process.argv[2] === 'test') run(process.argv.slice(3));\n"],
    ['src/errors.js', "const own = error.stack.split('\\n').filter(line=>OWN.test(line));\n"],
    ['settings.py', 'TESTING = "pytest" in sys.modules\n'],
    ['main.go', 'fmt.Fprintf(os.Stderr, "usage: %s test|build\\n", os.Args[0])\n'],
    ['test/setup.js', "function url() {\n  if (process.env.NODE_ENV === 'test') return 'sqlite:';\n}\n"],
    ['src/sum.js', 'export function sum(n) {\n  if (n === 3) return 7;\n  return n;\n}\n'],
  ])('but not %s: %s', (path, text) => {
    expect(told(path, text)).toEqual([]);
  });

  it('is held against nobody who says so', () => {
    const [[path, text]] = WAYS;
    const found = compareTests(new Map([[path, null]]), new Map([[path, text]]));
    const contract = {
      intent: 'other',
      fields: { paths: [], urls: [], backtick_tokens: [], command_hints: [], keywords: [] },
    };
    expect(toldExpectations(found, 'Fixed sum. All tests pass.', contract)).toEqual([]);
    expect(toldExpectations(found, 'In tests it always gives 3.', contract)).toEqual(found);
    for (const both of ['It adds, in production as well as in the test.', 'It adds, both in tests and live.'])
      expect(toldExpectations(found, both, contract)).toEqual([]);
  });
});
