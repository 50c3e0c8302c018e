// What a check needs to be run again, what may be asked for, and what comes of it.
import type { TestCounts } from '../format/index.ts';
import type { Clock, EntryLog } from '../ledger/index.ts';
import type { ValidatorId } from '../policy/index.ts';
import type { Intake } from '../record/index.ts';
import type { Policy } from './policy-in-force.ts';
import type { Sandbox } from './sandbox.ts';
import type { ValidationSigner } from './validation-signer.ts';

export interface ExecuteOptions {
  readonly store: Pick<EntryLog, 'append'>;
  readonly intake: Intake;
  /** The one in force. */
  readonly policy: Policy;
  readonly sandbox: Sandbox;
  /** Who runs it: the command, or the service. No hook writes under these names. */
  readonly source: 'foil' | 'service';
  readonly signer: () => Promise<ValidationSigner>;
  /** Where what is known of work trees is kept. */
  readonly trees: string;
  /** Where throw-away copies are made. */
  readonly temporary: string;
  /** The name of a session's state, which the gate judges its next turn by; null where it is gone. */
  readonly stateOf: (session: string) => string | null;
  /** What no copy may hold: ledgers, keys. */
  readonly hidden: readonly string[];
  /** Files of this user are not copied: ours, where the agent is another. */
  readonly notOwnedBy: number | null;
  readonly now?: Clock;
}

export interface ExecuteRequest {
  readonly validator: ValidatorId | null;
  readonly command: string | null;
  readonly network: boolean;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Executed {
  readonly outcome: 'pass' | 'fail';
  readonly code: string | null;
  /** A sentence; empty on pass. */
  readonly reason: string;
  readonly session: string;
  readonly claim: number;
  readonly validator: ValidatorId;
  readonly command: string;
  readonly sandbox: string;
  /** Seqs of what was written. */
  readonly call: number;
  readonly result: number;
  readonly validation: number;
  readonly exit: number | null;
  readonly tests: TestCounts | null;
  readonly durationMs: number;
  /** The end of what it printed, redacted. */
  readonly output: string;
}
