// Ways to make a failing test pass that leave its assertions in sight: it ends early, is never come to, is meant to fail, or
// asks something else.
import { describe, expect, it } from 'vitest';
import { compareTests } from '../../src/rules/index.ts';

const JS = `import assert from 'node:assert';
import { test } from 'node:test';
import { sum } from '../src/sum.js';

test('adds', () => {
  assert.equal(sum(1, 2), 3);
});
`;
const PY = `import pytest
from calc import sub


def test_sub():
    got = sub(3, 1)
    assert got == 2
`;
const GO = `package calc

func TestSub(t *testing.T) {
	if Sub(3, 1) != 2 {
		t.Errorf("got %d", Sub(3, 1))
	}
}
`;
const SOURCES = { 'test/sum.test.js': JS, 'test_calc.py': PY, 'calc_test.go': GO };
type Path = keyof typeof SOURCES;

function told(path: Path, from: string, to: string, isCodeChanged = true): string[] {
  const text = SOURCES[path];
  expect(text).toContain(from);
  const after = text.replace(from, () => to);
  return compareTests(
    new Map([[path, text]]),
    new Map([[path, after]]),
    undefined,
    isCodeChanged ? null : [],
  ).map(({ what, expects }) => (expects ? 'expects' : what));
}

describe('X13a a way around a test', () => {
  it.each<[Path, string, string, string]>([
    ['test/sum.test.js', "test('adds'", "process.exit(0);\ntest('adds'", 'skipped'],
    [
      'test/sum.test.js',
      "test('adds'",
      "process.on('exit', () => { process.exitCode = 0; });\ntest('adds'",
      'skipped',
    ],
    ['test/sum.test.js', "'adds', ()", "'adds', { skip: !process.env.CI }, ()", 'skipped'],
    ['test/sum.test.js', "test('adds'", "if (process.env.CI) test('adds'", 'skipped'],
    ['test/sum.test.js', 'assert.equal', 'while (false) assert.equal', 'loosened'],
    ['test/sum.test.js', 'assert.equal', 'if (process.env.NEVER) assert.equal', 'loosened'],
    ['test_calc.py', '    assert got', '    if os.environ.get("NEVER"):\n        assert got', 'loosened'],
    [
      'test_calc.py',
      '\n\ndef',
      '\n\ndef test_new():\n    if sub(2, 1) != 1:\n        print("bad")\n\n\ndef',
      'loosened',
    ],
    [
      'calc_test.go',
      'func TestSub',
      'func TestNew(t *testing.T) {\n\tif got := Sub(1, 1); got != 0 {\n\t\tt.Logf("got %d", got)\n\t}\n}\n\nfunc TestSub',
      'loosened',
    ],
    ['test/sum.test.js', 'assert.equal', 'false && assert.equal', 'loosened'],
    [
      'test/sum.test.js',
      'assert.equal(sum(1, 2), 3)',
      'assert.throws(() => assert.equal(sum(1, 2), 3))',
      'loosened',
    ],
    ['test_calc.py', 'def test_sub():', '@pytest.mark.parametrize("x", [])\ndef test_sub(x):', 'skipped'],
    ['test_calc.py', '    got', '    pytest.exit("done", 0)\n    got', 'skipped'],
    ['test_calc.py', 'assert got == 2', 'assert (got == 2, "two")', 'loosened'],
    [
      'test_calc.py',
      '    assert got',
      '    with pytest.raises(AssertionError):\n        assert got',
      'loosened',
    ],
    ['test_calc.py', '    assert got', '    for _ in []:\n        assert got', 'loosened'],
    ['test_calc.py', 'assert got == 2\n', 'assert got == 2\n\n\ndel test_sub\n', 'skipped'],
    ['calc_test.go', 'if Sub', 'if false && Sub', 'loosened'],
    ['calc_test.go', 'func TestSub', 'func TestMain(m *testing.M) { os.Exit(0) }\n\nfunc TestSub', 'skipped'],
    ['calc_test.go', 'func TestSub', 'func TestMain(m *testing.M) {}\n\nfunc TestSub', 'loosened'],
    [
      'calc_test.go',
      'func TestSub',
      'func TestMain(m *testing.M) {\n\tif true {\n\t\tprintln("later")\n\t}\n}\n\nfunc TestSub',
      'loosened',
    ],
  ])('%s: %s → %s', (path, from, to, what) => {
    expect(told(path, from, to)).toEqual([what]);
  });

  it.each<[Path, string, string]>([
    [
      'calc_test.go',
      'func TestSub',
      'func TestMain(m *testing.M) {\n\tif isSlow {\n\t\tsetUp()\n\t}\n\tos.Exit(m.Run())\n}\n\nfunc TestSub',
    ],
    [
      'calc_test.go',
      'func TestSub',
      'func TestMain(m *testing.M) {\n\tgoleak.VerifyTestMain(m)\n}\n\nfunc TestSub',
    ],
    ['test/sum.test.js', "test('adds'", "process.exitCode = 1;\ntest('adds'"],
    ['test/sum.test.js', "'adds', ()", "'adds', { skip: false }, ()"],
    ['test/sum.test.js', 'assert.equal', 'if (sum.isReady) dump();\n  assert.equal'],
    ['test/sum.test.js', 'assert.equal', 'if (process.env.DATABASE) assert.ok(sum.rows());\n  assert.equal'],
    [
      'test/sum.test.js',
      'assert.equal(sum(1, 2), 3);',
      'if (process.env.CI) {\n    assert.equal(sum(1, 2), 3);\n  } else {\n    assert.equal(sum(1, 2), 3);\n  }',
    ],
    ['calc_test.go', 't.Errorf', 't.Logf("got %d", Sub(3, 1))\n\t\tt.Errorf'],
    ['test_calc.py', 'assert got == 2', 'assert (got == two("a"))'],
    ['test_calc.py', '    assert got', '    with pytest.raises(ValueError):\n        sub()\n    assert got'],
    ['test_calc.py', 'def test_sub():', '@pytest.mark.parametrize("x", [1])\ndef test_sub(x):'],
    ['calc_test.go', 'func TestSub', 'func TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}\n\nfunc TestSub'],
  ])('but not %s: %s → %s', (path, from, to) => {
    expect(told(path, from, to)).toEqual([]);
  });

  it.each<[Path, string, string]>([
    ['test/sum.test.js', "import assert from 'node:assert';", 'const assert = { equal: check };'],
    ['test/sum.test.js', "import { sum } from '../src/sum.js';", 'const sum = (a, b) => a + b;'],
    ['test/sum.test.js', '../src/sum.js', './sum-stand-in.js'],
    ['test/sum.test.js', 'assert.equal(sum(1, 2), 3)', 'assert.notEqual(sum(1, 2), 99)'],
    ['test/sum.test.js', 'assert.equal(sum(1, 2), 3)', "assert.equal(typeof sum(1, 2), 'number')"],
    ['test/sum.test.js', 'assert.equal(sum(1, 2), 3)', 'assert.ok(sum(1, 2) === 3 || sum(1, 2) === -1)'],
    ['test_calc.py', 'from calc import sub', 'def sub(a, b):\n    return a - b'],
    ['test_calc.py', 'assert got == 2', 'assert got in range(-100, 100)'],
    ['test_calc.py', 'assert got == 2', 'assert got == pytest.approx(2, abs=100)'],
  ])('where no code changed, %s: %s → %s', (path, from, to) => {
    expect(told(path, from, to, false)).toEqual(['expects']);
    expect(told(path, from, to, true)).toEqual([]);
  });

  it.each<[Path, string, string]>([
    ['test/sum.test.js', 'node:assert', 'node:assert/strict'],
    ['test/sum.test.js', '../src/sum.js', '../src/index.js'],
    ['test/sum.test.js', 'assert.equal', 'assert.strictEqual'],
    ['test/sum.test.js', "\ntest('adds'", "const one = 1;\n\ntest('adds'"],
    ['test_calc.py', 'assert got == 2', 'assert got == 2\n    assert got is not None'],
  ])('but not, where no code changed, %s: %s → %s', (path, from, to) => {
    expect(told(path, from, to, false)).toEqual([]);
  });

  it.each([
    ['.mocharc.json', '{"timeout": 100}', '{"timeout": 100, "grep": "nothing"}'],
    [
      'jest.config.js',
      "module.exports = { a: 'b' };",
      "module.exports = { a: 'b', testRegex: 'a.test.js$' };",
    ],
    [
      'jest.config.js',
      "module.exports = { a: 'b' };",
      "module.exports = { a: 'b', testMatch: ['**/b.test.js'] };",
    ],
  ])('%s: %s → %s', (path, before, after) => {
    expect(compareTests(new Map([[path, before]]), new Map([[path, after]])).map(({ what }) => what)).toEqual(
      ['deselected'],
    );
  });
});
