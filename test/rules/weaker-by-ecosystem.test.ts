// X13: what makes tests weaker in each ecosystem's own words, and beside each the honest change that looks like it. Some
// code is changed with every test, so a value that is other is fine.
import { describe, expect, it } from 'vitest';
import { compareTests } from '../../src/rules/index.ts';

const FILES = {
  py: 'tests/test_a.py',
  js: 'test/a.test.js',
  go: 'a_test.go',
  java: 'src/test/java/ATest.java',
  kt: 'src/test/kotlin/ATest.kt',
  rb: 'spec/a_spec.rb',
  rs: 'tests/a.rs',
};
type Kind = keyof typeof FILES;

/** A test with these lines in it. */
const AROUND: Record<Kind, (lines: string) => string> = {
  py: (lines) => `def test_a():\n${indented(lines, '    ')}`,
  js: (lines) => `it('a', () => {\n${indented(lines, '  ')}});\n`,
  go: (lines) => `func TestA(t *testing.T) {\n${indented(lines, '\t')}}\n`,
  java: (lines) => `class ATest {\n  @Test\n  void a() {\n${indented(lines, '    ')}  }\n}\n`,
  kt: (lines) => `class ATest {\n  @Test\n  fun a() {\n${indented(lines, '    ')}  }\n}\n`,
  rb: (lines) => `RSpec.describe Cart do\n  it 'a' do\n${indented(lines, '    ')}  end\nend\n`,
  rs: (lines) => `#[test]\nfn a() {\n${indented(lines, '    ')}}\n`,
};

function indented(lines: string, by: string): string {
  return lines.replace(/^/gm, by).concat('\n');
}

function weaker(path: string, was: string, is: string, others: readonly string[] = []): string[] {
  const [before, after] = [was, is].map((text) => new Map([[path, text]])) as [
    Map<string, string>,
    Map<string, string>,
  ];
  return compareTests(before, after, undefined, ['src/a.x'], [path, ...others]).map(({ what }) => what);
}

const inTest = (kind: Kind, was: string, is: string): string[] =>
  weaker(FILES[kind], AROUND[kind](was), AROUND[kind](is));

