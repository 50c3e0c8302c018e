// What the gate is told of a turn: what its message claims, and what is on record; and what it says where nothing on record
// can have made a claim true.
import { asksForChange } from '../claims/index.ts';
import type { Claim, Contract } from '../format/index.ts';
import type { ClaimPolicy, ValidatorId } from '../policy/index.ts';
import type { Evidence } from './evidence.ts';
import type { ProjectCommands } from './suggestion.ts';
import type { ToldClaim } from './told-acts.ts';

/** A claim as the message makes it. */
export type SaidClaim = Claim &
  Partial<Pick<ToldClaim, 'unsure' | 'listed' | 'act'>> & {
    /** It says that nothing was tested, or how the code behaves: its author is held to it where tests failed. */
    readonly denial?: true;
  };

export interface JudgeInput {
  readonly claims: readonly SaidClaim[];
  /** The message itself, where more than its claims is looked at. */
  readonly message?: string;
  /** What the message says was not verified. */
  readonly disclosures: readonly string[];
  /** What it says still fails, apart from the work. */
  readonly failures?: readonly string[];
  readonly evidence: Evidence;
  readonly contract: Contract;
  readonly policy: ClaimPolicy;
  readonly project: ProjectCommands;
  /** The newest prompt: what came before it was another turn's. */
  readonly since?: number;
  /** No tool was called in this session. */
  readonly idle?: boolean;
  /** No tool was called for the newest prompt. */
  readonly still?: boolean;
  /** Something was done that is not on record whole: an agent of its own, a tool that is no command. */
  readonly outside?: boolean;
  /** A tool was called for the newest prompt that is no command and changed no file: what it showed is not on record. */
  readonly called?: boolean;
  /** Such a tool may have acted where nothing of it is recorded. */
  readonly unseen?: boolean;
  /** A structured block says what kind of an end it is: nothing of that is passed over in silence. */
  readonly formal?: boolean;
}

/** A file that is only named is looked for where the prompt may have ordered it. */
export function mayBeHeld({ act }: Pick<SaidClaim, 'act'>, { intent }: JudgeInput['contract']): boolean {
  return act?.what !== 'named file' || (intent !== 'fix' && asksForChange(intent));
}

/** Why a claim is held before any validator is asked. */
export interface Held {
  readonly status: 'unbacked' | 'failed' | 'stale' | 'not-tried';
  readonly code: string;
  readonly reason: string;
  readonly validator: ValidatorId;
}

const NO_SUCH_COMMAND = 'No command in this session could have been ';

/** It tells of an act that no command can have been. */
export function noSuchCommand(what: string): Held {
  const reason = `${NO_SUCH_COMMAND}${what}.`;
  return { status: 'unbacked', code: 'nothing-ran', reason, validator: 'command_zero_exit' };
}

export function isOfNoCommand({ reason }: Pick<Held, 'reason'>): boolean {
  return reason.startsWith(NO_SUCH_COMMAND);
}
