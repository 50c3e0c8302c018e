// What a session of a program is to those who use it, and what recorders of programs are made of. program-session.ts does
// what these promise.

import type { Config } from '../../config/index.ts';
import type { Json, JsonObject } from '../../core/index.ts';
import type { FileFact, InteractionKind, SessionCounts, ToolFacts, ToolResult } from '../../format/index.ts';
import type { Clock, EntryLog, Mode } from '../../ledger/index.ts';
import type { Blocks, SessionTallies } from '../../session/index.ts';
import type { AuthGuard } from '../auth-guard.ts';
import type { WireAuthority } from '../authority.ts';
import { type Digest, type Intake, Traces } from '../intake.ts';
import type { OpenModelCall, Sent } from '../model/model-call.ts';
import type { Notes } from './notes.ts';
import type { Tool } from './tool-attempt.ts';
import type { TakenCall, ToolOptions } from './tool-call.ts';

/** A session that was begun. */
export interface Session {
  /** 64 hex digits. */
  readonly id: string;
  /** The seq of its first entry. */
  readonly first: number;
  /** The id of the auth key that it began with; null where there is none. */
  readonly authKey: string | null;
  /** Why it began without a good auth key, where one is asked for; null where it did not. */
  readonly unauthenticated: string | null;
  /** What the agent is told. Durable when it resolves; what comes after that is caused by it. */
  prompt(text: string): Promise<void>;
  /** What the agent answers. Durable when it resolves. */
  response(text: string, options?: { readonly model?: string }): Promise<void>;
  /**
   * Makes the call durable, runs it, makes its result durable, and only then gives it back. What the tool throws is a
   * result like any other and is thrown again once it is on record. RecordError when the call can't be recorded, and
   * then nothing ran; or when the result can't be, and then it is withheld, whether the tool gave or threw it.
   */
  tool<T>(name: string, args: unknown, run: Tool<T>, options?: ToolOptions): Promise<T>;
  /**
   * A model is about to be called: on record when it resolves, and only then may the request be sent. Whoever sends it
   * hands on nothing that is not on record yet. RecordError where it can't be recorded.
   */
  model(sent: Omit<Sent, 'receipt' | 'nonce'>): Promise<OpenModelCall>;
  /**
   * Ends the session once its calls are over, and seals. Calls that begin meanwhile are refused, but for those made
   * within one that is still running. Again is no harm; after a failure, it is another try. StoreError when the end is
   * on record and could not be sealed.
   */
  end(options?: EndOptions): Promise<void>;
}

export interface EndOptions {
  readonly reason?: string;
  readonly exitCode?: number;
  /** For who saw more of the session than its own recorder did. */
  readonly counts?: SessionCounts;
}

export interface SessionOptions {
  readonly agent?: string;
  /** The program's own id for it. */
  readonly agentSession?: string;
  readonly trigger?: string;
  /** The id of the session that this one goes on from. */
  readonly resumes?: string;
  /** The root of the harness pack that it begins with, 64 hex digits. */
  readonly pack?: string;
  /** The hash of the grants that it begins with, 64 hex digits. */
  readonly capabilities?: string;
  /** The independent gateway that its model calls must go through: a URL of one that the ledger's settings know. */
  readonly gateway?: string;
  /**
   * What its interactions are: a response with its prompt (`response`, unless given), or each call of a model
   * (`model.result`).
   */
  readonly interactionKind?: InteractionKind;
  /** The source whose turns count, where that is another one that joins the session: `hook:claude-code`. */
  readonly interaction?: string;
}

export interface RecorderOptions {
  readonly store: Pick<EntryLog, 'append' | 'head' | 'read'>;
  readonly intake: Intake;
  readonly config: Config;
  readonly redaction: string;
  /** Who acts: `planner`, `executor` … Each call may say otherwise. */
  readonly role?: string | undefined;
  readonly agent: string;
  readonly source: string;
  readonly workspaceRoot: string;
  /** The mode in force when a session begins, which its first entry names (`guard`). */
  readonly mode?: () => Mode;
  /** The process whose session it is (this one); null where it is another one's. */
  readonly pid?: number | null;
  readonly now?: Clock;
  /** Calls that may wait for a session (1,000 unless given). */
  readonly bufferLimit?: number;
  /** A session that somebody else began, and will end: `foil run`. */
  readonly run?: string | undefined;
  /** Where blocks come from; undefined where sessions are not bound to any. */
  readonly blocks?: Blocks | undefined;
  /** What a call would do to its own recording, where that is refused; null where it is let through. */
  readonly refuses?: ((call: { readonly tool: string; readonly args: Json }) => string | null) | undefined;
  /** What its calls may do; undefined where nobody said. */
  readonly authority?: WireAuthority | undefined;
  /** The auth keys of its sessions; undefined where nobody asks for any. */
  readonly guard?: AuthGuard | undefined;
  /** Where it is left what could not be recorded, and found what others left; undefined where nowhere. */
  readonly notes?: Notes | undefined;
  /** Who counts the entries of its sessions together; undefined where each is counted by itself. */
  readonly tallies?: SessionTallies | undefined;
  readonly seal: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** What was said, ready to be recorded. */
export interface TakenTurn {
  readonly kind: 'prompt' | 'response';
  /** Clean. */
  readonly text: Json;
  readonly model: string | null;
  readonly traces: Traces;
}

/** A call that is on record and has not ended. */
export interface OpenToolCall {
  readonly seq: number;
  readonly facts: ToolFacts;
  readonly file: FileFact | null;
  readonly taken: TakenCall;
}

/** What is known of a call besides its arguments, by who saw it. */
export interface Seen {
  /** When it was made, where that was before the session began. */
  readonly at?: number | undefined;
  /** Members that stand beside those of every call. */
  readonly beside?: JsonObject | undefined;
  /** In place of the arguments, where they were too long to be held. */
  readonly digest?: Digest | undefined;
}

/** The end of a call that was run elsewhere. */
export interface CallEnd {
  readonly result: ToolResult['result'];
  readonly errorCode: string | null;
  /** Not clean. Undefined where there is none. */
  readonly output?: unknown;
  readonly digest?: Digest | undefined;
  readonly durationMs: number | null;
  readonly beside: JsonObject;
}

export function takeTurn(
  kind: TakenTurn['kind'],
  text: string,
  intake: Intake,
  model?: string | undefined,
): TakenTurn {
  const traces = new Traces();
  return {
    kind,
    text: intake.clean(text, traces),
    model: model === undefined ? null : intake.word(model, traces),
    traces,
  };
}
