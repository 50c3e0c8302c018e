// Rows of a dump of PostgreSQL: `COPY users (id, password) FROM stdin;`, then a line for each row, with tabs between the
// values, up to `\.`. The columns name the values, by their order.
import type { SenseOf } from './key-names.ts';
import { MEDIUM, type NameSense } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { isAlnum, type Probe, takeAhead } from './scan.ts';

const HEAD = /COPY\s+[\w."]{1,128}\s{0,4}\(([^()]{2,2000})\)\s+FROM\s+stdin\b[^;\n]{0,80};\r?\n/iy;
const MOST_ROWS = 10_000;
const LONGEST_ROW = 65_536;

/** A probe for the end of `COPY`. */
export function copyProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { text } = scan;
    const start = at - 3;
    if (start < Math.max(scan.floor, scan.rowsEnd) || isAlnum(text.charCodeAt(start - 1))) return;
    HEAD.lastIndex = start;
    const columns = HEAD.exec(text)?.[1];
    if (columns === undefined) return;
    const senses = columns.split(',').map((column): NameSense => {
      const name = column.replace(/[\s"]/g, '');
      return senseOf(name, 0, name.length);
    });
    if (!senses.some(({ level }) => level >= MEDIUM)) return;
    let row = HEAD.lastIndex;
    for (let rows = 0; rows < MOST_ROWS && row < text.length; rows++) {
      const newline = text.indexOf('\n', row);
      const end = newline < 0 ? text.length : newline;
      if (end - row > LONGEST_ROW || text.startsWith('\\.', row)) break;
      let cell = row;
      for (const [column, value] of text.slice(row, end).split('\t').entries()) {
        const sense = senses[column];
        const length = value.replace(/\r$/, '').length;
        if (
          sense !== undefined &&
          sense.level >= MEDIUM &&
          length > 0 &&
          value !== '\\N' &&
          !hasMarker(value)
        )
          takeAhead(scan, cell, cell + length, sense.id);
        cell += value.length + 1;
      }
      row = end + 1;
    }
    scan.rowsEnd = row;
  };
}
