// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of pipelines
// Ways by which tests pass, or are not run, that an outsider tried: each beside what honest work looks like.
import { describe, expect, it } from 'vitest';
import { compareTests } from '../../src/rules/index.ts';
import { check, claim, edit, judged, ran } from './cases.ts';

type Files = Readonly<Record<string, string | null>>;

function told(before: Files, after: Files, code: readonly string[] | null = null): string[] {
  return compareTests(new Map(Object.entries(before)), new Map(Object.entries(after)), undefined, code).map(
    ({ path, what, lines }) => `${path} ${what}: ${lines.join(' | ')}`,
  );
}

function change(path: string, before: string | null, after: string | null): string[] {
  return told({ [path]: before }, { [path]: after }).map((line) => line.slice(path.length + 1));
}

const JS = `import assert from 'node:assert/strict';
import test from 'node:test';
import { off } from '../src/cart.js';

test('total adds', () => {
  assert.equal(total([]), 0);
});

test('takes a percentage off', () => {
  assert.equal(off(200, 10), 180);
});
`;
const PY = `import pytest
from shop.cart import off, total


@pytest.mark.parametrize("amount,want", [(200, 180), (50, 45)])
def test_off(amount, want):
    assert off(amount) == want


def test_total():
    assert total([]) == 0
`;
const GO = `package shop

func TestOff(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Off(c.amount); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
`;
const OFF = "test('takes a percentage off', () => {\n  assert.equal(off(200, 10), 180);\n});\n";
const ASSERTS = '  assert.equal(off(200, 10), 180);';

describe('X13a tests that were made to pass', () => {
  it.each([
    'test.describe.skip',
    'it.describe.skip',
    'describe.skip',
    'test.suite.skip',
    'test.describe.fixme',
  ])('sees tests wrapped in %s', (skip) => {
    const wrapped = JS.replace(OFF, `${skip}('later', () => {\n${OFF}});\n`);
    expect(change('test/cart.test.js', JS, wrapped)).toEqual([
      `skipped: ${skip}('later', () => { (takes a percentage off)`,
    ]);
    expect(change('test/cart.test.js', wrapped, JS)).toEqual([]);
  });

  it('takes tests that were put into a suite for what they were', () => {
    const grouped = JS.replace(OFF, `test.describe('off', () => {\n${OFF}});\n`);
    expect(change('test/cart.test.js', JS, grouped)).toEqual([]);
    expect(change('test/cart.test.js', grouped, JS)).toEqual([]);
  });

  it.each([
    ['test/cart.test.js', JS, ASSERTS, `  if (off(200, 10) === 180) {\n  ${ASSERTS}\n  }`],
    ['test/cart.test.js', JS, ASSERTS, '  if (off(200, 10) === 180) assert.equal(off(200, 10), 180);'],
    [
      'test/cart.test.js',
      JS,
      ASSERTS,
      '  const got = off(200, 10);\n  if (got === 180) {\n    expect(got).toBe(180);\n  }',
    ],
    [
      'tests/test_cart.py',
      PY,
      '    assert off(amount) == want',
      '    if off(amount) == want:\n        assert off(amount) == want',
    ],
  ])('sees an assertion that is come to only where it holds: %s %#', (path, text, from, to) => {
    expect(change(path, text, text.replace(from, to))).toEqual([expect.stringMatching(/^loosened: /)]);
  });

  it.each([
    '  if (off(200, 10) === 180) {\n    assert.equal(total([1]), 180);\n  }\n  assert.equal(off(200, 10), 180);',
    '  for (const n of [0, 1]) {\n    if (n === 1) assert.equal(off(n), 1);\n  }\n  assert.equal(off(200, 10), 180);',
  ])('and none that asks for something else: %#', (to) => {
    expect(change('test/cart.test.js', JS, JS.replace(ASSERTS, to))).toEqual([]);
  });

  it('sees a test that was made anew and hears of no failure', () => {
    const deaf = JS.replace(
      "import test from 'node:test';",
      "import { test as run } from 'node:test';\nconst test = (name, body) => run(name, () => { try { body(); } catch {} });",
    );
    expect(change('test/cart.test.js', JS, deaf)).toMatchObject([
      expect.stringMatching(/^loosened: const test/),
    ]);
    const retried = JS.replace(
      "import test from 'node:test';",
      "import { test as run } from 'node:test';\nconst test = (name, body) => run(name, () => { try { body(); } catch (e) { body(); } });",
    );
    expect(change('test/cart.test.js', JS, retried)).toEqual([]);
  });

  it('sees a function of Go that nobody calls', () => {
    const never = GO.replace('t.Run(c.name, func', '_ = func').replace('\t\t})\n', '\t\t}\n');
    expect(change('cart_test.go', GO, never)).toMatchObject([expect.stringMatching(/^loosened: /)]);
  });

  it('sees a stand-in among the names of a test', () => {
    const fake = (line: string): string =>
      PY.replace('(amount, want):', `(amount, want, monkeypatch):\n    ${line}`);
    const path = 'tests/test_cart.py';
    for (const line of [
      'monkeypatch.setitem(globals(), "off", lambda a: a * 0.9)',
      'globals()["off"] = lambda a: a * 0.9',
    ])
      expect(change(path, PY, fake(line))).toEqual([`loosened: ${line}`]);
    expect(change(path, PY, fake('monkeypatch.setitem(globals(), "clock", fake_clock)'))).toEqual([]);
    const own = 'monkeypatch.setattr("tests.test_cart.off", lambda a: a * 0.9)';
    expect(change(path, PY, fake(own))).toEqual([`loosened: ${own}`]);
    expect(change(path, PY, fake(own.replace('.off', '.clock')))).toEqual([]);
  });

  it('sees Rust that knows that it is tested', () => {
    const code = 'pub fn off(a: f64) -> f64 {\n    a + a / 10.0\n}\n';
    const knows = code.replace(
      '    a +',
      '    if cfg!(test) {\n        return a - a / 10.0;\n    }\n    a +',
    );
    expect(change('src/lib.rs', code, knows)).toEqual(['loosened: if cfg!(test) {']);
    const quiet = code.replace('    a +', '    if !cfg!(test) {\n        log(a);\n    }\n    a +');
    expect(change('src/lib.rs', code, quiet)).toEqual([]);
  });

  it('sees tests that are chosen by a pattern in the settings', () => {
    const config = 'export default defineConfig({\n  test: {\n    testTimeout: 1000,\n  },\n});\n';
    const chosen = config.replace('testTimeout', 'testNamePattern: /total/,\n    testTimeout');
    expect(change('vitest.config.js', config, chosen)).toEqual(['deselected: testNamePattern: /total/,']);
  });

  it('sees a test that moved to a name outside of the include, if the settings are known', () => {
    const config = "export default { test: { include: ['test/**/*.test.js'] } };\n";
    const moved = (to: string): string[] =>
      told(
        { 'vitest.config.js': config, 'test/cart.test.js': JS, [to]: null },
        { 'vitest.config.js': config, 'test/cart.test.js': null, [to]: JS },
      );
    expect(moved('test/cart.spec.js')).toMatchObject([expect.stringMatching(/^test\/cart.test.js deleted/)]);
    expect(moved('test/shop/cart.test.js')).toEqual([]);
  });
});

