// A host's own record of a session, told as the hooks would have told it: the same JSON that the host hands to a hook,
// in the same order, so that whatever reads hooks reads transcripts. The form of these files is nobody's promise: a line
// that is not understood is counted, and left out.
import type { JsonObject } from '../../core/index.ts';

/** One event as a hook would have got it. */
export interface Told {
  /** Hook input, in the form of the host's adapter under capture/hooks. */
  readonly input: JsonObject;
  /** When, as the transcript says; null where it does not. */
  readonly at: string | null;
  /** The line's own id, where it has one: sessions that were resumed repeat lines of the ones before. */
  readonly id: string | null;
}

export interface TranscriptReader {
  /** The adapter that understands what is told: `claude-code`. */
  readonly agent: string;
  /** Takes one line, or one document, and tells what it says. Never throws. */
  line(text: string): Iterable<Told>;
  /** There is no more: tells of the turn that was under way. */
  end(): Iterable<Told>;
  /** How many lines were not understood. */
  readonly unknown: number;
}

export interface TranscriptKind {
  readonly agent: string;
  /** Directories under the user's home in which such files lie. */
  readonly under: readonly string[];
  /** Does a path below them name a transcript? */
  matches(path: string): boolean;
  /** One JSON document, instead of lines of JSON. */
  readonly whole: boolean;
  open(path: string): TranscriptReader;
}
