// Content beside the chain: small pieces share a pack file per session (a durable small file costs twice an append),
// large ones have a file each. Salts are made on first use and never leave salts/. What is read back is checked
// against the reference before it is handed out.
import { join } from 'node:path';
import { contentCommitment, derivedKey, StoreError, sameBytes } from '../../core/index.ts';
import {
  BLOB_DIR,
  blobPath,
  type ContentRef,
  contentSession,
  encodePackRecord,
  MAX_CONTENT,
  PACK_FILE,
  packPath,
  SALT_DIR,
  SALTED,
} from '../../format/index.ts';
import type { EraseOptions, Random } from '../../ledger/index.ts';
import { monotonic } from './clock.ts';
import { contentUse } from './content-use.ts';
import { hasCode, storeError } from './failure.ts';
import type { Fs } from './fs.ts';
import { after, type Deadline, type OsLock, PACKS } from './os-lock.ts';
import { findInPack, missingNewlines, type PackRecord, readRecord, walkPack } from './pack-file.ts';
import { isSaltedContentHere } from './salted-content.ts';
import { Salts } from './salts.ts';
import { exists, makeDirectories, readWhole, writeDurably } from './whole-file.ts';

/** A file of its own costs two syncs more; one far larger would hold up those that share its write. */
const LARGEST_PACKED = 512 * 1024;
/** Bytes after which a batch is written, so that no caller waits for a crowd. */
const LARGEST_BATCH = 4 * 1024 * 1024;
/** Packs that are kept open. */
const MOST_OPEN = 48;
const NONE = new Uint8Array(0);

/** What is known of one session's pack: where each content begins, as far as it was read. */
interface PackIndex {
  end: number;
  readonly places: Map<string, PackRecord>;
}

/** A pack that is open for appending. */
interface OpenPack {
  readonly fd: number;
  readonly path: string;
  readonly folder: string;
}

interface Waiting {
  readonly id: string;
  readonly content: Uint8Array;
  readonly refer: () => Promise<ContentRef>;
  readonly deadline: Deadline;
  readonly resolve: (ref: ContentRef) => void;
  readonly reject: (error: unknown) => void;
}

