// A name and its value as two strings side by side: `setenv("TOKEN", "…")`, `headers.set('X-Api-Key', '…')`,
// `["Authorization", "Bearer …"]`. Lists of names have the same form, so the value must look like a secret by itself.
import type { SenseOf } from './key-names.ts';
import { MEDIUM } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { BACKSLASH, closingQuote } from './quoted.ts';
import { codeAt, isDigit, type Probe, take } from './scan.ts';
import { isDigest, isLooseReference, looksSecret } from './secret-shape.ts';

const LONGEST_NAME = 64;
const JUDGED = 512;
const SCHEME = /^(?:bearer|basic|token|digest|apikey|key|bot|oauth|ssws) +(?=\S{6})/i;

/** A probe for `",` and `',`. */
export function pairProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { text, codes } = scan;
    const size = text.length;
    const quote = codes[at - 1] ?? 0;
    let from = at + 1;
    while (from < size && from - at < 80 && (codes[from] ?? 0) <= 32) from++;
    while (from < size && from - at < 96 && codes[from] === BACKSLASH) from++;
    const open = from < size ? (codes[from] ?? 0) : 0;
    // Lists of words come in masses: one without a digit is not worth a look at the word before it.
    if ((open !== 34 && open !== 39) || !hasDigit(text, from + 1, open)) return;
    let end = at - 1;
    while (at - end < 10 && codeAt(scan, end - 1) === BACKSLASH) end--;
    const depth = at - 1 - end;
    let start = end;
    const lowest = Math.max(scan.floor, end - LONGEST_NAME);
    while (start > lowest && isNameCode(codes[start - 1] ?? 0)) start--;
    if (end - start < 3 || codeAt(scan, start - 1) !== quote) return;
    const sense = senseOf(text, start, end);
    if (sense.level < MEDIUM) return;
    const valueEnd = closingQuote(text, from + 1, open, depth, from + 1 + JUDGED);
    const value = text.slice(from + 1, valueEnd);
    if (value === '' || hasMarker(value) || isLooseReference(value)) return;
    const scheme = SCHEME.exec(value)?.[0].length ?? 0;
    const secret = value.slice(scheme);
    if (isLooseReference(secret) || !(scheme > 0 || looksSecret(secret) || isDigest(secret))) return;
    take(scan, from + 1 + scheme, valueEnd, sense.id);
  };
}

/** Within the string that begins at `from`, a bounded way. */
function hasDigit(text: string, from: number, quote: number): boolean {
  for (let at = from; at < from + 64; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) return true;
    if (code === quote || code === 10) return false;
  }
  return false;
}

function isNameCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46
  );
}
