// The salts that open sessions' commitments: a small file each, made on first use, overwritten before it is removed. The
// caller keeps makers and destroyers apart, by the lock on packs; reading needs none.
import { join } from 'node:path';
import { ParseError, StoreError, sameBytes } from '../../core/index.ts';
import { encodeSalt, parseSalt, SALT_DIR, saltPath } from '../../format/index.ts';
import type { Random } from '../../ledger/index.ts';
import { hasCode } from './failure.ts';
import type { Fs } from './fs.ts';
import { exists, makeDirectories, readWhole, writeDurably } from './whole-file.ts';

/** Salts that are kept open. */
const MOST_OPEN = 48;

interface Settled {
  readonly file: Uint8Array;
  readonly salt: Uint8Array;
}

export class Salts {
  readonly #directory: string;
  readonly #fs: Fs;
  readonly #random: Random;
  readonly #finishErasing: (id: string) => Promise<void>;
  /** Those that this handle has seen while nobody made or destroyed one: they are durable and whole. */
  readonly #settled = new Map<string, Settled>();
  /** Of settled ones that were asked for again, the newest at the end. */
  readonly #open = new Map<string, number>();
  readonly #bytes = Buffer.alloc(encodeSalt(new Uint8Array(32)).length);
  /** The folder has a name that this handle made and has not synced yet. */
  #unsynced = false;

  /** `finishErasing` removes what is left of a session's salted content, and its salt. */
  constructor(directory: string, fs: Fs, random: Random, finishErasing: (id: string) => Promise<void>) {
    this.#directory = directory;
    this.#fs = fs;
    this.#random = random;
    this.#finishErasing = finishErasing;
  }

  /** Undefined where there is none. Read anew each time: another process may have erased it. */
  find(id: string): Uint8Array | undefined {
    const settled = this.#settled.get(id);
    if (settled !== undefined && this.#isUnchanged(id, settled)) return settled.salt;
    const path = this.#path(id);
    const bytes = readWhole(this.#fs, path);
    if (bytes === undefined) return undefined;
    if (settled !== undefined && sameBytes(bytes, settled.file)) {
      this.#keepOpen(id, path);
      return settled.salt;
    }
    try {
      const salt = parseSalt(bytes);
      // Erasing overwrites it before it removes it, and may have been stopped in between.
      return salt.every((byte) => byte === 0) ? undefined : salt;
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      throw new StoreError(
        'DAMAGED',
        `${path} is not a salt. Restore it from a copy, or erase the session.`,
        { cause: error },
      );
    }
  }

  /** Undefined also where it can't be read: to erase it, that is enough. */
  findOrNone(id: string): Uint8Array | undefined {
    try {
      return this.find(id);
    } catch (error) {
      if (error instanceof StoreError && error.code === 'DAMAGED') return undefined;
      throw error;
    }
  }

  /** One that nobody vouches for may be half made or half erased by another process just now. */
  findSettled(id: string): Uint8Array | undefined {
    const found = this.find(id);
    return found !== undefined && found === this.#settled.get(id)?.salt ? found : undefined;
  }

  /** Made on first use. Under the lock, and durable: also where an earlier call made it and could not sync its name. */
  async settle(id: string): Promise<Uint8Array> {
    const salt = this.find(id) ?? (await this.#make(id));
    if (this.#unsynced) {
      await this.#fs.syncDirectory(join(this.#directory, SALT_DIR));
      this.#unsynced = false;
    }
    if (this.#settled.get(id)?.salt !== salt) this.#settled.set(id, { file: encodeSalt(salt), salt });
    return salt;
  }

  /** Under the lock. Overwritten with zeros, which stay until remove: so whoever comes next knows that content is going. */
  async destroy(id: string): Promise<void> {
    const path = this.#path(id);
    this.#settled.delete(id);
    this.#close(id);
    if (!exists(this.#fs, path)) return;
    const fd = this.#fs.open(path, 'r+');
    try {
      this.#fs.overwrite(fd, encodeSalt(new Uint8Array(32)));
      await this.#fs.datasync(fd);
    } finally {
      this.#fs.close(fd);
    }
  }

  /** Under the lock, once nothing is left that was committed to under it. */
  async remove(id: string): Promise<void> {
    const path = this.#path(id);
    if (!exists(this.#fs, path)) return;
    this.#fs.remove(path);
    await this.#fs.syncDirectory(join(this.#directory, SALT_DIR));
  }

  /** When nothing is under way any more. */
  close(): void {
    for (const id of [...this.#open.keys()]) this.#close(id);
  }

  async #make(id: string): Promise<Uint8Array> {
    const path = this.#path(id);
    await makeDirectories(this.#fs, join(this.#directory, SALT_DIR));
    // Erasing was interrupted. What is left of it must not be taken for content under the new salt.
    if (exists(this.#fs, path)) await this.#finishErasing(id);
    this.#unsynced = true;
    await writeDurably(this.#fs, path, encodeSalt(this.#random(32)), { keep: true, syncDirectory: false });
    const salt = this.find(id);
    if (salt === undefined) throw new StoreError('IO', `the salt ${path} can't be read back.`);
    return salt;
  }

  /** Erasing overwrites the file and then removes it: one of the two shows through a descriptor, whoever did it. */
  #isUnchanged(id: string, { file }: Settled): boolean {
    const fd = this.#open.get(id);
    if (fd === undefined) return false;
    const { size, links } = this.#fs.stat(fd);
    const bytes = this.#bytes;
    if (links > 0 && size === bytes.length && this.#fs.read(fd, bytes, 0) === size && sameBytes(bytes, file))
      return true;
    this.#close(id);
    return false;
  }

  #keepOpen(id: string, path: string): void {
    try {
      this.#open.set(id, this.#fs.open(path, 'r'));
    } catch (error) {
      // Another process erases it just now.
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_OPEN && oldest !== undefined) this.#close(oldest);
  }

  #close(id: string): void {
    const fd = this.#open.get(id);
    this.#open.delete(id);
    if (fd !== undefined) this.#fs.close(fd);
  }

  #path(id: string): string {
    return join(this.#directory, saltPath(id));
  }
}
