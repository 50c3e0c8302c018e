// Where a word that names a secret ends: `password`, `token`, `secret`, `key` and their kin. What stands behind it decides
// which rules are asked: a space those for sentences, settings and declarations, a separator those for tables. These
// words are common in code and prose, so whatever is cheap to look at comes first.

import { declared } from './calls.ts';
import type { SenseOf } from './key-names.ts';
import { MEDIUM } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { lineSetting, type Noun, said, usedAs } from './prose.ts';
import { SPACE, skipSpaces, TAB } from './quoted.ts';
import { codeAt, isAlnum, type Probe, type Scan, take } from './scan.ts';
import { isAbout, isConstantName, isLooseReference } from './secret-shape.ts';
import { readTable } from './tables.ts';
import { CODE_STOP, readValue } from './values.ts';

/** The last letters of the nouns. */
export const NOUN_ENDS = 'ord ORD ken KEN ret RET key KEY Key pwd PWD SWD swd tpw dpw als eds'.split(' ');
/** Nouns whose last letters too many words have: a rarer place in them, and the rest. */
export const NOUN_PARTS: readonly (readonly [part: string, rest: string])[] = [
  ['phr', 'ase'],
  ['swo', 'rt'],
  ['ogi', 'n'],
  ['mn', 'emonic'],
];

const NOUNS: ReadonlyMap<string, Noun> = new Map([
  ...'password passwd passphrase passwort pwd rootpw bindpw'
    .split(' ')
    .map((word): [string, Noun] => [word, 'password']),
  ...'token secret key apikey'.split(' ').map((word): [string, Noun] => [word, 'token']),
  ...'credentials creds login'.split(' ').map((word): [string, Noun] => [word, 'credentials']),
  ['mnemonic', 'phrase'],
]);

/** A probe for the last letter of a noun. */
export function nounProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { codes, text } = scan;
    const next = at + 1 < text.length ? (codes[at + 1] ?? 0) : 10;
    // Space, line ends, `"`, `'`, `*`, `,`, `.`, `:`, `;`, a grave accent, `|`; or the rule of a table, beyond ASCII.
    if (next > 64 ? next !== 96 && next !== 124 && next < 128 : FOLLOWS[next] !== 1) return;
    if (!mayEndNoun(codes, at)) return;
    let start = at;
    const lowest = Math.max(scan.floor, at - 16);
    while (start > lowest && isAlnum(codes[start - 1] ?? 0)) start--;
    const isWhole = start === scan.floor || !isPartOfName(codes[start - 1] ?? 0);
    const noun = isWhole ? nounAt(text, start, at + 1) : undefined;
    if (next === 58) {
      if (noun === 'credentials') said(scan, noun, start, at + 1);
      return;
    }
    if (noun === 'password' && codeAt(scan, start - 1) === SPACE && usedAs(scan, start)) return;
    if (next === 46) return;
    let name = start;
    while (name > scan.floor && at - name < 64 && isPartOfName(codes[name - 1] ?? 0)) name--;
    if (next === SPACE || next === TAB) {
      if (declared(scan, name, at + 1, senseOf)) return;
      if (noun !== undefined) {
        if (said(scan, noun, start, at + 1)) return;
        if (noun !== 'credentials' && lineSetting(scan, start, at + 1)) return;
      }
    }
    if (next === 44 && isArgumentName(scan, name, at + 1) && atom(scan, name, at + 1, senseOf)) return;
    if (at >= scan.linesEnd && endsCell(scan, at + 1) && senseOf(text, name, at + 1).level > 0)
      readTable(scan, at + 1, senseOf);
  };
}

const FOLLOWS = new Uint8Array(65);
for (const sign of '\t\n\r "\'*,.:;') FOLLOWS[sign.charCodeAt(0)] = 1;

function nounAt(text: string, start: number, end: number): Noun | undefined {
  const word = text.slice(start, end);
  return NOUNS.get(word) ?? NOUNS.get(word.toLowerCase());
}

/** By the letter before the last three, which tells `password` from `record` and `token` from `taken`. */
function mayEndNoun(codes: Uint16Array, at: number): boolean {
  const fourth = (codes[at - 3] ?? 0) | 32;
  switch ((codes[at] ?? 0) | 32) {
    case 100: // …sword, …pwd, …sswd
      return fourth === 119 ? ((codes[at - 4] ?? 0) | 32) === 115 : ((codes[at - 1] ?? 0) | 32) === 119;
    case 110: // token, login
      return fourth === 111;
    case 116: // secret, Passwort
      return fourth === 99 || fourth === 119;
    case 115: // credentials, creds
      return fourth === 105 || fourth === 114;
    default: // key, rootpw, passphrase, mnemonic
      return true;
  }
}

function isPartOfName(code: number): boolean {
  return isAlnum(code) || code === 95 || code === 45 || code === 46;
}

/** Elixir's `:password`, and the constants that options are named by: `CURLOPT_PASSWORD`. */
function isArgumentName(scan: Scan, start: number, end: number): boolean {
  if (codeAt(scan, start - 1) === 58) return true;
  const first = scan.codes[start] ?? 0;
  return first >= 65 && first <= 90 && isConstantName(scan.text.slice(start, end));
}

/** Behind such a name and a comma, its value. */
function atom(scan: Scan, start: number, at: number, senseOf: SenseOf): boolean {
  const sense = senseOf(scan.text, start, at);
  if (sense.level < MEDIUM) return false;
  const value = readValue(scan.text, skipSpaces(scan.text, at + 1), CODE_STOP);
  if (!value.quoted || value.judged.length < 4 || hasMarker(value.judged)) return false;
  if (isAbout(value.judged) || isLooseReference(value.judged) || /\s/.test(value.judged)) return false;
  take(scan, value.start, value.end(), sense.id);
  return true;
}

/** Does what stands at `at` end a cell? Behind a comma, code has a space and tables have none. */
function endsCell(scan: Scan, from: number): boolean {
  const { codes, text } = scan;
  let at = from;
  while (at - from < 3 && isEmphasis(codes[at] ?? 0)) at++;
  const spaces = at;
  while (at - spaces < 64 && at < text.length && codes[at] === SPACE) at++;
  if (at >= text.length) return true;
  const code = codes[at] ?? 0;
  if (code === 44 || code === 59) return (codes[at + 1] ?? 0) > SPACE;
  if (code === 10 || code === 13 || code === TAB || code === 124 || code === 0x2502) return true;
  return at - spaces > 1;
}

function isEmphasis(code: number): boolean {
  return code === 34 || code === 39 || code === 96 || code === 42;
}
