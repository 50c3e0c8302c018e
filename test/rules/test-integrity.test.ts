// Weakened tests, language by language: what is told, with the lines that show it, and what must not be.
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { compareTests, type Profile, parseProfile, profileOf } from '../../src/rules/index.ts';

type Files = Readonly<Record<string, string | null>>;

/** `path what: line | line`, each. Once from texts, once from what is kept of them: both must tell the same. */
function told(before: Files, after: Files): string[] {
  const now = new Map(Object.entries(after));
  const texts = new Map(Object.entries(before));
  const kept = new Map<string, Profile | null>();
  for (const [path, text] of texts) {
    const profile = text === null ? null : profileOf(path, text);
    kept.set(path, profile && parseProfile(JSON.parse(JSON.stringify(profile)) as Json));
  }
  const found = compareTests(texts, now);
  expect(compareTests(kept, now).map(({ path, what }) => [path, what])).toEqual(
    found.map(({ path, what }) => [path, what]),
  );
  return found.map(({ path, what, lines }) => `${path} ${what}: ${lines.join(' | ')}`);
}

function change(path: string, before: string | null, after: string | null): string[] {
  return told({ [path]: before }, { [path]: after }).map((line) => line.slice(path.length + 1));
}

const JS = `import { add } from '../src/add.ts';
describe('add', () => {
  it('adds', () => {
    expect(add(1, 2)).toBe(3);
    expect(add(0, 0)).toBe(0);
  });
  test("carries", async () => {
    expect(await add(9, 1)).toBe(10);
  });
});
`;
const PY = `import pytest
from parser import parse

class TestParse:
    def test_empty(self):
        assert parse("") == []

    def test_one(self):
        assert parse("a") == ["a"]

def test_two():
    assert len(parse("a b")) == 2
`;
const GO = `package parser

func TestParse(t *testing.T) {
	if got := Parse("a"); got != "a" {
		t.Errorf("got %v", got)
	}
}

func TestEmpty(t *testing.T) {
	require.Empty(t, Parse(""))
}
`;
const RUST = `pub fn add(a: u8, b: u8) -> u8 { a + b }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds<'a>() {
        assert_eq!(add(1, 2), 3);
    }

    #[tokio::test]
    async fn carries() {
        assert_eq!(add(9, 1), 10);
    }
}
`;
const JAVA = `class ParserTest {
    @Test
    void parsesOne() {
        assertEquals(1, parse("a").size());
    }

    @Test
    public void parsesNone() {
        assertTrue(parse("").isEmpty());
    }
}
`;
const KOTLIN = `class ParserTest {
    @Test
    fun \`parses one\`() {
        assertEquals(1, parse("a").size)
    }
}
`;
const PHP = `<?php
class ParserTest extends TestCase {
    public function testOne(): void {
        $this->assertSame(1, parse('a'));
    }
    #[Test]
    public function none(): void {
        $this->assertSame(0, parse(''));
    }
}
`;
const RUBY = `RSpec.describe Parser do
  it "parses one" do
    expect(parse("a")).to eq(1)
  end

  context "empty" do
    it 'parses none' do
      expect(parse("")).to eq(0)
    end
  end
end
`;
const CSHARP = `public class ParserTests {
    [Fact]
    public void ParsesOne() {
        Assert.Equal(1, Parse("a").Count);
    }
    [Theory]
    [InlineData("")]
    public async Task ParsesNone(string text) {
        Assert.Empty(Parse(text));
    }
}
`;
const ELIXIR = `defmodule ParserTest do
  use ExUnit.Case
  describe "parse" do
    test "one" do
      assert parse("a") == 1
    end
    test "none" do
      assert parse("") == 0
    end
  end
end
`;
const SWIFT = `class ParserTests: XCTestCase {
    func testOne() {
        XCTAssertEqual(parse("a"), 1)
    }
    func testNone() {
        XCTAssertEqual(parse(""), 0)
    }
}
`;
const DART = `void main() {
  test('one', () {
    expect(parse('a'), 1);
  });
}
`;
const CPP = `TEST(Parser, One) {
  EXPECT_EQ(parse("a"), 1);
}
TEST(Parser, None) {
  EXPECT_EQ(parse(""), 0);
}
`;