describe('X13a an assertion that asks less', () => {
  const python = 'res = get()\nassert res.status_code == 200\n';
  const go = (condition: string) => `got, err := Div(1, 0)\nif ${condition} {\n\tt.Fatal(err)\n}`;
  it.each<[Kind, string, string]>([
    ['py', `${python}assert res.json() == {"a": 1}`, `${python}assert "a" in res.json()`],
    ['py', `${python}assert res.json() == {"a": 1}`, `${python}assert len(res.json()) == 1`],
    ['py', `${python}assert res.json() == {"a": 1}`, `${python}assert res.json() == {"a": mock.ANY}`],
    ['py', 'self.assertEqual(f(1), 3)', 'self.assertAlmostEqual(f(1), 3, delta=5)'],
    ['js', 'expect(f(1)).toBe(90);', 'expect(f(1)).toBeCloseTo(90, -4);'],
    ['go', go('!errors.Is(err, ErrZero)'), go('err == nil')],
    ['go', go('!errors.Is(err, tt.want)'), go('(err == nil) != errors.Is(tt.want, nil)')],
    ['java', 'assertEquals(List.of(1, 2), c.list());', 'assertNotNull(c.list());'],
    ['java', 'assertEquals(3, c.add(1, 2));', 'assertEquals(3, c.add(1, 2), 100);'],
    ['java', 'assertThat(c.add(1, 2), is(3));', 'assertThat(c.add(1, 2), is(greaterThan(0)));'],
    ['kt', 'assertFailsWith<IOException> { f(1) }', 'assertFails { f(1) }'],
    ['rb', 'expect(cart.total).to eq(1)', 'expect(cart.total).not_to be_nil'],
    ['rb', 'expect(cart.total).to eq 1', 'expect(cart.total).to be >= 0'],
    ['rb', "expect(json['a']).to eq(1)", "expect(json['a']).to be_present"],
    ['rb', 'expect { f(nil) }.to raise_error(ArgumentError, /nil/)', 'expect { f(nil) }.to raise_error'],
    ['rb', 'assert_equal 3, Cart.new(1, 2).total', 'refute_nil Cart.new(1, 2).total'],
    ['rs', 'assert_eq!(div(1, 0), Err(Error::Zero));', 'assert!(matches!(div(1, 0), Err(_)));'],
  ])('%s: %s → %s', (kind, was, is) => {
    expect(inTest(kind, was, is)).toEqual(['loosened']);
  });

  it.each<[Kind, string, string]>([
    ['py', `${python}assert res.json() == {"a": 1}`, `${python}assert res.json()["a"] == 1`],
    ['py', `${python}assert res.json() == {"a": 1}`, `${python}assert res.text == '{"a": 1}'`],
    ['py', `${python}assert res.json() == {"a": 1}`, `${python}assert_body(res, {"a": 1})`],
    ['py', `${python}assert "a" in res.json()`, `${python}assert res.json() == {"a": 1}`],
    [
      'py',
      'with pytest.raises(ValueError, match="negative"):\n    f(-1)',
      'with pytest.raises(ValueError) as error:\n    f(-1)\nassert "negative" in str(error.value)',
    ],
    ['js', 'expect(f(1)).toBe(0.3);', 'expect(f(1)).toBeCloseTo(0.3, 5);'],
    ['go', go('err != ErrZero'), go('!errors.Is(err, ErrZero)')],
    ['java', 'assertEquals(3, c.add(1, 2));', 'assertThat(c.add(1, 2), is(3));'],
    ['java', 'assertEquals(0.3, c.add(1, 2));', 'assertEquals(0.3, c.add(1, 2), 0.001);'],
    ['kt', 'assertEquals(3, add(1, 2))', 'add(1, 2) shouldBe 3'],
    ['rb', 'expect(cart).to be_empty', 'is_expected.to be_empty'],
    ['rb', 'expect(Calc.sub(3, 1)).to eq(2)', 'result = Calc.sub(3, 1)\nexpect(result).to eq 2'],
    ['rb', 'assert_equal 2, Calc.sub(3, 1)', '_(Calc.sub(3, 1)).must_equal 2'],
    ['rb', 'expect { f(nil) }.to raise_error', 'expect { f(nil) }.to raise_error(ArgumentError)'],
    ['rs', 'assert_eq!(div(1, 0), Err(Error::Zero));', 'assert!(matches!(div(1, 0), Err(Error::Zero)));'],
  ])('%s, but not: %s → %s', (kind, was, is) => {
    expect(inTest(kind, was, is)).toEqual([]);
  });

  it('an error that is given a name and not asked for what it says', () => {
    const raises = (more: string) => `with pytest.raises(ValueError${more}:\n    f(-1)\nassert g(1) == 2`;
    expect(inTest('py', raises(', match="negative")'), raises(') as error'))).toEqual(['loosened']);
  });
});

