// Handing over to a new key. The old key signs everything so far, then the hand-over itself, and is destroyed: from
// then on nobody, not even the ledger's owner, can sign another version of what came before.

import { utf8Decode } from '#platform';
import { encodeBase64, keyRotateMessage, makeSigner, StoreError, type VerifierKey } from '../core/index.ts';
import { encodeKeyRotate, LineWriter } from '../format/index.ts';
import { publicKeyOf, readIdentity } from './epochs.ts';
import type { Clock, Keyring, Random, Store } from './ports.ts';
import { loadSigner, readSealed, seal } from './seal.ts';

/** Each try holds up other sealers for a moment; under appends without pause more of them would not help. */
const TRIES = 100;

export interface Rotated {
  readonly seq: number;
  readonly oldKey: VerifierKey;
  readonly newKey: VerifierKey;
}

/** Call it inside store.sealing. Appends of others may come in between; then it seals those and tries again. */
export async function rotate(store: Store, keyring: Keyring, now: Clock, random: Random): Promise<Rotated> {
  const identity = await readIdentity(store);
  const seed = random(32);
  const newKey = makeSigner(identity.origin, seed);
  // Before the entry that names it: a ledger must never have a key that nobody holds.
  await keyring.save(identity.origin, seed);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    await seal(store, keyring);
    const sealed = await readSealed(store, keyring, identity);
    if (sealed === undefined)
      throw new StoreError('DAMAGED', 'the checkpoint that was just written is gone. Run `foil verify`.');
    const { checkpoint, note, key: oldKey } = sealed;
    const oldSigner = await loadSigner(keyring, oldKey);
    const ts = new Date(now()).toISOString();
    const head = await store.append((at) => {
      if (at.seq !== checkpoint.size) return undefined;
      const seq = at.seq + 1;
      const message = keyRotateMessage({
        origin: identity.origin,
        seq,
        prevHash: at.hash,
        root: checkpoint.root,
        oldKey: oldKey.publicKey,
        newKey: newKey.publicKey,
      });
      const payload = encodeKeyRotate({
        checkpoint: utf8Decode(note),
        publicKey: publicKeyOf(newKey),
        signature: encodeBase64(oldSigner.sign(message)),
      });
      const writer = new LineWriter();
      const hash = writer.write({ kind: 'key.rotate', payload, source: 'ledger' }, ts, seq, at.hash);
      return { lines: writer.take(), head: { seq, hash } };
    });
    if (head === undefined) continue;
    await keyring.destroy(identity.origin, publicKeyOf(oldKey));
    await seal(store, keyring);
    return { seq: head.seq, oldKey, newKey };
  }
  await keyring.destroy(identity.origin, publicKeyOf(newKey));
  throw new StoreError(
    'LOCK_TIMEOUT',
    'other processes keep writing to the ledger, so the key was not rotated. Try again later.',
  );
}