describe('X13a a skip of a test that was there is told', () => {
  it.each<[string, string, string, string, string]>([
    ['it.skip', 'a.test.ts', JS, "it('adds'", "it.skip('adds'"],
    ['test.todo', 'a.test.ts', JS, 'test("carries", async () => {', 'test.todo("carries", async () => {'],
    ['xit', 'a.test.ts', JS, "it('adds'", "xit('adds'"],
    ['describe.skip', 'a.test.ts', JS, "describe('add'", "describe.skip('add'"],
    ['xdescribe', 'a.test.ts', JS, "describe('add'", "xdescribe('add'"],
    ['it.skipIf(true)', 'a.test.ts', JS, "it('adds'", "it.skipIf(true)('adds'"],
    ['it.concurrent.skip', 'a.test.ts', JS, "it('adds'", "it.concurrent.skip('adds'"],
    ['test.fails', 'a.test.ts', JS, 'test("carries"', 'test.fails("carries"'],
    ['options of node:test', 'a.test.mjs', JS, "it('adds', ()", "it('adds', { skip: true }, ()"],
    [
      'this.skip()',
      'a.test.js',
      JS,
      '    expect(add(1, 2)).toBe(3);',
      '    this.skip(); expect(add(1, 2)).toBe(3);',
    ],
    [
      'pytest.mark.skip',
      'test_p.py',
      PY,
      '    def test_one',
      '    @pytest.mark.skip(reason="flaky")\n    def test_one',
    ],
    [
      'pytest.mark.skipif',
      'test_p.py',
      PY,
      'def test_two',
      '@pytest.mark.skipif(True, reason="x")\ndef test_two',
    ],
    ['pytest.mark.xfail', 'test_p.py', PY, 'def test_two', '@pytest.mark.xfail\ndef test_two'],
    ['unittest.skip', 'test_p.py', PY, 'class TestParse', '@unittest.skip("x")\nclass TestParse'],
    ['pytest.skip()', 'test_p.py', PY, '    assert len', '    pytest.skip("later")\n    assert len'],
    ['pytestmark', 'test_p.py', PY, 'from parser', 'pytestmark = pytest.mark.skip("all")\nfrom parser'],
    [
      'module level',
      'test_p.py',
      PY,
      'from parser',
      'pytest.skip("x", allow_module_level=True)\nfrom parser',
    ],
    ['__test__', 'test_p.py', PY, 'class TestParse:', 'class TestParse:\n    __test__ = False'],
    ['t.Skip', 'p_test.go', GO, '\tif got', '\tt.Skip("flaky")\n\tif got'],
    ['t.SkipNow', 'p_test.go', GO, '\tif got', '\tt.SkipNow()\n\tif got'],
    ['a build tag', 'p_test.go', GO, 'package parser', '//go:build integration\n\npackage parser'],
    ['#[ignore]', 'src/add.rs', RUST, '    #[test]', '    #[test]\n    #[ignore]'],
    ['#[ignore = …]', 'src/add.rs', RUST, '    #[tokio::test]', '    #[ignore = "slow"]\n    #[tokio::test]'],
    ['cfg(any())', 'src/add.rs', RUST, '    #[test]', '    #[cfg(any())]\n    #[test]'],
    ['cfg(any()) of the module', 'src/add.rs', RUST, '#[cfg(test)]', '#[cfg(any())]'],
    ['@Disabled', 'ParserTest.java', JAVA, '    @Test\n    void', '    @Disabled("x")\n    @Test\n    void'],
    ['@Ignore of the class', 'ParserTest.java', JAVA, 'class', '@Ignore\nclass'],
    ['@Ignore in Kotlin', 'ParserTest.kt', KOTLIN, '    @Test', '    @Test @Ignore'],
    [
      'markTestSkipped',
      'ParserTest.php',
      PHP,
      '        $this->assertSame(1',
      '        $this->markTestSkipped("x");\n        $this->assertSame(1',
    ],
    ['xit', 'parser_spec.rb', RUBY, 'it "parses one"', 'xit "parses one"'],
    ['skip', 'parser_spec.rb', RUBY, '    expect(parse("a"', '    skip "later"\n    expect(parse("a"'],
    ['pending', 'parser_spec.rb', RUBY, '    expect(parse("a"', '    pending\n    expect(parse("a"'],
    ['skip: true', 'parser_spec.rb', RUBY, 'it "parses one" do', 'it "parses one", skip: true do'],
    ['xcontext', 'parser_spec.rb', RUBY, 'context "empty"', 'xcontext "empty"'],
    ['Fact(Skip)', 'ParserTests.cs', CSHARP, '[Fact]', '[Fact(Skip = "flaky")]'],
    ['[Ignore]', 'ParserTests.cs', CSHARP, '    [Fact]', '    [Fact, Ignore("x")]'],
    ['@tag :skip', 'parser_test.exs', ELIXIR, '    test "one"', '    @tag :skip\n    test "one"'],
    ['@moduletag :skip', 'parser_test.exs', ELIXIR, '  use', '  @moduletag :skip\n  use'],
    [
      'XCTSkip',
      'ParserTests.swift',
      SWIFT,
      '        XCTAssertEqual(parse("a"',
      '        throw XCTSkip("x")\n        XCTAssertEqual(parse("a"',
    ],
    ['skip:', 'a_test.dart', DART, '  });', "  }, skip: 'later');"],
    ['GTEST_SKIP', 'parser_test.cc', CPP, '  EXPECT_EQ(parse("a"', '  GTEST_SKIP();\n  EXPECT_EQ(parse("a"'],
  ])('%s in %s', (_, path, text, from, to) => {
    expect(text).toContain(from);
    const found = change(path, text, text.replace(from, to));
    expect(found).toEqual([expect.stringMatching(/^skipped: ./)]);
  });

  it('with the lines that show it, at most five, cut', () => {
    const title = 'x'.repeat(300);
    const many = ['a', 'b', 'c', 'd', 'e', 'f', title].map((name) => `it('${name}', () => check(f(), 1));`);
    const [found] = compareTests(
      new Map([['m.test.ts', many.join('\n')]]),
      new Map([['m.test.ts', many.reverse().join('\n').replaceAll('it(', 'it.skip(')]]),
    );
    expect(found?.lines).toHaveLength(5);
    expect(found?.lines[0]).toHaveLength(160);
    expect(found?.lines[1]).toBe("it.skip('f', () => check(f(), 1));");
    expect(change('a.test.ts', JS, JS.replace("it('adds'", "it.skip('adds'"))).toEqual([
      "skipped: it.skip('adds', () => {",
    ]);
  });

  it('though another test was added', () => {
    const added = `${JS}it('is true', () => { expect(f()).toBe(true); });\n`;
    expect(change('a.test.ts', JS, added.replace("it('adds'", "it.skip('adds'"))).toEqual([
      "skipped: it.skip('adds', () => {",
    ]);
  });
});

