// What the service serves: something that records what a host says and knows the host's answer. The service owns
// sockets and lifetime; what an event means, what the mode is and what a failure leads to is decided behind this port.
import type { Answer } from '../record/index.ts';
import type { Caller } from './caller.ts';
import type { ValidateAnswer, ValidateRequest } from './execution.ts';
import type { GatewayRecording } from './gateway/recording.ts';
import type { WireRecording } from './wire.ts';

export interface Recording {
  /**
   * One hook event, as its bytes came. Durable before it resolves, unless the mode lets the tool run without. Never
   * rejects for bad input; a rejection is a bug, and is told to the host as a failure without a reason. `caller` is
   * absent where nobody can say who calls.
   */
  hook(agent: string, body: Uint8Array, event: string | null, caller?: Caller | null): Promise<Answer>;
  /** An event that was larger than the service takes, and was not read. Recorded as that; the mode decides. */
  tooLarge(agent: string, event: string | null): Promise<Answer>;
  /** Where checks are run again for claims; absent where none are. */
  readonly executions?: Executions;
  /** What passes between clients and models; absent where nothing does. */
  readonly gateway?: GatewayRecording;
  /** What passes between clients and MCP servers under another user; absent where nobody tells of that. */
  readonly wires?: WireRecording;
  /** A checkpoint over everything so far. Does nothing where all is sealed. */
  seal(): Promise<void>;
  /**
   * Tidies up, if that was not done today: old segments, content past its retention. `stopping` is asked between steps.
   * Gives what the log should say of it, if anything.
   */
  upkeep(stopping: () => boolean): Promise<string | null>;
  /** Sessions that have begun and not ended. */
  openSessions(): Promise<number>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

export interface Executions {
  /** One at a time. `signal` ends it. Rejects only for a bug. */
  run(request: ValidateRequest, signal: AbortSignal): Promise<ValidateAnswer>;
  /** What runs or waits is ended, and nothing more is run: the service leaves. */
  end(): void;
}

/** What a recording may ask of the service that runs it. */
export interface Host {
  /** Seal soon, outside the call that asks: at a stop, at a session's end. Many asks are one seal. */
  sealSoon(): void;
}

/** Called once the service's lock is held, so that there is one recording a ledger. */
export type OpenRecording = (host: Host) => Promise<Recording>;
