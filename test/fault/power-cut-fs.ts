// A disk that forgets. It keeps files in memory, twice: as the running system sees them, and as they would be found after
// the power went: only what was synced, and names only where their directory was. A file system may keep more than
// that, never less, so `remains` can also let chance decide about each thing that was not synced.
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Fs, nodeFs } from '../../src/store/files/index.ts';

interface File {
  bytes: Buffer;
  synced: Buffer;
}

type Entries = Map<string, File | 'directory'>;

export class PowerCutFs {
  /** Calls made so far. */
  calls = 0;
  readonly #root: string;
  readonly #cutAt: number;
  readonly #now: Entries = new Map();
  readonly #synced: Entries = new Map();
  readonly #open = new Map<number, File>();
  #nextFd = 1_000_000;

  /** Names under `root`, which is there. At call number `cutAt` the power goes, and nothing answers any more. */
  constructor(root: string, cutAt = Number.POSITIVE_INFINITY) {
    this.#root = root;
    this.#cutAt = cutAt;
    this.#now.set(root, 'directory');
    this.#synced.set(root, 'directory');
  }

  readonly fs: Fs = {
    open: (path, flags) => this.#call(() => this.#openFile(path, flags)),
    close: (fd) => (this.#open.delete(fd) ? undefined : nodeFs.close(fd)),
    stat: (fd) => this.#call(() => this.#stat(fd)),
    read: (fd, into, at) => this.#call(() => this.#file(fd).bytes.copy(into, 0, at)),
    overwrite: (fd, bytes) =>
      this.#call(() => {
        const file = this.#file(fd);
        file.bytes = Buffer.concat([bytes, file.bytes.subarray(bytes.length)]);
      }),
    append: async (fd, bytes) => this.#call(() => this.#append(fd, bytes)),
    appendDurably: async (fd, bytes) =>
      this.#call(() => {
        this.#append(fd, bytes);
        this.#file(fd).synced = this.#file(fd).bytes;
      }),
    datasync: async (fd) =>
      this.#call(() => {
        this.#file(fd).synced = this.#file(fd).bytes;
      }),
    syncDirectory: async (path) => this.#call(() => this.#syncDirectory(path)),
    makeDirectory: (path) =>
      this.#call(() => {
        if (this.#now.has(path)) throw failure('EEXIST', path);
        if (!this.#now.has(dirname(path))) throw failure('ENOENT', path);
        this.#now.set(path, 'directory');
      }),
    rename: (from, to) =>
      this.#call(() => {
        this.#now.set(to, this.#find(from));
        this.#now.delete(from);
      }),
    link: (from, to) =>
      this.#call(() => {
        if (this.#now.has(to)) throw failure('EEXIST', to);
        this.#now.set(to, this.#find(from));
      }),
    remove: (path) => this.#call(() => void (this.#find(path) && this.#now.delete(path))),
    removeDirectory: (path) =>
      this.#call(() => {
        if (this.#children(this.#now, path).length > 0) throw failure('ENOTEMPTY', path);
        this.#now.delete(path);
      }),
    removeTree: () => {
      throw new TypeError('not needed');
    },
    list: (path) =>
      this.#call(() => {
        this.#find(path);
        return this.#children(this.#now, path).map((child) => ({ name: basename(child) }) as fs.Dirent);
      }),
    size: (path) => this.#call(() => sizeOf(this.#find(path))),
  };

  /** Puts what is left into a real directory. `keep` says of each thing that was not synced whether it stays. */
  remains(directory: string, keep: () => boolean = () => false): void {
    const names = new Set([...this.#now.keys(), ...this.#synced.keys()]);
    const left: Entries = new Map();
    for (const name of [...names].sort()) {
      const [now, before] = [this.#now.get(name), this.#synced.get(name)];
      const entry = now === before || keep() ? now : before;
      if (entry !== undefined && (name === this.#root || left.get(dirname(name)) === 'directory'))
        left.set(name, entry);
    }
    for (const [name, entry] of left) {
      const path = join(directory, name.slice(this.#root.length));
      if (entry === 'directory') fs.mkdirSync(path, { recursive: true });
      else fs.writeFileSync(path, keep() ? entry.bytes : entry.synced);
    }
    fs.writeFileSync(join(directory, 'lock'), '');
  }

  #call<T>(work: () => T): T {
    if (++this.calls >= this.#cutAt) throw failure('EIO', 'the power is gone');
    return work();
  }

  #openFile(path: string, flags: string): number {
    if (basename(path) === 'lock') {
      this.#now.set(path, { bytes: Buffer.alloc(0), synced: Buffer.alloc(0) });
      return nodeFs.open(path, 'a'); // locks need a real file
    }
    const there = this.#now.get(path);
    if (there === 'directory') throw failure('EISDIR', path);
    if (there !== undefined && flags.endsWith('x')) throw failure('EEXIST', path);
    const mustBeThere = flags.startsWith('r') || flags === 'ad';
    if (there === undefined && (mustBeThere || !this.#now.has(dirname(path)))) throw failure('ENOENT', path);
    const file = there ?? { bytes: Buffer.alloc(0), synced: Buffer.alloc(0) };
    this.#now.set(path, file);
    this.#open.set(this.#nextFd, file);
    return this.#nextFd++;
  }

  #stat(fd: number): { size: number; links: number } {
    const file = this.#open.get(fd);
    if (file === undefined) return nodeFs.stat(fd);
    return { size: file.bytes.length, links: [...this.#now.values()].filter((one) => one === file).length };
  }

  #append(fd: number, bytes: Uint8Array): void {
    const file = this.#file(fd);
    file.bytes = Buffer.concat([file.bytes, bytes]);
  }

  #syncDirectory(path: string): void {
    this.#find(path);
    for (const child of this.#children(this.#synced, path))
      if (!this.#now.has(child)) this.#synced.delete(child);
    for (const child of this.#children(this.#now, path)) this.#synced.set(child, this.#find(child));
  }

  #children(entries: Entries, path: string): string[] {
    return [...entries.keys()].filter((name) => name !== path && dirname(name) === path);
  }

  #find(path: string): File | 'directory' {
    const entry = this.#now.get(path);
    if (entry === undefined) throw failure('ENOENT', path);
    return entry;
  }

  #file(fd: number): File {
    const file = this.#open.get(fd);
    if (file === undefined) throw failure('EBADF', String(fd));
    return file;
  }
}

function sizeOf(entry: File | 'directory'): number {
  return entry === 'directory' ? 0 : entry.bytes.length;
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
