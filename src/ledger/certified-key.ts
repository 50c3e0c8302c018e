// Keys that sign one kind of statement each for a ledger: validations, receipts. Such a key is made on first use, stands
// in an entry of its own under a certificate of the ledger's key, and has a version: a rotation gives the next one and
// destroys the old private key, so that nobody can sign as it any more, while everything it signed before keeps
// verifying. Whoever has no ledger key can make none.
//
// It signs inside the store's exclusive section where only there the place of what is spoken of is known: then signing is
// synchronous. Else it signs aside, and asks inside the section whether it still may. The old key is destroyed before the
// entry of the new one is written, and looked for before each signature is written, so that nothing signed by an old key
// ever stands behind the entry that replaced it.
import {
  encodeBase64,
  encodeHex,
  makeSigner,
  parseHex,
  type Signer,
  StoreError,
  type VerifierKey,
} from '../core/index.ts';
import { type Entry, encodeValidatorKey, LineWriter, parseValidatorKey } from '../format/index.ts';
import { entriesOf, nextKey, readIdentity } from './epochs.ts';
import type { Clock, EntryLog, Keyring, LogReader, Random } from './ports.ts';
import { loadSigner } from './seal.ts';

/** What such a key is for. */
export interface Role {
  /** The last part of the name under which its keys are kept. */
  readonly name: string;
  readonly kind: string;
  /** A note beside the ledger that saves reading all of it. Disposable, and believed only if that private key is here. */
  readonly state: string;
  /** What the ledger's key signs. */
  certificate(key: {
    readonly origin: string;
    readonly version: number;
    readonly publicKey: Uint8Array;
  }): Uint8Array;
  /** In words: what it signs, and how it is rotated. */
  readonly signs: string;
  readonly rotate: string;
}

export interface CertifiedSigner {
  readonly origin: string;
  readonly version: number;
  /** 64 hex digits. */
  readonly publicKey: string;
  /**
   * In base64. Synchronous: call it inside `build`, and take its result into the block that `build` gives. Throws
   * StoreError KEY when the key was rotated meanwhile: open it again.
   */
  sign(message: Uint8Array): string;
  /** In base64, made outside of `build`. What is signed so is written only after assertCurrent, inside it. */
  signAside(message: Uint8Array): Promise<string>;
  /** Throws StoreError KEY when the key was rotated meanwhile. Inside `build` it can't be before that has ended. */
  assertCurrent(): void;
}

export interface CertifiedKeyOptions {
  readonly store: EntryLog;
  readonly keyring: Keyring;
  readonly random: Random;
  readonly now?: Clock;
}

export interface NotedKeyOptions {
  readonly store: Pick<EntryLog, 'read' | 'readState'>;
  readonly keyring: Keyring;
}

export interface CertifiedEpoch {
  /** Of the entry that it stands in. */
  readonly seq: number;
  readonly version: number;
  readonly publicKey: string;
}

/** Each try costs a look at what others appended since the last. */
const TRIES = 100;

/** The name that a ledger's keys for a role are kept under. */
export function roleName(origin: string, { name }: Role): string {
  return `${origin}/${name}`;
}

/**
 * The current key; made where there is none yet. Of several that make it at once all get the same. Throws StoreError KEY
 * where it is not here, or would have to be made and the ledger's key is not here.
 */
export async function openCertified(role: Role, options: CertifiedKeyOptions): Promise<CertifiedSigner> {
  const { origin } = await readIdentity(options.store);
  return (await openNoted(role, options, origin)) ?? new Maker(role, options, origin).open();
}

/** The one that is noted to be the newest, found without reading the log; undefined where it is not noted, or not here. */
export async function openNoted(
  role: Role,
  { store, keyring }: NotedKeyOptions,
  known?: string,
): Promise<CertifiedSigner | undefined> {
  const origin = known ?? (await readIdentity(store)).origin;
  const noted = parseNote(await store.readState(role.state));
  const signer = noted && (await keyring.load(roleName(origin, role), noted.publicKey));
  return noted && signer && signerOf(role, keyring, origin, noted, signer);
}

export interface CertifiedRotated extends CertifiedEpoch {
  /** The one that it replaces; null where it is the first. */
  readonly old: CertifiedEpoch | null;
}

/** Hands over to a new key and destroys the old one. Needs the ledger's key. */
export async function rotateCertified(role: Role, options: CertifiedKeyOptions): Promise<CertifiedRotated> {
  const { origin } = await readIdentity(options.store);
  return new Maker(role, options, origin).rotate();
}

/** Every key of a ledger for a role, oldest first. Reads the whole log. */
export async function readCertified({ kind }: Role, store: LogReader): Promise<CertifiedEpoch[]> {
  const { seq: to } = await store.head();
  const found: CertifiedEpoch[] = [];
  for await (const entry of entriesOf(store, 2, to, [kind])) found.push(epochOf(entry));
  return found;
}

/** Makes keys known. It has read the log up to `#at`, and writes only right behind that. */
class Maker {
  readonly #role: Role;
  readonly #options: CertifiedKeyOptions;
  readonly #origin: string;
  readonly #name: string;
  #at = 1;
  #newest: CertifiedEpoch | undefined;
  #ledgerKey: VerifierKey | undefined;

