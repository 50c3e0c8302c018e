// The entries of a ledger that a test looks at again and again while it grows: what was read before, and is still the
// same bytes, is not parsed and hashed again.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../../src/format/index.ts';
import { parseLines } from '../../read-log.ts';

interface Seen {
  readonly bytes: Buffer;
  readonly entries: readonly Entry[];
}

const seen = new Map<string, Seen>();
const MOST = 16;

/** Of a ledger's directory. Where somebody may be writing, `torn` leaves out a last line that is not whole yet. */
export function entriesSoFar(directory: string, { torn = false } = {}): Entry[] {
  return readdirSync(join(directory, 'ledger'))
    .sort()
    .flatMap((name) => entriesOf(join(directory, 'ledger', name), torn));
}

function entriesOf(path: string, torn: boolean): readonly Entry[] {
  const all = readFileSync(path);
  const bytes = torn ? all.subarray(0, all.lastIndexOf(0x0a) + 1) : all;
  const before = seen.get(path);
  const known = before !== undefined && bytes.subarray(0, before.bytes.length).equals(before.bytes);
  const entries = known
    ? [...before.entries, ...parseLines(bytes.subarray(before.bytes.length))]
    : parseLines(bytes);
  if (seen.size >= MOST && !seen.has(path)) seen.clear();
  seen.set(path, { bytes, entries });
  return entries;
}
