// What recorders must know about sessions: a small file each, read and replaced inside the exclusive section. Derived
// and disposable, so nothing is synced. They are published after the lines they follow from are durable and before
// the head is, so that whoever enters next finds either both or, after a crash, an older state.
import { join } from 'node:path';
import { STATE_DIR, statePath } from '../../format/index.ts';
import type { Fs } from './fs.ts';
import { readWhole } from './whole-file.ts';

export class StateFiles {
  readonly #directory: string;
  readonly #fs: Fs;
  /** As the next build must see them, lines that are still being written included. */
  readonly #current = new Map<string, Uint8Array | undefined>();
  /** Those whose lines are durable and that are not on disk yet. */
  readonly #written = new Map<string, Uint8Array>();

  constructor(directory: string, fs: Fs) {
    this.#directory = directory;
    this.#fs = fs;
  }

  /** As published. One that can't be read counts as none: it is made anew, and the entries are what matters. */
  read(name: string): Uint8Array | undefined {
    const path = join(this.#directory, statePath(name));
    try {
      return readWhole(this.#fs, path);
    } catch {
      return undefined;
    }
  }

  /** At the beginning of each stay in the section: others may have been here. */
  enter(): void {
    this.#current.clear();
    this.#written.clear();
  }

  current(name: string): Uint8Array | undefined {
    if (!this.#current.has(name)) this.#current.set(name, this.#written.get(name) ?? this.read(name));
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

  written(name: string, state: Uint8Array): void {
    this.#written.set(name, state.slice());
  }

  /** Where acknowledged lines are given up for lost, states may tell of them. None is better than one that does. */
  removeAll(): void {
    this.enter();
    this.#fs.removeTree(join(this.#directory, STATE_DIR));
  }

  publish(): void {
    for (const [name, state] of this.#written) {
      const path = join(this.#directory, statePath(name));
      try {
        this.#replace(path, state);
      } catch {
        // The entries are there and acknowledged. One that is missing is made anew; one that is behind would mislead.
        this.#removeQuietly(path);
      }
    }
    this.#written.clear();
  }

  #replace(path: string, state: Uint8Array): void {
    const temporary = `${path}.tmp`; // one writer at a time: this is the section
    let fd: number;
    try {
      fd = this.#fs.open(temporary, 'w');
    } catch {
      this.#fs.makeDirectory(join(this.#directory, STATE_DIR));
      fd = this.#fs.open(temporary, 'w');
    }
    try {
      this.#fs.overwrite(fd, state);
    } finally {
      this.#fs.close(fd);
    }
    this.#fs.rename(temporary, path);
  }

  #removeQuietly(path: string): void {
    try {
      this.#fs.remove(path);
    } catch {
      // It was not there, or nothing can be changed here any more.
    }
  }
}