  constructor(role: Role, options: CertifiedKeyOptions, origin: string) {
    this.#role = role;
    this.#options = options;
    this.#origin = origin;
    this.#name = roleName(origin, role);
  }

  async open(): Promise<CertifiedSigner> {
    const { keyring } = this.#options;
    await this.#read();
    const current = await this.#current();
    if (current !== undefined) return current;
    // A key without an entry: somebody is about to write it, or died before. Its private half is here, so take it.
    const spare = await this.#spare();
    if (spare === undefined && this.#newest !== undefined) {
      throw new StoreError(
        'KEY',
        `the private key of ${this.#name} is not on this machine, and only it can sign ${this.#role.signs}. If it is lost, run \`${this.#role.rotate}\`.`,
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
    throw busy(this.#role, 'made');
  }

  async rotate(): Promise<CertifiedRotated> {
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
    throw busy(this.#role, 'rotated');
  }

  async #current(): Promise<CertifiedSigner | undefined> {
    const { keyring } = this.#options;
    if (this.#newest === undefined) return undefined;
    const signer = await keyring.load(this.#name, this.#newest.publicKey);
    return signer && signerOf(this.#role, keyring, this.#origin, this.#newest, signer);
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
  async #write(publicKey: string): Promise<CertifiedEpoch | undefined> {
    const { store, keyring, now = Date.now } = this.#options;
    const signer = await this.#ledgerSigner();
    const version = (this.#newest?.version ?? 0) + 1;
    const key = { origin: this.#origin, version, publicKey: parseHex(publicKey, 32) };
    const certificate = encodeBase64(signer.sign(this.#role.certificate(key)));
    const payload = encodeValidatorKey({ version, publicKey, certificate });
    const ts = new Date(now()).toISOString();
    const head = await store.append(
      (at) => {
        if (at.seq !== this.#at || !keyring.holds(this.#name, publicKey)) return undefined;
        const seq = at.seq + 1;
        const writer = new LineWriter();
        const hash = writer.write({ kind: this.#role.kind, payload, source: 'ledger' }, ts, seq, at.hash);
        const state = new TextEncoder().encode(JSON.stringify({ version, publicKey, seq }));
        return { lines: writer.take(), head: { seq, hash }, state };
      },
      { state: this.#role.state },
    );
    if (head === undefined) return undefined;
    this.#at = head.seq;
    this.#newest = { seq: head.seq, version, publicKey };
    return this.#newest;
  }

  async #ledgerSigner(): Promise<Signer> {
    if (this.#ledgerKey === undefined) throw new RangeError('read the log first');
    return loadSigner(this.#options.keyring, this.#ledgerKey, `a ${this.#role.name} key can't be made`);
  }

  async #read(): Promise<void> {
    const { store } = this.#options;
    this.#ledgerKey ??= (await readIdentity(store)).firstKey;
    const { seq: to } = await store.head();
    for await (const entry of entriesOf(store, this.#at + 1, to, ['key.rotate', this.#role.kind])) {
      if (entry.kind === this.#role.kind) this.#newest = epochOf(entry);
      else this.#ledgerKey = nextKey(entry, this.#ledgerKey) ?? this.#ledgerKey;
    }
    this.#at = Math.max(this.#at, to);
  }
}

function signerOf(
  role: Role,
  keyring: Keyring,
  origin: string,
  { version, publicKey }: CertifiedEpoch,
  signer: Signer,
): CertifiedSigner {
  const assertCurrent = (): void => {
    if (!keyring.holds(roleName(origin, role), publicKey))
      throw new StoreError(
        'KEY',
        `somebody rotated the key for ${role.signs} in the meantime. Open it again.`,
      );
  };
  return {
    origin,
    version,
    publicKey,
    sign(message) {
      assertCurrent();
      return encodeBase64(signer.sign(message));
    },
    signAside: async (message) => encodeBase64(await signer.signAside(message)),
    assertCurrent,
  };
}

function epochOf(entry: Entry): CertifiedEpoch {
  try {
    const { version, publicKey } = parseValidatorKey(entry.payload);
    return { seq: entry.seq, version, publicKey };
  } catch (cause) {
    throw new StoreError('DAMAGED', `the key in entry ${entry.seq} can't be read. Run \`foil verify\`.`, {
      cause,
    });
  }
}

function parseNote(bytes: Uint8Array | undefined): CertifiedEpoch | undefined {
  if (bytes === undefined) return undefined;
  try {
    const { version, publicKey, seq } = JSON.parse(new TextDecoder().decode(bytes)) as CertifiedEpoch;
    const numbers = Number.isSafeInteger(version) && Number.isSafeInteger(seq);
    return numbers && /^[0-9a-f]{64}$/.test(publicKey) ? { version, publicKey, seq } : undefined;
  } catch {
    return undefined;
  }
}

function busy({ signs }: Role, what: string): StoreError {
  return new StoreError(
    'LOCK_TIMEOUT',
    `other processes keep writing to the ledger, so the key for ${signs} could not be ${what}. Try again later.`,
  );
}
