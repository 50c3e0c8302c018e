// What a sandbox of bubblewrap is made with.
import type { SandboxLimits } from '../../gate/index.ts';

export interface BubblewrapOptions {
  /** Directories and files that the command must not see, wherever they are: ledger, keys, sockets. */
  readonly hidden: readonly string[];
  /** Where the command finds its programs. */
  readonly path?: string;
  readonly home?: string | undefined;
  /** A control group that is ours to divide; one that the system gave to our user unless it is named. */
  readonly cgroup?: string | undefined;
  readonly limits?: Partial<SandboxLimits>;
  /** Where the file is made that a report is written to. */
  readonly temporary?: string;
}
