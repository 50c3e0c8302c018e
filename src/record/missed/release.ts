// A person's word that an agent may go on where nothing can be recorded: what `foil mode observe` leaves when the ledger
// itself can't be written, so that nobody is stuck in guard with a ledger that is wedged. It lies in the user's runtime
// directory, like a pause, and is weaker than one: it counts only in guard and only for what fails to be recorded. The
// gate of a ledger that works is not touched by it, and the first event that is recorded takes it away. In `locked` it
// never counts. That it was there is told by the next entry, as a gap.
import { LONGEST_PAUSE, readUntil, type Until, writeUntil } from './pause.ts';

const RELEASE_FILE = 'observe';
/** What is forgotten ends within a day. */
export const LONGEST_RELEASE = LONGEST_PAUSE;

export interface ReleaseOptions {
  readonly now?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The runtime directory, where it is known already, and the others that notes may lie in. */
  readonly runtime?: string;
  readonly elsewhere?: readonly string[];
}

/** Until when what can't be recorded is let through; null where it is not. Never throws. */
export function readRelease(ledger: string, options: ReleaseOptions = {}): Until | null {
  return readUntil(RELEASE_FILE, ledger, { ...options, locked: false });
}

/** Whole or not at all. Null takes it away. Throws what the system says. */
export function writeRelease(ledger: string, until: string | null, options: ReleaseOptions = {}): void {
  writeUntil(RELEASE_FILE, ledger, until, { ...options, locked: false });
}
