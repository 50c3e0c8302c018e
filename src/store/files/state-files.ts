// What recorders must know about sessions: a small file each, read and replaced inside the exclusive section. Derived
// and disposable, so nothing is synced. They are published after the lines they follow from are durable and before
// the head is, so that whoever enters next finds either both or, after a crash, an older state.
import { join } from 'node:path';
import { STATE_DIR, statePath } from '../../format/index.ts';
import { hasCode, storeError } from './failure.ts';
import type { Fs } from './fs.ts';
import { readWhole } from './whole-file.ts';

const BLANK = 0x20;
/** So many are left open at most. */
const MOST_LEFT = 512;

interface LeftState {
  readonly fd: number;
  /** Of the file, blanks included. */
  readonly size: number;
  readonly state: Uint8Array;
}

interface WrittenState {
  readonly state: Uint8Array;
  readonly onlyWithLines: boolean;
}

export class StateFiles {
  readonly #directory: string;
  readonly #fs: Fs;
  /** As the next build must see them, lines that are still being written included. */
  readonly #current = new Map<string, Uint8Array | undefined>();
  /** Those whose lines are durable and that are not on disk yet. */
  readonly #written = new Map<string, WrittenState>();
  /** Those that are open for writing. */
  readonly #open = new Map<string, number>();
  /** Those that change only with lines, as this handle left them and open for writing, the oldest first. */
  readonly #left = new Map<string, LeftState>();

  constructor(directory: string, fs: Fs) {
    this.#directory = directory;
    this.#fs = fs;
  }

  /** As published. One that can't be read counts as none: it is made anew, and the entries are what matters. */
  read(name: string): Uint8Array | undefined {
    const path = join(this.#directory, statePath(name)); // a name that is none is its caller's error
    let bytes: Uint8Array | undefined;
    try {
      bytes = readWhole(this.#fs, path);
    } catch {
      return undefined;
    }
    let end = bytes?.length ?? 0;
    while (end > 0 && bytes?.[end - 1] === BLANK) end--;
    return bytes?.subarray(0, end);
  }

  /** At the beginning of each stay in the section: others may have been here, unless the log is as this handle left it. */
  enter(isLogAsLeft = false): void {
    this.#current.clear();
    this.#written.clear();
    if (isLogAsLeft) this.#closeOpen();
    else this.close();
  }

  /** Before lines are written that are no good without it. Throws StoreError where it can't be written. */
  prepare(name: string): void {
    if (this.#open.has(name) || this.#left.has(name)) return;
    const path = join(this.#directory, statePath(name));
    try {
      this.#open.set(name, this.#openToWrite(path));
    } catch (error) {
      throw storeError(error, 'write', path);
    }
  }

  current(name: string): Uint8Array | undefined {
    if (!this.#current.has(name))
      this.#current.set(name, (this.#written.get(name) ?? this.#left.get(name))?.state ?? this.read(name));
    return this.#current.get(name)?.slice();
  }

  /** A copy: it is on disk only when the section is left, and whoever gave it may have other use for its memory. */
  replace(name: string, state: Uint8Array): void {
    this.#current.set(name, state.slice());
  }

  /** Lines were not written: what was built on them never happened. */
  forget(): void {
    this.#current.clear();
  }

  written(name: string, state: Uint8Array, onlyWithLines: boolean): void {
    this.#written.set(name, { state: state.slice(), onlyWithLines });
  }

  /** Where acknowledged lines are given up for lost, states may tell of them. None is better than one that does. */
  removeAll(): void {
    this.enter();
    this.#fs.removeTree(join(this.#directory, STATE_DIR));
  }

  publish(): void {
    for (const [name, written] of this.#written) {
      try {
        this.#replace(name, written);
      } catch {
        // The entries are there and acknowledged. One that is missing is made anew; one that is behind would mislead.
        this.#letGo(name);
        this.#removeQuietly(join(this.#directory, statePath(name)));
      }
    }
    this.#written.clear();
    this.#closeOpen();
  }

  close(): void {
    this.#closeOpen();
    for (const name of [...this.#left.keys()]) this.#letGo(name);
  }

  #closeOpen(): void {
    for (const fd of this.#open.values()) this.#fs.close(fd);
    this.#open.clear();
  }

  #letGo(name: string): void {
    const left = this.#left.get(name);
    if (left === undefined) return;
    this.#left.delete(name);
    this.#fs.close(left.fd);
  }

  /**
   * In place, by one small write: moving a new file over an old one makes some file systems write it out first. What
   * the old one had more of becomes blanks. A reader outside the section may find it half written, and asks again inside.
   */
  #replace(name: string, { state, onlyWithLines }: WrittenState): void {
    const left = this.#left.get(name);
    const fd = left?.fd ?? this.#open.get(name) ?? this.#openToWrite(join(this.#directory, statePath(name)));
    if (left === undefined) this.#open.set(name, fd);
    const size = Math.max(left?.size ?? this.#fs.stat(fd).size, state.length);
    const padded = new Uint8Array(size).fill(BLANK);
    padded.set(state);
    this.#fs.overwrite(fd, padded);
    if (!onlyWithLines) return;
    this.#open.delete(name);
    this.#left.delete(name);
    this.#left.set(name, { fd, size, state });
    const [oldest] = this.#left.keys();
    if (this.#left.size > MOST_LEFT && oldest !== undefined) this.#letGo(oldest);
  }

  #openToWrite(path: string): number {
    try {
      return this.#fs.open(path, 'r+');
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    try {
      return this.#fs.open(path, 'w');
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
      this.#fs.makeDirectory(join(this.#directory, STATE_DIR));
      return this.#fs.open(path, 'w');
    }
  }

  #removeQuietly(path: string): void {
    try {
      this.#fs.remove(path);
    } catch {
      // It was not there, or nothing can be changed here any more.
    }
  }
}
