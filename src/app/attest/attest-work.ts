// The work of an attester on this machine: its keys, its state, where things are laid out, and the sandbox that attests.
import { randomBytes } from 'node:crypto';
import { type Attest, attestJob, type Judge } from '../../harness/index.ts';
import { configDirectory, stateDirectory } from '../../ledger/index.ts';
import { makeBubblewrap } from '../../sandbox/bubblewrap/index.ts';
import type { AttesterIdentity } from '../../service/index.ts';

export interface Attesting {
  /** The attester's state directory. */
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where things are laid out; the system's own place for such things unless given. */
  readonly temporary?: string;
  /** Who is asked where a pack has a rubric; undefined for nobody. */
  readonly judge?: Judge | undefined;
}

export function attestHere(
  { signer, encryption, did }: AttesterIdentity,
  { state, env, temporary, judge }: Attesting,
): Attest {
  const options = {
    signer,
    did,
    encryptionKey: encryption,
    state,
    judge,
    temporary,
    sandboxes: [makeBubblewrap({ hidden: [state, stateDirectory(env), configDirectory(env)] })],
    now: Date.now,
    randomBytes: (length: number) => new Uint8Array(randomBytes(length)),
  };
  return (job, signal, others) => attestJob({ ...options, others }, job, signal);
}