describe('X13a a test that is gone is told', () => {
  it.each<[string, string, string, string, string, string]>([
    [
      'cut out',
      'a.test.ts',
      JS,
      '  test("carries", async () => {\n    expect(await add(9, 1)).toBe(10);\n  });\n',
      '',
      'test("carries", async () => {',
    ],
    [
      'in a comment',
      'a.test.ts',
      JS,
      '  test("carries", async () => {\n    expect(await add(9, 1)).toBe(10);\n  });',
      '/*  test("carries", async () => {\n    expect(await add(9, 1)).toBe(10);\n  });*/',
      'test("carries", async () => {',
    ],
    [
      'in comments',
      'test_p.py',
      PY,
      'def test_two():\n    assert',
      '# def test_two():\n#    assert',
      'def test_two():',
    ],
    [
      'in a string',
      'test_p.py',
      PY,
      'def test_two():\n    assert len(parse("a b")) == 2\n',
      "'''\ndef test_two():\n    assert len(parse('a b')) == 2\n'''\n",
      'def test_two():',
    ],
    ['renamed away', 'test_p.py', PY, 'def test_two', 'def _test_two', 'def test_two():'],
    ['renamed away', 'p_test.go', GO, 'func TestEmpty', 'func testEmpty', 'func TestEmpty(t *testing.T) {'],
    ['without its attribute', 'src/add.rs', RUST, '    #[test]\n', '', "fn adds<'a>() {"],
    [
      'without its annotation',
      'ParserTest.java',
      JAVA,
      '    @Test\n    void',
      '    void',
      'void parsesOne() {',
    ],
    [
      'disabled by name',
      'parser_test.cc',
      CPP,
      'Parser, None',
      'Parser, DISABLED_None',
      'TEST(Parser, None) {',
    ],
  ])('%s in %s', (_, path, text, from, to, line) => {
    expect(text).toContain(from);
    expect(change(path, text, text.replace(from, to))).toEqual([`deleted: ${line}`]);
  });

  it('with its file', () => {
    expect(change('test/a.test.ts', JS, null)).toEqual([
      'deleted: it(\'adds\', () => { | test("carries", async () => {',
    ]);
    expect(change('test/run.bats', '@test "x" { true; }', null)).toEqual(['deleted: run.bats']);
  });

  it('with the code it tested', () => {
    expect(
      told({ 'src/add.ts': 'x', 'a.test.ts': JS }, { 'src/add.ts': null, 'a.test.ts': null }),
    ).toHaveLength(1);
  });
});

describe('X13a assertions that are gone are told', () => {
  it.each<[string, string, string, string, string, string]>([
    ['taken out', 'a.test.ts', JS, '    expect(add(0, 0)).toBe(0);\n', '', 'expect(add(0, 0)).toBe(0);'],
    [
      'in a comment',
      'a.test.ts',
      JS,
      '    expect(add(0, 0))',
      '    // expect(add(0, 0))',
      'expect(add(0, 0)).toBe(0);',
    ],
    [
      'made true',
      'a.test.ts',
      JS,
      'expect(add(0, 0)).toBe(0)',
      'expect(true).toBe(true)',
      'expect(true).toBe(true); | expect(add(0, 0)).toBe(0);',
    ],
    [
      'made true',
      'test_p.py',
      PY,
      'assert parse("") == []',
      'assert True',
      'assert True | assert parse("") == []',
    ],
    [
      'taken out',
      'p_test.go',
      GO,
      '\trequire.Empty(t, Parse(""))',
      '\t_ = Parse("")',
      'require.Empty(t, Parse(""))',
    ],
    [
      'taken out',
      'src/add.rs',
      RUST,
      '        assert_eq!(add(9, 1), 10);',
      '        add(9, 1);',
      'assert_eq!(add(9, 1), 10);',
    ],
    [
      'taken out',
      'parser_spec.rb',
      RUBY,
      '    expect(parse("a")).to eq(1)',
      '    parse("a")',
      'expect(parse("a")).to eq(1)',
    ],
  ])('%s in %s', (_, path, text, from, to, lines) => {
    expect(text).toContain(from);
    expect(change(path, text, text.replace(from, to))).toEqual([`loosened: ${lines}`]);
  });
});

