// A ledger that is open: append, seal, prove. The store makes lines durable; this decides what the lines are.
import {
  type DsseEnvelope,
  dsseMessage,
  encodeHex,
  encodeTlogProof,
  encodeVerifierKey,
  makeSigner,
  proveInclusion,
  proveMany,
  type Signer,
  StoreError,
  type Tile,
} from '../core/index.ts';
import {
  type ContentRef,
  encodeLedgerOpen,
  GENESIS,
  type Head,
  LineWriter,
  originOf,
} from '../format/index.ts';
import { encodeBlock, type NewEntry } from './block.ts';
import { type Identity, readEpochs, readIdentity } from './epochs.ts';
import { type ErasePlan, type Tombstone, writeTombstones } from './erase.ts';
import { openReceiptSigner, type ReceiptSigner, readGatewayKeys, rotateGateway } from './gateway-key.ts';
import type { AppendOptions, Build, Clock, Keyring, Random, Store, WaitOptions } from './ports.ts';
import { type Rotated, rotate } from './rotate.ts';
import { loadSigner, readSealed, type Sealed, seal } from './seal.ts';
import {
  openValidator,
  readValidatorKeys,
  rotateValidator,
  type ValidatorEpoch,
  type ValidatorRotated,
  type ValidatorSigner,
} from './validator-key.ts';

/** Where new entries stand: seqs `first` to `last`, and the hash of the last one. */
export interface Appended {
  readonly first: number;
  readonly last: number;
  readonly hash: string;
}

export interface LedgerOptions {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly now?: Clock;
  readonly random: Random;
  /** Seal by itself when so many entries are unsealed; 0 leaves it to others. For long-lived writers. */
  readonly sealEvery?: number;
  /** Milliseconds between two seals that it makes by itself: under load they would take a core. */
  readonly sealPause?: number;
  /** How to seal, where that is not to happen in this thread. */
  readonly sealer?: { seal(): Promise<void>; close(): Promise<void> };
}

export const SEAL_EVERY = 256;

/** Writes the first entry and seals it. The key is kept before the entry that names it. */
export async function createLedger(options: LedgerOptions): Promise<Ledger> {
  const { store, keyring, random, now = Date.now } = options;
  const seed = random(32);
  const publicKey = encodeHex(makeSigner('new', seed).publicKey);
  const payload = encodeLedgerOpen({ nonce: encodeHex(random(32)), publicKey });
  const draft = { kind: 'ledger.open', payload, source: 'ledger' };
  const writer = new LineWriter();
  const hash = writer.write(draft, new Date(now()).toISOString(), 1, GENESIS);
  const lines = writer.take();
  await keyring.save(originOf(hash), seed);
  const head = await store.append(({ seq }) => (seq === 0 ? { lines, head: { seq: 1, hash } } : undefined));
  if (head === undefined) {
    await keyring.destroy(originOf(hash), publicKey);
    throw new StoreError('EXISTS', 'this store already has a ledger.');
  }
  const ledger = new Ledger(options);
  await ledger.seal();
  return ledger;
}

export class Ledger {
  readonly store: Store;
  readonly #keyring: Keyring;
  readonly #now: Clock;
  readonly #random: Random;
  #sealEvery: number;
  readonly #sealPause: number;
  #sealedAt = Number.NEGATIVE_INFINITY;
  readonly #sealer: LedgerOptions['sealer'];
  #identity: Promise<Identity> | undefined;
  #sealedSize = -1;
  #sealing: Promise<void> | undefined;
  #sealError: unknown;

  constructor(options: LedgerOptions) {
    this.store = options.store;
    this.#keyring = options.keyring;
    this.#now = options.now ?? Date.now;
    this.#random = options.random;
    this.#sealEvery = options.sealEvery ?? 0;
    this.#sealPause = options.sealPause ?? 0;
    this.#sealer = options.sealer;
  }

