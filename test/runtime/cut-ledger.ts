// Takes the newest entries off a ledger whose head still tells of them, or changes a line before them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Entry, encodeEntry } from '../../src/format/index.ts';
import type { Place } from './run-ledger.ts';

export function cutOff(place: Place, entries: number): void {
  rewriteLines(place, (lines) => lines.slice(0, -entries));
}

/** The line that is the `back`th from the end; the lines that `change` gives stand in its place. */
export function replaceLine(place: Place, back: number, change: (line: string) => readonly string[]): void {
  rewriteLines(place, (lines) =>
    lines.flatMap((line, at) => (at === lines.length - back ? change(line) : [line])),
  );
}

/** In the lines that hold a text, a word in place of another; no hash is made again. */
export function alterLines(place: Place, text: string, from: string, to: string): void {
  rewriteLines(place, (lines) => lines.map((line) => (line.includes(text) ? line.replace(from, to) : line)));
}

/** A note that is as long as the line, in its place and with its own right hash: only what follows it tells that it is forged. */
export function forgedNote(line: string): string {
  const { seq, prev_hash, source, ts } = JSON.parse(line) as Entry;
  const noted = (text: string): string =>
    encodeEntry(
      { kind: 'note', source, session_id: null, cause: null, ts, payload: { text } },
      seq,
      prev_hash,
    ).line;
  return noted('y'.repeat(line.length - noted('').length));
}

function rewriteLines({ directory }: Place, change: (lines: readonly string[]) => readonly string[]): void {
  const log = join(directory, 'ledger');
  const path = join(log, readdirSync(log).sort().at(-1) ?? '');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  writeFileSync(path, `${change(lines).join('\n')}\n`);
}
