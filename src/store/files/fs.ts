// The few calls of the operating system that the file store makes, as one object, so that the fault suite can make
// each of them fail, with and without having taken effect. Errors are the system's own; failure.ts turns them into
// StoreErrors. Small in-place reads and writes are synchronous (they hit the page cache); appends and syncs are not.
import {
  closeSync,
  constants,
  type Dirent,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs';

export interface Stat {
  readonly size: number;
  /** 0 once the file was removed under an open descriptor. */
  readonly links: number;
}

export interface Fs {
  /** `ad`: for appending, with appendDurably, to a file that is there. */
  open(path: string, flags: 'r' | 'r+' | 'a' | 'ad' | 'ax' | 'wx' | 'w'): number;
  close(fd: number): void;
  stat(fd: number): Stat;
  /** Bytes read, short only at the end of the file. */
  read(fd: number, into: Uint8Array, at: number): number;
  /** In place, from the start: for the head, states, and what is to be destroyed. */
  overwrite(fd: number, bytes: Uint8Array): void;
  /** All bytes at the end of the file, or an error; then part of them may be there. */
  append(fd: number, bytes: Uint8Array): Promise<void>;
  /** The same, and durable when it resolves, on a file opened with `ad`. */
  appendDurably(fd: number, bytes: Uint8Array): Promise<void>;
  datasync(fd: number): Promise<void>;
  /** Makes the names in a directory durable. */
  syncDirectory(path: string): Promise<void>;
  makeDirectory(path: string): void;
  rename(from: string, to: string): void;
  /** Fails with EEXIST where `to` is there. */
  link(from: string, to: string): void;
  remove(path: string): void;
  /** Fails with ENOTEMPTY where something is in it. */
  removeDirectory(path: string): void;
  removeTree(path: string): void;
  list(path: string): Dirent[];
  size(path: string): number;
}

// On Linux a write with O_DSYNC is write and fdatasync in one call, off this thread and with nothing in between. macOS
// has the flag but does not flush the drive for it, as its fdatasync in node does.
const { O_APPEND, O_DSYNC, O_WRONLY } = constants;
const WRITE_SYNCS = process.platform === 'linux' && O_DSYNC !== undefined;
const DURABLE_APPEND = O_APPEND | O_WRONLY | (WRITE_SYNCS ? O_DSYNC : 0);

export const nodeFs: Fs = {
  open: (path, flags) => openSync(path, flags === 'ad' ? DURABLE_APPEND : flags, 0o600),
  close: (fd) => closeSync(fd),
  stat(fd) {
    const { size, nlink } = fstatSync(fd);
    return { size, links: nlink };
  },
  read(fd, into, at) {
    let done = 0;
    while (done < into.length) {
      const count = readSync(fd, into, done, into.length - done, at + done);
      if (count === 0) break;
      done += count;
    }
    return done;
  },
  overwrite(fd, bytes) {
    let done = 0;
    while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done, done);
  },
  append: (fd, bytes) =>
    new Promise((resolve, reject) => {
      const go = (done: number): void =>
        write(fd, bytes, done, bytes.length - done, null, (error, count) => {
          if (error) reject(error);
          else if (done + count === bytes.length) resolve();
          else go(done + count);
        });
      go(0);
    }),
  async appendDurably(fd, bytes) {
    await nodeFs.append(fd, bytes);
    if (!WRITE_SYNCS) await nodeFs.datasync(fd);
  },
  datasync: (fd) =>
    new Promise((resolve, reject) => fdatasync(fd, (error) => (error ? reject(error) : resolve()))),
  syncDirectory: (path) =>
    new Promise((resolve, reject) => {
      const fd = openSync(path, 'r');
      fsync(fd, (error) => {
        closeSync(fd);
        if (error) reject(error);
        else resolve();
      });
    }),
  makeDirectory: (path) => void mkdirSync(path, { mode: 0o700 }),
  rename: (from, to) => renameSync(from, to),
  link: (from, to) => linkSync(from, to),
  remove: (path) => unlinkSync(path),
  removeDirectory: (path) => rmdirSync(path),
  removeTree: (path) => rmSync(path, { recursive: true, force: true }),
  list: (path) => readdirSync(path, { withFileTypes: true }),
  size: (path) => statSync(path).size,
};

/** For a process that does one thing and ends: starting the threads that would wait takes longer than waiting. */
export const blockingFs: Fs = {
  ...nodeFs,
  async append(fd, bytes) {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done);
  },
  async appendDurably(fd, bytes) {
    await blockingFs.append(fd, bytes);
    if (!WRITE_SYNCS) fdatasyncSync(fd);
  },
  async datasync(fd) {
    fdatasyncSync(fd);
  },
};
