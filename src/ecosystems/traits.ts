// What is known of a runner by the name that its checks and its counts bear.

export interface Traits {
  readonly name: string;
  /** Given a folder, it finds all tests below it. */
  readonly finds?: true;
  /** The lines that tell of a failure: whoever shows a pass must have shown each of these as well. */
  readonly failing?: readonly string[];
  /** A line of the summary that stands before those that are counted: without it, the summary was cut. */
  readonly first?: RegExp;
  /** It prints nothing if all is well. */
  readonly silent?: true;
  /** The variable of the environment whose words are added to its own. */
  readonly options?: string;
  /** The module it is: a file of that name stands before it. */
  readonly module?: string;
}
