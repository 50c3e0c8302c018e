// Keeps what hosts say within what one entry can hold, by the bytes that its line needs for it: a text of control
// characters takes six times its length there. Never cuts a character in two.
import { utf8Encode } from '#platform';
import type { Json } from '../core/index.ts';

/** What a value takes in an entry's line. */
export function lineBytes(value: Json): number {
  return utf8Encode(JSON.stringify(value)).length;
}

/** The text, or as much of its beginning as fits. */
export function shorten(text: string, most: { readonly length: number; readonly bytes: number }): string {
  if (text.length <= most.length && text.length * 6 + 2 <= most.bytes) return text;
  let kept = text.slice(0, most.length);
  for (let bytes = lineBytes(kept); bytes > most.bytes; bytes = lineBytes(kept))
    kept = kept.slice(0, Math.floor((kept.length * most.bytes) / bytes));
  return kept.length === text.length ? text : withoutHalf(kept);
}

function withoutHalf(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
}

/** As many of the first items as fit together. */
export function fitting<T extends Json>(items: readonly T[], bytes: number): readonly T[] {
  let left = bytes;
  for (const [at, item] of items.entries()) {
    left -= lineBytes(item) + 1;
    if (left < 0) return items.slice(0, at);
  }
  return items;
}
