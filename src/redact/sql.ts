// Passwords in SQL, and in settings that read like it: `WITH PASSWORD '…'`, `IDENTIFIED BY '…'`, `PASSWORD('…')`,
// Gradle's `password '…'`. No `=` and no `:` stands before them.
import { beginsLine } from './command-lines.ts';
import { hasMarker } from './marker.ts';
import { isQuote, skipSpaces } from './quoted.ts';
import { beginsWord, codeAt, type Scan, take } from './scan.ts';
import { isLooseReference } from './secret-shape.ts';
import { afterPrefix, CODE_STOP, readValue } from './values.ts';

const STATEMENT =
  /\b(?:create|alter|set|grant|user|role|login|identified|with|encrypted|unencrypted|options|mapping|credential|secret)\b[^;]*$/i;
const NO_LITERAL = /^(?:values?|random|externally|globally|password|null|is|as|default|none)$/i;

/** A probe for the space behind `PASSWORD`, `SECRET` and `KEY`: `PASSWORD '…'` in a statement, or at the head of a line. */
export function passwordLiteralProbe(scan: Scan, at: number): void {
  const { text } = scan;
  const from = skipSpaces(text, at);
  if (!opensString(text, from)) return;
  const noun = NOUN.exec(text.slice(Math.max(scan.floor, at - 8), at))?.[0] ?? '';
  const start = at - noun.length;
  if (noun === '' || !beginsWord(scan, start)) return;
  const before = statementBefore(scan, start);
  if (noun.length === 8) {
    if (STATEMENT.test(before) || beginsLine(scan, start)) takeLiteral(scan, from, 'password');
  } else if ((noun.length === 6 ? SECRET_IN : KEY_IN).test(before)) takeLiteral(scan, from, 'secret');
}

const NOUN = /(?:password|secret|KEY)$/i;
/** DuckDB's and SQL Server's secrets, and the key of an encrypted SQLite. */
const SECRET_IN = /\bcreate\s+(?:or\s+replace\s+)?(?:persistent\s+)?(?:secret|credential)\b[^;]*$/i;
const KEY_IN = /\battach\b[^;]*\bas\s+\w+\s*$/i;

/** A probe for `Y ` and `y `: `IDENTIFIED [WITH plugin] BY '…'`; Oracle takes a word without quotes. */
export function identifiedProbe(scan: Scan, at: number): void {
  const { text } = scan;
  if ((text.charCodeAt(at - 2) | 32) !== 98 || at - 2 < scan.floor) return;
  const isQuoted = opensString(text, skipSpaces(text, at));
  // Without quotes only Oracle's, right behind `IDENTIFIED`.
  if (!isQuoted && (text.charCodeAt(at - 4) | 32) !== 100) return;
  const statement = statementBefore(scan, at);
  if (!/(?:\bidentified(?:\s+with\s+['"`\w]{1,40})?|^')\s+by$/i.test(statement)) return;
  const from = skipSpaces(text, at);
  if (!opensString(text, from) && !/\b(?:create|alter|grant|connect)\b/i.test(statement)) return;
  const end = takeLiteral(scan, from, 'password');
  // Oracle's `IDENTIFIED BY new REPLACE old`.
  const old = end < 0 ? null : /^["']?\s{1,4}REPLACE\s{1,4}/i.exec(text.slice(end, end + 24));
  if (old !== null) takeLiteral(scan, end + old[0].length, 'password');
}

/** A probe for ` AS`: `IDENTIFIED WITH plugin AS '…'`, the hash of a password. */
export function identifiedAsProbe(scan: Scan, at: number): void {
  const from = skipSpaces(scan.text, at);
  if (!opensString(scan.text, from)) return;
  if (/\bidentified\s+with\s+['"`\w]{1,40}\s+as$/i.test(statementBefore(scan, at)))
    takeLiteral(scan, from, 'password');
}

/** A probe for `D(`: MySQL's `PASSWORD('…')`. */
export function passwordCallProbe(scan: Scan, at: number): void {
  const { text } = scan;
  const start = at - 8;
  if (start < scan.floor || !text.startsWith('PASSWORD(', start) || !beginsWord(scan, start)) return;
  if (opensString(text, at + 1)) takeLiteral(scan, at + 1, 'password');
}

function opensString(text: string, at: number): boolean {
  if (text.charCodeAt(at) === 36) return readValue(text, at, CODE_STOP).quoted;
  let from = afterPrefix(text, at);
  while (text.charCodeAt(from) === 92 && from - at < 8) from++;
  return isQuote(text.charCodeAt(from)) && text.charCodeAt(from) !== 96;
}

/** Takes the literal at `from`; its end, or -1 if there is none to take. */
function takeLiteral(scan: Scan, from: number, id: string): number {
  const { judged, start, quoted, end } = readValue(scan.text, from, CODE_STOP);
  if (judged === '' || isLooseReference(judged) || hasMarker(judged) || NO_LITERAL.test(judged)) return -1;
  const last = quoted ? end() : start + judged.length;
  take(scan, start, last, id);
  return last;
}

/** The statement up to `at`, over line ends, a bounded way back. */
function statementBefore(scan: Scan, at: number): string {
  return codeAt(scan, at - 1) === 93 && at === scan.floor
    ? ''
    : scan.text.slice(Math.max(scan.floor, at - 200), at);
}
