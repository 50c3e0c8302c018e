// The work of an attester on this machine: its keys, its state, where things are laid out, and the sandbox that attests.
import { randomBytes } from 'node:crypto';
import { parseBundle } from '../format/index.ts';
import {
  type Attest,
  type AttestJob,
  attestJob,
  type ForOthers,
  type Judge,
  memoryFolder,
} from '../harness/index.ts';
import { configDirectory, stateDirectory } from '../ledger/index.ts';
import { makeBubblewrap } from '../sandbox/bubblewrap/index.ts';
import type { AttesterIdentity } from '../service/index.ts';
import type { WorkPlaces } from './work-places.ts';

export interface WorkPlace {
  /** The attester's state directory. */
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where things are laid out; the system's own places for such things unless given. */
  readonly places?: WorkPlaces;
  /** Who is asked where a pack has a rubric; undefined for nobody. */
  readonly judge?: Judge | undefined;
  /** Gets what other tools can read. */
  readonly forOthers?: ((documents: ForOthers) => void) | undefined;
}

export function attestHere(
  { signer, encryption, did }: AttesterIdentity,
  { state, env, places, judge, forOthers }: WorkPlace,
): Attest {
  const memory = places === undefined ? memoryFolder() : places.memory;
  const options = {
    signer,
    did,
    encryptionKey: encryption,
    state,
    judge,
    forOthers,
    sandboxes: [
      makeBubblewrap({
        hidden: [state, stateDirectory(env), configDirectory(env)],
        // A report tells of a pack's tests, and those of an encrypted pack must not touch a disk.
        ...(memory === undefined ? {} : { temporary: memory }),
      }),
    ],
    now: Date.now,
    randomBytes: (length: number) => new Uint8Array(randomBytes(length)),
  };
  return (job, signal) => {
    const temporary = isSecret(job) ? memory : places?.disk;
    return attestJob({ ...options, temporary }, job, signal);
  };
}

/** As attestJob sees it: it refuses to lay out a secret pack on a disk, so that a mistake here shows. */
function isSecret({ pack, bundle }: AttestJob): boolean {
  if (pack[0] === 0x7b) return true;
  try {
    return parseBundle(bundle).payload.harness.packEncryption !== 'none';
  } catch {
    return false; // refused before anything is laid out
  }
}