describe('X13a tests that are left out by others being the only ones are told', () => {
  it.each([
    ['it.only', 'a.test.ts', JS, "it('adds'", "it.only('adds'"],
    ['fdescribe', 'a.test.ts', JS, "describe('add'", "fdescribe('add'"],
    ['fit', 'parser_spec.rb', RUBY, 'it "parses one"', 'fit "parses one"'],
  ])('%s in %s', (_, path, text, from, to) => {
    expect(change(path, text, text.replace(from, to))).toEqual([expect.stringMatching(/^deselected: ./)]);
  });
});

describe('X13a no alarm', () => {
  it.each<[string, string, string | null, string | null]>([
    ['nothing changed', 'a.test.ts', JS, JS],
    ['a new file', 'a.test.ts', null, JS],
    ['a new file with a skip', 'a.test.ts', null, JS.replace("it('adds'", "it.skip('adds'")],
    [
      'a new test that is skipped',
      'a.test.ts',
      JS,
      `${JS}it.skip('later', () => { expect(f()).toBe(1); });\nit.todo('more');\n`,
    ],
    ['a new suite that is skipped', 'a.test.ts', JS, `${JS}describe.skip('later', () => {});\n`],
    ['a test added', 'test_p.py', PY, `${PY}\ndef test_three():\n    assert f() == 3\n`],
    ['another expected value', 'a.test.ts', JS, JS.replace('toBe(3)', 'toBe(4)')],
    ['a test renamed', 'a.test.ts', JS, JS.replace("'adds'", "'adds numbers'")],
    [
      'tests in another order',
      'test_p.py',
      PY,
      PY.replace('test_one', 'test_x').replace('test_empty', 'test_one').replace('test_x', 'test_empty'),
    ],
    ['a skip taken away', 'a.test.ts', JS.replace("it('adds'", "it.skip('adds'"), JS],
    [
      'a skip that stays',
      'a.test.ts',
      JS.replace("it('adds'", "it.skip('adds'"),
      `// more\n${JS.replace("it('adds'", "xit('adds'")}`,
    ],
    [
      'words in comments and strings',
      'a.test.ts',
      JS,
      JS.replace('expect(await', "log('it.skip( this.skip()'); // it.skip('adds'\n    expect(await"),
    ],
    [
      'tests made a table',
      'a.test.ts',
      JS,
      "describe('add', () => {\n  it.each([[1, 2, 3], [9, 1, 10]])('%i and %i', (a, b, sum) => {\n    expect(add(a, b)).toBe(sum);\n  });\n});\n",
    ],
    [
      'tests made a loop',
      'a.test.ts',
      JS,
      'for (const [name, a, b, sum] of [\n  ["two", 1, 2, 3],\n  ["ten", 9, 1, 10],\n]) {\n  it(name, () => {\n    expect(add(a, b)).toBe(sum);\n  });\n}\n',
    ],
    [
      'tests made a table',
      'test_p.py',
      PY,
      '@pytest.mark.parametrize("text", ["", "a"])\ndef test_all(text):\n    assert parse(text) == list(text)\n',
    ],
    [
      'assertions made one',
      'a.test.ts',
      JS,
      JS.replace(
        '    expect(add(1, 2)).toBe(3);\n    expect(add(0, 0)).toBe(0);',
        '    expect([add(1, 2), add(0, 0)]).toEqual([3, 0]);',
      ),
    ],
    [
      'a member called skip',
      'a.test.ts',
      JS,
      JS.replace('expect(await add', 'await list({ skip: 10, take: 5 }); expect(await add'),
    ],
    [
      'short tests on demand',
      'p_test.go',
      GO,
      GO.replace('\tif got', '\tif testing.Short() {\n\t\tt.Skip("slow")\n\t}\n\tif got'),
    ],
    [
      'a pattern with quotes',
      'a.test.ts',
      JS,
      JS.replace('    expect(await', '    const form = /[\'`"]/;\n    expect(await'),
    ],
    ['what is no test', 'src/add.ts', JS, null],
    ['Rust without tests', 'src/lib.rs', 'fn a() { assert!(x); }', null],
    ['a helper of tests', 'test/helper.ts', 'export const x = () => 1;\n', null],
  ])('%s: %s', (_, path, before, after) => {
    expect(change(path, before, after)).toEqual([]);
  });

  it('when a file moved, with small changes', () => {
    const moved = JS.replace('../src', '../../src');
    expect(
      told(
        { 'test/a.test.ts': JS, 'test/unit/a.test.ts': null },
        { 'test/a.test.ts': null, 'test/unit/a.test.ts': moved },
      ),
    ).toEqual([]);
  });

  it.each([
    ['text/more/a_test.go', 0],
    ['text/testdata/a_test.go', 1],
    ['text/_a_test.go', 1],
  ])('when a file moved to where its runner looks: %s', (to, count) => {
    const text = 'func TestA(t *testing.T) {\n\tif add(1, 2) != 3 {\n\t\tt.Error("no")\n\t}\n}\n';
    const from = 'text/a_test.go';
    expect(told({ [from]: text, [to]: null }, { [from]: null, [to]: text })).toHaveLength(count);
  });

  it('when a test moved to another file and got another name', () => {
    const test = '  test("carries", async () => {\n    expect(await add(9, 1)).toBe(10);\n  });\n';
    const more = test.replace('carries', 'carries over');
    const before = { 'a.test.ts': JS, 'b.test.ts': null };
    expect(told(before, { 'a.test.ts': JS.replace(test, ''), 'b.test.ts': more })).toEqual([]);
    const other = more.replace('add(9, 1)', 'add(1, 1)');
    expect(told(before, { 'a.test.ts': JS.replace(test, ''), 'b.test.ts': other })).toHaveLength(1);
  });

  it('when one test moved to another file; but when it was left behind on the way', () => {
    const test = '  test("carries", async () => {\n    expect(await add(9, 1)).toBe(10);\n  });\n';
    const less = JS.replace(test, '');
    const more = `describe('sum', () => {\n${test}});\n`;
    const before = { 'a.test.ts': JS, 'b.test.ts': null };
    expect(told(before, { 'a.test.ts': less, 'b.test.ts': more })).toEqual([]);
    expect(told(before, { 'a.test.ts': less, 'b.test.ts': 'setUp(app);' })).toHaveLength(1);
  });
});

