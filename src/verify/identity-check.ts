// Who signed: the ledger's keys, one epoch after the other, and every checkpoint held against the key of its epoch.
// A key is believed only because the verifier pinned it, or because a believed key handed over to it in a key.rotate;
// that a ledger agrees with itself proves nothing about who wrote it.

import { ed25519Verify, utf8Encode } from '#platform';
import {
  encodeHex,
  encodeVerifierKey,
  keyRotateMessage,
  makeVerifierKey,
  type Note,
  openCheckpoint,
  ParseError,
  parseHex,
  sameBytes,
  type VerifierKey,
  verifyNote,
} from '../core/index.ts';
import { type Entry, originOf, parseKeyRotate, parseLedgerOpen } from '../format/index.ts';
import type { Findings } from './findings.ts';

/** Keys named in a message. */
const MAX_SHOWN = 4;
/** Signers that are no key of the ledger and are told of. */
const MAX_STRANGERS = 16;
/** Different keys with one id of 32 bits: nobody has so many by chance. */
const MAX_SAME_ID = 16;

interface Epoch {
  /** Checkpoints of this size and above, up to the next epoch. */
  readonly from: number;
  readonly key: VerifierKey;
  /** The epoch before handed over to it. */
  readonly endorsed: boolean;
  /** Size of the largest checkpoint that its key signed and the entries bear out. */
  signed: number;
  /** Its key signed some checkpoint. */
  used: boolean;
}

export class IdentityCheck {
  readonly #findings: Findings;
  readonly #epochs: Epoch[] = [];
  /** By name and id, as a signature line gives them: a hostile ledger may have very many. */
  readonly #keysOf = new Map<string, VerifierKey[]>();
  /** Signature lines of other keys, by name and id, with the first checkpoint that has one. */
  readonly #strangers = new Map<string, { readonly size: number; readonly file: string }>();
  origin: string | undefined;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  get keys(): readonly VerifierKey[] {
    return this.#epochs.map(({ key }) => key);
  }

  /** The key of the ledger at the place that was reached. */
  get current(): VerifierKey | undefined {
    return this.#epochs.at(-1)?.key;
  }

