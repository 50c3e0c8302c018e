// Damage to the newest entries of a ledger whose head still tells of them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './run-ledger.ts';

export function cutOff(place: Place, entries: number): void {
  rewrite(place, (lines) => lines.slice(0, -entries));
}

/** The newest entry, as a line of the same length. */
export function alterLine(place: Place, alter: (line: string) => string): void {
  rewrite(place, (lines) => [...lines.slice(0, -1), alter(lines.at(-1) ?? '')]);
}

function rewrite({ directory }: Place, change: (lines: string[]) => string[]): void {
  const log = join(directory, 'ledger');
  const path = join(log, readdirSync(log).sort().at(-1) ?? '');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  writeFileSync(path, `${change(lines).join('\n')}\n`);
}
