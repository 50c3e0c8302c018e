// What judges a session while it is recorded, as the recorder needs it: what a prompt asks for, what a command is good
// for, how the work tree is, and at the end of a turn whether what the agent says rests on anything. The gate makes it;
// it is loaded only when an event needs it. What it throws is a crash of the gate's, never of recording.
import type { AttemptFact, Check, Contract, Exit, TestCounts } from '../../format/index.ts';
import type { HostEvent } from './host-event.ts';
import type { Ruling } from './ruling.ts';

/** A way that was tried; whether it worked is told by the end of its call, unless its output shows that it did not. */
export type Tried = Omit<AttemptFact, 'ok'> & { readonly ok?: false };

/** What a finished command was, as its words and its output show. */
export interface CommandSeen {
  readonly checks: readonly Check[];
  readonly attempts: readonly Tried[];
  /** The line prints a report by itself: no count in its output is a runner's. */
  readonly pasted: boolean;
  /** What it can have been, by the names of acts that messages tell of. */
  readonly acts: readonly string[];
}

export interface Where {
  /** The shell's directory, and the workspace. */
  readonly cwd: string | null;
  readonly root: string | null;
}

/** Where a command ran, and what may stand in its way. */
export interface Ran extends Where {
  readonly session: string;
  /** Files that tools changed in this session, as they lie in the workspace. */
  readonly edited: readonly string[];
}

/** The end of a turn. */
export type TurnEnd = HostEvent & { readonly type: 'stop' | 'agent.end' };

export function isTurnEnd(event: HostEvent): event is TurnEnd {
  return event.type === 'stop' || event.type === 'agent.end';
}

export interface Concluded {
  readonly event: TurnEnd;
  readonly source: string;
  /** The session's state, by name. */
  readonly name: string;
  readonly session: string;
  /** The seq of the entry that holds the message. */
  readonly seq: number;
}

/** A prompt, or the beginning of a session, that was recorded. */
export interface Heard {
  readonly type: 'prompt' | 'session.start';
  readonly source: string;
  /** The session's state, by name. */
  readonly name: string;
  readonly session: string;
}

export interface Judge {
  /** The work tree as a session begins in it. Its commit, where it has one. */
  begin(root: string | null): Promise<{ readonly commit: string | null; keep(session: string): void }>;
  /** Null where the prompt asks for nothing that could be held against an answer. */
  contract(prompt: string): Promise<Contract | null>;
  /** Words of the prompt that tell the agent to go around the gate. */
  overrides(prompt: string): Promise<readonly { readonly phrase: string; readonly quote: string }[]>;
  command(
    command: string,
    where: Ran,
    ended: { readonly output: string; readonly exit: Exit; readonly tests: TestCounts | null },
  ): CommandSeen;
  /** The fingerprint of the work tree's code, as 64 hex digits; null where it can't be had. */
  tree(session: string, root: string | null): Promise<string | null>;
  /** The end of a turn came and is about to be recorded: what judging it takes may begin. Never throws. */
  expect(event: TurnEnd, session: string): void;
  /** After a turn's last message was recorded. Records its verdict. */
  conclude(concluded: Concluded): Promise<Ruling>;
  /** The hash of the policy in force as the entries tell, whatever is noted of it; null where none is on record. */
  policyOnRecord(): Promise<string | null>;
  /** What the person should know now, and was not told before; null where there is nothing. */
  news(heard: Heard): Promise<string | null>;
  /** An override or a crash is on record now: were there too many of them? */
  watch(source: string): Promise<void>;
  /** The session has ended: what was kept of its work tree is soon of no more use. */
  forget(session: string): void;
}
