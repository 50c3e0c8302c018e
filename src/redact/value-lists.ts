// A name with several values: `"tokens": ["…", "…"]`, and `auth=("user", "…")`, of which the second is the password.
// A list under such a name may also be one of names, so in text each value must look like a secret, or be a password.

import type { NameSense } from './key-names.ts';
import { HINT } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { closingQuote, isQuote } from './quoted.ts';
import { type Scan, take } from './scan.ts';
import { isLooseReference, JUDGED, looksSecret } from './secret-shape.ts';
import { isValidation } from './validation.ts';

const MOST_REFUSED = 16;
const LOGIN =
  /(?:[A-Za-z.]{0,40}auth)?[([]\s{0,8}(["'])[^"'\n]{0,128}\1\s{0,8},\s{0,8}(["'])(?=([^"'\n]{1,256})\2\s{0,8}[)\]])/iy;

/** Judges the list that stands at `at`. Says whether one does. */
export function listValue(scan: Scan, sense: NameSense, at: number, nameQuote: string): boolean {
  const { text } = scan;
  if (sense.level < HINT) return false;
  if (sense.id === 'auth' && loginPair(scan, at)) return true;
  if (text.charCodeAt(at) !== 91) return false;
  const depth = nameQuote.length > 0 ? nameQuote.length - 1 : 0;
  let from = at + 1;
  for (let refused = 0; refused < MOST_REFUSED; ) {
    from = skipBetween(text, from);
    let quoteAt = from;
    while (text.charCodeAt(quoteAt) === 92 && quoteAt - from < 16) quoteAt++;
    const quote = text.charCodeAt(quoteAt);
    if (!isQuote(quote)) break;
    const start = quoteAt + 1;
    const judged = text.slice(start, closingQuote(text, start, quote, depth, start + JUDGED));
    const end =
      judged.length < JUDGED ? start + judged.length : closingQuote(text, start, quote, depth, text.length);
    if (isValue(sense, judged, nameQuote !== '')) take(scan, start, end, sense.id);
    else refused++;
    from = end + depth + 1;
  }
  return true;
}

function isValue(sense: NameSense, value: string, isData: boolean): boolean {
  if (value === '' || hasMarker(value) || isLooseReference(value) || isValidation(value)) return false;
  return (
    (isData && sense.id === 'password') ||
    (looksSecret(value) && (sense.id !== 'token' || value.length >= 10))
  );
}

/** Space and one comma. */
function skipBetween(text: string, from: number): number {
  let at = from;
  while (at - from < 80 && (text.charCodeAt(at) <= 32 || text.charCodeAt(at) === 44)) at++;
  return at;
}

function loginPair(scan: Scan, at: number): boolean {
  LOGIN.lastIndex = at;
  const found = LOGIN.exec(scan.text);
  const password = found?.[3] ?? '';
  if (found === null || isLooseReference(password) || hasMarker(password)) return false;
  take(scan, LOGIN.lastIndex, LOGIN.lastIndex + password.length, 'auth');
  return true;
}
