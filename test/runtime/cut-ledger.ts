// Takes the newest entries off a ledger whose head still tells of them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './run-ledger.ts';

export function cutOff({ directory }: Place, entries: number): void {
  const log = join(directory, 'ledger');
  const path = join(log, readdirSync(log).sort().at(-1) ?? '');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  writeFileSync(path, `${lines.slice(0, -entries).join('\n')}\n`);
}
