// Tables with a column of secrets: psql's and mysql's, Markdown, CSV, tabs, columns made with spaces. A line with the name
// of a secret in one of its cells is a header if the lines below it have as many cells. Docs have such tables too, so a
// cell must be one word that looks like a password; a plain word goes only beside a column that names users.
import type { SenseOf } from './key-names.ts';
import { HINT, MEDIUM, type NameSense, STRONG } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { type Scan, takeAhead } from './scan.ts';
import { isAbout, isConstantName, isLooseReference, looksLikePassword } from './secret-shape.ts';

const LONGEST_LINE = 2048;
const MOST_ROWS = 5000;
/** A table whose first rows hold nothing that looks like a password is read no further. */
const FEW_ROWS = 12;
const RULE = /^[\s|+:\u2500-\u257f=-]+$/;
const USERS = /^(?:user|username|login|email|e-?mail|name|account|host|url|id|owner|service|role)s?$/i;

interface Cell {
  readonly start: number;
  readonly text: string;
}

type Kind = '|' | ',' | ';' | '\t' | '  ';

/** A name that promises a secret ends at `at`. Reads the table it heads, if it heads one. */
export function readTable(scan: Scan, at: number, senseOf: SenseOf): void {
  const { text } = scan;
  if (at < scan.linesEnd) return;
  const lowest = Math.max(scan.floor, at - LONGEST_LINE);
  let start = at;
  while (start > lowest && text.charCodeAt(start - 1) !== 10) start--;
  const end = lineEnd(text, at);
  // One look at a line, whatever it has in it.
  scan.linesEnd = end;
  if (start > 0 && text.charCodeAt(start - 1) !== 10) return;
  const line = text.slice(start, end);
  if (line.length > LONGEST_LINE || hasMarker(line)) return;
  const kind = kindOf(line, at - start);
  if (kind === undefined) return;
  // Code or a comment, not cells.
  if (kind !== '|' && /[(){}=<>[\]]|^\s*(?:\/\/|\*|#)/.test(line)) return;
  const header = cellsOf(text, start, end, kind);
  const senses = header.map(({ text: name }) => senseOfCell(name, senseOf));
  if (header.length < 2) return;
  pairRow(scan, header, senses, kind);
  const rows = rowsBelow(scan, end, kind, header.length);
  if (rows === undefined) return;
  const hasUsers = header.some(({ text: name }) => USERS.test(name));
  const before = scan.ahead.length;
  for (const [column, sense] of senses.entries())
    if (sense.level >= HINT) takeColumn(scan, rows, column, sense, hasUsers && kind !== '  ');
  // Lines of which something was taken are no headers of other tables.
  const last = rows.at(-1)?.at(-1);
  if (scan.ahead.length > before && last !== undefined) scan.linesEnd = lineEnd(text, last.start);
}

/** The sign between the cells of a line, by what stands behind the name in it. */
function kindOf(line: string, at: number): Kind | undefined {
  const next = /^["'`*]{0,3}( *)([|\u2502,;\t]?)/.exec(line.slice(at));
  const sign = next?.[2];
  if (sign === '|' || sign === '\u2502') return '|';
  if (sign === ',' || sign === ';' || sign === '\t') return sign;
  if (next?.[1] !== undefined && next[1].length > 1) return '  ';
  if (sign !== '' || next?.[0].length !== line.length - at) return undefined;
  const before = line.slice(0, at);
  if (/[|\u2502]/.test(before)) return '|';
  for (const kind of [',', ';', '\t'] as const) if (before.includes(kind)) return kind;
  return / {2}/.test(before.trimStart()) ? '  ' : undefined;
}

/** Lists and tables of values in code have signs that no header has. */
function isHeader(cells: readonly Cell[], kind: Kind): boolean {
  if (kind === '|') return true;
  return cells.every(
    ({ text }) => /^[\w .\-/]{1,40}$/.test(text) && !/^(?:the|and|or|enter|from|import)\b/i.test(text),
  );
}

/** The rows below, each with as many cells; undefined if the line above them is no header. */
function rowsBelow(scan: Scan, headerEnd: number, kind: Kind, count: number): Cell[][] | undefined {
  const { text } = scan;
  const rows: Cell[][] = [];
  let start = headerEnd;
  while (start > scan.floor && text.charCodeAt(start - 1) !== 10) start--;
  if (!isHeader(cellsOf(text, start, headerEnd, kind), kind)) return undefined;
  let at = headerEnd;
  let rules = 0;
  while (rows.length < MOST_ROWS && at < text.length) {
    at += text.charCodeAt(at) === 13 ? 2 : 1;
    const end = lineEnd(text, at);
    const line = text.slice(at, end);
    if (line === '' || line.length > LONGEST_LINE) break;
    if (RULE.test(line) && line.length > 2 && rules < 3) {
      rules++;
      at = end;
      continue;
    }
    // Something in the table was taken already, and all that goes with it.
    if (hasMarker(line)) return undefined;
    const cells = cellsOf(text, at, end, kind);
    if (cells.length !== count) break;
    rows.push(cells);
    if (rows.length === FEW_ROWS && !rows.some((row) => row.some((cell) => looksLikePassword(cell.text))))
      break;
    at = end;
  }
  return rows;
}

function takeColumn(
  scan: Scan,
  rows: readonly Cell[][],
  column: number,
  sense: NameSense,
  hasUsers: boolean,
): void {
  const isPassword = sense.level >= STRONG && (sense.id === 'password' || sense.id === 'secret');
  const looks = rows.some((row) => looksLikePassword(row[column]?.text ?? ''));
  for (const row of rows) {
    const cell = row[column];
    if (cell === undefined || !isWord(cell.text)) continue;
    if (looksLikePassword(cell.text) || (isPassword && hasUsers && (looks || rows.length > 0)))
      takeAhead(scan, cell.start, cell.start + cell.text.length, sense.id);
  }
}

/** `| Password | … |`: a row of a name and its value. */
function pairRow(scan: Scan, cells: readonly Cell[], senses: readonly NameSense[], kind: Kind): void {
  const [, value] = cells;
  const sense = senses[0];
  if (kind !== '|' || cells.length !== 2 || value === undefined || sense === undefined) return;
  if (sense.level < MEDIUM || !isWord(value.text) || !looksLikePassword(value.text)) return;
  takeAhead(scan, value.start, value.start + value.text.length, sense.id);
}

function isWord(value: string): boolean {
  if (value.length < 4 || /\s/.test(value) || hasMarker(value) || isLooseReference(value)) return false;
  return !isAbout(value) && !isConstantName(value) && !/^[\d.,:%-]{1,11}$|[()<>]/.test(value);
}

function senseOfCell(name: string, senseOf: SenseOf): NameSense {
  const plain = name.replace(/[^\w.-]+/g, '_');
  return senseOf(plain, 0, plain.length);
}

/** The cells of a line, without the space, quotes and emphasis around them. */
function cellsOf(text: string, start: number, end: number, kind: Kind): Cell[] {
  const cells: Cell[] = [];
  let from = start;
  let quoted = false;
  const add = (to: number): void => {
    let [first, last] = [from, to];
    while (first < last && /[\s"'`*\u2502|]/.test(text[first] ?? '')) first++;
    while (last > first && /[\s"'`*\u2502|]/.test(text[last - 1] ?? '')) last--;
    cells.push({ start: first, text: text.slice(first, last) });
  };
  for (let at = start; at < end; at++) {
    const sign = text[at] ?? '';
    if (sign === '"' && kind !== '  ' && kind !== '|') quoted = !quoted;
    if (quoted) continue;
    if (kind === '  ') {
      if (sign !== ' ' || text[at + 1] !== ' ') continue;
      if (at > from) add(at);
      while (at + 1 < end && text[at + 1] === ' ') at++;
    } else if (kind === '|' ? sign !== '|' && sign !== '\u2502' : sign !== kind) continue;
    else if (kind !== '|' || at > start) add(at);
    from = at + 1;
  }
  if (from < end || (kind !== '|' && kind !== '  ')) add(end);
  if (
    kind === '|' &&
    cells[0]?.text === '' &&
    cells.length > 2 &&
    /^\s*$/.test(text.slice(start, cells[0].start))
  )
    cells.shift();
  if (kind === '|' && cells.at(-1)?.text === '' && cells.length > 2) cells.pop();
  return cells;
}

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  const end = newline < 0 ? text.length : newline;
  return text.charCodeAt(end - 1) === 13 && end > from ? end - 1 : end;
}
