// The work of an attester on this machine: its keys, its state, and the sandboxes that may attest here.
import { randomBytes } from 'node:crypto';
import { type Attest, type ForOthers, makeAttester, memoryFolder } from '../harness/index.ts';
import { configDirectory, stateDirectory } from '../ledger/index.ts';
import { makeBubblewrap } from '../sandbox/bubblewrap/index.ts';
import type { AttesterIdentity } from '../service/index.ts';

export interface WorkPlace {
  /** The attester's state directory. */
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
  /** Gets what other tools can read. */
  readonly forOthers?: ((documents: ForOthers) => void) | undefined;
}

export function attestHere(
  { signer, encryption, did }: AttesterIdentity,
  { state, env, forOthers }: WorkPlace,
): Attest {
  const memory = memoryFolder();
  return makeAttester({
    signer,
    did,
    encryptionKey: encryption,
    state,
    forOthers,
    sandboxes: [
      makeBubblewrap({
        hidden: [state, stateDirectory(env), configDirectory(env)],
        // A report tells of a pack's tests, and those of an encrypted pack must not touch a disk.
        ...(memory === undefined ? {} : { temporary: memory }),
      }),
    ],
    now: Date.now,
    randomBytes: (length) => new Uint8Array(randomBytes(length)),
  });
}
