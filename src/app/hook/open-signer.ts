// What signs validations, opened from where a ledger is. Looks only for the key that is noted to be the newest; where
// that is not known, the ledger is read for it. The service signs at every turn, so what was opened is kept; one whose
// key was rotated meanwhile refuses to sign, and is opened again.
import type { ValidationSigner } from '../../gate/index.ts';
import { type EntryLog, type Located, openNotedValidator } from '../../ledger/index.ts';
import { nodeFs, openKeyring, readRange } from '../../store/files/index.ts';
import type { WholeLedger } from './whole-ledger.ts';

/** Where a ledger's keys lie may change with its settings: then the key is not there any more, and is opened again. */
const kept = new WeakMap<Located, Promise<ValidationSigner>>();

export interface SignerOptions {
  readonly again?: boolean;
  /** Where it is noted which key is the newest. */
  readonly notes: Pick<EntryLog, 'readState'>;
  readonly whole: Pick<WholeLedger, 'openValidator'>;
}

export function openSigner(located: Located, options: SignerOptions): Promise<ValidationSigner> {
  const known = options.again === true ? undefined : kept.get(located);
  if (known !== undefined) return known;
  const opened = open(located, options);
  kept.set(located, opened);
  opened.catch(() => kept.delete(located));
  return opened;
}

async function open(located: Located, { notes, whole }: SignerOptions): Promise<ValidationSigner> {
  const { directory, keyDirectory } = located;
  const store = {
    read: (from: number, to: number) => readRange(directory, nodeFs, from, to),
    readState: (name: string) => notes.readState(name),
  };
  const noted = await openNotedValidator({ store, keyring: openKeyring(keyDirectory) });
  return noted ?? whole.openValidator(located);
}
