// The packs on disk: one file per session that holds its small pieces of content, one record after the other. Records
// are appended durably and found again by their reference; erasing keeps only the plain ones.
import { join } from 'node:path';
import { contentCommitment, StoreError } from '../../core/index.ts';
import { BLOB_DIR, type ContentRef, encodePackRecord, PACK_FILE, packPath } from '../../format/index.ts';
import { hasCode } from './failure.ts';
import type { Fs } from './fs.ts';
import { findInPack, missingNewlines, type PackRecord, readRecord, walkPack } from './pack-file.ts';
import { exists, makeDirectories, writeDurably } from './whole-file.ts';

/** A file of its own costs two syncs more; one far larger would hold up those that share its write. */
export const LARGEST_PACKED = 512 * 1024;
/** Packs that are kept open. */
const MOST_OPEN = 48;

/** What is known of one session's pack: where each content begins, as far as it was read. */
interface PackIndex {
  end: number;
  readonly places: Map<string, PackRecord>;
}

/** A pack that is open for appending. */
interface OpenPack {
  readonly fd: number;
  readonly path: string;
  readonly folder: string;
}

export class Packs {
  readonly #directory: string;
  readonly #fs: Fs;
  readonly #indexes = new Map<string, PackIndex>();
  /** Folders with names in them that this handle made and has not synced yet. */
  readonly #unsynced = new Set<string>();
  /** Where this handle's last write to a session's pack ended: nothing can be torn there. */
  readonly #ends = new Map<string, number>();
  /** Packs that were written last, the newest at the end. */
  readonly #open = new Map<string, OpenPack>();

  constructor(directory: string, fs: Fs) {
    this.#directory = directory;
    this.#fs = fs;
  }

  async append(id: string, records: readonly Uint8Array[]): Promise<void> {
    const { pack, size } = await this.#openPack(id);
    const { fd, path, folder } = pack;
    try {
      const torn =
        this.#ends.get(id) === size
          ? 0
          : (this.#reading(path, (reader, end) => missingNewlines(this.#fs, reader, end, LARGEST_PACKED)) ??
            0);
      this.#ends.delete(id);
      const pieces = torn === 0 ? records : [Buffer.alloc(torn, '\n'), ...records];
      const bytes = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
      await this.#fs.appendDurably(fd, bytes);
      const after = this.#fs.stat(fd);
      if (after.links === 0) throw new StoreError('REMOVED', `${path} was removed while in use.`);
      await this.#syncNames(folder);
      if (after.size === size + bytes.length) this.#ends.set(id, after.size);
    } catch (error) {
      this.#closePack(id);
      throw error;
    }
  }

