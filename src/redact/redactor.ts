// What must not be written is taken out here, before anything is hashed or kept. A redactor holds no state but a
// cache: the caller passes the object that counts, so calls may run side by side.
// It trusts neither the names nor the values it is shown, and never changes them: it returns a copy, or the very value
// where there was nothing to take.
import type { Json } from '../core/index.ts';
import { count, type RedactionCounts } from './counts.ts';
import { makeWalk } from './data-walk.ts';
import { findLongWords, LONG_WORD_RULES } from './long-words.ts';
import { makeSenseOf } from './name-senses.ts';
import type { RedactOptions } from './options.ts';
import { dispatchFor } from './rule-dispatch.ts';
import { replaceSpans, type Span, scanText } from './scan.ts';
import { viewOf } from './views.ts';

export interface Redactor {
  /** Which rules are active, in one line: the same rules, the same text. */
  readonly id: string;
  /** The text with its secrets replaced by markers such as `[REDACTED:github-token]`. */
  text(value: string, counts?: RedactionCounts): string;
  /** The same for every string within, member names included; and by the names of members. */
  value(json: Json, counts?: RedactionCounts): Json;
}

/** Raised when the rules change what they take, so that a record says by which it was redacted. */
const VERSION = 2;

/** Rarely more than two: the second finds nothing. */
const MOST_ROUNDS = 4;

export function makeRedactor(options: RedactOptions = {}): Redactor {
  const removed = new Set(options.remove ?? []);
  const isOn = (id: string) => !removed.has(id);
  const senseOf = makeSenseOf(options, isOn);
  const dispatch = dispatchFor(options, isOn, senseOf);
  const hasLongWords = LONG_WORD_RULES.some(isOn);

  const scanOf = (value: string): { spans: readonly Span[]; hides: boolean } => {
    const { spans, codes, hides } = scanText(value, dispatch);
    if (!hasLongWords || value.length < 24) return { spans, hides };
    return { spans: withLongWords(value, codes, spans, isOn), hides };
  };
  const spansOf = (value: string): readonly Span[] => scanOf(value).spans;

  const without = (value: string, spans: readonly Span[], counts: RedactionCounts | undefined): string => {
    if (counts !== undefined) for (const { id } of spans) count(counts, id);
    return replaceSpans(value, spans);
  };

  const once = (value: string, counts: RedactionCounts | undefined): string => {
    const { spans, hides } = scanOf(value);
    const plain = without(value, spans, counts);
    const view = hides ? viewOf(plain) : undefined;
    if (view === undefined) return plain;
    const { spanIn } = view;
    return without(plain, spansOf(view.text).map(spanIn), counts);
  };

  // Long words and views are taken last, and what stands beside a marker may be seen otherwise than beside a word.
  const text = (value: string, counts?: RedactionCounts): string => {
    if (value.length < 4) return value;
    let before = value;
    let now = once(value, counts);
    for (let rounds = 1; now !== before && rounds < MOST_ROUNDS; rounds++) {
      before = now;
      now = once(now, counts);
    }
    return now;
  };

  const value = makeWalk({ text, spansOf, isOn }, senseOf);

  return {
    get id() {
      return describe(options);
    },
    text,
    value,
  };
}

/** The spans, and between them those of long words. */
function withLongWords(
  text: string,
  codes: Uint16Array,
  spans: readonly Span[],
  isOn: (id: string) => boolean,
): readonly Span[] {
  const found: Span[] = [];
  let from = 0;
  for (const span of spans) {
    findLongWords(text, codes, from, span.start, isOn, found);
    found.push(span);
    from = span.end;
  }
  findLongWords(text, codes, from, text.length, isOn, found);
  return found;
}

function describe(options: RedactOptions): string {
  const add = (options.add ?? []).map(({ id, pattern }) => `${id}=${pattern}`).sort();
  const sorted = (list: readonly string[] | undefined) => [...(list ?? [])].sort();
  const { keys } = options;
  return JSON.stringify([VERSION, add, sorted(options.remove), sorted(keys?.add), sorted(keys?.remove)]);
}
