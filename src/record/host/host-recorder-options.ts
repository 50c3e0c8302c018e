// What a recorder of hosts works with: the rooms that it writes through, and what is asked of others only when an event
// first needs it.

import type { Config } from '../../config/index.ts';
import type { Clock, EntryLog, Mode } from '../../ledger/index.ts';
import type { Auth, Blocks, OpenTally } from '../../session/index.ts';
import type { Authority } from '../authority.ts';
import type { Intake } from '../intake.ts';
import type { Defence } from './defence.ts';
import type { HooksSeen } from './hook-files.ts';
import type { Judge } from './judge.ts';

export interface HostRecorderOptions {
  readonly store: Pick<EntryLog, 'append' | 'readState'>;
  /** What counts a session's entries, loaded when one ends. */
  readonly tally: OpenTally;
  readonly intake: Intake;
  readonly config: Config;
  /** What the redactor's rules are called together. */
  readonly redaction: string;
  readonly mode: Mode;
  readonly now?: Clock;
  /** Longest wait for other writers: below the host's own patience. */
  readonly timeout?: number;
  /** The session that `foil run` began for us. */
  readonly run?: string | undefined;
  /** The auth keys, looked for when an event first needs them; undefined where nobody asks for any. */
  readonly auth?: (() => Auth) | undefined;
  /** Where the project is, from a host's working directory. */
  readonly workspaceRoot: (cwd: string | null) => string | null;
  /** The host's process, where we are its child. */
  readonly pid?: number | null;
  /** Where blocks come from; undefined where sessions are not bound to any. */
  readonly blocks?: Blocks | undefined;
  /** Asked about calls that may turn against their own recording; undefined where nobody does. */
  readonly defend?: Defence | undefined;
  /** What is known of our hooks in the host's settings; null where nothing is. */
  readonly hooksNow?:
    | ((host: { readonly agent: string; readonly cwd: string | null }) => HooksSeen | null)
    | undefined;
  /** What agents may do; undefined where nobody asks. */
  readonly authority?: Authority | undefined;
  /** Last parts of our own paths, by which such a call is known at a glance. */
  readonly ownNames?: readonly string[];
  /** Made when an event first needs it. */
  readonly judge?: (() => Judge) | undefined;
}

/** How long an append waits, and the state that it is given. */
export function waitFor(
  { timeout }: Pick<HostRecorderOptions, 'timeout'>,
  state?: string,
): { timeout?: number; state?: string } {
  return { ...(timeout === undefined ? {} : { timeout }), ...(state === undefined ? {} : { state }) };
}
