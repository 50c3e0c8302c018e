// The ledger on plain files: the log, its locks, tiles, checkpoints and content behind the store port.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { StoreError, type Tile } from '../../core/index.ts';
import {
  CHECKPOINT_DIR,
  type ContentRef,
  type Head,
  LOCK_FILE,
  type Position,
  SEGMENT_DIR,
  TILE_DIR,
} from '../../format/index.ts';
import type { Build, Clock, Random, Store, WaitOptions } from '../../ledger/index.ts';
import type { Files } from '../../verify/index.ts';
import { type ArchivedFile, archiveSegments, closedSegments } from './archive.ts';
import { ContentFiles } from './content.ts';
import { hasCode, storeError } from './failure.ts';
import { openFiles } from './files-view.ts';
import { type Fs, nodeFs } from './fs.ts';
import { GroupCommit } from './group-commit.ts';
import { Log } from './log.ts';
import { assertLocal } from './network.ts';
import { after, OsLock, SEALING, SECTION } from './os-lock.ts';
import { readRange } from './read-range.ts';
import { Segments } from './segments.ts';
import { TreeFiles } from './tree-files.ts';
import { makeDirectories } from './whole-file.ts';

export const DEFAULT_TIMEOUT = 25_000;

export interface FileStoreOptions {
  readonly fs?: Fs;
  readonly now?: Clock;
  readonly random?: Random;
  /** Bytes after which a segment is closed. */
  readonly segmentLimit?: number;
}

