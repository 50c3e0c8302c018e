// What a model API is to us: how a request, an answer and the events of a stream are read. Readers are pure, take what
// they are given for a stranger's, and never throw: what is not of the form they know is left out of the facts.
import type { Json, JsonObject } from '../../core/index.ts';
import type { ModelAnswer, ModelRequest, ToolUse } from '../../record/index.ts';

export interface Api {
  /** As entries name it. */
  readonly name: string;
  /** The body of a request, and its path without the query. */
  request(body: Json, path: string): ModelRequest;
  /** The body of an answer that is not streamed, and the calls of tools in it. */
  answer(body: Json): Read;
  stream(): StreamReader;
  /** An error of ours, in the words of the API. */
  error(status: number, code: string, message: string): JsonObject;
}

export interface Read {
  readonly answer: ModelAnswer;
  readonly toolUses: readonly ToolUse[];
}

/** Follows one stream. */
export interface StreamReader {
  /** One event. Data that is no JSON is null; `name` is its type where it has one. */
  event(name: string, data: Json, text: string): Step;
  /** No more content is to be kept: only what an event completes counts from here on. */
  stop(): void;
  /** What there is so far, and the calls of tools that were not complete yet. */
  done(): Read;
}

/** What an event completes, once the client has it. */
export interface Step {
  readonly toolUses: readonly ToolUse[];
  /** The client takes the answer for whole from here on. */
  readonly ends: boolean;
}

export const NOTHING: Step = { toolUses: [], ends: false };
