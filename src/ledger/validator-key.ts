// The key that signs validations. It is made on first use, stands in a `validator.key` entry under a certificate of the
// ledger's key, and has a version: a rotation gives the next one and destroys the old private key, so that nobody can
// sign as it any more, while everything it signed before keeps verifying. Whoever has no ledger key can make none.
//
// A validation is signed inside the store's exclusive section, because only there the claim's seq is known. So signing is
// synchronous; and the old key is destroyed before the entry of the new one is written, and looked for before each
// signature, so that no validation by an old key ever stands behind the entry that replaced it.
import {
  encodeBase64,
  encodeHex,
  type JsonObject,
  makeSigner,
  parseHex,
  type Signer,
  StoreError,
  type VerifierKey,
  validationMessage,
  validatorKeyMessage,
} from '../core/index.ts';
import {
  type Entry,
  encodeValidation,
  encodeValidatorKey,
  LineWriter,
  parseValidatorKey,
  type Validation,
} from '../format/index.ts';
import { entriesOf, nextKey, readIdentity } from './epochs.ts';
import type { Clock, Keyring, Random, Store } from './ports.ts';
import { loadSigner } from './seal.ts';

/** What speaks for the validators of a ledger. */
export interface ValidatorSigner {
  readonly version: number;
  /** 64 hex digits. */
  readonly publicKey: string;
  /**
   * The payload of a `validation` entry, signed. Synchronous: call it inside `build`, and take its result into the block
   * that `build` gives. Throws StoreError KEY when the key was rotated meanwhile: open the validator again.
   */
  sign(validation: Validation, sessionId: string): JsonObject;
}

export interface ValidatorOptions {
  readonly store: Pick<Store, 'append' | 'read' | 'head' | 'readState'>;
  readonly keyring: Keyring;
  readonly random: Random;
  readonly now?: Clock;
}

export interface ValidatorEpoch {
  /** Of the `validator.key` entry. */
  readonly seq: number;
  readonly version: number;
  readonly publicKey: string;
}

/** A note beside the ledger that saves reading all of it. Disposable, and believed only if that private key is here. */
const STATE = 'foil.validator';
/** Each try costs a look at what others appended since the last. */
const TRIES = 100;

/** The name that a ledger's validator keys are kept under. */
export function validatorName(origin: string): string {
  return `${origin}/validator`;
}

/**
 * The current validator key; made where there is none yet. Of several that make it at once all get the same. Throws
 * StoreError KEY where it is not here, or would have to be made and the ledger's key is not here.
 */
export async function openValidator(options: ValidatorOptions): Promise<ValidatorSigner> {
  const { store, keyring } = options;
  const { origin } = await readIdentity(store);
  const noted = parseNote(await store.readState(STATE));
  const signer = noted && (await keyring.load(validatorName(origin), noted.publicKey));
  if (noted !== undefined && signer !== undefined) return signerOf(keyring, origin, noted, signer);
  return new Maker(options, origin).open();
}

export interface ValidatorRotated extends ValidatorEpoch {
  /** The one that it replaces; null where it is the first. */
  readonly old: ValidatorEpoch | null;
}

/** Hands over to a new validator key and destroys the old one. Needs the ledger's key. */
export async function rotateValidator(options: ValidatorOptions): Promise<ValidatorRotated> {
  const { origin } = await readIdentity(options.store);
  return new Maker(options, origin).rotate();
}

/** Every validator key of a ledger, oldest first. Reads the whole log. */
export async function readValidatorKeys(store: Pick<Store, 'read' | 'head'>): Promise<ValidatorEpoch[]> {
  const { seq: to } = await store.head();
  const found: ValidatorEpoch[] = [];
  for await (const entry of entriesOf(store, 2, to, ['validator.key'])) found.push(epochOf(entry));
  return found;
}

/** Makes keys known. It has read the log up to `#at`, and writes only right behind that. */
class Maker {
  readonly #options: ValidatorOptions;
  readonly #origin: string;
  readonly #name: string;
  #at = 1;
  #newest: ValidatorEpoch | undefined;
  #ledgerKey: VerifierKey | undefined;

  constructor(options: ValidatorOptions, origin: string) {
    this.#options = options;
    this.#origin = origin;
    this.#name = validatorName(origin);
  }