describe('X13a a configuration that leaves tests out, or lets failures through, is told', () => {
  const PACKAGE = JSON.stringify(
    { scripts: { test: 'vitest run', build: 'tsc' }, jest: { verbose: true } },
    null,
    2,
  );
  const VITEST = `import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    coverage: { exclude: ['x'], thresholds: { lines: 90, branches: 80 } },
  },
});
`;
  const PYTEST = '[pytest]\naddopts = -ra -q\ntestpaths = tests\n';
  const PYPROJECT = `[project]\nname = "x"\n\n[tool.pytest.ini_options]\naddopts = ["-ra", "--strict-markers"]\n\n[tool.coverage.report]\nfail_under = 90\n`;
  const MAKE = 'build:\n\tgo build ./...\n\ntest: build\n\tgo test ./...\n';
  it.each<[string, string, string, string, string, string]>([
    ['a script that says it passed', 'package.json', PACKAGE, 'vitest run', "echo '5 passed'", 'loosened'],
    ['a script that does nothing', 'package.json', PACKAGE, 'vitest run', 'true', 'loosened'],
    ['a script that can not fail', 'package.json', PACKAGE, 'vitest run', 'vitest run || true', 'loosened'],
    ['a script that can not fail', 'package.json', PACKAGE, 'vitest run', 'vitest run; exit 0', 'loosened'],
    ['passWithNoTests', 'package.json', PACKAGE, 'vitest run', 'vitest run --passWithNoTests', 'loosened'],
    ['--exclude', 'package.json', PACKAGE, 'vitest run', 'vitest run --exclude test/a.test.ts', 'deselected'],
    ['a script that is gone', 'package.json', PACKAGE, '"test": "vitest run",', '', 'loosened'],
    [
      'jest settings',
      'package.json',
      PACKAGE,
      '"verbose": true',
      '"testPathIgnorePatterns": ["add"]',
      'deselected',
    ],
    [
      'exclude',
      'vitest.config.ts',
      VITEST,
      "'**/node_modules/**'",
      "'**/node_modules/**', 'test/a.test.ts'",
      'deselected',
    ],
    [
      'passWithNoTests',
      'vitest.config.ts',
      VITEST,
      '  test: {',
      '  test: {\n    passWithNoTests: true,',
      'loosened',
    ],
    ['a threshold lowered', 'vitest.config.ts', VITEST, 'lines: 90', 'lines: 40', 'loosened'],
    ['a threshold gone', 'vitest.config.ts', VITEST, 'lines: 90, ', '', 'loosened'],
    [
      'testPathIgnorePatterns',
      'jest.config.js',
      'module.exports = {\n  verbose: true,\n};\n',
      'verbose: true',
      "testPathIgnorePatterns: ['/slow/']",
      'deselected',
    ],
    ['--ignore', 'pytest.ini', PYTEST, '-q', '-q --ignore=tests/test_a.py', 'deselected'],
    [
      '--deselect on a line of its own',
      'pytest.ini',
      PYTEST,
      '-q',
      '-q\n    --deselect tests/test_a.py::test_x',
      'deselected',
    ],
    ['-k not', 'tox.ini', PYTEST, '-q', "-q -k 'not slow'", 'deselected'],
    [
      '-k not',
      'pyproject.toml',
      PYPROJECT,
      '["-ra", "--strict-markers"]',
      '"-ra -k \'not slow\'"',
      'deselected',
    ],
    ['-k in a list', 'pyproject.toml', PYPROJECT, '"-ra",', '"-ra", "-k", "not slow",', 'deselected'],
    [
      '--ignore in a list',
      'pyproject.toml',
      PYPROJECT,
      '"-ra",',
      '"-ra", "--ignore=tests/test_a.py",',
      'deselected',
    ],
    ['fail_under lowered', 'pyproject.toml', PYPROJECT, 'fail_under = 90', 'fail_under = 10', 'loosened'],
    [
      'commands of tox',
      'tox.ini',
      '[testenv]\ncommands = pytest\n',
      'pytest',
      '- pytest || true',
      'loosened',
    ],
    [
      'collect_ignore',
      'tests/conftest.py',
      'import pytest\n',
      'import pytest',
      'import pytest\ncollect_ignore = ["test_a.py"]',
      'deselected',
    ],
    [
      'skips of all',
      'conftest.py',
      'import pytest\n',
      'import pytest',
      'import pytest\ndef pytest_collection_modifyitems(items):\n    items[:] = []',
      'deselected',
    ],
    [
      'another function in the place of one that a test loaded',
      'tests/conftest.py',
      'import pytest\n',
      'import pytest',
      'import pytest\n\n@pytest.fixture(autouse=True)\ndef trend(monkeypatch):\n    monkeypatch.setattr("tests.test_stats.trend", len)',
      'loosened',
    ],
    [
      'ignore',
      '.mocharc.json',
      '{"spec": "test"}',
      '"spec": "test"',
      '"spec": "test", "ignore": ["test/a.js"]',
      'deselected',
    ],
    [
      'ignore',
      '.mocharc.yml',
      'spec: test\n',
      'spec: test',
      'spec: test\nignore:\n  - test/a.js',
      'deselected',
    ],
    [
      'exclude',
      'phpunit.xml',
      '<testsuite name="x">\n<directory>tests</directory>\n</testsuite>',
      '</directory>',
      '</directory>\n<exclude>tests/ATest.php</exclude>',
      'deselected',
    ],
    [
      'skipTests',
      'pom.xml',
      '<properties>\n</properties>',
      '<properties>',
      '<properties>\n<skipTests>true</skipTests>',
      'loosened',
    ],
    ['a target that does nothing', 'Makefile', MAKE, '\tgo test ./...', '\t@echo ok', 'loosened'],
    ['a target that can not fail', 'Makefile', MAKE, '\tgo test ./...', '\t-go test ./...', 'loosened'],
    [
      'test = false',
      'Cargo.toml',
      '[package]\nname = "x"\n\n[[test]]\nname = "a"\n',
      'name = "a"',
      'name = "a"\ntest = false',
      'deselected',
    ],
    [
      'continue-on-error',
      '.github/workflows/ci.yml',
      'steps:\n  - run: npm test\n',
      'npm test',
      'npm test\n    continue-on-error: true',
      'loosened',
    ],
  ])('%s in %s', (_, path, text, from, to, what) => {
    expect(text).toContain(from);
    const found = change(
      path,
      text,
      text.replace(from, () => to),
    );
    expect(found).toEqual([expect.stringMatching(new RegExp(`^${what}: .`))]);
  });

  it('with the line that shows it', () => {
    expect(change('package.json', PACKAGE, PACKAGE.replace('vitest run', 'vitest run || true'))).toEqual([
      'loosened: "test": "vitest run || true",',
    ]);
  });

  it('in a new file only where it names tests', () => {
    expect(change('pytest.ini', null, '[pytest]\naddopts = --ignore=tests/test_a.py\n')).toHaveLength(1);
    expect(change('vitest.config.ts', null, VITEST.replace('node_modules', 'e2e'))).toEqual([]);
    expect(
      change('package.json', null, PACKAGE.replace('vitest run', 'vitest run --passWithNoTests')),
    ).toEqual([]);
  });

  it.each<[string, string, string, string, string]>([
    ['another runner', 'package.json', PACKAGE, 'vitest run', 'jest --ci'],
    ['a dependency', 'package.json', PACKAGE, '"jest"', '"devDependencies": {"exclude": "1"}, "jest"'],
    ['another script', 'package.json', PACKAGE, '"tsc"', '"echo built"'],
    [
      'a step before it',
      'package.json',
      PACKAGE,
      'vitest run',
      'echo start && tsc && vitest run --retry 2 --bail 1',
    ],
    [
      'usual directories',
      'vitest.config.ts',
      VITEST,
      "'**/node_modules/**'",
      "'**/node_modules/**', '**/dist/**'",
    ],
    ['coverage', 'vitest.config.ts', VITEST, "exclude: ['x']", "exclude: ['x', 'test/a.test.ts']"],
    ['a threshold raised', 'vitest.config.ts', VITEST, 'lines: 90', 'lines: 95'],
    [
      'a time limit',
      'vitest.config.ts',
      VITEST,
      '  test: {',
      '  test: {\n    testTimeout: 20_000, retry: 2,',
    ],
    ['options', 'pytest.ini', PYTEST, '-q', '-q -x --tb=short -p no:cacheprovider'],
    ['a comment', 'pytest.ini', PYTEST, '-q', '-q\n# addopts = --ignore=tests/test_a.py'],
    [
      'a fixture',
      'conftest.py',
      'import pytest\n',
      'import pytest',
      'import pytest\n\n@pytest.fixture\ndef items():\n    return []',
    ],
    [
      'a stand-in for what the code under test uses',
      'conftest.py',
      'import pytest\n',
      'import pytest',
      'import pytest\n\n@pytest.fixture(autouse=True)\ndef still(monkeypatch):\n    monkeypatch.setattr("shop.latest.sleep", print)',
    ],
    ['a flag of the test command', 'Makefile', MAKE, 'go test', 'go test -race'],
  ])('but not: %s in %s', (_, path, text, from, to) => {
    expect(text).toContain(from);
    expect(
      change(
        path,
        text,
        text.replace(from, () => to),
      ),
    ).toEqual([]);
  });
});

