// X13: suites put around tests to skip them, rows that don't run, errors of any sort, results taken over as they come.
import { describe, expect, it } from 'vitest';
import { compareTests } from '../../src/rules/index.ts';

/** What became weaker, where `code` was changed beside it. */
function found(path: string, was: string, is: string, code: readonly string[] = ['src/a.js']): string[] {
  return compareTests(new Map([[path, was]]), new Map([[path, is]]), undefined, code).map(({ what }) => what);
}

const TESTS =
  "test('adds', () => {\n  assert.equal(add(1, 2), 3);\n});\ntest('takes', () => {\n  assert.equal(take(2, 1), 1);\n});\n";

describe('X13 a suite that is skipped', () => {
  it('skips the tests that it is put around', () => {
    expect(found('a.test.js', TESTS, `describe.skip('all', () => {\n${TESTS}});\n`)).toEqual(['skipped']);
    const [first, second] = TESTS.split(/(?=test\('takes)/);
    expect(found('a.test.js', TESTS, `${first}xdescribe('some', () => {\n${second}});\n`)).toEqual([
      'skipped',
    ]);
  });

  it('says nothing of tests behind it, of a suite that runs, and of one that was skipped before', () => {
    const news =
      "describe.skip('new', () => {\n  test('more', () => {\n    assert.equal(f(1), 2);\n  });\n});\n";
    expect(found('a.test.js', TESTS, news + TESTS)).toEqual([]);
    expect(found('a.test.js', TESTS, `describe('all', () => {\n${TESTS}});\n`)).toEqual([]);
    const skipped = `describe.skip('all', () => {\n${TESTS}});\n`;
    expect(found('a.test.js', skipped, skipped.replace("'all'", "'every'"))).toEqual([]);
  });
});

describe('X13 rows that do not run', () => {
  const table = (...rows: string[]) =>
    `import pytest\n@pytest.mark.parametrize("a,b", [\n${rows.map((row) => `    ${row},\n`).join('')}])\ndef test_f(a, b):\n    assert f(a) == b\n`;
  const go = (...rows: string[]) =>
    `func TestF(t *testing.T) {\n\tfor _, tt := range []struct {\n\t\tname string\n\t\twant int\n\t}{\n${rows.map((row) => `\t\t${row},\n`).join('')}\t} {\n\t\tt.Run(tt.name, func(t *testing.T) {\n\t\t\tif got := f(tt.name); got != tt.want {\n\t\t\t\tt.Fatalf("got %d", got)\n\t\t\t}\n\t\t})\n\t}\n}\n`;

  it.each(['skip', 'xfail', 'skip(reason="x")'])('pytest.param with marks=%s', (mark) => {
    const marked = `pytest.param(2, 3, marks=pytest.mark.${mark})`;
    expect(found('test_f.py', table('(1, 2)', '(2, 3)'), table('(1, 2)', marked))).toEqual(['loosened']);
    expect(found('test_f.py', table('(1, 2)', '(2, 3)'), table('(1, 2)', '(2, 3)', marked))).toEqual([]);
    expect(
      found('test_f.py', table('(1, 2)', '(2, 3)'), table('(1, 2)', 'pytest.param(2, 3, id="x")')),
    ).toEqual([]);
  });

  it('rows of a Go table that are gone, or a comment now', () => {
    const [a, b] = ['{"a", 1}', '{"b", 2}'];
    expect(found('f_test.go', go(a, b), go(a), ['f.go'])).toEqual(['loosened']);
    expect(found('f_test.go', go(a, b), go(a, b).replace(`\t\t${b}`, `\t\t// ${b}`), ['f.go'])).toEqual([
      'loosened',
    ]);
    expect(found('f_test.go', go(a, b), go(a, b, '{"c", 3}'), ['f.go'])).toEqual([]);
  });
});

describe('X13 errors of any sort', () => {
  const js = (line: string) => `test('fails', () => {\n  ${line}\n});\n`;
  const py = (line: string) => `def test_fails():\n    with ${line}:\n        f()\n`;

  it.each([
    ['a.test.js', js('assert.throws(() => f(1), RangeError);'), js('assert.throws(() => f(1));')],
    ['a.test.js', js('expect(() => f(1)).toThrow(RangeError);'), js('expect(() => f(1)).toThrow();')],
    ['a.test.js', js('expect(() => f(1)).toThrow(RangeError);'), js('expect(() => f(1)).toThrow(Error);')],
    ['test_a.py', py('pytest.raises(ValueError, match="no =")'), py('pytest.raises(Exception)')],
    ['test_a.py', py('pytest.raises(ValueError, match="no =")'), py('pytest.raises(ValueError)')],
  ])('%s: %s', (path, was, is) => {
    expect(found(path, was, is)).toEqual(['loosened']);
    expect(found(path, is, was)).toEqual([]);
  });

  it('says nothing of another sort', () => {
    expect(found('test_a.py', py('pytest.raises(ValueError)'), py('pytest.raises(KeyError)'))).toEqual([]);
  });
});

describe('X13 results that are taken over', () => {
  const js = (line: string) => `test('counts', () => {\n  ${line}\n});\n`;
  const rust = (value: string, code = 'a - b') =>
    `pub fn add(a: i32, b: i32) -> i32 {\n    ${code}\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), ${value});\n    }\n}\n`;

  it('a value that became a snapshot of another', () => {
    const was = js('expect(discount(100, 10)).toBe(90);');
    expect(
      found('a.test.js', was, js("expect(discount(100, 10)).toMatchInlineSnapshot('-900');"), []),
    ).toEqual(['loosened']);
    expect(found('a.test.js', was, js("expect(discount(100, 10)).toMatchInlineSnapshot('90');"), [])).toEqual(
      [],
    );
  });

  it('a value in a file of Rust whose code is as it was', () => {
    expect(found('src/lib.rs', rust('3'), rust('-1'), ['src/lib.rs'])).toEqual(['loosened']);
    expect(found('src/lib.rs', rust('3'), `// Adds.\n${rust('-1')}`, ['src/lib.rs'])).toEqual(['loosened']);
    expect(found('src/lib.rs', rust('3'), rust('-1', 'b - a'), ['src/lib.rs'])).toEqual([]);
  });

  it('a test that must panic now', () => {
    const now = rust('3').replace('    fn adds', '    #[should_panic]\n    fn adds');
    expect(found('src/lib.rs', rust('3'), now, ['src/lib.rs'])).toEqual(['skipped']);
  });
});
