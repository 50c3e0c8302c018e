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
  SALT_DIR,
  SALTED,
} from '../../format/index.ts';
import type { EraseOptions, Random } from '../../ledger/index.ts';
import { monotonic } from './clock.ts';
import { contentUse } from './content-use.ts';
import { hasCode, storeError } from './failure.ts';
import type { Fs } from './fs.ts';
import { after, type Deadline, type OsLock, PACKS } from './os-lock.ts';
import { LARGEST_PACKED, Packs } from './packs.ts';
import { isSaltedContentHere } from './salted-content.ts';
import { Salts } from './salts.ts';
import { makeDirectories, readWhole, writeDurably } from './whole-file.ts';

/** Bytes after which a batch is written, so that no caller waits for a crowd. */
const LARGEST_BATCH = 4 * 1024 * 1024;
const NONE = new Uint8Array(0);

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
  readonly #packs: Packs;
  #waiting: Waiting[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(directory: string, fs: Fs, lock: OsLock, random: Random) {
    this.#directory = directory;
    this.#fs = fs;
    this.#lock = lock;
    this.#packs = new Packs(directory, fs);
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
      return isIt(own) ? own : this.#packs.find(id, ref, isIt);
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
    const plain = this.#packs.plainRecords(id, this.#salts.findOrNone(id));
    await this.#salts.destroy(id);
    await this.#packs.keepOnly(id, plain);
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
    this.#packs.closeOldest();
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
      await this.#packs.append(
        id,
        referred.map(({ waiting, ref }) => encodePackRecord(ref, waiting.content)),
      );
      for (const { waiting, ref } of referred) waiting.resolve(ref);
    } catch (error) {
      for (const { waiting } of referred) waiting.reject(error);
    }
  }

  /** When nothing is under way any more. */
  close(): void {
    this.#packs.close();
    this.#salts.close();
  }

  /** After the salt, which is looked for only where there is a folder. */
  #removeFolder(id: string): void {
    try {
      this.#fs.removeDirectory(join(this.#directory, BLOB_DIR, id));
    } catch (error) {
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR')) throw error;
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
