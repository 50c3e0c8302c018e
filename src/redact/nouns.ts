// Where a word that names a secret ends: `password`, `token`, `secret`, `key` and their kin. What stands behind it decides
// which rules are asked: a space those for sentences, settings and declarations, a separator those for tables.
import type { SenseOf } from './assignments.ts';
import { declared } from './calls.ts';
import { MEDIUM } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { lineSetting, type Noun, said, usedAs } from './prose.ts';
import { SPACE, skipSpaces } from './quoted.ts';
import { codeAt, isAlnum, type Probe, type Scan, take } from './scan.ts';
import { isAbout, isConstantName, isLooseReference } from './secret-shape.ts';
import { readTable } from './tables.ts';
import { CODE_STOP, readValue } from './values.ts';

/** The last letters of the nouns. */
export const NOUN_ENDS =
  'ord ORD ken KEN ret RET key KEY Key ase pwd PWD SWD swd tpw dpw ort sse ass ASS ode als eds nic gin'.split(
    ' ',
  );

const NOUNS: Readonly<Record<string, Noun>> = {
  password: 'password',
  passwd: 'password',
  passphrase: 'password',
  passcode: 'password',
  passwort: 'password',
  kennwort: 'password',
  pwd: 'password',
  rootpw: 'password',
  bindpw: 'password',
  pass: 'password',
  passe: 'password',
  token: 'token',
  secret: 'token',
  key: 'token',
  apikey: 'token',
  mnemonic: 'phrase',
  credentials: 'credentials',
  creds: 'credentials',
  login: 'credentials',
};

/** A probe for the last letter of a noun. */
export function nounProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { codes, text } = scan;
    const next = at + 1 < text.length ? (codes[at + 1] ?? 0) : 10;
    if (isAlnum(next) || next === 95 || next === 45 || next === 61 || next === 40) return;
    let start = at;
    const lowest = Math.max(scan.floor, at - 16);
    while (start > lowest && isAlnum(codeAt(scan, start - 1))) start--;
    let name = start;
    while (name > scan.floor && at - name < 64 && isPartOfName(codeAt(scan, name - 1))) name--;
    const word = text.slice(start, at + 1).toLowerCase();
    const noun = name === start && Object.hasOwn(NOUNS, word) ? NOUNS[word] : undefined;
    if (noun === 'password' && codeAt(scan, start - 1) === SPACE && usedAs(scan, start)) return;
    if (next === SPACE || next === 9) {
      if (declared(scan, name, at + 1, senseOf)) return;
      if (noun !== undefined) {
        if (said(scan, noun, start, at + 1)) return;
        if (noun !== 'credentials' && lineSetting(scan, start, at + 1)) return;
      }
    }
    if (next === 58) {
      if (NOUNS[word] === 'credentials' && Object.hasOwn(NOUNS, word))
        said(scan, 'credentials', start, at + 1);
      return;
    }
    if (next === 44 && isArgumentName(scan, name, at + 1) && atom(scan, name, at + 1, senseOf)) return;
    if (endsCell(scan, at + 1) && senseOf(text, name, at + 1).level > 0) readTable(scan, at + 1, senseOf);
  };
}

function isPartOfName(code: number): boolean {
  return isAlnum(code) || code === 95 || code === 45 || code === 46;
}

/** Elixir's `:password`, and the constants that options are named by: `CURLOPT_PASSWORD`. */
function isArgumentName(scan: Scan, start: number, end: number): boolean {
  return codeAt(scan, start - 1) === 58 || isConstantName(scan.text.slice(start, end));
}

/** Behind such a name and a comma, its value. */
function atom(scan: Scan, start: number, at: number, senseOf: SenseOf): boolean {
  const sense = senseOf(scan.text, start, at);
  const value = readValue(scan.text, skipSpaces(scan.text, at + 1), CODE_STOP);
  if (sense.level < MEDIUM || !value.quoted || value.judged.length < 4 || hasMarker(value.judged))
    return false;
  if (isAbout(value.judged) || isLooseReference(value.judged) || /\s/.test(value.judged)) return false;
  take(scan, value.start, value.end(), sense.id);
  return true;
}

const CELL_END = /["'`*]{0,3} {0,64}(?:[|\u2502,;\t\r\n]|$)|["'`*]{0,3} {2}/y;

function endsCell(scan: Scan, at: number): boolean {
  CELL_END.lastIndex = at;
  return CELL_END.test(scan.text);
}
