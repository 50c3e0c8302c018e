// What recorders leave for each other where the ledger can't be written: the port for it, and the notes of a ledger as
// files in its runtime directory.
import { encodeCrash, encodeGap } from '../../format/index.ts';
import type { NewEntry } from '../../ledger/index.ts';
import { HeldNote } from '../missed/held-note.ts';
import { type Taken, takeMissed } from '../missed/missed.ts';
import type { Missed } from '../missed/missed-time.ts';
import { noteDirectories } from '../missed/runtime-directory.ts';
import { RecordError } from '../record-error.ts';

export interface Notes {
  /** Those that wait to be told. Whoever takes them says what became of them. */
  take(): Taken;
  /** A note of one's own, for what is not told yet. */
  hold(): OwnNote;
}

export type OwnNote = Pick<HeldNote, 'hold' | 'told' | 'leave'>;

/** Where they are follows from the ledger's settings, which are read now, unless the ledger is yet to be found. */
export function openNotes(ledger: string | (() => string)): Notes {
  const known = typeof ledger === 'string' ? noteDirectories(ledger) : undefined;
  const directories = () => known ?? noteDirectories(typeof ledger === 'string' ? ledger : ledger());
  return { take: () => takeMissed(...directories()), hold: () => new HeldNote(() => directories()[0] ?? '') };
}

/** They are of no session: whose events were missed is not known. */
export function encodeTaken({ gaps, crashes }: Taken, source: string): NewEntry[] {
  return [
    ...gaps.map((gap) => ({ kind: 'gap', source, payload: encodeGap(gap) })),
    ...crashes.map((crash) => ({ kind: 'crash', source, payload: encodeCrash(crash) })),
  ];
}

/** Writes what was taken together with something else. It is put back where that fails. */
export async function tellTaken<T>(
  notes: Notes | undefined,
  source: string,
  write: (told: readonly NewEntry[]) => Promise<T>,
): Promise<T> {
  const taken = notes?.take();
  if (taken === undefined) return write([]);
  let written: T;
  try {
    written = await write(encodeTaken(taken, source));
  } catch (error) {
    taken.putBack();
    throw error;
  }
  taken.told();
  return written;
}

/** Whoever ends with something untold leaves a note of it, and says so. `missed` must be clean. */
export function leaveMissed(note: OwnNote | undefined, missed: Missed): RecordError {
  note?.hold(missed);
  // Where it could not be brought up to date, an older one says at least that there was something.
  const isLeft = note?.leave() === true;
  const what = missed.events === 1 ? '1 event' : `${missed.events} events`;
  const after = isLeft
    ? 'A note was left, and the next recorder here will record the gap.'
    : 'No note could be left either, so this message is the only trace.';
  return new RecordError(
    'AUDIT_APPEND_FAILED',
    `${what} could not be recorded: ${missed.why.replace(/[^.!?]$/, '$&.')} ${after}`,
  );
}
