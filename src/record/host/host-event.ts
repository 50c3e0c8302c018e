// What a host (a coding agent) told us, in the same few words for every host. Adapters under capture/hooks make these
// from the host's own JSON; the recorder makes entries of them. Nothing in them is trusted: it is what was said.
import type { Json, JsonObject } from '../../core/index.ts';
import type { TranscriptMark } from './transcript.ts';

/** What a host told of a turn so far, without its words. */
export interface Told {
  readonly length: number;
  readonly hash: string;
}

interface HostEventBase {
  /** The host's own name for the event: `PreToolUse`. */
  readonly name: string;
  /** `claude-code`, `gemini` … */
  readonly agent: string;
  /** The host's own session id. */
  readonly session: string | null;
  readonly cwd: string | null;
  readonly transcript: string | null;
  /** The subagent in which it happened. */
  readonly agentId: string | null;
  readonly promptId: string | null;
  /** The host's own time, where it gives one. */
  readonly at: string | null;
  /** Other small members worth keeping, under the host's own names. */
  readonly facts: JsonObject;
}

/** Which members hold the content of a file that is written: that is never kept, only its hash and length. */
export interface FileTouched {
  readonly path: string;
  readonly op: 'write' | 'edit' | 'delete' | 'read';
  /** Members of the arguments, by their names at the top level. */
  readonly argMembers: readonly string[];
  /** Members of the output, likewise. */
  readonly outputMembers: readonly string[];
}

/** The end of what a call left running, as the host tells it. */
export interface JobEnd {
  /** As in `leaves`. */
  readonly job: string;
  readonly code: number;
  /** The file that holds what it printed, where that is not told with it. */
  readonly output?: string;
}

/** What a call and everything that follows it have in common. */
export interface HostCall {
  readonly tool: string;
  /** The host's id of the call: the same before and after it, and at other vantage points. */
  readonly id: string | null;
  readonly args: Json;
  /** A command ran in a shell: its exit code matters. */
  readonly shell?: boolean;
  /** The host takes a folder to start it in from the model, and doesn't tell which. */
  readonly startsUntold?: boolean;
  /** It goes on after the call returns. */
  readonly background?: boolean;
  /** Of a result: the host's name for what goes on after it, until a later call reads its end. */
  readonly leaves?: string;
  /** Of a result: what another call left running has ended. */
  readonly ends?: JobEnd;
  /** What of the world it asked for: a URL, or the words that were searched for. */
  readonly sought?: { readonly capability: 'fetch' | 'search'; readonly target: string };
  readonly files?: readonly FileTouched[];
}

export interface BatchedCall extends HostCall {
  readonly output: Json;
  /** The host says that it denied the call. Without this, a call that had no result may have run. */
  readonly denied?: true;
}

export type Outcome = 'ok' | 'error' | 'aborted' | 'timeout';

export type HostEvent = HostEventBase &
  (
    | { readonly type: 'session.start'; readonly trigger: string }
    | { readonly type: 'session.end'; readonly reason: string | null }
    | { readonly type: 'prompt'; readonly text: string }
    /** Arrives like a prompt but is not the user's: a background task that tells of its end. */
    | { readonly type: 'notice'; readonly origin: string; readonly text: string; readonly ends?: JobEnd }
    | ({ readonly type: 'tool.call' } & HostCall)
    | ({
        readonly type: 'tool.result';
        readonly outcome: Outcome;
        readonly output: Json;
        readonly durationMs: number | null;
      } & HostCall)
    | ({ readonly type: 'tool.denied'; readonly by: string; readonly reason: string | null } & HostCall)
    /** All calls of one step, when they are over. One that was denied had no result of its own. */
    | { readonly type: 'tool.batch'; readonly calls: readonly BatchedCall[] }
    /** The host asks a person for permission. */
    | ({ readonly type: 'approval'; readonly suggestions: Json } & HostCall)
    | { readonly type: 'agent.start'; readonly agentType: string | null }
    | { readonly type: 'agent.end'; readonly agentType: string | null; readonly message: string | null }
    /** The turn ends. */
    | {
        readonly type: 'stop';
        readonly message: string | null;
        readonly active: boolean | null;
        /** The host ends after this, whatever a hook says: it can't be held. */
        readonly last?: true;
        /** Of a message that is part of what the host told: all of that. */
        readonly told?: Told;
        /** Where the turn begins in the host's transcript. */
        readonly mark?: TranscriptMark;
      }
    | {
        readonly type: 'compaction';
        readonly phase: 'before' | 'after';
        readonly trigger: string | null;
      }
    | { readonly type: 'config.change'; readonly what: string; readonly detail: Json }
    /** Everything else, kept whole. */
    | {
        readonly type: 'observation';
        readonly problem: Problem | null;
        readonly content: Json;
        /** A message of the model's, which the host does not tell again where the turn ends. */
        readonly said?: string;
      }
  );

/** Why an event could not be understood. */
export type Problem = 'empty' | 'not-json' | 'too-large' | 'not-object' | 'bad-shape';
