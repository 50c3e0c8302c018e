// What a runner's file tells, beside its command lines (tool.ts) and its output (report.ts): traits, configuration, and
// how its tests are written. Each mark is looked for once a line, in source without comments and strings. Marks are
// deliberately few and plain: what they miss weakens nothing that was counted before, and what they count wrongly is
// counted wrongly on both sides.

export interface Traits {
  readonly name: string;
  /** Given a folder, it finds all tests below it. */
  readonly finds?: true;
  /**
   * The lines that tell of a failure: whoever shows a pass must have shown each of these as well, or, of several, one: that of
   * the sum stands first, those above it follow.
   */
  readonly failing?: readonly (string | readonly string[])[];
  /** A line that each run prints once. */
  readonly once?: RegExp;
  /** How far from the end that line stands, at most, whether it passed or failed. */
  readonly depth?: number;
  /** The only lines of runs that went well, for each at least one with a `good`; every other line may tell of a failure. */
  readonly lines?: RegExp;
  /** A line of the summary that stands before those that are counted: without it, the summary was cut. */
  readonly first?: RegExp;
  /** It says itself how many tests there are: where as many passed, none has failed. */
  readonly sums?: true;
  /** What stands in the output for the `#` of its lines. */
  readonly mark?: RegExp;
  /** What a tool says at its end if all went well: a checker, or a runner that counts no tests. */
  readonly good?: RegExp;
  /** What tells of a failure, whatever its counts say. */
  readonly bad?: RegExp;
  /** It prints nothing if all is well; in the output of others, too, what it prints else has one of these. */
  readonly silent?: RegExp;
  /** It prints no summary of its tests if all is well. */
  readonly quiet?: true;
  /** It ends with 0 whatever it finds, unless it is told to write; lines like these show what it found. */
  readonly shows?: RegExp;
  /** The variable of the environment whose words are added to its own. */
  readonly options?: string;
  /** The module it is: a file of that name stands before it. */
  readonly module?: string;
}

/** What a member of a file of sections means. */
export type Meaning =
  | 'options' // words of a command line that every run gets
  | 'command' // a command line that runs tests
  | 'threshold' // a number that must be reached
  | 'leaves-out' // each of its words leaves tests out
  | 'loosens' // where it is true, failures don't count
  | 'runs-tests' // where it is false, tests don't run
  | 'chooses' // tests are found by these names
  | 'reaches'; // each of its words is a place where tests are looked for

export interface TestConfig {
  /** Files by which a project of its own is known, with the commands that test and build it. */
  readonly projects?: readonly (readonly [file: string, test: string, build: string | null])[];
  /** Programs that are configured by `NAME.config.*`, `NAME-setup.*` and the like. */
  readonly scripts?: string;
  /** Names of other files, in small letters, as parts of one pattern. */
  readonly names?: string;
  /** Where its members stand in a file of others: `jest` in package.json, `test` in vite.config.ts. */
  readonly sections?: string;
  /** Members that leave tests out; that let failures through where they are true. */
  readonly leavesOut?: string;
  readonly letsThrough?: string;
  /** Members that say where tests are looked for. */
  readonly reaches?: string;
  /** Members of files with sections, such as setup.cfg and Cargo.toml; options are those of a program. */
  readonly members?: readonly (readonly [section: RegExp, member: RegExp, Meaning, program?: string])[];
  readonly oneOf?: OneOf;
  /**
   * Lines of code and markup, by the path of the file; `only`: one chooses tests. A place is the form's first group. `head`
   * is the line with which the block around such a line begins.
   */
  readonly lines?: readonly (readonly [
    'deselect' | 'loosen' | 'only' | 'reach',
    file: RegExp,
    line: RegExp,
    head?: RegExp,
  ])[];
}

/** What a member of a checker's configuration means. */
export type Sense =
  | 'holds' // how strict it is: off, a warning, an error
  | 'loosens' // where it is true, less is found
  | 'leaves-out' // each of its words is code or a rule that is left out
  | 'reaches' // each of its words is code or a rule that is looked at
  | 'extends'; // the rest is said elsewhere

/** What makes a type checker or a linter find less. */
export interface Checker {
  readonly of: 'types' | 'lint';
  /** Names of its files, in small letters, as parts of one pattern. */
  readonly names?: string;
  /** Members by their path from the outermost, with dots between. The first that fits tells. */
  readonly settings?: readonly (readonly [member: RegExp, Sense])[];
  readonly oneOf?: OneOf;
  /** A file of such a name stands beside the one by which a project begins. */
  readonly variant?: RegExp;
  /** Comments and attributes that take a whole file out, but for one that has the last word; `rules`: no more than these. */
  readonly takesOut?: readonly (readonly [file: RegExp, form: RegExp, ends?: string])[];
}

/** Of several files in one folder the first is read that is there, and has its section; no other. */
export interface OneOf {
  readonly files: readonly string[];
  /** How its members begin: `tool.ruff`. A file that is named for it needs none. */
  readonly section: RegExp;
  /** How many of the files are named for it. */
  readonly named: number;
}

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

export const SCRIPT: Syntax = { ...SLASHES, quotes: `"'`, long: ['`'], single: false, patterns: true };
export const GO: Syntax = { ...SLASHES, long: ['`'] };
export const RUST = SLASHES;
export const JAVA: Syntax = { ...SLASHES, long: ['"""'], quotes: '"`' };
export const PHP: Syntax = { ...SLASHES, line: ['//', '#'], quotes: `"'`, single: false };
export const DART: Syntax = { ...SLASHES, quotes: `"'`, long: [`'''`, '"""'], single: false };
export const PYTHON: Syntax = { ...HASHES, long: ['"""', `'''`] };
export const RUBY = HASHES;
export const ELIXIR: Syntax = { ...HASHES, long: ['"""'] };

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
  | 'table' // one test for many cases
  | 'cases' // they follow it in a list
  | 'rows'; // the type of such cases, which follow it

/** In the form a group `name` is the name; without one it is the first string after the match. */
export type Mark = readonly [kind: MarkKind, form: RegExp];

export interface Language {
  readonly syntax: Syntax;
  /** By runner. At one place of a line the first comes first: what declares stands before what skips. */
  readonly marks: readonly (readonly Mark[])[];
  /** Assertions that assert nothing. */
  readonly trivial: RegExp;
  /** A skip on a line that has this, or follows one that has, is the usual way to leave out slow tests on demand. */
  readonly onDemand?: RegExp;
  /** A case of a table that does not run, or may fail. */
  readonly skippedCase?: RegExp;
  /** Lines looked at as they are, comments included: they leave out the whole file. */
  readonly rawFile?: RegExp;
  /** Code of any file by which tests pass whatever they ask: assertions, or how a test ended, are replaced. */
  readonly defeats?: readonly RegExp[];
  /** Code that is no test, and gives another result while tests run. */
  readonly knowsTests?: readonly RegExp[];
  /** What a stand-in is put in the place of: a module, or an object and its member. */
  readonly replaces?: readonly RegExp[];
}

export const TRIVIAL =
  /\b(?:assert(?:_?true)?!?|ok|expect|self\.assertTrue|XCTAssert(?:True)?|(?:assert|Assert)\.(?:True|IsTrue|ok))\s*\(\s*(?:true|True|1|!0)\s*[,)]/;
