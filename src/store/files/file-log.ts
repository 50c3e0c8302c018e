// The log and its locks, which is all that an append needs. Kept apart from the rest of the store so that a process
// that only appends loads nothing else.
import { join } from 'node:path';
import { StoreError } from '../../core/index.ts';
import { type Head, LOCK_FILE, type Position, SEGMENT_DIR } from '../../format/index.ts';
import type { AppendOptions, Build, Clock, WaitOptions } from '../../ledger/index.ts';
import { hasCode, storeError } from './failure.ts';
import { type Fs, nodeFs } from './fs.ts';
import { GroupCommit } from './group-commit.ts';
import type { Walk } from './headless-log.ts';
import { Log } from './log.ts';
import { assertLocal } from './network.ts';
import { after, OsLock, SECTION } from './os-lock.ts';
import { Segments } from './segments.ts';
import { StateFiles } from './state-files.ts';
import { exists } from './whole-file.ts';

export const DEFAULT_TIMEOUT = 25_000;
/** How often a reader that takes no lock asks again for a head that reads as torn. */
const HEAD_TRIES = 8;

export interface FileLogOptions {
  readonly fs?: Fs;
  readonly now?: Clock;
  /** Bytes after which a segment is closed. */
  readonly segmentLimit?: number;
  /** What takes in the remains of a crash. Without it, a log that has some rejects with Unsettled. */
  readonly walk?: Walk;
  /** For a process that does one thing and ends: nobody else in it will append. */
  readonly alone?: boolean;
  /** Nothing is written and no lock is taken, so a ledger that is wedged or belongs to somebody else can be read. */
  readonly readOnly?: boolean;
}

/** There are remains of a crash here, and whoever opened the log can't take them in. Nothing was changed. */
export class Unsettled extends Error {
  override readonly name = 'Unsettled';
}

const unsettled = (): never => {
  throw new Unsettled('a crash left unfinished bytes behind');
};
const NO_WALK: Walk = {
  firstLine: unsettled,
  holdsEntry: unsettled,
  sha256Range: unsettled,
  walkLines: unsettled,
};

/** Opens the log of a ledger that is there. NOT_FOUND where there is none. Reads nothing of it until asked to. */
export function openFileLog(directory: string, options: FileLogOptions = {}): FileLog {
  const { fs = nodeFs, readOnly = false } = options;
  try {
    if (!readOnly || !hasSegments(directory, fs)) fs.size(join(directory, LOCK_FILE));
    if (!readOnly) assertLocal(directory);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw storeError(error, 'open', directory);
    assertLockNotMissing(directory, fs);
    throw new StoreError(
      'NOT_FOUND',
      `there is no ledger in ${directory}. Run \`foil install\` to record agents there, or \`foil init\` to create only the ledger.`,
      { cause: error },
    );
  }
  return new FileLog(directory, options);
}

export class FileLog {
  readonly directory: string;
  readonly lock: OsLock;
  readonly #log: Log;
  readonly #commits: GroupCommit;
  readonly #states: StateFiles;
  readonly #readOnly: boolean;
  /** What close() has to wait for, besides appends. */
  readonly #busy = new Set<Promise<unknown>>();
  #closed = false;
  /** Closed, and everything that was under way is done. */
  #ended = false;