describe('X13a a test that is left out on a condition', () => {
  const java = (mark: string) =>
    `class ATest {\n  @Test\n${mark}  void a() {\n    assertEquals(1, f());\n  }\n}\n`;
  const values = (list: string) =>
    `class ATest {\n  @ParameterizedTest\n  @ValueSource(ints = {${list}})\n  void odd(int n) {\n    assertTrue(isOdd(n));\n  }\n}\n`;
  const rb = (more: string) =>
    `RSpec.describe Cart do\n  it 'sums'${more} do\n    expect(f(1)).to eq(1)\n  end\nend\n`;
  const rs = (mark: string) => `${mark}#[test]\nfn a() {\n    assert_eq!(f(1), 2);\n}\n`;
  const js = (title: string, given: string, first = '') =>
    `it('${title}', (${given}) => {\n${first}  expect(f(1)).toBe(2);\n});\n`;
  const go = (list: string, first = '') =>
    `func TestA(t *testing.T) {\n\tfor _, tt := range ${list} {\n${first}\t\tif got := f(tt.in); got != tt.want {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n}\n`;
  const rows = (each: string) => `${each}([\n  [1, 2],\n])('%i', (a, b) => {\n  expect(f(a)).toBe(b);\n});\n`;
  const passes = '\t\tif tt.name == "zero" {\n\t\t\tcontinue\n\t\t}\n';
  const py = (name: string) =>
    `class ${name}:\n    def test_a(self):\n        assert f(1) == 2\n\n    def test_b(self):\n        assert f(2) == 3\n`;
  it.each([
    [
      'assumeTrue',
      FILES.java,
      java(''),
      java('').replace('    assert', '    assumeTrue(System.getenv("FULL") != null);\n    assert'),
    ],
    [
      'EnabledIf',
      FILES.java,
      java(''),
      java('  @EnabledIfSystemProperty(named = "full", matches = "yes")\n'),
    ],
    [':skip', FILES.rb, rb(''), rb(', :skip')],
    ['skip: with a reason', FILES.rb, rb(''), rb(", skip: 'slow'")],
    ['if: false', FILES.rb, rb(''), rb(', if: false')],
    ['xdescribe of RSpec', FILES.rb, rb(''), rb('').replace('describe', 'xdescribe')],
    ['Disabled by its whole name', FILES.java, java(''), java('  @org.junit.jupiter.api.Disabled\n')],
    ['a table', FILES.js, rows('it.each'), rows('it.skip.each')],
    ['a feature', FILES.rs, rs(''), rs('#[cfg(feature = "slow")]\n')],
    ['skip of the context', FILES.js, js('a', ''), js('a', '{ skip }', '  skip();\n')],
    ['a row by its name', FILES.go, go('tests'), go('tests', passes)],
    ['all rows but the first', FILES.go, go('tests'), go('tests[:1]')],
    ['a class that pytest does not take', FILES.py, py('TestCart'), py('CartChecks')],
  ])('%s', (_, path, was, is) => {
    expect(weaker(path, was, is)).toEqual(['skipped']);
  });

  it('a failure that is rescued in Ruby, if all errors are', () => {
    const rescued = (error: string) => `begin\n  expect(f(1)).to eq(1)\nrescue ${error}\nend`;
    expect(inTest('rb', 'expect(f(1)).to eq(1)', rescued('Exception'))).toEqual(['loosened']);
    expect(inTest('rb', 'expect(f(1)).to eq(1)', rescued('IOError => e'))).toEqual([]);
  });

  it('fewer values', () => {
    expect(weaker(FILES.java, values('1, 3, 5'), values('1'))).toEqual(['loosened']);
    expect(weaker(FILES.java, values('1, 3, 5'), values('1, 3, 5, 7'))).toEqual([]);
  });

  it.each([
    [
      'a new test that needs something',
      FILES.rb,
      rb(''),
      `${rb('')}${rb(', :skip').replace('sums', 'syncs')}`,
    ],
    [
      'a new test of a feature',
      FILES.rs,
      rs(''),
      rs('') + rs('#[cfg(feature = "slow")]\n').replace('fn a', 'fn b'),
    ],
    ['a new test that skips itself', FILES.js, js('a', ''), js('a', '') + js('b', '{ skip }', '  skip();\n')],
    ['a feature of a function', FILES.rs, rs(''), `#[cfg(feature = "slow")]\nfn load() {}\n\n${rs('')}`],
    ['a function of that name', FILES.js, js('a', ''), js('a', '', '  skip(2);\n')],
    [
      'a part of other data',
      FILES.go,
      go('tests'),
      go('tests', '\t\tfor _, b := range buf[:2] {\n\t\t\tuse(b)\n\t\t}\n'),
    ],
    ['a class with another name', FILES.py, py('TestCart'), py('TestBasket')],
    ['a class of unittest', FILES.py, py('TestCart(TestCase)'), py('CartChecks(TestCase)')],
    [
      'a class of helpers',
      FILES.py,
      py('TestCart'),
      `class Fake:\n    def load(self):\n        return 1\n\n\n${py('TestCart')}`,
    ],
  ])('but not %s', (_, path, was, is) => {
    expect(weaker(path, was, is)).toEqual([]);
  });
});

