// Locks that the operating system drops when their holder dies, however it dies. One lock file, never removed, with
// a byte for each purpose. Waiting polls, because a blocked thread could not be given up at the deadline.
//
// Entering the exclusive section goes through a turnstile: whoever waits next holds its byte, so a busy process that
// leaves the section can't take it again ahead of one that waits. Before the turnstile there is a queue: a byte for each
// place in it. Who comes takes the last place and moves up as places before it fall free, so the first to come is the
// first to enter, and each waits for one byte that nobody else asks for.
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

/** macOS locks whole files, not ranges: there each purpose but the first has a file of its own. */
const WHOLE_FILES = process.platform === 'darwin';
const FIRST_PLACE = 16;
const LAST_PLACE = WHOLE_FILES ? FIRST_PLACE + 7 : FIRST_PLACE + 95;

const SPINS = 10;
const LONGEST_PAUSE = 8;
/** Milliseconds after which a wait tells of a crowd, and the longest time between two tries then. */
const CROWDED = 100;
const LONGEST_PATIENCE = 40;
/** Milliseconds without a move after which somebody in the queue looks past the one before it, who may be suspended. */
const STUCK = 1000;

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
  readonly #fds = new Map<number, number>();
  readonly #fs: Fs;
  readonly #path: string;
  readonly #never: boolean;
  /** The system lets one handle take a lock twice; its users must still take turns. */
  readonly #held = new Set<number>();

  /** `never`: for a ledger that is only read. Its lock file is not opened, and taking the lock is refused. */
  constructor(path: string, fs: Fs = nodeFs, { never = false }: { readonly never?: boolean } = {}) {
    this.#path = path;
    this.#fs = fs;
    this.#never = never;
    if (!never) this.#fd(SECTION);
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

  /** The exclusive section, by way of the queue and the turnstile. */
  async enter(deadline: Deadline): Promise<void> {
    await this.#queue(deadline);
    try {
      if (!this.tryLock(SECTION)) await this.wait(SECTION, deadline);
    } finally {
      this.unlock(TURNSTILE);
    }
  }

  /** Through the queue. Who comes out of it holds the turnstile. */
  async #queue(deadline: Deadline): Promise<void> {
    let place = FIRST_PLACE;
    if (!this.tryLock(FIRST_PLACE)) {
      place = LAST_PLACE;
      if (!this.tryLock(LAST_PLACE)) await this.wait(LAST_PLACE, deadline);
    }
    try {
      for (let since = monotonic(); place !== TURNSTILE; ) {
        const next = this.#moveUp(place, monotonic() - since);
        if (next !== undefined) {
          since = monotonic();
          place = next;
          continue;
        }
        if (monotonic() > deadline()) throw this.#timeout();
        await pause((2 + 2 * Math.min(place - FIRST_PLACE, 24)) * (0.75 + Math.random() / 2));
      }
    } catch (error) {
      this.unlock(place);
      throw error;
    }
  }

  /** Leaves a place for one before it, if that is free; past those that don't move, as time goes by. */
  #moveUp(place: number, waited: number): number | undefined {
    const farthest = place - 1 - Math.floor(waited / STUCK);
    for (let next = place - 1; next >= farthest && next >= FIRST_PLACE - 1; next--) {
      const byte = next < FIRST_PLACE ? TURNSTILE : next;
      if (!this.tryLock(byte)) continue;
      this.unlock(place);
      return byte;
    }
    return undefined;
  }

  async wait(byte: number, deadline: Deadline): Promise<void> {
    const since = monotonic();
    for (let turn = 0; !this.tryLock(byte); turn++) {
      if (monotonic() > deadline()) throw this.#timeout();
      await (byte === SECTION ? approach(turn) : crowd(turn, monotonic() - since));
    }
  }

  #timeout(): StoreError {
    return new StoreError(
      'LOCK_TIMEOUT',
      `another process has held the lock ${this.#path} for too long. Run \`fuser -v ${this.#path}\` to find it. If it is suspended, resume or end it, then try again.`,
    );
  }

  /** True once the lock file was removed: whoever opens the ledger now holds another one. */
  isGone(): boolean {
    if (this.#never) return !existsSync(this.#path);
    return this.#fs.stat(this.#fd(SECTION)).links === 0;
  }

  close(): void {
    for (const fd of this.#fds.values()) this.#fs.close(fd);
    this.#fds.clear();
  }

  #fd(byte: number): number {
    if (this.#never) {
      throw new StoreError(
        'DENIED',
        `foil can't lock ${this.#path}, because the ledger was opened for reading only.`,
      );
    }
    const file = WHOLE_FILES ? byte : SECTION;
    let fd = this.#fds.get(file);
    if (fd === undefined) {
      fd = this.#fs.open(file === SECTION ? this.#path : `${this.#path}.${file}`, 'a');
      this.#fds.set(file, fd);
    }
    return fd;
  }
}

/** A lock that has no turnstile before it: any number may wait. */
function crowd(turn: number, waited: number): Promise<void> {
  return turn < SPINS ? immediate() : pause(Math.max(1 + Math.random(), patience(waited)));
}

/** Who has waited long is one of many, and must leave the processor to the one whose turn it is. */
function patience(waited: number): number {
  return Math.min(LONGEST_PATIENCE, Math.max(0, waited - CROWDED) / 25) * (0.5 + Math.random());
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
