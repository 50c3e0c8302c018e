// Whether entries are gone that the ledger once had: its head and its checkpoint say how many there must be.
import { openCheckpoint, ParseError } from '../core/index.ts';
import type { Store } from '../ledger/index.ts';

export interface Expected {
  readonly entries: number;
  /** What says so. */
  readonly by: 'head' | 'checkpoint';
}

/** To be asked before the entries are read: what is appended meanwhile is not missing. */
export async function expectedEntries(store: Store): Promise<Expected> {
  const { seq: entries } = await store.head();
  const sealed = await sealedEntries(store);
  return sealed >= entries ? { entries: sealed, by: 'checkpoint' } : { entries, by: 'head' };
}

/** In words; none where nothing is missing at the end. */
export function missingEntries({ entries, by }: Expected, read: number): string[] {
  if (read >= entries) return [];
  return [
    `The ${by} of this ledger says that it has ${entries.toLocaleString('en')} entries, but only ${read.toLocaleString('en')} of them can be read. Run \`foil verify\`.`,
  ];
}

/** As the checkpoint says. What it is worth is for the verifier. */
export async function sealedEntries(store: Store): Promise<number> {
  const note = await store.readCheckpoint();
  if (note === undefined) return 0;
  try {
    return openCheckpoint(note).checkpoint.size;
  } catch (error) {
    if (error instanceof ParseError) return 0;
    throw error;
  }
}
