// A name and its value as two strings side by side: `setenv("TOKEN", "…")`, `headers.set('X-Api-Key', '…')`,
// `["Authorization", "Bearer …"]`. Lists of names have the same form, so the value must look like a secret by itself.
import type { SenseOf } from './assignments.ts';
import { MEDIUM } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { BACKSLASH, closingQuote, isQuote } from './quoted.ts';
import { codeAt, type Probe, take } from './scan.ts';
import { isDigest, isLooseReference, looksSecret } from './secret-shape.ts';

const LONGEST_NAME = 64;
const JUDGED = 512;
const SCHEME = /^(?:bearer|basic|token|digest|apikey|key|bot|oauth|ssws) +(?=\S{6})/i;

/** A probe for `",` and `',`. */
export function pairProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { text, codes } = scan;
    const quote = codes[at - 1] ?? 0;
    let end = at - 1;
    while (at - end < 10 && codeAt(scan, end - 1) === BACKSLASH) end--;
    const depth = at - 1 - end;
    let start = end;
    const lowest = Math.max(scan.floor, end - LONGEST_NAME);
    while (start > lowest && isNameCode(codes[start - 1] ?? 0)) start--;
    if (end - start < 3 || codeAt(scan, start - 1) !== quote) return;
    const sense = senseOf(text, start, end);
    if (sense.level < MEDIUM) return;
    let from = at + 1;
    while (from - at < 80 && (codes[from] ?? 0) <= 32) from++;
    while (from - at < 96 && codes[from] === BACKSLASH) from++;
    const open = codes[from] ?? 0;
    if (!isQuote(open) || open === 96) return;
    const valueEnd = closingQuote(text, from + 1, open, depth, from + 1 + JUDGED);
    const value = text.slice(from + 1, valueEnd);
    if (value === '' || hasMarker(value) || isLooseReference(value)) return;
    const scheme = SCHEME.exec(value)?.[0].length ?? 0;
    const secret = value.slice(scheme);
    if (isLooseReference(secret) || !(scheme > 0 || looksSecret(secret) || isDigest(secret))) return;
    take(scan, from + 1 + scheme, valueEnd, sense.id);
  };
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