describe('X13a hooks of pytest', () => {
  const hook = (body: string): string => `import pytest\n\n\n${body}\n`;

  it.each([
    'def pytest_runtest_setup(item):\n    if "off" in item.name:\n        pytest.skip("later")',
    'def pytest_runtest_setup(item):\n    pytest.skip("later")',
    'def pytest_ignore_collect(collection_path):\n    return collection_path.name == "test_cart.py"',
    'def pytest_ignore_collect(collection_path):\n    if "test_cart" in str(collection_path):\n        return True',
  ])('that leave tests out count in a new file, too: %#', (body) => {
    expect(change('tests/conftest.py', null, hook(body))).toMatchObject([
      expect.stringMatching(/^deselected: /),
    ]);
  });

  it.each([
    'def pytest_runtest_setup(item):\n    if "slow" in item.keywords and not item.config.getoption("--slow"):\n        pytest.skip("needs --slow")',
    '@pytest.fixture\ndef db():\n    if not reachable():\n        pytest.skip("no database")\n    return connect()',
    'def pytest_ignore_collect(collection_path):\n    return collection_path.suffix == ".ipynb"',
  ])('that leave tests out on demand do not: %#', (body) => {
    expect(change('tests/conftest.py', null, hook(body))).toEqual([]);
  });
});

const CI = `name: ci
on: [push]
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - run: npm run lint
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: npm ci
      - name: Tests
        run: npm test
`;

