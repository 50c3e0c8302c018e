// Passwords in SQL, and in settings that read like it: `WITH PASSWORD '…'`, `IDENTIFIED BY '…'`, `PASSWORD('…')`,
// Gradle's `password '…'`. No `=` and no `:` stands before them.
import { beginsLine } from './command-lines.ts';
import { hasMarker } from './marker.ts';
import { isQuote, skipSpaces } from './quoted.ts';
import { beginsWord, codeAt, type Scan, take } from './scan.ts';
import { isLooseReference } from './secret-shape.ts';
import { readWord } from './shell-words.ts';

const STATEMENT =
  /\b(?:create|alter|set|grant|user|role|login|identified|with|encrypted|unencrypted|options|mapping|credential|secret)\b[^;]*$/i;
const NO_LITERAL = /^(?:values?|random|externally|globally|password|null|is|as|default|none)$/i;

/** A probe for `d ` and `D `: `PASSWORD '…'` in a statement, or at the head of a line. */
export function passwordLiteralProbe(scan: Scan, at: number): void {
  const { text } = scan;
  if ((text.charCodeAt(at - 2) | 32) !== 114 || (text.charCodeAt(at - 4) | 32) !== 119) return;
  const start = at - 8;
  if (start < scan.floor || text.slice(start, at).toLowerCase() !== 'password' || !beginsWord(scan, start))
    return;
  const from = skipSpaces(text, at);
  if (!opensString(text, from)) return;
  if (STATEMENT.test(statementBefore(scan, start)) || beginsLine(scan, start)) takeLiteral(scan, from);
}

/** A probe for `Y ` and `y `: `IDENTIFIED [WITH plugin] BY '…'`; Oracle takes a word without quotes. */
export function identifiedProbe(scan: Scan, at: number): void {
  const { text } = scan;
  if ((text.charCodeAt(at - 2) | 32) !== 98 || at - 2 < scan.floor) return;
  const statement = statementBefore(scan, at);
  if (!/\bidentified(?:\s+with\s+['"`\w]{1,40})?\s+by$/i.test(statement)) return;
  const from = skipSpaces(text, at);
  if (opensString(text, from) || /\b(?:create|alter|grant)\b/i.test(statement)) takeLiteral(scan, from);
}

/** A probe for `D(`: MySQL's `PASSWORD('…')`. */
export function passwordCallProbe(scan: Scan, at: number): void {
  const { text } = scan;
  const start = at - 8;
  if (start < scan.floor || !text.startsWith('PASSWORD(', start) || !beginsWord(scan, start)) return;
  if (opensString(text, at + 1)) takeLiteral(scan, at + 1);
}

function opensString(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from) === 92 && from - at < 8) from++;
  return isQuote(text.charCodeAt(from)) && text.charCodeAt(from) !== 96;
}

function takeLiteral(scan: Scan, from: number): void {
  const { text, start, quoted } = readWord(scan.text, from);
  const value = quoted ? text : text.replace(/;$/, '');
  if (value === '' || isLooseReference(value) || hasMarker(value) || NO_LITERAL.test(value)) return;
  take(scan, start, start + value.length, 'password');
}

/** The statement up to `at`, over line ends, a bounded way back. */
function statementBefore(scan: Scan, at: number): string {
  return codeAt(scan, at - 1) === 93 && at === scan.floor
    ? ''
    : scan.text.slice(Math.max(scan.floor, at - 200), at);
}
