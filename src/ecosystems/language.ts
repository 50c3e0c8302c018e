// How tests look in a language: what declares one, what skips it, what asserts. Each row is looked for once a line, in
// source without comments and strings. Rows are deliberately few and plain: what they miss weakens nothing that was
// counted before, and what they count wrongly is counted wrongly on both sides.

export interface Syntax {
  /** What begins a comment to the end of the line. */
  readonly line: readonly string[];
  /** `/* … *​/`. */
  readonly block: boolean;
  /** Quotes of strings that end with the line. */
  readonly quotes: string;
  /** Quotes of strings over several lines, the longest first. */
  readonly long: readonly string[];
  /** `'` is for one character only, or a name: 'a. */
  readonly single: boolean;
  /** `/…/` may be a pattern. */
  readonly patterns: boolean;
}

const SLASHES: Syntax = { line: ['//'], block: true, quotes: `"`, long: [], single: true, patterns: false };
const HASHES: Syntax = { line: ['#'], block: false, quotes: `"'`, long: [], single: false, patterns: false };

export const SYNTAXES = {
  script: { ...SLASHES, quotes: `"'`, long: ['`'], single: false, patterns: true },
  go: { ...SLASHES, long: ['`'] },
  rust: SLASHES,
  java: { ...SLASHES, long: ['"""'], quotes: '"`' },
  php: { ...SLASHES, line: ['//', '#'], quotes: `"'`, single: false },
  dart: { ...SLASHES, quotes: `"'`, long: [`'''`, '"""'], single: false },
  python: { ...HASHES, long: ['"""', `'''`] },
  ruby: HASHES,
  elixir: { ...HASHES, long: ['"""'] },
} as const satisfies Record<string, Syntax>;

export type MarkKind =
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

/** In the form a group `name` is the name; without one it is the first string after the match. */
export type Mark = readonly [kind: MarkKind, form: RegExp];

export interface Language {
  readonly syntax: Syntax;
  /** At one place of a line the first comes first: what declares stands before what skips. */
  readonly marks: readonly Mark[];
  /** Assertions that assert nothing. */
  readonly trivial: RegExp;
  /** A skip on a line that has this, or follows one that has, is the usual way to leave out slow tests on demand. */
  readonly onDemand?: RegExp;
  /** Lines looked at as they are, comments included: they leave out the whole file. */
  readonly rawFile?: RegExp;
}

export const TRIVIAL =
  /\b(?:assert(?:_?true)?!?|ok|expect|self\.assertTrue|XCTAssert(?:True)?|(?:assert|Assert)\.(?:True|IsTrue|ok))\s*\(\s*(?:true|True|1|!0)\s*[,)]/;
