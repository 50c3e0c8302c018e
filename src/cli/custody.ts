// What is given out of a run is on record: who did it, what it was by its hash, and for whom. A ledger whose keys are not here is
// somebody else's, and nothing is written to it.
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import { sha256Hex } from '#platform';
import { CUSTODY, type Custody, encodeCustody } from '../format/index.ts';
import type { Ledger } from '../ledger/index.ts';

const LONGEST = 256;

export interface GivenOut extends Pick<Custody, 'run' | 'form' | 'recipient'> {
  readonly bytes: Uint8Array;
  /** As the user named it; `-` for standard output. */
  readonly file: string;
}

/** The entry that it is on record with. */
export async function recordCustody(
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
