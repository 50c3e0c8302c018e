// `INSERT INTO users (name, password) VALUES ('bob', '…'), (…)`: the columns name the values, by their order.
import type { SenseOf } from './key-names.ts';
import { MEDIUM, type NameSense } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { isQuote } from './quoted.ts';
import { isAlnum, type Probe, type Scan, takeAhead } from './scan.ts';
import { isLooseReference } from './secret-shape.ts';
import { afterPrefix, CODE_STOP, readValue } from './values.ts';

const COLUMNS = /\(([^()]{3,1000})\)\s{0,16}(?:OVERRIDING\s+\w+\s+VALUE\s+)?$/i;
const FURTHEST = 1024;
const LONGEST_ROW = 2048;
const MOST_ROWS = 10_000;
const NO_VALUE = /^(?:null|default|true|false|\?|:\w+|@\w+|%s|\$\d+|-?[\d.]+|now\(?)$/i;

/** A probe for the end of `VALUES`. */
export function insertProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { text } = scan;
    const start = at - 5;
    if (start < Math.max(scan.floor, scan.rowsEnd) || text.slice(start, at + 1).toLowerCase() !== 'values')
      return;
    const open = skipSpace(text, at + 1);
    if (text.charCodeAt(open) !== 40 || isAlnum(text.charCodeAt(start - 1))) return;
    const columns = COLUMNS.exec(text.slice(Math.max(scan.floor, start - FURTHEST), start))?.[1];
    if (columns === undefined || hasMarker(columns)) return;
    const senses = columns.split(',').map((column): NameSense => {
      const name = column.replace(/[\s"'`[\]\\]/g, '');
      return senseOf(name, 0, name.length);
    });
    if (!senses.some(({ level }) => level >= MEDIUM)) return;
    let row = open;
    for (let rows = 0; rows < MOST_ROWS && text.charCodeAt(row) === 40; rows++) {
      const end = takeRow(scan, row + 1, senses);
      if (end < 0) {
        // A row that is not closed is walked over once, as far as its line goes.
        const line = text.slice(row, row + LONGEST_ROW).indexOf('\n');
        scan.rowsEnd = row + (line < 0 ? LONGEST_ROW : line);
        return;
      }
      scan.rowsEnd = end;
      row = skipSpace(text, end);
      if (text.charCodeAt(row) !== 44) return;
      row = skipSpace(text, row + 1);
    }
  };
}

/** Takes the row's secrets; where its `)` ends, or -1 if it is not closed. */
function takeRow(scan: Scan, from: number, senses: readonly NameSense[]): number {
  const { text } = scan;
  const limit = Math.min(text.length, from + LONGEST_ROW);
  let column = 0;
  let depth = 0;
  for (let at = from; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === 41 && depth === 0) return at + 1;
    if (code === 40) depth++;
    else if (code === 41) depth--;
    else if (code === 44 && depth === 0) column++;
    const string = afterPrefix(text, at);
    if (!isQuote(text.charCodeAt(string)) && code !== 36 && text.charCodeAt(string) !== 92) continue;
    const value = readValue(text, at, CODE_STOP);
    if (!value.quoted) continue;
    const { judged, start } = value;
    const end = value.end();
    const sense = senses[column];
    if (sense !== undefined && sense.level >= MEDIUM && judged !== '' && !NO_VALUE.test(judged))
      if (!hasMarker(judged) && !isLooseReference(judged)) takeAhead(scan, start, end, sense.id);
    at = closeOf(text, end);
  }
  return -1;
}

/** The last character of a string that ends at `end`: its quote, or the tag of a dollar quote. */
function closeOf(text: string, end: number): number {
  if (text.charCodeAt(end) === 36)
    return end + (/^\$\w{0,16}\$/.exec(text.slice(end, end + 18))?.[0].length ?? 1) - 1;
  let at = end;
  while (text.charCodeAt(at) === 92 && at - end < 8) at++;
  return at;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at - from < 128 && (text.charCodeAt(at) <= 32 || text.charCodeAt(at) === 92)) at++;
  return at;
}
