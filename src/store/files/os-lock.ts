// Locks that the operating system drops when their holder dies, however it dies. One lock file, never removed, with
// a byte for each purpose. Waiting polls, because a blocked thread could not be given up at the deadline.
//
// Entering the exclusive section goes through a turnstile: whoever waits next holds its byte, so a busy process that
// leaves the section can't take it again ahead of one that waits.
import { existsSync } from 'node:fs';
import { StoreError } from '../../core/index.ts';
import { monotonic } from './clock.ts';
import { type Fs, nodeFs } from './fs.ts';

interface Binding {
  tryLock(fd: number, offset: number, length: number, exclusive: boolean): void;
  unlock(fd: number, offset: number, length: number): void;
}

/** Bytes of the lock file. Purposes never change their number: other versions may be running. */
export const SECTION = 0;
const TURNSTILE = 1;
export const SEALING = 2;
export const PACKS = 3;
export const UPKEEP = 4;
export const GIT = 5;

const SPINS = 10;
const LONGEST_PAUSE = 8;
/** Milliseconds after which a wait tells of a crowd, and the longest time between two tries then. */
const CROWDED = 100;
const LONGEST_PATIENCE = 40;
const OLD = 1500;
/** Tries after which somebody who waits is no newcomer any more. */
const NEWCOMER = 4;

/** Until when to wait, on monotonic()'s clock. Asked anew at each try: it may come nearer. */
export type Deadline = () => number;

export function after(milliseconds: number): Deadline {
  const at = monotonic() + milliseconds;
  return () => at;
}

let loaded: Binding | undefined;

/**
 * The native binding of fs-native-extensions. Its prebuilt file is opened directly: the package's own loader takes a
 * third of node's start-up time, and asking node where it is takes as long as an append.
 */
function binding(): Binding {
  if (loaded !== undefined) return loaded;
  const file = `fs-native-extensions/prebuilds/${process.platform}-${process.arch}/fs-native-extensions.node`;
  try {
    const module = { exports: {} };
    process.dlopen(module, beside(file) ?? loader().resolve(file));
    loaded = module.exports as Binding;
  } catch {
    loaded = loader()('fs-native-extensions/binding') as Binding;
  }
  return loaded;
}

/** Not `require` itself: in a bundled ES module that name is a stand-in which loads nothing. */
function loader(): NodeJS.Require {
  const { createRequire } = process.getBuiltinModule('node:module');
  return createRequire(typeof __filename === 'string' ? __filename : import.meta.url);
}

/** Where npm puts it for a file in dist/: next to this package, or in its own node_modules. */
function beside(file: string): string | undefined {
  if (typeof __dirname !== 'string') return undefined;
  return [`${__dirname}/../../${file}`, `${__dirname}/../node_modules/${file}`].find((path) =>
    existsSync(path),
  );
}

export class OsLock {
  readonly #fds: readonly number[];
  readonly #fs: Fs;
  readonly #path: string;
  /** The system lets one handle take a lock twice; its users must still take turns. */
  readonly #held = new Set<number>();

  /** `never`: for a ledger that is only read. Its lock file is not opened, and taking the lock is refused. */
  constructor(path: string, fs: Fs = nodeFs, { never = false }: { readonly never?: boolean } = {}) {
    this.#path = path;
    this.#fs = fs;
    if (never) {
      this.#fds = [];
      return;
    }
    const fd = fs.open(path, 'a');
    // macOS locks whole files, not ranges: there each purpose has a file of its own beside the first.
    this.#fds =
      process.platform === 'darwin'
        ? [fd, ...[1, 2, 3, 4, 5].map((byte) => fs.open(`${path}.${byte}`, 'a'))]
        : [fd, fd, fd, fd, fd, fd];
  }

  tryLock(byte: number): boolean {
    if (this.#held.has(byte)) return false;
    try {
      binding().tryLock(this.#fd(byte), byte, 1, true);
      this.#held.add(byte);
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === 'EAGAIN') return false;
      throw error;
    }
  }

  unlock(byte: number): void {
    this.#held.delete(byte);
    binding().unlock(this.#fd(byte), byte, 1);
  }

  /** The exclusive section, by way of the turnstile. */
  async enter(deadline: Deadline): Promise<void> {
    if (!this.tryLock(TURNSTILE)) await this.wait(TURNSTILE, deadline);
    try {
      if (!this.tryLock(SECTION)) await this.wait(SECTION, deadline);
    } finally {
      this.unlock(TURNSTILE);
    }
  }

  async wait(byte: number, deadline: Deadline): Promise<void> {
    const since = monotonic();
    for (let turn = 0; !this.tryLock(byte); turn++) {
      if (monotonic() > deadline()) {
        throw new StoreError(
          'LOCK_TIMEOUT',
          `another process has held the lock ${this.#path} for too long. Run \`fuser -v ${this.#path}\` to find it. If it is suspended, resume or end it, then try again.`,
        );
      }
      if (byte === SECTION) await approach(turn);
      else await (byte === TURNSTILE ? queue(turn, monotonic() - since) : crowd(turn, monotonic() - since));
    }
  }

  /** True once the lock file was removed: whoever opens the ledger now holds another one. */
  isGone(): boolean {
    if (this.#fds.length === 0) return !existsSync(this.#path);
    return this.#fs.stat(this.#fd(SECTION)).links === 0;
  }

  close(): void {
    for (const fd of new Set(this.#fds)) this.#fs.close(fd);
  }

  #fd(byte: number): number {
    const fd = this.#fds[byte];
    if (fd !== undefined) return fd;
    if (this.#fds.length > 0) throw new RangeError(`no lock ${byte}`);
    throw new StoreError(
      'DENIED',
      `foil can't lock ${this.#path}, because the ledger was opened for reading only.`,
    );
  }
}

/**
 * Behind the turnstile, who has waited longer asks more often, and so comes first. Otherwise two busy processes could
 * pass it to and fro for ever: the one that has just left asks at once, the third only now and then.
 */
function queue(turn: number, waited: number): Promise<void> {
  return pause(turn < NEWCOMER ? 6 + Math.random() * 6 : Math.max(waited > OLD ? 1 : 4, patience(waited)));
}

/** A lock that has no turnstile before it: any number may wait. */
function crowd(turn: number, waited: number): Promise<void> {
  return turn < SPINS ? immediate() : pause(Math.max(1 + Math.random(), patience(waited)));
}

/**
 * Who has waited long is one of many: hundreds of processes that ask every few milliseconds would leave the processor
 * no time for the one whose turn it is. Who has waited longer than most asks the more often the longer it was. If all
 * asked equally often, chance would pick the next, and in a crowd of sixty somebody would be unlucky for 20 seconds.
 */
function patience(waited: number): number {
  const calm = Math.min(LONGEST_PATIENCE, Math.max(0, waited - CROWDED) / 25);
  return calm * Math.min(1, OLD / waited) ** 1.5 * (0.5 + Math.random());
}

/** Nobody else stands before this lock but its holder: ask often, then less often. */
function approach(turn: number): Promise<void> {
  return turn < SPINS ? immediate() : pause(1 + Math.random() * Math.min(LONGEST_PAUSE, turn / 50));
}

function immediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
