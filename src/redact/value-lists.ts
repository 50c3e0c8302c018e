// A name with several values: `"tokens": ["…", "…"]`, the same as a YAML list on the lines below, and `auth=("user", "…")`, of which the second is the password.
// A list under such a name may also be one of names, so in text each value must look like a secret, or be a password.

import type { NameSense } from './key-names.ts';
import { HINT } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { closingQuote, isQuote } from './quoted.ts';
import { type Scan, take, takeAhead } from './scan.ts';
import { isLooseReference, JUDGED, looksLikePassword, looksRandom, looksSecret } from './secret-shape.ts';
import { isValidation } from './validation.ts';
import { depthOf } from './yaml-blocks.ts';

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

const ITEM =
  /\r?\n([ \t]{0,64})-[ \t]{1,8}(?:"([^"\n]{1,256})"|'([^'\n]{1,256})'|([^\s"'#[{|>&*!][^\s]{0,255}))[ \t]{0,8}(?:#[^\n]{0,200})?(?=\r?\n|$)/y;
const MARKED = /\r?\n[ \t]{0,64}-[ \t]{1,8}["']?\[REDACTED:[^\n]{0,80}(?=\r?\n|$)/y;
const MOST_ITEMS = 1000;
/** What services and settings are called, with a number: `db_password_v2`. */
const IDENTIFIER = /^[A-Za-z]+(?:[-_./][A-Za-z0-9]+){0,8}\d{0,3}$/;

/** Takes the items of a YAML list below the name at `name`, whose line ends at `at`. Says whether there is a list. */
export function listBelow(scan: Scan, sense: NameSense, name: number, at: number): boolean {
  const { text } = scan;
  const depth = sense.level < HINT ? -1 : depthOf(scan, name, '\n');
  if (depth < 0) return false;
  let from = at;
  for (let items = 0; items < MOST_ITEMS; items++) {
    MARKED.lastIndex = from;
    ITEM.lastIndex = from;
    if (MARKED.test(text)) {
      from = MARKED.lastIndex;
      continue;
    }
    const found = ITEM.exec(text);
    if (found === null || (found[1] ?? '').length < depth) return items > 0;
    const value = found[2] ?? found[3] ?? found[4] ?? '';
    const start = from + found[0].indexOf(value, found[0].indexOf('-') + 1);
    if (isItem(sense, value)) takeAhead(scan, start, start + value.length, sense.id);
    from = ITEM.lastIndex;
  }
  return true;
}

function isItem({ id }: NameSense, value: string): boolean {
  if (hasMarker(value) || isLooseReference(value) || isValidation(value)) return false;
  // A list of secrets is more often one of their names.
  if (id === 'secret' || id === 'credential' || IDENTIFIER.test(value)) return looksRandom(value);
  return looksLikePassword(value) && (id !== 'token' || value.length >= 10);
}