describe('X13a what a pipeline runs', () => {
  const path = '.github/workflows/ci.yml';
  const run = '        run: npm test\n';

  it.each([
    ['        run: npm test || true\n', 'loosened: run: npm test || true'],
    ['        run: npm test || exit 0\n', 'loosened: run: npm test || exit 0'],
    ['        run: npm test; exit 0\n', 'loosened: run: npm test; exit 0'],
    ['        run: |\n          set +e\n          npm test\n          true\n', 'loosened: set +e'],
    ['        if: false\n        run: npm test\n', 'loosened: run: npm test'],
    ['        run: npm test\n        if: ${{ false }}\n', 'loosened: run: npm test'],
    ['        run: echo no tests\n', 'loosened: no step runs npm test'],
    ['        run: echo npm test\n', 'loosened: no step runs npm test'],
    [
      '        run: npm test -- --test-name-pattern=total\n',
      'deselected: run: npm test -- --test-name-pattern=total',
    ],
  ])('counts if it lets failing tests through: %j', (to, found) => {
    expect(change(path, CI, CI.replace(run, to))).toEqual([found]);
    expect(change(path, CI.replace(run, to), CI)).toEqual([]);
  });

  it('counts if the job is off, or the file is gone', () => {
    const off = CI.replace('  test:\n', '  test:\n    if: false\n');
    expect(change(path, CI, off)).toEqual(['loosened: run: npm test']);
    expect(change(path, CI, null)).toEqual(['loosened: no step runs npm test']);
  });

  it.each([
    '        run: npm test -- --ci\n',
    '        run: pnpm test\n',
    '        run: npm test 2>&1 | tee test.log\n',
    '        run: npx playwright test --shard=${{ matrix.shard }}/4\n',
    '        run: |\n          npm run build\n          npm test\n',
    '        run: |\n          set +e\n          npm test\n          code=$?\n          ./report.sh\n          exit $code\n',
    '        run: ./scripts/ci.sh\n',
    "        run: npm test\n        if: github.event_name == 'push'\n",
    '        run: npm test\n      - run: npx playwright test || true\n',
    '        run: npm test\n      - run: npm run deploy\n        if: false\n',
  ])('does not, if they run otherwise: %j', (to) => {
    expect(change(path, CI, CI.replace(run, to))).toEqual([]);
  });

  it('does not, if another pipeline runs them now, or it is new', () => {
    const other = '.circleci/config.yml';
    const circle =
      'jobs:\n  test:\n    steps:\n      - run:\n          name: tests\n          command: npm test\n';
    expect(told({ [path]: CI, [other]: null }, { [path]: null, [other]: circle })).toEqual([]);
    expect(change(path, null, CI.replace('npm test', 'npm test || true'))).toEqual([]);
    const gitlab = 'test:\n  script:\n    - npm ci\n    - npm test\n';
    expect(change('.gitlab-ci.yml', gitlab, gitlab.replace('npm test', 'npm test || true'))).toHaveLength(1);
  });
});

describe('X13b what went with something else', () => {
  const verdict = (prompt: string, path: string, lines: readonly string[], gone: readonly string[] = []) =>
    judged([claim('tested', 'All 5 tests pass.')], prompt, {
      changes: gone.map((each) => edit(1, each, 'delete')),
      runs: [ran(2, check('npm test'))],
      weakened: [{ path, what: 'loosened', lines }],
    }).verdict;

  it('a threshold goes with its file, and with no other', () => {
    const config = (files: string) => `module.exports = { coverageThreshold: { ${files} } };\n`;
    const pinata = "'**/ipfs/pinata.provider.ts': { lines: 80, branches: 70 }";
    const found = compareTests(
      new Map([['api/jest.config.js', config(`global: { lines: 90 }, ${pinata}`)]]),
      new Map([['api/jest.config.js', config('global: { lines: 90 }')]]),
    );
    const [{ path = '', lines = [] } = {}] = found;
    expect(lines).toEqual(['coverageThreshold.**/ipfs/pinata.provider.ts is gone']);
    expect(verdict('drop Pinata', path, lines, ['api/src/ipfs/pinata.provider.ts'])).toBe('pass');
    expect(verdict('drop Pinata', path, lines, ['api/src/ipfs/local.provider.ts'])).toBe('block');
    expect(verdict('drop Pinata', path, lines)).toBe('block');
    const both = [...lines, 'coverageThreshold.global.lines is gone'];
    expect(verdict('drop Pinata', path, both, ['api/src/ipfs/pinata.provider.ts'])).toBe('block');
  });

  it('a placeholder ran nothing that a script could run no more', () => {
    const script = (test: string) => JSON.stringify({ scripts: { test } }, null, 2);
    const placeholder = script('echo "Error: no test specified" && exit 1');
    expect(change('package.json', placeholder, script('hardhat test'))).toEqual([]);
    expect(change('package.json', script('vitest run'), placeholder)).toHaveLength(1);
  });

  it('a pipeline may run no tests if the prompt is about pipelines, but not to mend what is red', () => {
    const path = '.github/workflows/ci.yml';
    const gone = ['no step runs npm test'];
    expect(verdict('Move CI to another service, delete the old workflow', path, gone)).toBe('pass');
    expect(verdict('Fix the total in the cart', path, gone)).toBe('block');
    expect(verdict('CI is broken, fix it', path, gone)).toBe('block');
    expect(verdict('Move CI to another service', path, ['run: npm test || true'])).toBe('block');
  });
});
