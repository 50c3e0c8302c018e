// Tests that are still there for a reader and that no runner comes to: moved to where nobody looks, named otherwise, or
// left early. Beside each the honest change that looks like it.
import { describe, expect, it } from 'vitest';
import { compareTests } from '../../src/rules/index.ts';

const PY = 'def test_one():\n    assert parse("1") == 1\n\n\ndef test_two():\n    assert parse("2") == 2\n';
const GO = 'package a\n\nfunc TestWords(t *testing.T) {\n\tif Words("a") != 1 {\n\t\tt.Fatal("no")\n\t}\n}\n';
const JS = "test('adds', () => {\n  assert.equal(sum(1, 2), 3)\n})\n";

const PYPROJECT = '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n';
const packageOf = (script: string) => JSON.stringify({ scripts: { test: script } }, null, 2);

type Files = Readonly<Record<string, readonly [string | null, string | null]>>;

function found(files: Files): string[] {
  const side = (at: 0 | 1) => new Map(Object.entries(files).map(([path, pair]) => [path, pair[at]]));
  return compareTests(side(0), side(1), undefined, ['src/a']).map(({ path, what }) => `${what} ${path}`);
}

const moved = (from: string, to: string, text: string, config: Files = {}): string[] =>
  found({ ...config, [from]: [text, null], [to]: [null, text] });

describe('a test that was moved', () => {
  const pytest: Files = { 'pyproject.toml': [PYPROJECT, PYPROJECT] };
  const scripted = (script: string): Files => ({ 'package.json': [packageOf(script), packageOf(script)] });

  it.each<[string, string, string, Files]>([
    ['tests/test_a.py', 'old/test_a.py', PY, pytest],
    ['tests/test_a.py', 'tests/.old/test_a.py', PY, {}],
    ['tests/test_a.py', 'tests/a_checks.py', PY, {}],
    ['a/a_test.go', 'a/testdata/a_test.go', GO, {}],
    ['a/a_test.go', '_old/a_test.go', GO, {}],
    ['a/a_test.go', 'a/a_windows_test.go', GO, {}],
    ['a/a_test.go', 'a/a_plan9_arm_test.go', GO, {}],
    ['test/a.test.js', 'old/a.test.js', JS, scripted('node --test test/')],
    ['test/a.test.js', 'old/a.test.js', JS, scripted('vitest run test')],
  ])('X13 from %s to %s is gone', (from, to, text, config) => {
    expect(moved(from, to, text, config)).toEqual([`deleted ${from}`]);
  });

  it.each<[string, string, string, Files]>([
    ['tests/test_a.py', 'tests/unit/test_a.py', PY, pytest],
    ['tests/test_a.py', 'old/test_a.py', PY, {}],
    [
      'tests/test_a.py',
      'unit/test_a.py',
      PY,
      { 'pyproject.toml': [PYPROJECT, PYPROJECT.replace('tests"', 'unit"')] },
    ],
    ['tests/check_a.py', 'tests/unit/check_a.py', PY, {}],
    ['a/a_test.go', 'b/b_test.go', GO, {}],
    ['a/a_test.go', 'a/a_linux_test.go', GO, {}],
    ['a/a_test.go', 'a/js_test.go', GO, {}],
    ['test/a.test.js', 'test/unit/a.test.js', JS, scripted('node --test test/')],
    ['test/a.test.js', 'src/a.test.js', JS, scripted('node --test')],
    ['test/a.test.js', 'old/a.test.js', JS, scripted('node --test "{test,old}/**/*.test.js"')],
    ['test/a.test.js', 'test/b.test.js', JS, scripted('vitest run')],
  ])('X13 from %s to %s still runs', (from, to, text, config) => {
    expect(moved(from, to, text, config)).toEqual([]);
  });
});

it('X13 a test that goes to one system with its code is still there', () => {
  const files = ['a/a_test.go', 'a/a_windows_test.go'];
  const compared = compareTests(
    new Map([
      [files[0] ?? '', GO],
      [files[1] ?? '', null],
    ]),
    new Map([
      [files[0] ?? '', null],
      [files[1] ?? '', GO],
    ]),
    undefined,
    ['a/a_windows.go'],
  );
  expect(compared).toEqual([]);
});

describe('a test that is left early', () => {
  const within = (text: string, first: string) => text.replace(/\{\n|:\n/, (open) => `${open}${first}\n`);

  it.each([
    ['a.test.js', JS, "  if (process.env.CI !== 'yes') return"],
    ['a.test.js', JS, '  if (!process.env.FULL) {\n    return;\n  }'],
    ['a.test.js', JS, '  if (true) return;'],
    ['test_a.py', PY, '    if not os.environ.get("FULL"):\n        return'],
    ['test_a.py', PY, '    if os.getenv("CI") is None: return None'],
    ['a_test.go', GO, '\tif testing.Short() || true {\n\t\treturn\n\t}'],
    ['a_test.go', GO, '\tif testing.Short() || true {\n\t\tt.Skip()\n\t}'],
    ['a_test.go', GO, '\tif os.Getenv("FULL") == "" {\n\t\treturn\n\t}'],
  ])('X13 %#: is skipped (%s)', (path, text, first) => {
    expect(found({ [path]: [text, within(text, first)] })).toEqual([`skipped ${path}`]);
  });

  it.each([
    ['a.test.js', JS, '  if (process.env.DEBUG) console.log(sum(1, 2))'],
    ['a.test.js', JS, '  const rows = [1].map((n) => { if (n > 1) return 0; return n })'],
    ['test_a.py', PY, '    if sys.platform == "win32":\n        return'],
    ['a_test.go', GO, '\tif testing.Short() {\n\t\treturn\n\t}'],
    ['a_test.go', GO, '\tif tt.wantErr {\n\t\treturn\n\t}'],
    ['a_test.go', GO, '\tif err := load(); err != nil {\n\t\tt.Fatal(err)\n\t}'],
  ])('X13 %#: is not, for another reason to leave (%s)', (path, text, first) => {
    expect(found({ [path]: [text, within(text, first)] })).toEqual([]);
  });

  it('X13 is none if it is new, and needs something that may not be there', () => {
    const added = `${PY}\n\ndef test_service():\n    if not os.environ.get("DATABASE_URL"):\n        return\n    assert ask() == 3\n`;
    expect(found({ 'test_a.py': [PY, added] })).toEqual([]);
  });
});
