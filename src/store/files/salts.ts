// The salts that open sessions' commitments: a small file each, made with the session's first content, overwritten before
// it is removed. A salt that is gone while content is still here was taken away: another one in its place would make that
// content look forged, so none is made. The caller keeps makers and destroyers apart, by the lock on packs; reading needs
// none.
import { join } from 'node:path';
import { ParseError, StoreError, sameBytes } from '../../core/index.ts';
import { encodeSalt, parseSalt, SALT_DIR, saltPath } from '../../format/index.ts';
import type { Random } from '../../ledger/index.ts';
import { hasCode } from './failure.ts';
import type { Fs } from './fs.ts';
import { exists, makeDirectories, readWhole, writeDurably } from './whole-file.ts';

/** Salts that are kept at hand, each with its file open from its second use on. */
const MOST_SETTLED = 64;

interface Settled {
  readonly file: Uint8Array;
  readonly salt: Uint8Array;
  fd: number | undefined;
}

/** What was committed to under a session's salt. */
export interface SaltedContent {
  /** Is there any? */
  isHere(id: string): boolean;
  /** Removes what is left of it, and the salt. */
  finishErasing(id: string): Promise<void>;
}

export class Salts {
  readonly #directory: string;
  readonly #fs: Fs;
  readonly #random: Random;
  readonly #content: SaltedContent;
  /** Those that this handle has seen while nobody made or destroyed one: they are durable and whole. */
  readonly #settled = new Map<string, Settled>();
  /** The folder has a name that this handle made and has not synced yet. */
  #unsynced = false;

  constructor(directory: string, fs: Fs, random: Random, content: SaltedContent) {
    this.#directory = directory;
    this.#fs = fs;
    this.#random = random;
    this.#content = content;
  }

  /** Undefined where there is none. Read anew each time: another process may have erased it. */
  find(id: string): Uint8Array | undefined {
    const settled = this.#settled.get(id);
    if (settled !== undefined && this.#isAsItWas(id, settled)) return settled.salt;
    this.#forget(id);
    const path = this.#path(id);
    const bytes = readWhole(this.#fs, path);
    if (bytes === undefined) return undefined;
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
    if (this.#settled.get(id)?.salt === salt) return salt;
    this.#settled.set(id, { file: encodeSalt(salt), salt, fd: undefined });
    const [oldest] = this.#settled.keys();
    if (this.#settled.size > MOST_SETTLED && oldest !== undefined) this.#forget(oldest);
    return salt;
  }

  /** Under the lock. Overwritten with zeros, which stay until remove: so whoever comes next knows that content is going. */
  async destroy(id: string): Promise<void> {
    const path = this.#path(id);
    this.#forget(id);
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

  async #make(id: string): Promise<Uint8Array> {
    const path = this.#path(id);
    await makeDirectories(this.#fs, join(this.#directory, SALT_DIR));
    // Erasing was interrupted. What is left of it must not be taken for content under the new salt.
    if (exists(this.#fs, path)) await this.#content.finishErasing(id);
    else if (this.#content.isHere(id))
      throw new StoreError(
        'DAMAGED',
        `the salt ${path} is gone, but the content that it decrypts is still here. Restore the salt from a copy, or start another session.`,
      );
    this.#unsynced = true;
    await writeDurably(this.#fs, path, encodeSalt(this.#random(32)), { keep: true, syncDirectory: false });
    const salt = this.find(id);
    if (salt === undefined) throw new StoreError('IO', `the salt ${path} can't be read back.`);
    return salt;
  }

  close(): void {
    for (const id of [...this.#settled.keys()]) this.#forget(id);
  }

  /** Its file is there and says what it said: whoever erases it overwrites it first. */
  #isAsItWas(id: string, settled: Settled): boolean {
    try {
      settled.fd ??= this.#fs.open(this.#path(id), 'r');
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
      throw error;
    }
    const { fd, file } = settled;
    const { size, links } = this.#fs.stat(fd);
    if (links === 0 || size !== file.length) return false;
    const bytes = new Uint8Array(file.length);
    return this.#fs.read(fd, bytes, 0) === file.length && sameBytes(bytes, file);
  }

  #forget(id: string): void {
    const fd = this.#settled.get(id)?.fd;
    this.#settled.delete(id);
    if (fd !== undefined) this.#fs.close(fd);
  }

  #path(id: string): string {
    return join(this.#directory, saltPath(id));
  }
}