  constructor(
    directory: string,
    {
      fs = nodeFs,
      now = Date.now,
      walk = NO_WALK,
      segmentLimit,
      alone,
      readOnly = false,
    }: FileLogOptions = {},
  ) {
    this.directory = directory;
    this.#readOnly = readOnly;
    try {
      this.lock = new OsLock(join(directory, LOCK_FILE), fs, { never: readOnly });
    } catch (error) {
      throw storeError(error, 'open', join(directory, LOCK_FILE));
    }
    const lockGone = (): boolean => this.lock.isGone();
    this.#log = new Log(directory, {
      fs,
      now,
      walk,
      lockGone,
      readOnly,
      ...(segmentLimit === undefined ? {} : { segmentLimit }),
    });
    this.#states = new StateFiles(directory, fs);
    this.#commits = new GroupCommit(directory, this.lock, this.#log, this.#states, alone);
  }

  append(build: Build, options: AppendOptions = {}): Promise<Head | undefined> {
    const { timeout = DEFAULT_TIMEOUT } = options;
    try {
      this.assertOpen();
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#commits.append(build, timeout, options);
  }

  readState(name: string): Uint8Array | undefined {
    return this.#states.read(name);
  }

  async head(): Promise<Head> {
    if (this.#ended) throw closed();
    try {
      const { seq, hash } = this.#log.known() ?? (await this.#findHead());
      return { seq, hash };
    } catch (error) {
      throw storeError(error, 'read the head of', this.directory);
    }
  }

  /** One that is being replaced may read as torn; inside the section nobody replaces it. */
  async #findHead(): Promise<Head> {
    if (!this.#readOnly) return this.inSection(async (position) => position);
    for (let tries = 0; tries < HEAD_TRIES; tries++) {
      await new Promise((resolve) => setImmediate(resolve));
      const head = this.#log.known();
      if (head !== undefined) return head;
    }
    return this.#log.look();
  }

  /** Runs `work` in the exclusive section with the log settled: crash remains are taken in or recorded first. */
  async inSection<T>(
    work: (position: Position, log: Log) => Promise<T>,
    { timeout = DEFAULT_TIMEOUT }: WaitOptions = {},
  ): Promise<T> {
    this.assertOpen();
    const run = async (): Promise<T> => {
      await this.lock.enter(after(timeout));
      try {
        const result = await work(await this.#log.settle(), this.#log);
        this.#log.publish();
        return result;
      } catch (error) {
        throw storeError(error, 'use', this.directory);
      } finally {
        this.lock.unlock(SECTION);
      }
    };
    return this.track(run());
  }

  publishedHead(): Head | undefined {
    return this.#log.known();
  }

  /** See Log.acceptLoss. */
  async acceptLoss(): Promise<{ left: number }> {
    this.assertOpen();
    await this.lock.enter(after(DEFAULT_TIMEOUT));
    try {
      const accepted = await this.#log.acceptLoss();
      this.#states.removeAll();
      return accepted;
    } catch (error) {
      throw storeError(error, 'recover', this.directory);
    } finally {
      this.lock.unlock(SECTION);
    }
  }

  /** Work that close() waits for. */
  track<T>(work: Promise<T>): Promise<T> {
    const settled = work.finally(() => this.#busy.delete(settled));
    this.#busy.add(settled);
    return settled;
  }

  /** The first segment and head of a new ledger. */
  async create(): Promise<void> {
    await this.lock.enter(after(DEFAULT_TIMEOUT));
    try {
      await this.#log.create();
    } catch (error) {
      throw storeError(error, 'make', this.directory);
    } finally {
      this.lock.unlock(SECTION);
    }
  }

  get readOnly(): boolean {
    return this.#readOnly;
  }

  /** For whatever writes. Reading goes on until everything has ended. */
  assertOpen(): void {
    if (this.#closed) throw closed();
    if (this.#readOnly)
      throw new StoreError('DENIED', `the ledger in ${this.directory} was opened for reading only.`);
  }

  /** From here on nothing new begins; what is under way ends first. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#commits.idle();
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy);
    this.#ended = true;
    this.#log.close();
    this.#states.close();
    this.lock.close();
  }
}

/**
 * DAMAGED for a ledger whose lock file was removed. It is not made anew: those who have the old one open would no
 * longer be kept apart from those who open the new one.
 */
export function assertLockNotMissing(directory: string, fs: Fs): void {
  const path = join(directory, LOCK_FILE);
  if (exists(fs, path) || !hasSegments(directory, fs)) return;
  throw new StoreError(
    'DAMAGED',
    `${path} was removed. Stop every process that still writes to this ledger, then run \`touch ${path}\`.`,
  );
}

function hasSegments(directory: string, fs: Fs): boolean {
  if (!exists(fs, join(directory, SEGMENT_DIR))) return false;
  const segments = new Segments(directory, fs);
  return segments.list().some((segment) => segments.reading(segment, (_, size) => size) > 0);
}

function closed(): StoreError {
  return new StoreError('CLOSED', 'the ledger is closed.', { fatal: true });
}
