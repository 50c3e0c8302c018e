// How tests look in each language: what declares one, what skips it, what asserts. Each row is looked for once a line,
// in source without comments and strings. Rows are deliberately few and plain: what they miss weakens nothing that
// was counted before, and what they count wrongly is counted wrongly on both sides.
import { SYNTAXES, type Syntax } from './source-view.ts';

export type RowKind =
  | 'test' // declares a test, by its name or title
  | 'suite' // declares what holds tests
  | 'attribute' // the next declaration is a test
  | 'declaration' // of anything
  | 'skip-own' // skips what it declares itself; without a title, what it stands in
  | 'skip-next'
  | 'skip-here' // skips the test it stands in
  | 'skip-file'
  | 'only'
  | 'assert'
  | 'table'; // one test for many cases

export interface Row {
  readonly kind: RowKind;
  /** A group `name` is the name; without one it is the first string after the match. */
  readonly form: RegExp;
}

export interface Language {
  readonly syntax: Syntax;
  readonly rows: readonly Row[];
  /** Assertions that assert nothing. */
  readonly trivial: RegExp;
  /** A skip on a line that has this, or follows one that has, is the usual way to leave out slow tests on demand. */
  readonly onDemand?: RegExp;
  /** Lines looked at as they are, comments included: they leave out the whole file. */
  readonly rawFile?: RegExp;
}

function rows(...list: readonly (readonly [RowKind, RegExp])[]): readonly Row[] {
  return list.map(([kind, form]) => ({ kind, form: new RegExp(form, 'g') }));
}

const TRIVIAL =
  /\b(?:assert(?:_?true)?!?|ok|expect|self\.assertTrue|XCTAssert(?:True)?|(?:assert|Assert)\.(?:True|IsTrue|ok))\s*\(\s*(?:true|True|1|!0)\s*[,)]/;