describe('hostile files', () => {
  const ATOMS = [
    "it.skip('",
    '/*',
    '`',
    "'''",
    '"""',
    '\\',
    '[',
    '{',
    '(',
    '@Test(',
    '#[',
    'describe(',
    '--ignore=',
    '\n',
    ' ',
  ];
  it.each([
    'a.test.ts',
    'test_a.py',
    'a_test.go',
    'src/a.rs',
    'ATest.java',
    'ATests.cs',
    'a_spec.rb',
    'package.json',
    'pytest.ini',
    'Makefile',
    'conftest.py',
    'pom.xml',
  ])('are read in one pass: %s', (path) => {
    for (const atom of ATOMS) {
      const text = atom.repeat(Math.ceil(60_000 / atom.length));
      const profile = profileOf(path, text);
      expect(JSON.stringify(profile).length).toBeLessThan(200_000);
      expect(() => compareTests(new Map([[path, text]]), new Map([[path, `${text}x`]]))).not.toThrow();
    }
  });

  it.each([
    null,
    1,
    [],
    {},
    { kind: 'test' },
    { kind: 'config' },
    { kind: 'config', facts: [{}] },
    { kind: 'config', facts: [], x: 1 },
  ])('a profile that is none is refused: %j', (value) => {
    expect(() => parseProfile(value as Json)).toThrow(expect.objectContaining({ name: 'ParseError' }));
  });
});

