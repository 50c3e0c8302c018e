// What a recorder knows of an exchange with a model, whichever API it was over. capture/llm reads it from a copy of the
// bytes; nothing here is ever sent anywhere.
import type { Json, JsonObject } from '../../core/index.ts';
import type { Tokens } from '../../format/index.ts';

/** A request as its API means it. Nothing in it is clean. */
export interface ModelRequest {
  readonly model: string | null;
  readonly stream: boolean;
  /** What the model is told, in order; instructions to it as a whole come first, as `system`. */
  readonly messages: readonly ModelMessage[];
  readonly tools: Json | null;
  /** All else. */
  readonly parameters: JsonObject;
}

export interface ModelMessage {
  readonly role: string;
  readonly value: Json;
  /** What the client says in it of calls that the model asked for. */
  readonly results?: readonly ToolOutput[];
}

/** What became of a call of a tool, as the model is told. */
export interface ToolOutput {
  /** Of the call. */
  readonly id: string;
  readonly output: Json;
  /** Null where the API has no word for it. */
  readonly error: boolean | null;
}

/** A call of a tool that the model asks the client for. */
export interface ToolUse {
  readonly id: string | null;
  readonly name: string;
  /** The input where it could be read, else the text as it came. */
  readonly input: Json;
  readonly whole: boolean;
}

export interface ModelAnswer {
  readonly id: string | null;
  readonly model: string | null;
  readonly stopReason: string | null;
  readonly tokens: Tokens;
  /** What the model said, in the form in which a client sends it back where there is one. */
  readonly message: ModelMessage | null;
  /** The API's own word for what went wrong. */
  readonly error: string | null;
  /** It came to its end: a stream to its last event. */
  readonly ended: boolean;
}
