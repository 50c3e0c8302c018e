// What passes between foil and the process of a fork: one message each way.
import type { Json, JsonObject } from '../core/index.ts';
import type { ForkReplay } from '../format/index.ts';
import type { Located } from '../ledger/index.ts';
import type { RunStatus } from './run-parts.ts';

/** All of it is plain JSON: it goes from one process to another. */
export interface ForkOptions {
  readonly place: Pick<Located, 'directory' | 'keyDirectory'>;
  readonly cwd: string;
  /** The parent, and where its session begins or an entry before that. */
  readonly run: string;
  readonly first: number;
  readonly at: number;
  readonly replay: ForkReplay;
  /** The state behind that event. */
  readonly start: JsonObject;
  readonly isStateChanged: boolean;
  /** A module of other code; null for the parent's. */
  readonly agent: string | null;
  /** Where the parent's code was laid. */
  readonly folder: string;
  /** Beside the parent's own; null where they stay. */
  readonly parameters: JsonObject | null;
  /** Instead of the parent's observations behind that event; null for those. */
  readonly inputs: readonly Json[] | null;
  readonly live: boolean;
  readonly impure: readonly string[];
}

export interface Forked {
  readonly run: string;
  /** Null where it was begun and not driven. */
  readonly status: RunStatus | null;
  /** Whether it got to its end, or to the end of what it was to observe. */
  readonly isComplete: boolean;
  /** Observations that it was given, of how many. */
  readonly observed: number;
  readonly inputs: number;
}

export type ForkAnswer =
  | { readonly done: Forked }
  | { readonly failed: { readonly code: string | null; readonly message: string } };