describe('X13 what makes a test accept more', () => {
  const CASES = `import pytest

@pytest.mark.parametrize("text, value", [
    ("1", 1),
    ("2", 2),
    ("[3, 4]", [3, 4]),
])
def test_parse(text, value):
    assert parse(text) == value


def test_sub():
    got = sub(3, 1)
    assert got == 2
    assert sub(1, 1) == 0
`;

  it.each([
    ['an assertion that always holds', 'assert got == 2', 'assert got == 2 or True', 'loosened'],
    ['an early return', '    got = sub(3, 1)', '    return\n    got = sub(3, 1)', 'skipped'],
    [
      'a failure that is caught',
      '    assert got == 2\n',
      '    try:\n        assert got == 2\n    except AssertionError:\n        pass\n',
      'loosened',
    ],
    [
      'a failure that is suppressed',
      '    assert got == 2\n',
      '    with suppress(AssertionError):\n        assert got == 2\n',
      'loosened',
    ],
    ['a case that is gone', '    ("[3, 4]", [3, 4]),\n', '', 'loosened'],
    ['a case on one line', '    ("1", 1),\n    ("2", 2),\n', '    ("1", 1),\n', 'loosened'],
  ])('%s', (_, from, to, what) => {
    expect(CASES).toContain(from);
    expect(
      change(
        'tests/test_a.py',
        CASES,
        CASES.replace(from, () => to),
      ),
    ).toEqual([expect.stringMatching(new RegExp(`^${what}: .`))]);
  });

  it.each([
    ['a case more', '    ("2", 2),\n', '    ("2", 2),\n    ("5", 5),\n'],
    ['a case that became a test', '    ("2", 2),\n', '', '\n\ndef test_two():\n    assert parse("2") == 2\n'],
    ['a return at the end', '    assert sub(1, 1) == 0\n', '    assert sub(1, 1) == 0\n    return\n'],
    ['a return of a branch', '    got = sub(3, 1)', '    if X:\n        return\n    got = sub(3, 1)'],
    [
      'a failure that is told',
      '    assert got == 2\n',
      '    try:\n        assert got == 2\n    except AssertionError:\n        dump()\n        raise\n',
    ],
    ['a function of the test', '    got = sub(3, 1)', '    def hook():\n        return\n    got = sub(3, 1)'],
    [
      'a new test that needs a service',
      'def test_sub():',
      'def needs_database():\n    if not URL:\n        pytest.skip("no database")\n\n\ndef test_sub():',
    ],
  ])('but not %s', (_, from, to, more = '') => {
    expect(CASES).toContain(from);
    expect(change('tests/test_a.py', CASES, CASES.replace(from, () => to) + more)).toEqual([]);
  });

  it('assertions that became one over the whole', () => {
    const many = `package a

func TestAll(t *testing.T) {
	got := all()
	if len(got) != 1 {
		t.Fatalf("one")
	}
	if got[0].a != "x" {
		t.Errorf("a")
	}
	if got[0].b != "y" {
		t.Errorf("b")
	}
}
`;
    const one = `package a

func TestAll(t *testing.T) {
	got := all()
	want := []pair{{"x", "y"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
`;
    expect(change('a_test.go', many, one)).toEqual([]);
  });

  it.each([
    ['a.test.js', "import { test } from 'node:test';\ntest('works', () => {});\n"],
    ['test_a.py', 'import pytest\n\n\ndef test_a():\n    pass\n'],
    ['test_b.py', 'def test_a():\n    assert True\n'],
    ['a_test.go', 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n}\n'],
  ])('a new test that does nothing: %s', (path, text) => {
    expect(change(path, null, text)).toEqual([expect.stringMatching(/^loosened: ./)]);
  });

  it.each([
    ['a.test.js', "test('works', () => { render(App); });\n"],
    ['b.test.js', "test('works', () => render(App));\n"],
    ['test_a.py', 'def test_a():\n    import app\n'],
    ['test_b.py', 'def test_a():\n    assert add(1, 2) == 3\n\n\ndef test_b():\n    pass\n'],
    ['a_test.go', 'package a\n\nfunc TestA(t *testing.T) {\n\tRun()\n}\n'],
  ])('a new test that does something: %s', (path, text) => {
    expect(change(path, null, text)).toEqual([]);
  });

  it.each([
    ['pytest.ini', '[pytest]\n', '[pytest]\naddopts = -k fast\n', 'deselected'],
    [
      'pyproject.toml',
      '[tool.pytest.ini_options]\n',
      '[tool.pytest.ini_options]\naddopts = ["-k", "fast"]\n',
      'deselected',
    ],
    ['pytest.ini', null, '[pytest]\naddopts = -k fast\n', 'deselected'],
    [
      'conftest.py',
      null,
      'def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if "sub" not in i.name]\n',
      'deselected',
    ],
    [
      'conftest.py',
      null,
      '@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item):\n    out = yield\n    out.get_result().outcome = "passed"\n',
      'loosened',
    ],
    ['conftest.py', null, 'def pytest_sessionfinish(session):\n    session.exitstatus = 0\n', 'loosened'],
  ])('%s that leaves tests out or speaks for them', (path, before, after, what) => {
    expect(change(path, before, after)).toEqual([expect.stringMatching(new RegExp(`^${what}: .`))]);
  });

  const WORKFLOW = `jobs:
  docs:
    runs-on: ubuntu-latest
    steps:
      - name: Build site
        run: mkdocs build
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Unit tests
        run: |
          pytest -q
`;
  const failing = (from: string, depth: number): string =>
    WORKFLOW.replace(from, () => `${from}\n${' '.repeat(depth)}continue-on-error: true`);

  it('a pipeline whose failing tests don’t count, and not one whose documents may fail', () => {
    const path = '.github/workflows/ci.yml';
    const docs = failing('        run: mkdocs build', 8);
    expect(change(path, WORKFLOW, docs)).toEqual([]);
    expect(change(path, docs, WORKFLOW)).toEqual([]);
    const azure = failing('pytest -q', 8).replace('continue-on-error', 'continueOnError');
    expect(change(path, WORKFLOW, azure)).toEqual(['loosened: continueOnError: true']);
    for (const text of [failing('pytest -q', 8), failing('  test:', 4)]) {
      expect(change(path, WORKFLOW, text)).toEqual(['loosened: continue-on-error: true']);
      expect(change(path, text, WORKFLOW)).toEqual([]);
    }
  });

  it('names the test that is skipped', () => {
    expect(
      change('tests/test_a.py', CASES, CASES.replace('def test_sub', '@pytest.mark.skip\ndef test_sub')),
    ).toEqual(['skipped: @pytest.mark.skip (test_sub)']);
  });
});