export class ContentFiles {
  readonly #directory: string;
  readonly #fs: Fs;
  readonly #lock: OsLock;
  readonly #salts: Salts;
  readonly #indexes = new Map<string, PackIndex>();
  /** Folders with names in them that this handle made and has not synced yet. */
  readonly #unsynced = new Set<string>();
  /** Where this handle's last write to a session's pack ended: nothing can be torn there. */
  readonly #ends = new Map<string, number>();
  /** Packs that were written last, the newest at the end. */
  readonly #open = new Map<string, OpenPack>();
  #waiting: Waiting[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(directory: string, fs: Fs, lock: OsLock, random: Random) {
    this.#directory = directory;
    this.#fs = fs;
    this.#lock = lock;
    this.#salts = new Salts(directory, fs, random, {
      isHere: (id) => isSaltedContentHere(fs, directory, id),
      finishErasing: (id) => this.#eraseNow(id),
    });
  }

  async put(
    session: string | null,
    content: Uint8Array,
    { type, plain = false }: { type?: string; plain?: boolean } = {},
    timeout: number,
  ): Promise<ContentRef> {
    const id = contentSession(session);
    if (content.length > MAX_CONTENT) {
      throw new StoreError(
        'TOO_LARGE',
        `the content has ${content.length} bytes, but the limit is ${MAX_CONTENT}. Split it.`,
      );
    }
    const algorithm = plain ? 'sha256' : SALTED;
    const refer = (salt: Uint8Array | null): ContentRef => ({
      algorithm,
      hash: contentCommitment(algorithm, salt, content),
      bytes: content.length,
      ...(type === undefined ? {} : { type }),
    });
    try {
      const salt = async (): Promise<Uint8Array | null> => (plain ? null : this.#salts.settle(id));
      if (content.length <= LARGEST_PACKED)
        return await this.#pack(id, content, async () => refer(await salt()), after(timeout));
      const used = await this.#locked(salt, after(timeout));
      const ref = refer(used);
      const path = join(this.#directory, blobPath(id, ref));
      await makeDirectories(this.#fs, join(path, '..'));
      await writeDurably(this.#fs, path, content);
      if (used === null || sameBytes(used, this.#salts.find(id) ?? NONE)) return ref;
      this.#fs.remove(path);
      throw new StoreError('REMOVED', 'the session was erased while content was being added to it.');
    } catch (error) {
      throw storeError(error, 'keep content in', join(this.#directory, BLOB_DIR));
    }
  }

  /** The same by a salt that is there, for who only reads; undefined where there is none. Writes nothing. */
  committed(session: string | null, content: Uint8Array): ContentRef | undefined {
    const salt = this.#salts.find(contentSession(session));
    if (salt === undefined) return undefined;
    return salted(salt, content);
  }

  /** Nothing but the salt is kept. */
  async commit(session: string | null, content: Uint8Array, timeout: number): Promise<ContentRef> {
    const id = contentSession(session);
    try {
      const salt =
        this.#salts.findSettled(id) ?? (await this.#locked(() => this.#salts.settle(id), after(timeout)));
      return salted(salt, content);
    } catch (error) {
      throw storeError(error, 'keep a salt in', join(this.#directory, SALT_DIR));
    }
  }

  /** Nothing but the salt is kept. */
  async derive(session: string | null, purpose: string, timeout: number): Promise<Uint8Array> {
    const id = contentSession(session);
    try {
      const salt =
        this.#salts.findSettled(id) ?? (await this.#locked(() => this.#salts.settle(id), after(timeout)));
      return derivedKey(salt, purpose);
    } catch (error) {
      throw storeError(error, 'keep a salt in', join(this.#directory, SALT_DIR));
    }
  }

  async get(session: string | null, ref: ContentRef): Promise<Uint8Array | undefined> {
    const id = contentSession(session);
    try {
      const salt = ref.algorithm === 'sha256' ? null : this.#salts.find(id);
      if (salt === undefined) return undefined;
      const isIt = (content: Uint8Array | undefined): boolean =>
        content?.length === ref.bytes && contentCommitment(ref.algorithm, salt, content) === ref.hash;
      const own = readWhole(this.#fs, join(this.#directory, blobPath(id, ref)));
      return isIt(own) ? own : this.#unpack(id, ref, isIt);
    } catch (error) {
      throw storeError(error, 'read content in', join(this.#directory, BLOB_DIR));
    }
  }

  /** False where something was kept after `unlessAfter`: then all of it is left alone. */
  async erase(session: string | null, { unlessAfter }: EraseOptions, timeout: number): Promise<boolean> {
    const id = contentSession(session);
    try {
      return await this.#locked(async () => {
        if (unlessAfter !== undefined && (contentUse(this.#directory, id)?.modified ?? 0) > unlessAfter)
          return false;
        await this.#eraseNow(id);
        return true;
      }, after(timeout));
    } catch (error) {
      throw storeError(error, 'erase content in', join(this.#directory, BLOB_DIR));
    }
  }

  /**
   * Under the lock. The salt is overwritten first: without it, whatever else a crash leaves opens nothing. Its zeros go
   * last, so that whoever comes next finishes it. Plain content is evidence and stays.
   */
  async #eraseNow(id: string): Promise<void> {
    const plain = this.#plainRecords(id, this.#salts.findOrNone(id));
    await this.#salts.destroy(id);
    await this.#keepOnly(id, plain);
    await this.#salts.remove(id);
    this.#removeFolder(id);
  }

  /** Runs `work` while nobody else writes or erases packs. Calls on one handle queue up here, not at the lock. */
  #locked<T>(work: () => Promise<T>, deadline: Deadline): Promise<T> {
    const run = async (): Promise<T> => {
      await this.#lock.wait(PACKS, deadline);
      try {
        return await work();
      } finally {
        this.#lock.unlock(PACKS);
      }
    };
    const turn = this.#turn.then(run);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Those that wait together share one write and one sync. */
  #pack(
    id: string,
    content: Uint8Array,
    refer: () => Promise<ContentRef>,
    deadline: Deadline,
  ): Promise<ContentRef> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, content, refer, deadline, resolve, reject });
      if (this.#waiting.length === 1) this.#packNext();
    });
  }

  /** For whoever waits when it is their turn, also those who come later. */
  #packNext(): void {
    this.#locked(() => this.#packAll(this.#take()), this.#earliest).catch((error: unknown) =>
      this.#refuse(error),
    );
  }

  #take(): readonly Waiting[] {
    let bytes = 0;
    const end = this.#waiting.findIndex(({ content }) => {
      bytes += content.length;
      return bytes > LARGEST_BATCH;
    });
    const taken = this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
    if (this.#waiting.length > 0) this.#packNext();
    return taken;
  }

  readonly #earliest = (): number => {
    let earliest = Number.POSITIVE_INFINITY;
    for (const { deadline } of this.#waiting) earliest = Math.min(earliest, deadline());
    return earliest;
  };

  /** The lock could not be had: those whose time is up are told, the others go on waiting. */
  #refuse(error: unknown): void {
    const timedOut = error instanceof StoreError && error.code === 'LOCK_TIMEOUT';
    const now = monotonic();
    const isOut = ({ deadline }: Waiting): boolean => !timedOut || deadline() <= now;
    const all = this.#waiting;
    this.#waiting = all.filter((waiting) => !isOut(waiting));
    for (const waiting of all) if (isOut(waiting)) waiting.reject(error);
    if (this.#waiting.length > 0) this.#packNext();
  }

  async #packAll(waiting: readonly Waiting[]): Promise<void> {
    const [first] = waiting;
    if (waiting.length === 1 && first !== undefined) await this.#packSession(first.id, waiting);
    else await this.#packSessions(waiting);
    this.#closeOldest();
  }

  async #packSessions(waiting: readonly Waiting[]): Promise<void> {
    const bySession = new Map<string, Waiting[]>();
    for (const one of waiting) {
      const same = bySession.get(one.id);
      if (same === undefined) bySession.set(one.id, [one]);
      else same.push(one);
    }
    // Side by side: each is a file of its own, and the disk takes their syncs together.
    await Promise.all([...bySession].map(([id, all]) => this.#packSession(id, all)));
  }

  /** A session whose salt is damaged still takes evidence, which needs none. Never rejects. */
  async #packSession(id: string, all: readonly Waiting[]): Promise<void> {
    const referred: { readonly waiting: Waiting; readonly ref: ContentRef }[] = [];
    for (const waiting of all) {
      try {
        referred.push({ waiting, ref: await waiting.refer() });
      } catch (error) {
        waiting.reject(error);
      }
    }
    if (referred.length === 0) return;
    try {
      await this.#appendToPack(
        id,
        referred.map(({ waiting, ref }) => encodePackRecord(ref, waiting.content)),
      );
      for (const { waiting, ref } of referred) waiting.resolve(ref);
    } catch (error) {
      for (const { waiting } of referred) waiting.reject(error);
    }
  }

  async #appendToPack(id: string, records: readonly Uint8Array[]): Promise<void> {
    const { pack, size } = await this.#openPack(id);
    const { fd, path, folder } = pack;
    try {
      const torn =
        this.#ends.get(id) === size
          ? 0
          : (this.#reading(path, (reader, end) => missingNewlines(this.#fs, reader, end, LARGEST_PACKED)) ??
            0);
      this.#ends.delete(id);
      const pieces = torn === 0 ? records : [Buffer.alloc(torn, '\n'), ...records];
      const bytes = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
      await this.#fs.appendDurably(fd, bytes);
      const after = this.#fs.stat(fd);
      if (after.links === 0) throw new StoreError('REMOVED', `${path} was removed while in use.`);
      await this.#syncNames(folder);
      if (after.size === size + bytes.length) this.#ends.set(id, after.size);
    } catch (error) {
      this.#closePack(id);
      throw error;
    }
  }

  /** Those that were written last are kept open: most come in a row. */
  async #openPack(id: string): Promise<{ pack: OpenPack; size: number }> {
    const kept = this.#open.get(id);
    if (kept !== undefined) {
      const { size, links } = this.#fs.stat(kept.fd);
      if (links > 0) {
        this.#open.delete(id);
        this.#open.set(id, kept);
        return { pack: kept, size };
      }
      this.#closePack(id);
    }
    const path = join(this.#directory, packPath(id));
    const folder = join(path, '..');
    const pack = { fd: await this.#openOrMake(path, folder), path, folder };
    this.#open.set(id, pack);
    return { pack, size: this.#fs.stat(pack.fd).size };
  }

  async #openOrMake(path: string, folder: string): Promise<number> {
    try {
      return this.#fs.open(path, 'ad');
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    await makeDirectories(this.#fs, folder);
    this.#unsynced.add(folder);
    this.#fs.close(this.#fs.open(path, 'a'));
    return this.#fs.open(path, 'ad');
  }

  #closePack(id: string): void {
    const pack = this.#open.get(id);
    this.#open.delete(id);
    if (pack !== undefined) this.#fs.close(pack.fd);
  }

  /** Once a batch is written: while it is, each may be in use. */
  #closeOldest(): void {
    if (this.#open.size <= MOST_OPEN) return;
    for (const id of [...this.#open.keys()].slice(0, -MOST_OPEN)) this.#closePack(id);
  }

  /** When nothing is under way any more. */
  close(): void {
    for (const id of [...this.#open.keys()]) this.#closePack(id);
    this.#salts.close();
  }

  #unpack(
    id: string,
    ref: ContentRef,
    isIt: (content: Uint8Array | undefined) => boolean,
  ): Uint8Array | undefined {
    return this.#reading(join(this.#directory, packPath(id)), (fd, size) => {
      const place = this.#index(id, fd, size).places.get(`${ref.algorithm}:${ref.hash}`);
      const indexed = place === undefined ? undefined : readRecord(this.#fs, fd, place);
      if (isIt(indexed)) return indexed;
      const same = findInPack(
        this.#fs,
        fd,
        size,
        ({ algorithm, hash }) => algorithm === ref.algorithm && hash === ref.hash,
      );
      for (const record of same) {
        const found = readRecord(this.#fs, fd, record);
        if (isIt(found)) return found;
      }
      return undefined;
    });
  }

  /** Follows the records from where it stopped. */
  #index(id: string, fd: number, size: number): PackIndex {
    let index = this.#indexes.get(id);
    if (index === undefined || index.end > size) {
      index = { end: 0, places: new Map() };
      this.#indexes.set(id, index);
    }
    const records = walkPack(this.#fs, fd, index.end, size);
    for (let next = records.next(); ; next = records.next()) {
      if (next.done) {
        index.end = next.value;
        return index;
      }
      const { algorithm, hash } = next.value.header;
      index.places.set(`${algorithm}:${hash}`, next.value);
    }
  }

  /** The records of plain content, as they are. Content that looks like a record is passed over with what holds it. */
  #plainRecords(id: string, salt: Uint8Array | undefined): Uint8Array[] {
    const plain: Uint8Array[] = [];
    this.#reading(join(this.#directory, packPath(id)), (fd, size) => {
      const isWhole = (record: PackRecord): boolean => {
        const { algorithm, hash } = record.header;
        if (algorithm !== 'sha256' && salt === undefined) return true;
        const content = readRecord(this.#fs, fd, record);
        return content !== undefined && contentCommitment(algorithm, salt ?? null, content) === hash;
      };
      for (const record of walkPack(this.#fs, fd, 0, size, isWhole)) {
        const content = record.header.algorithm === 'sha256' ? readRecord(this.#fs, fd, record) : undefined;
        if (content !== undefined) plain.push(encodePackRecord(record.header, content));
      }
    });
    return plain;
  }

  async #keepOnly(id: string, plain: readonly Uint8Array[]): Promise<void> {
    this.#indexes.delete(id);
    this.#ends.delete(id);
    this.#closePack(id);
    const folder = join(this.#directory, BLOB_DIR, id);
    if (!exists(this.#fs, folder)) return;
    if (plain.length > 0) await writeDurably(this.#fs, join(folder, PACK_FILE), Buffer.concat(plain));
    for (const { name } of this.#fs.list(folder)) {
      if (name.startsWith('sha256-') || (name === PACK_FILE && plain.length > 0)) continue;
      this.#fs.remove(join(folder, name));
    }
    await this.#fs.syncDirectory(folder);
  }

  /** After the salt, which is looked for only where there is a folder. */
  #removeFolder(id: string): void {
    try {
      this.#fs.removeDirectory(join(this.#directory, BLOB_DIR, id));
    } catch (error) {
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR')) throw error;
    }
  }

  /** A sync that failed is owed still, also to the next call, which finds the name there. */
  async #syncNames(folder: string): Promise<void> {
    if (!this.#unsynced.has(folder)) return;
    await this.#fs.syncDirectory(folder);
    this.#unsynced.delete(folder);
  }

  /** Undefined where the file is not there. */
  #reading<T>(path: string, work: (fd: number, size: number) => T): T | undefined {
    let fd: number;
    try {
      fd = this.#fs.open(path, 'r');
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw error;
    }
    try {
      return work(fd, this.#fs.stat(fd).size);
    } finally {
      this.#fs.close(fd);
    }
  }
}

function salted(salt: Uint8Array, content: Uint8Array): ContentRef {
  return {
    algorithm: SALTED,
    hash: contentCommitment(SALTED, salt, content),
    bytes: content.length,
  };
}
