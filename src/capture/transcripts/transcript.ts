// A host's own record of a session, told as the hooks would have told it: the same JSON that the host hands to a hook,
// in the same order, so that whatever reads hooks reads transcripts. Calls are told once, with their results. The form
// of these files is nobody's promise: a line that is not understood is counted, and left out.
import { isObject, type Json, type JsonObject } from '../../core/index.ts';

/** One event as a hook would have got it. */
export interface Told {
  /** Hook input, in the form of the host's adapter under capture/hooks. */
  readonly input: JsonObject;
  /** When, as the transcript says; null where it does not. */
  readonly at: string | null;
  /** The line's own id, where it has one: sessions that were resumed repeat lines of the ones before. */
  readonly id: string | null;
  /** The model that spoke last, as the transcript names it; null before one did. */
  readonly model: string | null;
  /** A subagent came to its end here: its id. What it did is in a file of its own. */
  readonly subagent?: string;
}

export interface TranscriptReader {
  /** The adapter that understands what is told: `claude-code`. */
  readonly agent: string;
  /** Takes one line, or one document, and tells what it says. Never throws. Bytes, as most are not worth decoding. */
  line(bytes: Buffer): Iterable<Told>;
  /** There is no more: tells of the turn that was under way. */
  end(): Iterable<Told>;
  /** How many lines were not understood. */
  readonly unknown: number;
}

export interface OpenOptions {
  /** It is a subagent's, of which only the calls are told. */
  readonly side?: boolean;
  /** Does the result of such a call matter, beyond how it ended? A long one that does not is not taken apart. */
  readonly wants?: (tool: string, input: Json) => boolean;
}

export interface TranscriptKind {
  readonly agent: string;
  /** Directories under the user's home in which such files lie. */
  readonly under: readonly string[];
  /** A variable that names another home of the host, and the directories in it. */
  readonly home: { readonly variable: string; readonly under: readonly string[] };
  /** Does a path below them name a transcript? */
  matches(path: string): boolean;
  /** One JSON document, instead of lines of JSON. */
  readonly whole: boolean;
  open(path: string, options?: OpenOptions): TranscriptReader;
  /** Where what a subagent of this transcript did may lie. */
  subagents?(path: string, session: string, subagent: string): readonly string[];
}

export function textOr<T>(value: Json | undefined, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise;
}

export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isObject) : [];
}

/** Undefined where it is no JSON. */
export function parsed(text: Json | undefined): Json | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** `a/b/x.jsonl` → `x`. */
export function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.jsonl?$/, '');
}