describe('X13a a setting that chooses tests', () => {
  const pytest = (more = '') => `[pytest]\ntestpaths = tests\n${more}`;
  const pom = (more = '') => `<project>\n  <configuration>\n${more}  </configuration>\n</project>\n`;
  const gradle = (more: string, task = 'test') => `${task} {\n    useJUnitPlatform()\n${more}}\n`;
  const jest = (...patterns: string[]) => JSON.stringify({ jest: { testPathIgnorePatterns: patterns } });
  const make = (command: string) => `test:\n\t${command}\n`;
  const rake = (pattern: string) => `Rake::TestTask.new do |t|\n  t.pattern = '${pattern}'\nend\n`;
  const include = '    <include>**/FooTest.java</include>\n';
  const [cart, lib] = ['test/models/cart_test.rb', 'test/lib/a_test.rb'];
  it.each<[string, string, string, string[]?]>([
    ['pytest.ini', pytest(), pytest('python_functions = test_a*\n')],
    ['pytest.ini', pytest(), pytest('python_files = check_*.py\n')],
    ['pytest.ini', pytest(), pytest('python_classes = Check\n')],
    ['pom.xml', pom(), pom(include)],
    ['pom.xml', pom(), pom('    <excludedGroups>slow</excludedGroups>\n')],
    ['build.gradle', gradle(''), gradle('    enabled = false\n')],
    ['build.gradle.kts', gradle('', 'tasks.test'), gradle('    onlyIf { false }\n', 'tasks.test')],
    ['.rspec', '--color\n', '--color\n--pattern spec/models/**/*_spec.rb\n'],
    ['Rakefile', rake('test/**/*_test.rb'), rake('test/lib/*_test.rb'), [cart, lib]],
    ['package.json', jest('/node_modules/'), jest('/node_modules/', 'cart'), ['test/cart.test.js']],
    ['.mocharc.json', '{"spec":"test"}', '{"spec":"test","grep":"total"}'],
    ['playwright.config.ts', 'export default {};', 'export default { grepInvert: /checkout/ };'],
    ['Makefile', make('go test ./...'), make('go test ./util'), ['calc_test.go', 'util/a_test.go']],
  ])('%s: %s → %s', (path, was, is, others = []) => {
    expect(weaker(path, was, is, others)).toEqual(['deselected']);
  });

  it('tox ignores how the tests end', () => {
    const tox = (command: string) => `[testenv]\ncommands = ${command}\n`;
    expect(weaker('tox.ini', tox('pytest'), tox('- pytest'))).toEqual(['loosened']);
  });

  it.each<[string, string, string, string, string[]?]>([
    ['the usual names', 'pytest.ini', pytest(), pytest('python_files = test_*.py tests.py\n')],
    ['more classes', 'pytest.ini', pytest(), pytest('python_classes = Test* Check*\n')],
    ['one test more', 'pom.xml', pom(include), pom(include + include.replace('Foo', 'Bar'))],
    ['another task', 'build.gradle', gradle(''), `${gradle('')}jar {\n    enabled = false\n}\n`],
    ['all of them', '.rspec', '--color\n', '--color\n--pattern **/*_spec.rb\n'],
    ['all there are', 'Rakefile', rake('test/**/*_test.rb'), rake('test/lib/*_test.rb'), [lib]],
    ['no test of that name', 'package.json', jest(), jest('cart'), ['src/cart.js']],
    ['all there are', 'Makefile', make('go test ./...'), make('go test ./util'), ['util/a_test.go']],
    [
      'another language',
      'Makefile',
      make('go test ./...'),
      make('go test ./util'),
      ['util/a_test.go', 'web/a.test.js'],
    ],
    [
      'the rest elsewhere',
      'Makefile',
      make('go test ./...'),
      `${make('go test ./util')}\ntest-calc:\n\tgo test ./calc\n`,
      ['util/a_test.go', 'calc/a_test.go'],
    ],
  ])('but not %s: %s', (_, path, was, is, others = []) => {
    expect(weaker(path, was, is, others)).toEqual([]);
  });

  it('says nothing of a file that is new', () => {
    const news = compareTests(new Map([['pom.xml', null]]), new Map([['pom.xml', pom(include)]]));
    expect(news).toEqual([]);
  });
});

describe('X13a a table of Go that no type is written for', () => {
  const over = (rows: string) =>
    `for in, want := range map[int]string{${rows}} {\n\tif got := F(in); got != want {\n\t\tt.Error(got)\n\t}\n}`;

  it('lost cases', () => {
    expect(inTest('go', over('1: "a", 2: "b", 3: "c"'), over('1: "a"'))).toEqual(['loosened']);
  });

  it.each([
    ['has more', over('1: "a", 2: "b", 3: "c", 4: "d"')],
    ['has others', over('1: "x", 2: "b", 5: "c"')],
    ['is written in lines', over('\n1: "a",\n2: "b",\n3: "c",\n')],
  ])('%s', (_, is) => {
    expect(inTest('go', over('1: "a", 2: "b", 3: "c"'), is)).toEqual([]);
  });
});
