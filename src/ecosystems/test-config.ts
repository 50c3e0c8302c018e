// Where a runner's configuration stands, and what in it makes a pass worth less.

/** What a member of a file of sections means. */
export type Meaning =
  | 'options' // words of a command line that every run gets
  | 'command' // a command line that runs tests
  | 'threshold' // a number that must be reached
  | 'leaves-out' // each of its words leaves tests out
  | 'loosens' // where it is true, failures don't count
  | 'runs-tests'; // where it is false, tests don't run

export interface TestConfig {
  /** Programs that are configured by `NAME.config.*`, `NAME-setup.*` and the like. */
  readonly scripts?: string;
  /** Names of other files, in small letters, as parts of one pattern. */
  readonly names?: string;
  /** Where its members stand in a file of others: `jest` in package.json, `test` in vite.config.ts. */
  readonly sections?: string;
  /** Members that leave tests out; that let failures through where they are true. */
  readonly leavesOut?: string;
  readonly letsThrough?: string;
  /** Members of files with sections, such as setup.cfg and Cargo.toml: section, member, meaning. */
  readonly members?: readonly (readonly [section: RegExp, member: RegExp, Meaning])[];
  /** Lines of code and markup, by the path of the file. */
  readonly lines?: readonly (readonly ['deselect' | 'loosen', file: RegExp, line: RegExp])[];
}
