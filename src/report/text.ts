// Text for a terminal. Payloads, file names and messages may come from an attacker: nothing of theirs reaches the
// terminal as a control sequence, a change of writing direction or an invisible character.
/** Colours, or none. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', (text: string) => string>>;

/** Where text is shown. `columns` is undefined where that is no terminal. */
export interface Terminal {
  readonly paint: Paint;
  readonly columns: number | undefined;
}

/** One line, with what a terminal might act on written as its code. */
export function harmless(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text; // nearly all, and much quicker to see
  // Controls, format characters (bidi, zero width, tags), line and paragraph separators, lone surrogates, private use.
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu, (found) => {
    if (found === '\n') return '\\n';
    if (found === '\t') return '\\t';
    return `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** At most `width` characters, the last an ellipsis where something was left out. */
export function shorten(text: string, width: number): string {
  const characters = [...text.slice(0, 4 * width)];
  return characters.length <= width
    ? characters.join('')
    : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

export const plain: Paint = {
  bold: (text) => text,
  dim: (text) => text,
  red: (text) => text,
  green: (text) => text,
  yellow: (text) => text,
};

const sgr =
  (code: number) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`;

export const colourful: Paint = { bold: sgr(1), dim: sgr(2), red: sgr(31), green: sgr(32), yellow: sgr(33) };

/** `1 entry`, `2 entries`, `10,000 bytes`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}

export function thousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `812 B`, `2.1 kB`, `34 MB`. */
export function sized(bytes: number): string {
  let size = bytes;
  let unit = 'B';
  for (const next of ['kB', 'MB', 'GB', 'TB']) {
    if (size < 1000) break;
    size /= 1000;
    unit = next;
  }
  return `${unit === 'B' || size >= 10 ? Math.round(size) : size.toFixed(1)} ${unit}`;
}

/** How long: `33 ms`, `1.2 s`, `12 s`, `10 m`, `2 h 5 m`, `3 d 4 h`. */
export function lasted(milliseconds: number): string {
  const ms = Math.max(0, Math.round(milliseconds));
  if (ms < 1000) return `${ms} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const parts = (large: number, unit: string, small: number, smallUnit: string): string =>
    `${large} ${unit}${small > 0 ? ` ${small} ${smallUnit}` : ''}`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return parts(Math.floor(seconds / 60), 'm', seconds % 60, 's');
  if (seconds < 86_400) return parts(Math.floor(seconds / 3600), 'h', Math.floor((seconds % 3600) / 60), 'm');
  return parts(Math.floor(seconds / 86_400), 'd', Math.floor((seconds % 86_400) / 3600), 'h');
}

/** `2026-11-15 10:00:00Z`, of an entry's time. */
export function moment(ts: string): string {
  return `${ts.slice(0, 10)} ${ts.slice(11, 19)}Z`;
}

/** Lines of several columns, each as wide as its widest cell; `right` says which are aligned to the right. */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  return rows.map((row) =>
    row
      .map((cell, i) => (right.includes(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** Lines of two columns. */
export function columns(
  rows: readonly (readonly [string, string])[],
  indent = '  ',
  width = Math.max(0, ...rows.map(([left]) => left.length)),
): string {
  return rows.map(([left, right]) => `${indent}${left.padEnd(width)}  ${right}`.trimEnd()).join('\n');
}

const BAR = 24;

/** `[######··················]  25%  250,000 of 1,000,000 entries`; only the count where the end is not known. */
export function progressBar(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return counted(done, 'entry', 'entries');
  return `${bar(done, total)}  ${thousands(done)} of ${counted(total, 'entry', 'entries')}`;
}

/** `[######··················]  25%`. */
export function bar(done: number, total: number): string {
  const part = total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.floor(part * BAR);
  const percent = String(Math.floor(part * 100)).padStart(3);
  return `[${'#'.repeat(full)}${'·'.repeat(BAR - full)}] ${percent}%`;
}