  /**
   * Durable when it resolves. Entries given together stand together, in order. A function gets the head inside the
   * exclusive section, must be synchronous, and may give nothing to leave the ledger as it is: then undefined.
   */
  append(entries: NewEntry | readonly NewEntry[], options?: WaitOptions): Promise<Appended>;
  append(
    entries: (head: Head) => NewEntry | readonly NewEntry[] | undefined,
    options?: WaitOptions,
  ): Promise<Appended | undefined>;
  async append(
    entries: NewEntry | readonly NewEntry[] | ((head: Head) => NewEntry | readonly NewEntry[] | undefined),
    options?: WaitOptions,
  ): Promise<Appended | undefined> {
    let first = 0;
    const head = await this.build((at) => {
      const given = typeof entries === 'function' ? entries(at) : entries;
      if (given === undefined) return undefined;
      first = at.seq + 1;
      return encodeBlock(Array.isArray(given) ? given : [given as NewEntry], at, this.#now());
    }, options);
    return head === undefined ? undefined : { first, last: head.seq, hash: head.hash };
  }

  /** For recorders: the store's own append, and a seal when one is due. */
  async build(build: Build, options?: AppendOptions): Promise<Head | undefined> {
    const head = await this.store.append(build, options);
    if (head !== undefined && this.#sealEvery > 0) this.#sealIfDue(head.seq);
    return head;
  }

  /** The checkpoint over everything published so far. */
  async seal(options?: WaitOptions): Promise<Sealed> {
    const sealed = await this.store.sealing(() => seal(this.store, this.#keyring), options);
    this.#sealedSize = sealed.checkpoint.size;
    this.#sealError = undefined;
    return sealed;
  }

  /** The newest checkpoint, checked against this ledger's keys; undefined before the first. */
  async sealed(): Promise<Sealed | undefined> {
    return readSealed(this.store, this.#keyring, await this.identity());
  }

  /** A C2SP tlog-proof that entry `seq` is in the newest checkpoint's tree. With `extra`, it carries the line. */
  async prove(seq: number, { extra = true }: { extra?: boolean } = {}): Promise<Uint8Array> {
    const sealed = await this.sealed();
    const size = sealed?.checkpoint.size ?? 0;
    const last = Math.max(size, (await this.store.head()).seq); // a published head may lag behind what is sealed
    if (!Number.isSafeInteger(seq) || seq < 1 || seq > last) {
      throw new StoreError('NOT_FOUND', `there is no entry ${seq}. The ledger has entries 1 to ${last}.`);
    }
    if (sealed === undefined || seq > size) {
      throw new StoreError('NOT_FOUND', `entry ${seq} is not sealed yet. Run \`foil checkpoint\` first.`);
    }
    const hashes = await proveInclusion(seq - 1, size, (tile) => this.#tile(tile));
    const line = extra ? await this.#line(seq) : undefined;
    return encodeTlogProof({
      index: seq - 1,
      hashes,
      checkpoint: sealed.note,
      ...(line === undefined ? {} : { extra: line }),
    });
  }

  /** One proof that all these entries, sorted, are in the newest checkpoint's tree. */
  async proveMany(
    seqs: readonly number[],
  ): Promise<{ readonly sealed: Sealed; readonly hashes: Uint8Array[] }> {
    const sealed = await this.sealed();
    const last = seqs.at(-1) ?? 0;
    if (sealed === undefined || last > sealed.checkpoint.size)
      throw new StoreError('NOT_FOUND', `entry ${last} is not sealed yet. Run \`foil checkpoint\` first.`);
    const { size } = sealed.checkpoint;
    const indexes = seqs.map((seq) => seq - 1);
    return { sealed, hashes: await proveMany(indexes, size, (tile) => this.#tile(tile)) };
  }

  /** A DSSE envelope by this ledger's key. */
  async envelope(payloadType: string, payload: Uint8Array): Promise<DsseEnvelope> {
    const signer = await this.#bundleSigner();
    const sig = await signer.signAside(dsseMessage(payloadType, payload));
    return { payloadType, payload, signatures: [{ keyid: encodeVerifierKey(signer), sig }] };
  }

  /** For whoever appends something first that is of use only with an envelope. Throws StoreError where there is no key. */
  async assertSigns(): Promise<void> {
    await this.#bundleSigner();
  }

  async #bundleSigner(): Promise<Signer> {
    const key = (await this.epochs()).at(-1)?.key;
    if (key === undefined) throw new StoreError('DAMAGED', 'the ledger has no key. Run `foil verify`.');
    return loadSigner(this.#keyring, key, "a bundle can't be signed");
  }

  async #tile(tile: Tile): Promise<Uint8Array> {
    const bytes = await this.store.readTile(tile);
    if (bytes === undefined)
      throw new StoreError('DAMAGED', 'a tile of the Merkle tree is missing. Run `foil recover`.');
    return bytes;
  }

  rotateKey(): Promise<Rotated> {
    return this.store.sealing(() => rotate(this.store, this.#keyring, this.#now, this.#random));
  }

  /**
   * The signed tombstones of sessions whose content is to go, under a checkpoint. Nothing is removed yet: that is for
   * store.eraseContent, and whoever dies before it has left what the next one needs to know.
   */
  bury(plan: ErasePlan): Promise<Tombstone[]> {
    return this.store.sealing(() => writeTombstones(this.store, this.#keyring, this.#now, plan));
  }

  /** What signs validations; made on first use. Open it anew for each use: another process may have rotated it. */
  validator(): Promise<ValidatorSigner> {
    return openValidator({
      store: this.store,
      keyring: this.#keyring,
      random: this.#random,
      now: this.#now,
    });
  }

  rotateValidator(): Promise<ValidatorRotated> {
    const { store } = this;
    return rotateValidator({ store, keyring: this.#keyring, random: this.#random, now: this.#now });
  }

  /** The keys of the validator, oldest first. */
  validatorKeys(): Promise<ValidatorEpoch[]> {
    return readValidatorKeys(this.store);
  }

  /** What signs receipts; made on first use. Open it anew after a StoreError KEY: somebody rotated it. */
  receiptSigner(): Promise<ReceiptSigner> {
    const { store } = this;
    return openReceiptSigner({ store, keyring: this.#keyring, random: this.#random, now: this.#now });
  }

  rotateGateway(): Promise<ValidatorRotated> {
    const { store } = this;
    return rotateGateway({ store, keyring: this.#keyring, random: this.#random, now: this.#now });
  }

  /** The keys of the gateway, oldest first. */
  gatewayKeys(): Promise<ValidatorEpoch[]> {
    return readGatewayKeys(this.store);
  }

  /** The keys of this ledger, oldest first, each with the seq from which it signs. */
  async epochs(): ReturnType<typeof readEpochs> {
    return readEpochs(this.store, (await this.store.head()).seq);
  }

  identity(): Promise<Identity> {
    this.#identity ??= readIdentity(this.store);
    return this.#identity;
  }

  putContent(...args: Parameters<Store['putContent']>): Promise<ContentRef> {
    return this.store.putContent(...args);
  }

  /** Waits for what is under way. Throws what an automatic seal ran into, if the last one failed. */
  async close(): Promise<void> {
    await this.#sealing;
    await this.#sealer?.close();
    await this.store.close();
    if (this.#sealError !== undefined) throw this.#sealError;
  }

  #sealIfDue(seq: number): void {
    if (this.#sealing !== undefined) return;
    if (this.#sealedSize >= 0 && seq - this.#sealedSize < this.#sealEvery) return;
    const now = this.#now();
    // A clock that was put back must not keep it from sealing.
    if (now >= this.#sealedAt && now - this.#sealedAt < this.#sealPause) return;
    const run = async (): Promise<void> => {
      if (this.#sealedSize < 0) this.#sealedSize = (await this.sealed())?.checkpoint.size ?? 0;
      if (seq - this.#sealedSize < this.#sealEvery) return;
      if (this.#sealer === undefined) await this.seal();
      else {
        await this.#sealer.seal();
        this.#sealedSize = (await this.sealed())?.checkpoint.size ?? 0;
      }
      this.#sealError = undefined;
      this.#sealedAt = this.#now();
    };
    this.#sealing = run()
      .catch((error: unknown) => {
        // Somebody else has the key, and seals.
        if (error instanceof StoreError && error.code === 'KEY') this.#sealEvery = 0;
        else this.#sealError = error;
      })
      .finally(() => {
        this.#sealing = undefined;
      });
  }

  async #line(seq: number): Promise<Uint8Array | undefined> {
    for await (const piece of this.store.read(seq, seq)) return piece.subarray(0, piece.length - 1);
    return undefined;
  }
}
