// Where a check is run again: somewhere that what is run can harm nobody. The port that the gate needs; adapters are in
// sandbox/. What runs there is an agent's: it may write, read, fork, print and wait as it likes, and must get nothing
// of the ledger, the keys, the user's work tree, or of us.

export interface SandboxRun {
  /** A line for a shell. */
  readonly command: string;
  /** The work tree, by the path that it has for its user. It is not to be changed, whatever the command does. */
  readonly cwd: string;
  /** A throw-away copy of it, which the command has in its place. A sandbox may give it to another user. */
  readonly copy: string;
  readonly timeoutMs: number;
  /** Bytes of output that are kept: its head and its tail. */
  readonly maxOutput: number;
  readonly network: boolean;
  /** Ends the run early. */
  readonly signal?: AbortSignal | undefined;
}

export interface SandboxOutcome {
  /** Null where it did not come to its end by itself. */
  readonly exit: number | null;
  readonly signal: string | null;
  /** Both streams as they were printed, one among the other, within the bound. */
  readonly output: string;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
}

export interface Sandbox {
  readonly name: string;
  /** What it does not keep the command from, for people. */
  readonly cannot: readonly string[];
  /** Null where it can be used; else why not, and what to install or configure. Never rejects. */
  available(): Promise<string | null>;
  /** Nothing of the command runs any more when it resolves. Rejects where it could not be started. */
  run(run: SandboxRun): Promise<SandboxOutcome>;
}