  /** Those that were written last are kept open: most come in a row. */
  async #openPack(id: string): Promise<{ pack: OpenPack; size: number }> {
    const kept = this.#open.get(id);
    if (kept !== undefined) {
      const { size, links } = this.#fs.stat(kept.fd);
      if (links > 0) {
        this.#open.delete(id);
        this.#open.set(id, kept);
        return { pack: kept, size };
      }
      this.#closePack(id);
    }
    const path = join(this.#directory, packPath(id));
    const folder = join(path, '..');
    const pack = { fd: await this.#openOrMake(path, folder), path, folder };
    this.#open.set(id, pack);
    return { pack, size: this.#fs.stat(pack.fd).size };
  }

  async #openOrMake(path: string, folder: string): Promise<number> {
    try {
      return this.#fs.open(path, 'ad');
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    await makeDirectories(this.#fs, folder);
    this.#unsynced.add(folder);
    this.#fs.close(this.#fs.open(path, 'a'));
    return this.#fs.open(path, 'ad');
  }

  #closePack(id: string): void {
    const pack = this.#open.get(id);
    this.#open.delete(id);
    if (pack !== undefined) this.#fs.close(pack.fd);
  }

  /** Once a batch is written: while it is, each may be in use. */
  closeOldest(): void {
    if (this.#open.size <= MOST_OPEN) return;
    for (const id of [...this.#open.keys()].slice(0, -MOST_OPEN)) this.#closePack(id);
  }

  close(): void {
    for (const id of [...this.#open.keys()]) this.#closePack(id);
  }

  find(
    id: string,
    ref: ContentRef,
    isIt: (content: Uint8Array | undefined) => boolean,
  ): Uint8Array | undefined {
    return this.#reading(join(this.#directory, packPath(id)), (fd, size) => {
      const place = this.#index(id, fd, size).places.get(`${ref.algorithm}:${ref.hash}`);
      const indexed = place === undefined ? undefined : readRecord(this.#fs, fd, place);
      if (isIt(indexed)) return indexed;
      const same = findInPack(
        this.#fs,
        fd,
        size,
        ({ algorithm, hash }) => algorithm === ref.algorithm && hash === ref.hash,
      );
      for (const record of same) {
        const found = readRecord(this.#fs, fd, record);
        if (isIt(found)) return found;
      }
      return undefined;
    });
  }

  /** Follows the records from where it stopped. */
  #index(id: string, fd: number, size: number): PackIndex {
    let index = this.#indexes.get(id);
    if (index === undefined || index.end > size) {
      index = { end: 0, places: new Map() };
      this.#indexes.set(id, index);
    }
    const records = walkPack(this.#fs, fd, index.end, size);
    for (let next = records.next(); ; next = records.next()) {
      if (next.done) {
        index.end = next.value;
        return index;
      }
      const { algorithm, hash } = next.value.header;
      index.places.set(`${algorithm}:${hash}`, next.value);
    }
  }

  /** The records of plain content, as they are. Content that looks like a record is passed over with what holds it. */
  plainRecords(id: string, salt: Uint8Array | undefined): Uint8Array[] {
    const plain: Uint8Array[] = [];
    this.#reading(join(this.#directory, packPath(id)), (fd, size) => {
      const isWhole = (record: PackRecord): boolean => {
        const { algorithm, hash } = record.header;
        if (algorithm !== 'sha256' && salt === undefined) return true;
        const content = readRecord(this.#fs, fd, record);
        return content !== undefined && contentCommitment(algorithm, salt ?? null, content) === hash;
      };
      for (const record of walkPack(this.#fs, fd, 0, size, isWhole)) {
        const content = record.header.algorithm === 'sha256' ? readRecord(this.#fs, fd, record) : undefined;
        if (content !== undefined) plain.push(encodePackRecord(record.header, content));
      }
    });
    return plain;
  }

  async keepOnly(id: string, plain: readonly Uint8Array[]): Promise<void> {
    this.#indexes.delete(id);
    this.#ends.delete(id);
    this.#closePack(id);
    const folder = join(this.#directory, BLOB_DIR, id);
    if (!exists(this.#fs, folder)) return;
    if (plain.length > 0) await writeDurably(this.#fs, join(folder, PACK_FILE), Buffer.concat(plain));
    for (const { name } of this.#fs.list(folder)) {
      if (name.startsWith('sha256-') || (name === PACK_FILE && plain.length > 0)) continue;
      this.#fs.remove(join(folder, name));
    }
    await this.#fs.syncDirectory(folder);
  }

  /** A sync that failed is owed still, also to the next call, which finds the name there. */
  async #syncNames(folder: string): Promise<void> {
    if (!this.#unsynced.has(folder)) return;
    await this.#fs.syncDirectory(folder);
    this.#unsynced.delete(folder);
  }

  /** Undefined where the file is not there. */
  #reading<T>(path: string, work: (fd: number, size: number) => T): T | undefined {
    let fd: number;
    try {
      fd = this.#fs.open(path, 'r');
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw error;
    }
    try {
      return work(fd, this.#fs.stat(fd).size);
    } finally {
      this.#fs.close(fd);
    }
  }
}