  async open(): Promise<ValidatorSigner> {
    const { keyring } = this.#options;
    await this.#read();
    const current = await this.#current();
    if (current !== undefined) return current;
    // A key without an entry: somebody is about to write it, or died before. Its private half is here, so take it.
    const spare = await this.#spare();
    if (spare === undefined && this.#newest !== undefined) {
      throw new StoreError(
        'KEY',
        `the private key of ${this.#name} is not here: only where it is can validations be signed. If it is lost, run \`foil key rotate --validator\`.`,
      );
    }
    const publicKey = spare ?? (await this.#make());
    const before = this.#newest?.version ?? 0;
    for (let tries = 0; tries < TRIES; tries++) {
      const written = await this.#write(publicKey);
      if (written === undefined) await this.#read();
      if ((this.#newest?.version ?? 0) === before) continue;
      if (spare === undefined && this.#newest?.publicKey !== publicKey)
        await keyring.destroy(this.#name, publicKey);
      const made = await this.#current();
      if (made !== undefined) return made;
      break; // somebody made one where it is not ours to use
    }
    throw busy('made');
  }

  async rotate(): Promise<ValidatorRotated> {
    const { keyring } = this.#options;
    await this.#read();
    await this.#ledgerSigner(); // before anything is destroyed
    const old = this.#newest ?? null;
    const publicKey = (await this.#spare()) ?? (await this.#make());
    for (let tries = 0; tries < TRIES; tries++) {
      const replaced = this.#newest;
      if (replaced !== undefined && replaced.publicKey !== publicKey)
        await keyring.destroy(this.#name, replaced.publicKey);
      if ((await this.#write(publicKey)) === undefined) await this.#read();
      // Somebody who could not sign any more may have written our new key for us.
      if (this.#newest?.publicKey === publicKey) return { ...this.#newest, old };
    }
    throw busy('rotated');
  }

  async #current(): Promise<ValidatorSigner | undefined> {
    const { keyring } = this.#options;
    if (this.#newest === undefined) return undefined;
    const signer = await keyring.load(this.#name, this.#newest.publicKey);
    return signer && signerOf(keyring, this.#origin, this.#newest, signer);
  }

  /** A key that is here and that no entry tells of. */
  async #spare(): Promise<string | undefined> {
    const newest = this.#newest?.publicKey;
    return (await this.#options.keyring.list(this.#name)).find((key) => key !== newest);
  }

  async #make(): Promise<string> {
    const { keyring, random } = this.#options;
    await this.#ledgerSigner();
    const seed = random(32);
    // Before the entry that names it: a ledger must never have a key that nobody holds.
    await keyring.save(this.#name, seed);
    return encodeHex(makeSigner(this.#name, seed).publicKey);
  }

  /** Undefined when others appended since the log was read, or took the key away. */
  async #write(publicKey: string): Promise<ValidatorEpoch | undefined> {
    const { store, keyring, now = Date.now } = this.#options;
    const signer = await this.#ledgerSigner();
    const version = (this.#newest?.version ?? 0) + 1;
    const key = { origin: this.#origin, version, publicKey: parseHex(publicKey, 32) };
    const certificate = encodeBase64(signer.sign(validatorKeyMessage(key)));
    const payload = encodeValidatorKey({ version, publicKey, certificate });
    const ts = new Date(now()).toISOString();
    const head = await store.append(
      (at) => {
        if (at.seq !== this.#at || !keyring.holds(this.#name, publicKey)) return undefined;
        const seq = at.seq + 1;
        const writer = new LineWriter();
        const hash = writer.write({ kind: 'validator.key', payload, source: 'ledger' }, ts, seq, at.hash);
        const state = new TextEncoder().encode(JSON.stringify({ version, publicKey, seq }));
        return { lines: writer.take(), head: { seq, hash }, state };
      },
      { state: STATE },
    );
    if (head === undefined) return undefined;
    this.#at = head.seq;
    this.#newest = { seq: head.seq, version, publicKey };
    return this.#newest;
  }

  async #ledgerSigner(): Promise<Signer> {
    if (this.#ledgerKey === undefined) throw new RangeError('read the log first');
    return loadSigner(this.#options.keyring, this.#ledgerKey, 'a validator key be made');
  }

  async #read(): Promise<void> {
    const { store } = this.#options;
    this.#ledgerKey ??= (await readIdentity(store)).firstKey;
    const { seq: to } = await store.head();
    for await (const entry of entriesOf(store, this.#at + 1, to, ['key.rotate', 'validator.key'])) {
      if (entry.kind === 'validator.key') this.#newest = epochOf(entry);
      else this.#ledgerKey = nextKey(entry, this.#ledgerKey) ?? this.#ledgerKey;
    }
    this.#at = Math.max(this.#at, to);
  }
}

function signerOf(
  keyring: Keyring,
  origin: string,
  { version, publicKey }: ValidatorEpoch,
  signer: Signer,
): ValidatorSigner {
  return {
    version,
    publicKey,
    sign(validation, sessionId) {
      if (!keyring.holds(validatorName(origin), publicKey))
        throw new StoreError('KEY', 'the validator key was rotated meanwhile. Open the validator again.');
      const payload = encodeValidation(validation, version);
      const message = validationMessage({ origin, sessionId, payload });
      return { ...payload, signature: encodeBase64(signer.sign(message)) };
    },
  };
}

function epochOf(entry: Entry): ValidatorEpoch {
  try {
    const { version, publicKey } = parseValidatorKey(entry.payload);
    return { seq: entry.seq, version, publicKey };
  } catch (cause) {
    throw new StoreError(
      'DAMAGED',
      `the validator key in entry ${entry.seq} can not be read. Run \`foil verify\`.`,
      { cause },
    );
  }
}

function parseNote(bytes: Uint8Array | undefined): ValidatorEpoch | undefined {
  if (bytes === undefined) return undefined;
  try {
    const { version, publicKey, seq } = JSON.parse(new TextDecoder().decode(bytes)) as ValidatorEpoch;
    const numbers = Number.isSafeInteger(version) && Number.isSafeInteger(seq);
    return numbers && /^[0-9a-f]{64}$/.test(publicKey) ? { version, publicKey, seq } : undefined;
  } catch {
    return undefined;
  }
}

function busy(what: string): StoreError {
  return new StoreError(
    'LOCK_TIMEOUT',
    `others append without pause, so the validator key could not be ${what}. Try again later.`,
  );
}