const SCRIPT: Language = {
  syntax: SYNTAXES.script,
  rows: rows(
    ['suite', /(?<![\w$.])(?:[fx]?describe|suite|[fx]?context)(?:\.\w+)*\s*(?=[(<`])/],
    ['test', /(?<![\w$.])(?:Deno\.|QUnit\.|[st]\.)?(?:[fx]?it|[fx]?test|[fx]?specify)(?:\.\w+)*\s*(?=[(<`])/],
    ['skip-own', /(?<![\w$.])x(?:it|test|specify|describe|context)\b\s*(?=[(.])/],
    [
      'skip-own',
      /(?<![\w$.])(?:Deno\.|QUnit\.|[st]\.)?(?:it|test|specify|describe|suite|context)(?:\.\w+)*?\.(?:skip|todo|skipIf|runIf|fails|failing|fixme|ignore)\b\s*(?=[(.])/,
    ],
    [
      'skip-here',
      /\b(?:this|ctx|context|t|testInfo)\.(?:skip|todo|fixme|pending)\s*\(|^\s*(?:,\s*)?pending\s*\(/,
    ],
    [
      'skip-here',
      /(?<![\w$.])(?:it|test|describe|suite)\s*\(.*\{[^{}]{0,40}\b(?:skip|todo)\s*:\s*(?:true\b|["'`])/,
    ],
    ['skip-here', /^\s*ignore\s*:\s*true\b/],
    ['only', /(?<![\w$.])f(?:it|test|describe|context)\s*\(/],
    [
      'only',
      /(?<![\w$.])(?:Deno\.)?(?:it|test|specify|describe|suite|context)(?:\.\w+)*?\.only\b|\{\s*only\s*:\s*true/,
    ],
    [
      'assert',
      /(?<![\w$])expect(?:TypeOf)?(?:\.(?!assertions|hasAssertions|extend|any|objectContaining)\w+)*\s*[(<]|(?<![\w$.])assert(?:\.\w+)*\s*\(|\.should\b|\bt\.(?:is|not|true|false|truthy|falsy|deepEqual|equal|ok|same|throws|like|snapshot)\w*\s*\(/,
    ],
    ['table', /\.(?:each|for)\b\s*[(`<]/],
  ),
  trivial: TRIVIAL,
};

const PYTHON: Language = {
  syntax: SYNTAXES.python,
  rows: rows(
    ['suite', /^\s*class\s+(?<name>\w+)/],
    ['test', /^\s*(?:async\s+)?def\s+(?<name>test\w*)\s*\(/],
    ['declaration', /^\s*(?:async\s+)?def\s+(?<name>(?!test)\w+)\s*\(/],
    [
      'skip-next',
      /^\s*@(?:pytest\.)?mark\.(?:skip|skipif|xfail)\b|^\s*@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b/,
    ],
    [
      'skip-file',
      /^pytestmark\b[^#]*\b(?:skip|skipif|xfail)\b|^(?:pytest\.(?:skip|xfail)\s*\(|raise\s+(?:unittest\.)?SkipTest|__test__\s*=\s*False)/,
    ],
    [
      'skip-here',
      /^\s+(?:pytest\.(?:skip|xfail)\s*\(|self\.skipTest\s*\(|raise\s+(?:unittest\.)?SkipTest|__test__\s*=\s*False)/,
    ],
    [
      'assert',
      /^\s*assert\b|\bself\.(?:assert|fail)\w*\s*\(|\bpytest\.(?:raises|warns|fail)\b|\.assert_\w+\s*\(|\bassert_\w+\s*\(/,
    ],
    ['table', /@pytest\.mark\.parametrize\b|\bsubTest\s*\(|@parameterized\b/],
  ),
  trivial:
    /^\s*assert\s*\(?\s*(?:True|1|not False|1\s*==\s*1|True\s*(?:==|is)\s*True)\s*\)?\s*(?:,.*)?$|\bself\.assertTrue\(\s*True\s*[,)]/,
};

const GO: Language = {
  syntax: SYNTAXES.go,
  rows: rows(
    ['test', /^func\s+(?:\([^)]{0,120}\)\s*)?(?<name>(?:Test|Fuzz|Example)\w*)\s*\(/],
    ['declaration', /^func\s+(?:\([^)]{0,120}\)\s*)?(?<name>(?!Test|Fuzz|Example)\w+)\s*\(/],
    ['skip-here', /\b\w{1,8}\.(?:Skip|Skipf|SkipNow)\s*\(/],
    [
      'assert',
      /\b\w{1,3}\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\b(?:assert|require|is|must|qt)\.\w+\s*\(|\bExpect\s*\(/,
    ],
    ['table', /\b\w{1,3}\.Run\s*\(/],
  ),
  trivial: /\b(?:assert|require)\.(?:True|Equal)\(\s*\w+,\s*(?:true\s*[,)]|1\s*,\s*1\s*[,)])/,
  onDemand: /testing\.Short\(\)/,
  rawFile: /^\/\/go:build\s|^\/\/ \+build\s/,
};

const RUST: Language = {
  syntax: SYNTAXES.rust,
  rows: rows(
    ['attribute', /#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b/],
    ['declaration', /\bfn\s+(?<name>\w+)/],
    ['suite', /\bmod\s+(?<name>\w+)/],
    [
      'skip-next',
      /#\[\s*ignore\b|#\[\s*cfg_attr\([^\]]{0,120}\bignore\b|#\[\s*cfg\(\s*(?:any\(\s*\)|FALSE|false|not\(\s*(?:test|all\(\s*\))\s*\))\s*\)/,
    ],
    ['skip-file', /#!\[\s*cfg\(\s*(?:any\(\s*\)|FALSE|false|not\(\s*(?:test|all\(\s*\))\s*\))\s*\)/],
    ['assert', /\b(?:debug_|prop_)?assert\w*!|#\[\s*should_panic\b|\bpanic!/],
    ['table', /#\[\s*(?:case|values|test_case)\b/],
  ),
  trivial: /\bassert!\(\s*true\s*[,)]|\bassert_eq!\(\s*(?:true\s*,\s*true|1\s*,\s*1)\s*[,)]/,
};

const JAVA: Language = {
  syntax: SYNTAXES.java,
  rows: rows(
    ['attribute', /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b/],
    ['suite', /\b(?:class|object)\s+(?<name>\w+)/],
    ['declaration', /\b(?:void|fun)\s+(?<name>\w+)\s*\(|\bfun\s*(?=`)/],
    ['skip-next', /@(?:Disabled|Ignore)\w*\b|@Test\s*\([^)]{0,120}\benabled\s*=\s*false/],
    [
      'skip-here',
      /\bassume(?:True\s*\(\s*false|False\s*\(\s*true)|\bAssumptions\.abort\s*\(|\bthrow\s+new\s+(?:SkipException|TestAbortedException)\b/,
    ],
    ['skip-own', /(?<![\w.])x(?:it|test|should|describe|context)\s*(?=\()/],
    ['assert', /\b(?:assert|expect|verify)\w*\s*[({]|\bAssert\w*\.\w+\s*\(|\bshould\w+\b/],
    ['table', /@ParameterizedTest\b|@(?:Value|Csv|Method|Enum)Source\b/],
  ),
  trivial:
    /\bassert(?:True|That)\s*\(\s*true\s*[,)]|\bassertEquals\s*\(\s*(?:true\s*,\s*true|1\s*,\s*1)\s*[,)]/,
};

const CSHARP: Language = {
  syntax: SYNTAXES.java,
  rows: rows(
    ['attribute', /\[\s*(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod)\b/],
    ['suite', /\bclass\s+(?<name>\w+)/],
    ['declaration', /\b(?:void|Task(?:<\w+>)?|ValueTask)\s+(?<name>\w+)\s*[(<]/],
    [
      'skip-next',
      /\[[^\]]{0,120}\b(?:Fact|Theory|Test|TestCase)\s*\([^\]]{0,120}\b(?:Skip|Ignore)\s*=|[[,]\s*(?:Ignore|Explicit)\b\s*[(\],]/,
    ],
    ['skip-here', /\bAssert\.(?:Ignore|Inconclusive|Skip)\s*\(|\bSkip\.If\w*\s*\(/],
    ['skip-file', /^\s*#if\s+(?:false|0|NEVER)\b/],
    ['assert', /\bAssert\.(?!Ignore|Inconclusive|Skip)\w+|\.Should\w*\b/],
    ['table', /\[\s*(?:InlineData|TestCase|DataRow|MemberData)\b/],
  ),
  trivial: TRIVIAL,
};

const PHP: Language = {
  syntax: SYNTAXES.php,
  rows: rows(
    ['attribute', /#\[\s*(?:\w+\\)*Test\b/],
    ['suite', /\bclass\s+(?<name>\w+)/],
    ['test', /\bfunction\s+(?<name>test\w*)\s*\(|(?<![\w$>:])(?:it|test)\s*(?=\()/],
    ['declaration', /\bfunction\s+(?<name>(?!test)\w+)\s*\(/],
    ['skip-here', /\bmarkTest(?:Skipped|Incomplete)\s*\(|->(?:skip|todo)\s*\(/],
    ['only', /->only\s*\(/],
    ['assert', /(?:->|::)assert\w+\s*\(|(?<![\w$>:])expect\s*\(|\bexpectException\w*\s*\(/],
    ['table', /#\[\s*DataProvider|->with\s*\(/],
  ),
  trivial: /assertTrue\s*\(\s*true\s*[,)]|assertEquals\s*\(\s*1\s*,\s*1\s*[,)]|expect\s*\(\s*true\s*\)/i,
};

const RUBY: Language = {
  syntax: SYNTAXES.ruby,
  rows: rows(
    ['suite', /^\s*(?:RSpec\.)?[fx]?(?:describe|context|feature)\b\s*\(?(?=["'A-Z:])/],
    ['suite', /^\s*class\s+(?<name>\w+)/],
    ['test', /^\s*def\s+(?<name>test_\w+)/],
    ['test', /^\s*[fx]?(?:it|specify|example|scenario|test)\b\s*\(?\s*(?=["'{]|do\b)/],
    ['skip-own', /^\s*x(?:it|specify|example|scenario|describe|context|feature)\b/],
    ['skip-own', /^\s*(?:skip|pending)\b\s*\(?\s*["'][^"']*["']\s*\)?\s*do\b/],
    [
      'skip-own',
      /^\s*(?:RSpec\.)?(?:it|specify|example|scenario|describe|context|feature|test)\b.*(?:\b(?:skip|pending):\s*(?!false|nil)|:(?:skip|pending)\b)/,
    ],
    ['skip-here', /^\s*(?:skip|pending)\b(?!\s*[=.]|.*\bdo\s*$)/],
    ['only', /^\s*f(?:it|describe|context|specify|example|scenario)\b|\bfocus:\s*true|:focus\b/],
    ['assert', /\bexpect\b\s*[({]|^\s*(?:assert|refute)\w*\b|\.(?:must|wont)_\w+|\bshould(?:_not)?\b/],
    ['table', /\.each\b/],
  ),
  trivial: /\bassert\(?\s*true\s*\)?\s*$|\bexpect\(\s*true\s*\)/,
};

const ELIXIR: Language = {
  syntax: SYNTAXES.elixir,
  rows: rows(
    ['suite', /^\s*describe\s+(?=")|^\s*defmodule\s+(?<name>[\w.]+)/],
    ['test', /^\s*(?:test|property)\s+(?=")/],
    ['skip-next', /^\s*@tag\s+(?::skip\b|skip:\s*(?!false))/],
    ['skip-here', /^\s*@describetag\s+(?::skip\b|skip:\s*(?!false))/],
    ['skip-file', /^\s*@moduletag\s+(?::skip\b|skip:\s*(?!false))/],
    ['assert', /\b(?:assert|refute)\w*\b/],
    ['table', /^\s*for\s+.*<-/],
  ),
  trivial: /\bassert\(?\s*true\s*\)?\s*$/,
};

const SWIFT: Language = {
  syntax: SYNTAXES.java,
  rows: rows(
    ['attribute', /@Test\b/],
    ['suite', /\b(?:class|struct)\s+(?<name>\w+)/],
    ['test', /\bfunc\s+(?<name>test\w*)\s*\(/],
    ['declaration', /\bfunc\s+(?<name>(?!test)\w+)\s*[(<]/],
    ['skip-next', /@(?:Test|Suite)\s*\([^)]{0,120}\.disabled\b/],
    ['skip-here', /\bXCTSkip\w*\s*\(/],
    ['skip-file', /^\s*#if\s+(?:false|0)\b/],
    ['assert', /\bXCT(?:Assert\w*|Fail|Unwrap)\s*\(|#(?:expect|require)\s*\(|\bexpect\s*\(/],
    ['table', /\barguments:/],
  ),
  trivial: TRIVIAL,
};

const DART: Language = {
  syntax: SYNTAXES.dart,
  rows: rows(
    ['suite', /(?<![\w$.])group\s*(?=\()/],
    ['test', /(?<![\w$.])(?:test|testWidgets|blocTest)\s*(?:<[^>]{0,80}>)?(?=\()/],
    ['skip-here', /\bskip:\s*(?!false\b)|\bmarkTestSkipped\s*\(/],
    ['skip-file', /^@Skip\b/],
    ['only', /\bsolo:\s*true/],
    ['assert', /(?<![\w$.])expect(?:Later)?\s*\(/],
  ),
  trivial: /\bexpect\(\s*true\s*,\s*(?:true|isTrue)\s*\)/,
};

const CPP: Language = {
  syntax: SYNTAXES.rust,
  rows: rows(
    ['test', /\b(?:TEST|TEST_F|TEST_P|TYPED_TEST)\s*\(\s*\w+\s*,\s*(?<name>(?!DISABLED_)\w+)/],
    ['test', /\b(?:TEST_CASE|SCENARIO|BOOST_AUTO_TEST_CASE)\s*(?=\()/],
    ['skip-here', /\bGTEST_SKIP\s*\(|\bSKIP\s*\(/],
    ['skip-file', /^\s*#if\s+0\b/],
    ['assert', /\b(?:EXPECT|ASSERT|CHECK|REQUIRE|BOOST_(?:CHECK|REQUIRE|TEST))\w*\s*\(|\bassert\s*\(/],
    ['table', /\bINSTANTIATE_TEST_SUITE_P\b|\bGENERATE\s*\(/],
  ),
  trivial: /\b(?:EXPECT|ASSERT)_TRUE\(\s*true\s*\)|\bassert\(\s*(?:true|1)\s*\)/,
};

const SCALA: Language = {
  ...JAVA,
  rows: [
    ...JAVA.rows,
    ...rows(
      ['test', /(?<![\w.])(?:test|it)\s*(?=\(\s*")|\bin\s*\{/],
      ['skip-own', /(?<![\w.])ignore\s*(?=\(\s*")|\bignore\s*\{/],
    ),
  ],
};

const BY_ENDING: Readonly<Record<string, Language>> = {
  ...Object.fromEntries(
    'js jsx mjs cjs ts tsx mts cts vue svelte'.split(' ').map((ending) => [ending, SCRIPT]),
  ),
  py: PYTHON,
  go: GO,
  rs: RUST,
  java: JAVA,
  kt: JAVA,
  kts: JAVA,
  groovy: JAVA,
  scala: SCALA,
  cs: CSHARP,
  php: PHP,
  rb: RUBY,
  ex: ELIXIR,
  exs: ELIXIR,
  swift: SWIFT,
  dart: DART,
  ...Object.fromEntries('c cc cpp cxx h hpp'.split(' ').map((ending) => [ending, CPP])),
};

/** Undefined where its tests can't be read. */
export function languageOf(path: string): Language | undefined {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
}
