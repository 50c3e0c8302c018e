// What is given out of a run is on record: who did it, what it was by its hash, and for whom. A ledger whose keys are not here is
// somebody else's, and nothing is written to it.
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { sha256Hex } from '#platform';
import { UsageError } from '../core/index.ts';
import { CUSTODY, type Custody, encodeCustody } from '../format/index.ts';
import type { Ledger } from '../ledger/index.ts';

const LONGEST = 256;

export interface GivenOut extends Pick<Custody, 'run' | 'form' | 'recipient'> {
  readonly bytes: Uint8Array;
  /** As the user named it; `-` for standard output. */
  readonly file: string;
}

/**
 * Writes the file, and puts on record that it was given out: neither without the other. Gives the entry; null where the ledger
 * is somebody else's, for which `ledger` is null. What goes to standard output is for the caller to print.
 */
export async function giveOut(
  ledger: Pick<Ledger, 'append'> | null,
  given: GivenOut,
  cwd: string,
): Promise<number | null> {
  const path = given.file === '-' ? null : resolve(cwd, given.file);
  if (path !== null) write(path, given.bytes);
  try {
    return ledger === null ? null : await recordCustody(ledger, given);
  } catch (error) {
    if (path !== null && lstatSync(path).isFile()) rmSync(path);
    throw error;
  }
}

function write(path: string, bytes: Uint8Array): void {
  try {
    writeFileSync(path, bytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EISDIR') throw error;
    const why = code === 'EISDIR' ? 'it is a directory' : `there is no directory ${dirname(path)}`;
    throw new UsageError(`can't write ${path}: ${why}. Name another file with --output.`);
  }
}

/** The entry that it is on record with. */
async function recordCustody(
  ledger: Pick<Ledger, 'append'>,
  { run, form, bytes, file, recipient }: GivenOut,
): Promise<number> {
  const payload = encodeCustody({
    run,
    form,
    file: file === '-' ? null : basename(file).slice(0, LONGEST),
    sha256: sha256Hex(bytes),
    bytes: bytes.length,
    by: userName(),
    recipient,
  });
  const { first } = await ledger.append({ kind: CUSTODY, source: 'cli', payload });
  return first;
}

/** A user that the machine has no name for is known by its number. */
export function userName(): string {
  try {
    return userInfo().username.slice(0, LONGEST);
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
