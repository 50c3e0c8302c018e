// A new ledger, with its key pinned in the user's own trust file: the same for `init`, `install` and a first event.
import { readTrust, userTrustFile } from '../config/index.ts';
import { encodeVerifierKey } from '../core/index.ts';
import { createLedger } from '../entry/index.ts';
import type { Located } from '../ledger/index.ts';
import { pin } from './keys/trust.ts';

export interface MadeLedger {
  readonly origin: string;
  readonly vkey: string;
  /** Undefined for one that touches nothing outside itself. */
  readonly trustFile: string | undefined;
}

/** Throws StoreError EXISTS where there is one. */
export async function makeLedger(
  located: Located,
  env: NodeJS.ProcessEnv,
  { alone = false }: { alone?: boolean } = {},
): Promise<MadeLedger> {
  const trustFile = alone ? undefined : userTrustFile(env);
  // Read before anything is made: a file that can't be read could not be added to either.
  if (trustFile !== undefined) await readTrust(trustFile);
  const ledger = await createLedger(located, { env });
  try {
    const { origin, firstKey } = await ledger.identity();
    const vkey = encodeVerifierKey(firstKey);
    if (trustFile !== undefined) await pin(trustFile, vkey, located.directory);
    return { origin, vkey, trustFile };
  } finally {
    await ledger.close();
  }
}
