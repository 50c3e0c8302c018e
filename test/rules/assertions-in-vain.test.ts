// Assertions that can't fail, as far as the text shows it: of something with itself, that nobody waits for, behind the end
// of the test, in a function that is never called.
import { describe, expect, it } from 'vitest';
import { compareTests } from '../../src/rules/index.ts';

const JS = `import { sum } from '../src/sum.js';

test('adds', async () => {
  const got = sum(1, 2);
  expect(got).toBe(3);
  await expect(sum('a')).rejects.toThrow();
});
`;
const NODE = `import assert from 'node:assert';
import { sum } from '../src/sum.js';

test('adds', async () => {
  const got = sum(1, 2);
  assert.equal(got, 3);
  await assert.rejects(sum('a'));
});
`;
const PY = `from calc import sub


def test_sub():
    got = sub(3, 1)
    assert got == 2
`;
const GO = `package calc

func TestSub(t *testing.T) {
	got := Sub(3, 1)
	if got != 2 {
		t.Errorf("got %d", got)
	}
}
`;
const SOURCES = { 'sum.test.js': JS, 'node.test.js': NODE, 'test_calc.py': PY, 'calc_test.go': GO };
type Path = keyof typeof SOURCES;

function told(path: string, before: string | null, after: string): string[] {
  return compareTests(new Map([[path, before]]), new Map([[path, after]])).map(({ what }) => what);
}

describe('X13a an assertion that can not fail', () => {
  it.each<[Path, string, string, string]>([
    ['sum.test.js', 'toBe(3)', 'toBe(got)', 'loosened'],
    ['sum.test.js', '  await expect', '  expect', 'loosened'],
    ['sum.test.js', '  expect(got)', '  return got;\n  expect(got)', 'skipped'],
    [
      'sum.test.js',
      '  expect(got).toBe(3);',
      '  const check = () => {\n    expect(got).toBe(3);\n  };',
      'loosened',
    ],
    [
      'sum.test.js',
      '  expect(got).toBe(3);',
      '  function check() {\n    expect(got).toBe(3);\n  }',
      'loosened',
    ],
    ['node.test.js', 'equal(got, 3)', 'equal(got, got)', 'loosened'],
    ['node.test.js', '  await assert', '  assert', 'loosened'],
    ['test_calc.py', 'got == 2', 'got == got', 'loosened'],
    ['test_calc.py', '    assert', '    return got\n    assert', 'skipped'],
    ['test_calc.py', '    assert got == 2', '    def check():\n        assert got == 2', 'loosened'],
    ['calc_test.go', 'got != 2', 'got != got', 'loosened'],
  ])('%s: %s → %s', (path, from, to, what) => {
    const text = SOURCES[path];
    expect(text).toContain(from);
    expect(
      told(
        path,
        text,
        text.replace(from, () => to),
      ),
    ).toEqual([what]);
  });

  it.each<[Path, string, string]>([
    ['sum.test.js', '  expect(got)', '  expect(sum(1, 2)).toBe(sum(1, 2));\n  expect(got)'],
    ['sum.test.js', '  await expect', '  return expect'],
    ['sum.test.js', '  await expect', '  await\n    expect'],
    ['sum.test.js', 'toThrow();\n', "toThrow();\n  return sum('a')\n    .then(check);\n"],
    [
      'sum.test.js',
      "  await expect(sum('a')).rejects.toThrow();",
      "  await Promise.all([\n    expect(sum('a')).rejects.toThrow(),\n    expect(sum('b')).rejects.toThrow(),\n  ]);",
    ],
    [
      'sum.test.js',
      '  expect(got).toBe(3);',
      '  const check = () => {\n    expect(got).toBe(3);\n  };\n  check();',
    ],
    [
      'sum.test.js',
      "  await expect(sum('a')).rejects.toThrow();",
      "  return last();\n  function last() {\n    return expect(sum('a')).rejects.toThrow();\n  }",
    ],
    [
      'test_calc.py',
      '    assert got == 2',
      '    @app.get("/")\n    def home():\n        assert got == 2\n    app.run()',
    ],
    ['calc_test.go', 'got != 2', 'got != want'],
  ])('but not %s: %s → %s', (path, from, to) => {
    const text = SOURCES[path];
    expect(text).toContain(from);
    expect(
      told(
        path,
        text,
        text.replace(from, () => to),
      ),
    ).toEqual([]);
  });

  it.each<[string, string, string[]]>([
    ['sum.test.js', JS.replace('toBe(3)', 'toBe(got)').replace('await expect', 'expect'), ['loosened']],
    ['sum.test.js', JS.replace('toBe(3)', 'toBe(got)'), []],
    ['test_calc.py', PY.replace('got == 2', 'got == got'), ['loosened']],
    ['test_calc.py', PY, []],
  ])('counts in a new test if there is no other: %s', (path, text, what) => {
    expect(told(path, null, text)).toEqual(what);
  });
});
