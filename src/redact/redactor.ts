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
import { type CallMade, withoutPrinted } from './printed.ts';
import { dispatchFor } from './rule-dispatch.ts';
import { replaceSpans, type Scan, type Span, scanText } from './scan.ts';
import { viewOf } from './views.ts';

export interface Redactor {
  /** Which rules are active, in one line: the same rules, the same text. */
  readonly id: string;
  /** The text with its secrets replaced by markers such as `[REDACTED:github-token]`. */
  text(value: string, counts?: RedactionCounts): string;
  /** The same for every string within, member names included; and by the names of members. */
  value(json: Json, counts?: RedactionCounts): Json;
  /** A call's output without the secret that the call was made to show: see printed.ts. */
  printed(output: Json, call: CallMade, counts?: RedactionCounts): Json;
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

  const allSpans = ({ spans, codes }: Scan, value: string): readonly Span[] =>
    hasLongWords && value.length >= 24 ? withLongWords(value, codes, spans, isOn) : spans;
  const spansOf = (value: string): readonly Span[] => allSpans(scanText(value, dispatch), value);

  const without = (value: string, spans: readonly Span[], counts: RedactionCounts | undefined): string => {
    if (counts !== undefined) for (const { id } of spans) count(counts, id);
    return replaceSpans(value, spans);
  };

  // Long words and views come last, and what stands beside a marker may look otherwise than beside a word: where they
  // took something, the text is looked at again.
  const text = (value: string, counts?: RedactionCounts): string => {
    if (value.length < 4) return value;
    let now = value;
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
      const scan = scanText(now, dispatch);
      const early = scan.spans.length;
      const spans = allSpans(scan, now);
      now = without(now, spans, counts);
      const view = scan.hides ? viewOf(now) : undefined;
      const shown = view === undefined ? [] : spansOf(view.text);
      if (view !== undefined && shown.length > 0)
        now = without(
          now,
          shown.map((span) => view.spanIn(span)),
          counts,
        );
      if (spans.length === early && shown.length === 0) break;
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
    printed: (output, call, counts) =>
      isOn('secret') ? withoutPrinted(output, call, senseOf, counts) : output,
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
