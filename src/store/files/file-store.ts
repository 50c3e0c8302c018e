// The ledger on plain files: the log, its locks, tiles, checkpoints and content behind the store port.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Tile } from '../../core/index.ts';
import {
  CHECKPOINT_DIR,
  type ContentRef,
  encodeSegmentName,
  type Head,
  LOCK_FILE,
  SEGMENT_DIR,
  type Segment,
  TILE_DIR,
} from '../../format/index.ts';
import type { AppendOptions, Build, EraseOptions, Random, Store, WaitOptions } from '../../ledger/index.ts';
import type { Files } from '../../verify/index.ts';
import { type ArchivedFile, archiveSegments, closedSegments, isOlder } from './archive.ts';
import { ContentFiles } from './content.ts';
import { type ContentUse, contentUses } from './content-use.ts';
import { storeError } from './failure.ts';
import {
  assertLockNotMissing,
  DEFAULT_TIMEOUT,
  FileLog,
  type FileLogOptions,
  openFileLog,
} from './file-log.ts';
import { openFiles } from './files-view.ts';
import { type Fs, nodeFs } from './fs.ts';
import { assertLocal } from './network.ts';
import { after, SEALING, UPKEEP } from './os-lock.ts';
import { readRange } from './read-range.ts';
import { Segments } from './segments.ts';
import { TreeFiles } from './tree-files.ts';
import * as walk from './walk.ts';
import { makeDirectories } from './whole-file.ts';

export interface FileStoreOptions extends Omit<FileLogOptions, 'walk'> {
  readonly random?: Random;
}

export interface ArchiveOptions {
  readonly closeCurrent?: boolean;
  /** Milliseconds since 1970. */
  readonly before?: number;
  readonly most?: number;
}