  /** The first entry. */
  open(entry: Entry): void {
    try {
      if (entry.kind !== 'ledger.open' || entry.seq !== 1)
        throw new ParseError('BAD_MEMBER', 'not a ledger.open entry');
      const { publicKey } = parseLedgerOpen(entry.payload);
      const origin = originOf(entry.entry_hash);
      this.#begin({ from: 1, key: verifierKey(origin, publicKey), endorsed: false, signed: 0, used: false });
      this.origin = origin;
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.#findings.add(
        'NOT_A_LEDGER',
        entry.seq,
        `the first entry does not open a ledger: ${error.message}`,
      );
    }
  }

  /** A key.rotate entry; `root` is that of the tree over all entries before it. */
  rotate(entry: Entry, root: Uint8Array | undefined): void {
    const old = this.#epochs.at(-1);
    if (old === undefined || this.origin === undefined) return;
    try {
      const { checkpoint, publicKey, signature } = parseKeyRotate(entry.payload);
      const key = verifierKey(this.origin, publicKey);
      const problem = this.#handOverProblem(entry, old.key, key, root, checkpoint, signature);
      if (problem !== undefined) this.#findings.add('ROTATION_INVALID', entry.seq, problem);
      this.#begin({ from: entry.seq, key, endorsed: problem === undefined, signed: 0, used: false });
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.#findings.add('ROTATION_INVALID', entry.seq, error.message);
    }
  }

  #begin(epoch: Epoch): void {
    this.#epochs.push(epoch);
    const signer = `${epoch.key.name} ${epoch.key.id}`;
    const same = this.#keysOf.get(signer) ?? [];
    if (same.length === 0) this.#keysOf.set(signer, same);
    if (same.length < MAX_SAME_ID && !same.some((key) => isSameKey(key, epoch.key))) same.push(epoch.key);
  }

  /** Those of this ledger's keys that a note could be signed by. */
  #keysFor(note: Note): VerifierKey[] {
    const signers = new Set(note.signatures.map(({ name, keyId }) => `${name} ${keyId}`));
    return [...signers].flatMap((signer) => this.#keysOf.get(signer) ?? []);
  }

  #handOverProblem(
    entry: Entry,
    oldKey: VerifierKey,
    newKey: VerifierKey,
    root: Uint8Array | undefined,
    noteText: string,
    signature: Uint8Array,
  ): string | undefined {
    const { checkpoint, note } = openCheckpoint(utf8Encode(noteText));
    const { origin, size } = checkpoint;
    if (origin !== this.origin) return 'carries a checkpoint of another ledger';
    if (size !== entry.seq - 1)
      return `carries a checkpoint of ${size} entries, not of the ${entry.seq - 1} before it`;
    if (root === undefined || !sameBytes(checkpoint.root, root))
      return 'carries a checkpoint over other entries';
    if (verifyNote(note, [oldKey]).verified.length === 0)
      return 'carries a checkpoint that the old key did not sign';
    const rotation = { origin, seq: entry.seq, prevHash: entry.prev_hash, root };
    const message = keyRotateMessage({ ...rotation, oldKey: oldKey.publicKey, newKey: newKey.publicKey });
    return ed25519Verify(oldKey.publicKey, message, signature)
      ? undefined
      : 'the old key did not sign the new one';
  }

  /**
   * A checkpoint whose origin is this ledger's; `holds` says that the entries have its root. Is it signed by the key of
   * its place?
   */
  checkpoint(note: Note, size: number, holds: boolean, file: string): boolean {
    const epoch = this.#epochs.findLast(({ from }) => from <= size);
    if (epoch === undefined) return false;
    const { verified, invalid } = verifyNote(note, [epoch.key]);
    if (invalid.length > 0) {
      this.#findings.add(
        'SIGNATURE_INVALID',
        size,
        "the signature by this ledger's key does not verify",
        file,
      );
    } else if (verified.length > 0) {
      for (const { name, keyId } of note.signatures) this.#seen(`${name} ${keyId}`, size, file);
      epoch.used = true;
      if (holds) epoch.signed = Math.max(epoch.signed, size);
      return true;
    } else if (verifyNote(note, this.#keysFor(note)).verified.length > 0) {
      const text = `signed by a key that was not this ledger's key at entry ${size}`;
      this.#findings.add('WRONG_EPOCH', size, text, file);
    } else this.#findings.add('UNSIGNED', size, "not signed by this ledger's key", file);
    return false;
  }

  #seen(signer: string, size: number, file: string): void {
    if (this.#strangers.size <= MAX_STRANGERS && !this.#strangers.has(signer))
      this.#strangers.set(signer, { size, file });
  }

  /** Once every key of the ledger is known. C2SP: a signature by a key that a verifier does not know is ignored. */
  noteStrangers(): void {
    for (const [signer, { size, file }] of this.#strangers) {
      if (this.#keysOf.has(signer)) continue;
      const [name = ''] = signer.split(' ');
      const text = `a signature by ${name}, which is not a key of this ledger, was not checked and doesn't count`;
      this.#findings.add('SIGNATURE_UNKNOWN', size, text, file);
    }
  }

  /**
   * How far a believed key signed, 0 for not at all. `keys` must each be a key of this ledger; `trusted` are asked
   * only where their name is this ledger's.
   */
  signedTo(keys: readonly VerifierKey[], trusted: readonly VerifierKey[]): number {
    const pinned = [...keys, ...trusted.filter(({ name }) => name === this.origin)];
    if (pinned.length === 0) {
      const [first] = this.keys;
      const how =
        first === undefined ? '' : `; compare ${encodeVerifierKey(first)} with its owner and pin it`;
      this.#findings.add('NO_PINNED_KEY', null, `you pinned no key for this ledger${how}`);
      return 0;
    }
    if (this.#epochs.length === 0) {
      this.#findings.add('NOT_SIGNED', null, 'no key of this ledger could be read');
      return 0;
    }
    for (const key of pinned) {
      if (this.#epochs.some((epoch) => isSameKey(epoch.key, key))) continue;
      const { length } = this.#epochs;
      const shown = this.keys.slice(0, MAX_SHOWN).map(encodeVerifierKey).join(', ');
      const actual = length > MAX_SHOWN ? `${shown} and ${length - MAX_SHOWN} more` : shown;
      const text = `this ledger is signed by ${actual}, but you pinned ${encodeVerifierKey(key)}: was it rewritten with a new key?`;
      this.#findings.add('KEY_NOT_TRUSTED', null, text);
    }
    let signed = 0;
    let used = false;
    let believed = false;
    for (const epoch of this.#epochs) {
      believed = (believed && epoch.endorsed) || pinned.some((key) => isSameKey(epoch.key, key));
      if (believed) signed = Math.max(signed, epoch.signed);
      used ||= believed && epoch.used;
    }
    if (!used)
      this.#findings.add('NOT_SIGNED', null, 'no checkpoint here is signed by a key that you pinned');
    return signed;
  }
}

function verifierKey(origin: string, publicKey: string): VerifierKey {
  try {
    return makeVerifierKey(origin, parseHex(publicKey, 32));
  } catch (error) {
    if (error instanceof RangeError) throw new ParseError('BAD_MEMBER', error.message, 'payload.public_key');
    throw error;
  }
}

function isSameKey(a: VerifierKey, b: VerifierKey): boolean {
  return a.name === b.name && encodeHex(a.publicKey) === encodeHex(b.publicKey);
}