/** Makes the directory and an empty log. EXISTS where there is a ledger already. */
export async function createFileStore(directory: string, options: FileStoreOptions = {}): Promise<FileStore> {
  const { fs = nodeFs } = options;
  try {
    for (const name of [SEGMENT_DIR, CHECKPOINT_DIR, TILE_DIR]) await makeDirectories(fs, join(directory, name));
    assertLocal(directory);
    if (!isThere(fs, join(directory, LOCK_FILE)) && hasLines(directory, fs)) throw lockMissing(directory);
    fs.close(fs.open(join(directory, LOCK_FILE), 'a'));
  } catch (error) {
    throw storeError(error, 'make', directory);
  }
  const store = new FileStore(directory, options);
  try {
    await store.create();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens a ledger that is there. NOT_FOUND where there is none. Reads nothing of it until asked to. */
export function openFileStore(directory: string, options: FileStoreOptions = {}): FileStore {
  const { fs = nodeFs } = options;
  try {
    fs.size(join(directory, LOCK_FILE));
    assertLocal(directory);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw storeError(error, 'open', directory);
    if (isThere(fs, join(directory, SEGMENT_DIR)) && hasLines(directory, fs)) throw lockMissing(directory);
    throw new StoreError('NOT_FOUND', `there is no ledger in ${directory}. Run \`foil init\` to make one.`, { cause: error });
  }
  return new FileStore(directory, options);
}

export class FileStore implements Store {
  readonly directory: string;
  readonly files: Files;
  readonly #fs: Fs;
  readonly #lock: OsLock;
  readonly #log: Log;
  readonly #commits: GroupCommit;
  readonly #tree: TreeFiles;
  readonly #content: ContentFiles;
  #sealing: Promise<unknown> = Promise.resolve();
  /** What close() has to wait for, besides appends and seals. */
  readonly #busy = new Set<Promise<unknown>>();
  #closed = false;
  /** Closed, and everything that was under way is done. */
  #ended = false;

  constructor(directory: string, options: FileStoreOptions = {}) {
    const { fs = nodeFs, now = Date.now, random = randomBytes, segmentLimit } = options;
    this.directory = directory;
    this.files = openFiles(directory);
    this.#fs = fs;
    try {
      this.#lock = new OsLock(join(directory, LOCK_FILE), fs);
    } catch (error) {
      throw storeError(error, 'open', join(directory, LOCK_FILE));
    }
    this.#log = new Log(directory, { fs, now, lockGone: () => this.#lock.isGone(), ...(segmentLimit === undefined ? {} : { segmentLimit }) });
    this.#commits = new GroupCommit(directory, this.#lock, this.#log);
    this.#tree = new TreeFiles(directory, fs);
    this.#content = new ContentFiles(directory, fs, this.#lock, random);
  }

  append(build: Build, { timeout = DEFAULT_TIMEOUT }: WaitOptions = {}): Promise<Head | undefined> {
    return this.#closed ? Promise.reject(closed()) : this.#commits.append(build, timeout);
  }

  async head(): Promise<Head> {
    if (this.#ended) throw closed();
    try {
      // One that is being replaced may read as torn; inside the section nobody replaces it.
      const { seq, hash } = this.#log.known() ?? (await this.inSection(async (position) => position));
      return { seq, hash };
    } catch (error) {
      throw storeError(error, 'read the head of', this.directory);
    }
  }

  read(from: number, to: number): AsyncIterable<Uint8Array> {
    return readRange(this.directory, this.#fs, from, to);
  }

  sealing<T>(work: () => Promise<T>, { timeout = DEFAULT_TIMEOUT }: WaitOptions = {}): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    const run = async (): Promise<T> => {
      await this.#lock.wait(SEALING, after(timeout));
      try {
        return await work();
      } catch (error) {
        throw storeError(error, 'seal', this.directory);
      } finally {
        this.#lock.unlock(SEALING);
      }
    };
    // The lock belongs to the handle, not to the call: calls on one handle queue up here.
    const turn = this.#sealing.then(run);
    this.#sealing = turn.catch(() => undefined);
    return turn;
  }

  async readTile(tile: Tile): Promise<Uint8Array | undefined> {
    return this.#tree.readTile(tile);
  }

  writeTiles(tiles: readonly { readonly tile: Tile; readonly bytes: Uint8Array }[]): Promise<void> {
    return this.#tree.writeTiles(tiles);
  }

  async readCheckpoint(): Promise<Uint8Array | undefined> {
    return this.#tree.readCheckpoint();
  }

  writeCheckpoint(size: number, note: Uint8Array): Promise<void> {
    return this.#tree.writeCheckpoint(size, note);
  }

  async putContent(
    session: string | null,
    content: Uint8Array,
    options: { type?: string; plain?: boolean } = {},
  ): Promise<ContentRef> {
    if (this.#closed) throw closed();
    return this.#track(this.#content.put(session, content, options, DEFAULT_TIMEOUT));
  }

  getContent(session: string | null, ref: ContentRef): Promise<Uint8Array | undefined> {
    return this.#content.get(session, ref);
  }

  async eraseContent(session: string | null): Promise<void> {
    if (this.#closed) throw closed();
    return this.#track(this.#content.erase(session, DEFAULT_TIMEOUT));
  }

  /** Runs `work` in the exclusive section with the log settled: crash remains are taken in or recorded first. */
  async inSection<T>(
    work: (position: Position, log: Log) => Promise<T>,
    { timeout = DEFAULT_TIMEOUT }: WaitOptions = {},
  ): Promise<T> {
    if (this.#closed) throw closed();
    const run = async (): Promise<T> => {
      await this.#lock.enter(after(timeout));
      try {
        const result = await work(await this.#log.settle(), this.#log);
        this.#log.publish();
        return result;
      } catch (error) {
        throw storeError(error, 'use', this.directory);
      } finally {
        this.#lock.unlock(SECTION);
      }
    };
    return this.#track(run());
  }

  /** Gzips the closed segments. With `closeCurrent` the one being written is closed first. See archive.ts. */
  async archive(
    record: (files: readonly ArchivedFile[]) => Promise<void>,
    { closeCurrent = false }: { closeCurrent?: boolean } = {},
  ): Promise<readonly ArchivedFile[]> {
    const segments = await this.inSection(async (position, log) => {
      const at = closeCurrent ? await log.roll() : position;
      const used = log.segments.list().filter((segment) => log.segments.reading(segment, (_, size) => size) > 0);
      return closedSegments(used, at);
    });
    return archiveSegments(this.directory, this.#fs, segments, record);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#commits.idle();
    await this.#sealing;
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy);
    this.#ended = true;
    this.#log.close();
    this.#lock.close();
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const settled = work.finally(() => this.#busy.delete(settled));
    this.#busy.add(settled);
    return settled;
  }

  /** The first segment and head of a new ledger. */
  async create(): Promise<void> {
    await this.#lock.enter(after(DEFAULT_TIMEOUT));
    try {
      await this.#log.create();
    } catch (error) {
      throw storeError(error, 'make', this.directory);
    } finally {
      this.#lock.unlock(SECTION);
    }
  }
}

function isThere(fs: Fs, path: string): boolean {
  try {
    fs.size(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

function hasLines(directory: string, fs: Fs): boolean {
  const segments = new Segments(directory, fs);
  return segments.list().some((segment) => segments.reading(segment, (_, size) => size) > 0);
}

/** Not made anew: those who have the old one open would no longer be kept apart from those who open the new one. */
function lockMissing(directory: string): StoreError {
  const path = join(directory, LOCK_FILE);
  return new StoreError(
    'DAMAGED',
    `${path} was removed. End every process that still writes to this ledger, then run \`touch ${path}\`.`,
  );
}

function closed(): StoreError {
  return new StoreError('CLOSED', 'the ledger is closed.', { fatal: true });
}
