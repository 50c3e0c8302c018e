// The work of an attester on this machine: its keys, its state, where things are laid out, and the sandbox that attests.
import { randomBytes } from 'node:crypto';
import { parseBundle } from '../format/index.ts';
import { type Attest, type AttestJob, attestJob } from '../harness/index.ts';
import { configDirectory, stateDirectory } from '../ledger/index.ts';
import { makeBubblewrap } from '../sandbox/bubblewrap/index.ts';
import type { AttesterIdentity } from '../service/index.ts';
import type { WorkPlaces } from './work-places.ts';

export interface AttestHere {
  readonly identity: AttesterIdentity;
  /** The attester's state directory. */
  readonly state: string;
  readonly places: WorkPlaces;
  readonly env: NodeJS.ProcessEnv;
}

export function attestHere({ identity, state, places, env }: AttestHere): Attest {
  const { signer, encryption, did } = identity;
  const options = {
    signer,
    did,
    encryptionKey: encryption,
    state,
    sandboxes: [makeBubblewrap({ hidden: [state, stateDirectory(env), configDirectory(env)] })],
    now: Date.now,
    randomBytes: (length: number) => new Uint8Array(randomBytes(length)),
  };
  return (job, signal) => {
    const temporary = isSecret(job) ? places.memory : places.disk;
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