/** Makes the directory and an empty log. EXISTS where there is a ledger already. */
export async function createFileStore(directory: string, options: FileStoreOptions = {}): Promise<FileStore> {
  const { fs = nodeFs } = options;
  try {
    for (const name of [SEGMENT_DIR, CHECKPOINT_DIR, TILE_DIR])
      await makeDirectories(fs, join(directory, name));
    assertLocal(directory);
    assertLockNotMissing(directory, fs);
    fs.close(fs.open(join(directory, LOCK_FILE), 'a'));
  } catch (error) {
    throw storeError(error, 'make', directory);
  }
  const log = new FileLog(directory, { ...options, walk });
  try {
    await log.create();
    return new FileStore(log, options);
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Opens a ledger that is there. NOT_FOUND where there is none. Reads nothing of it until asked to. */
export function openFileStore(directory: string, options: FileStoreOptions = {}): FileStore {
  return new FileStore(openFileLog(directory, { ...options, walk }), options);
}

export class FileStore implements Store {
  readonly directory: string;
  readonly files: Files;
  readonly #fs: Fs;
  readonly #log: FileLog;
  readonly #tree: TreeFiles;
  readonly #content: ContentFiles;
  #sealing: Promise<unknown> = Promise.resolve();

  constructor(
    log: FileLog,
    { fs = nodeFs, random = (length) => randomBytes(length) }: FileStoreOptions = {},
  ) {
    const { directory } = log;
    this.directory = directory;
    this.files = openFiles(directory);
    this.#fs = fs;
    this.#log = log;
    this.#tree = new TreeFiles(directory, fs);
    this.#content = new ContentFiles(directory, fs, log.lock, random);
  }

  append(build: Build, options?: AppendOptions): Promise<Head | undefined> {
    return this.#log.append(build, options);
  }

  async readState(name: string): Promise<Uint8Array | undefined> {
    return this.#log.readState(name);
  }

  head(): Promise<Head> {
    return this.#log.head();
  }

  read(from: number, to: number): AsyncIterable<Uint8Array> {
    return readRange(this.directory, this.#fs, from, to);
  }

  sealing<T>(work: () => Promise<T>, { timeout = DEFAULT_TIMEOUT }: WaitOptions = {}): Promise<T> {
    try {
      this.#log.assertOpen();
    } catch (error) {
      return Promise.reject(error);
    }
    const run = async (): Promise<T> => {
      // Where all is sealed already nothing below waits for the disk, and a caller that seals in a loop would keep
      // the appends of this process, and with them the lock, from ever getting on.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#log.lock.wait(SEALING, after(timeout));
      try {
        return await work();
      } catch (error) {
        throw storeError(error, 'seal', this.directory);
      } finally {
        this.#log.lock.unlock(SEALING);
      }
    };
    // The lock belongs to the handle, not to the call: calls on one handle queue up here.
    const turn = this.#sealing.then(run);
    this.#sealing = turn.catch(() => undefined);
    return this.#log.track(turn);
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
    this.#log.assertOpen();
    return this.#log.track(this.#content.put(session, content, options, DEFAULT_TIMEOUT));
  }

  async commitContent(session: string | null, content: Uint8Array): Promise<ContentRef> {
    const known = this.#log.readOnly ? this.#content.committed(session, content) : undefined;
    if (known !== undefined) return known;
    this.#log.assertOpen();
    return this.#log.track(this.#content.commit(session, content, DEFAULT_TIMEOUT));
  }

  async deriveKey(session: string | null, purpose: string): Promise<Uint8Array> {
    this.#log.assertOpen();
    return this.#log.track(this.#content.derive(session, purpose, DEFAULT_TIMEOUT));
  }

  getContent(session: string | null, ref: ContentRef): Promise<Uint8Array | undefined> {
    return this.#content.get(session, ref);
  }

  async eraseContent(session: string | null, options: EraseOptions = {}): Promise<boolean> {
    this.#log.assertOpen();
    return this.#log.track(this.#content.erase(session, options, DEFAULT_TIMEOUT));
  }

  inSection: FileLog['inSection'] = (work, options) => this.#log.inSection(work, options);

  /**
   * Gzips closed segments: those that were last added to before `before`, or all; at most `most` of them. With
   * `closeCurrent` the one being written is closed first. See archive.ts. One call at a time, and not while anybody seals.
   */
  archive(
    record: (files: readonly ArchivedFile[]) => Promise<void>,
    { closeCurrent = false, before, most = Number.POSITIVE_INFINITY }: ArchiveOptions = {},
  ): Promise<readonly ArchivedFile[]> {
    return this.sealing(async () => {
      const segments = await this.inSection(async (position, log) => {
        const at = closeCurrent ? await log.roll() : position;
        return closedSegments(usedSegments(log.segments), at);
      });
      const old = segments.filter(
        (segment) => before === undefined || isOlder(this.directory, this.#fs, segment, before),
      );
      return archiveSegments(this.directory, this.#fs, old.slice(0, most), record);
    });
  }

  /** What archive would take, as far as can be told without a lock. */
  archivable({ closeCurrent = false, before }: ArchiveOptions = {}): { name: string; bytes: number }[] {
    const segments = new Segments(this.directory, this.#fs);
    return usedSegments(segments)
      .slice(0, closeCurrent ? undefined : -1)
      .filter((segment) => before === undefined || isOlder(this.directory, this.#fs, segment, before))
      .map((segment) => ({
        name: encodeSegmentName(segment),
        bytes: segments.reading(segment, (_, size) => size),
      }));
  }

  /** The segment being written, and its length. No lock is taken. */
  liveSegment(): { name: string; bytes: number } | undefined {
    const segments = new Segments(this.directory, this.#fs);
    const last = segments.list().at(-1);
    return last === undefined
      ? undefined
      : { name: encodeSegmentName(last), bytes: segments.reading(last, (_, size) => size) };
  }

  /** Begins a new segment if the one being written is longer than `above`. No line is moved. Gives the closed one's name. */
  roll(above: number): Promise<string | undefined> {
    return this.inSection(async ({ offset, segment }, log) => {
      if (offset <= above) return undefined;
      await log.roll();
      return encodeSegmentName(segment);
    });
  }

  /** Runs `work` unless somebody else is at it, in this process or another; then undefined. */
  async upkeep<T>(work: () => Promise<T>): Promise<T | undefined> {
    this.#log.assertOpen();
    if (!this.#log.lock.tryLock(UPKEEP)) return undefined;
    return this.#log.track(work().finally(() => this.#log.lock.unlock(UPKEEP)));
  }

  /** Of every session that has content. */
  contentUses(): ContentUse[] {
    return contentUses(this.directory);
  }

  /** For recovery: the tree's files, to be put right. Inside `sealing`. */
  get tree(): TreeFiles {
    return this.#tree;
  }

  /** For recovery: accepts that acknowledged entries are gone. `left` is the last one that is not. See Log. */
  acceptLoss(): Promise<{ left: number }> {
    return this.#log.acceptLoss();
  }

  /** For recovery: the head as it is published, undefined where it is missing or torn. */
  publishedHead(): Head | undefined {
    return this.#log.publishedHead();
  }

  async close(): Promise<void> {
    await this.#log.close();
    this.#content.close();
  }
}

function usedSegments(segments: Segments): Segment[] {
  return segments.list().filter((segment) => segments.reading(segment, (_, size) => size) > 0);
}
