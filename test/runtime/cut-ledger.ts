// Takes the newest entries off a ledger whose head still tells of them, or changes a line before them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

function rewriteLines({ directory }: Place, change: (lines: readonly string[]) => readonly string[]): void {
  const log = join(directory, 'ledger');
  const path = join(log, readdirSync(log).sort().at(-1) ?? '');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  writeFileSync(path, `${change(lines).join('\n')}\n`);
}
