// Content beside the chain: small pieces share a pack file per session (a durable small file costs twice an append),
// large ones have a file each. Salts are made on first use and never leave salts/. What is read back is checked
// against the reference before it is handed out.
import { join } from 'node:path';
import { contentCommitment, isHash, StoreError } from '../../core/index.ts';
import {
  BLOB_DIR,
  blobPath,
  type ContentRef,
  encodePackRecord,
  encodeSalt,
  MAX_CONTENT,
  MAX_PACK_HEADER,
  NO_SESSION,
  packPath,
  parseSalt,
  SALT_DIR,
  saltPath,
  scanPackHeader,
} from '../../format/index.ts';
import type { Random } from '../../ledger/index.ts';
import { monotonic } from './clock.ts';
import { hasCode, storeError } from './failure.ts';
import type { Fs } from './fs.ts';
import { type OsLock, PACKS } from './os-lock.ts';
import { makeDirectories, readWhole, writeDurably } from './whole-file.ts';

const LARGEST_PACKED = 64 * 1024;

interface Place {
  readonly offset: number;
  readonly bytes: number;
}

/** What is known of one session's pack: where each content begins, as far as it was read. */
interface PackIndex {
  end: number;
  readonly places: Map<string, Place>;
}

export class ContentFiles {
  readonly #directory: string;
  readonly #fs: Fs;
  readonly #lock: OsLock;
  readonly #random: Random;
  readonly #salts = new Map<string, Uint8Array>();
  readonly #indexes = new Map<string, PackIndex>();

  constructor(directory: string, fs: Fs, lock: OsLock, random: Random) {
    this.#directory = directory;
    this.#fs = fs;
    this.#lock = lock;
    this.#random = random;
  }

  async put(
    session: string | null,
    content: Uint8Array,
    { type, plain = false }: { type?: string; plain?: boolean } = {},
    timeout: number,
  ): Promise<ContentRef> {
    const id = sessionId(session);
    if (content.length > MAX_CONTENT) {
      throw new StoreError('TOO_LARGE', `content of ${content.length} bytes; the limit is ${MAX_CONTENT}. Split it.`);
    }
    try {
      await makeDirectories(this.#fs, join(this.#directory, BLOB_DIR, id));
      const hash = contentCommitment(plain ? null : await this.#salt(id), content);
      const ref: ContentRef = {
        algorithm: plain ? 'sha256' : 'hmac-sha256',
        hash,
        bytes: content.length,
        ...(type === undefined ? {} : { type }),
      };
      if (content.length <= LARGEST_PACKED) await this.#pack(id, encodePackRecord(ref, content), timeout);
      else await writeDurably(this.#fs, join(this.#directory, blobPath(id, ref)), content);
      return ref;
    } catch (error) {
      throw storeError(error, 'keep content in', join(this.#directory, BLOB_DIR));
    }
  }

  async get(session: string | null, ref: ContentRef): Promise<Uint8Array | undefined> {
    const id = sessionId(session);
    try {
      const salt = ref.algorithm === 'sha256' ? null : this.#existingSalt(id);
      const content = readWhole(this.#fs, join(this.#directory, blobPath(id, ref))) ?? this.#unpack(id, ref);
      if (salt === undefined || content === undefined) return undefined;
      return content.length === ref.bytes && contentCommitment(salt, content) === ref.hash ? content : undefined;
    } catch (error) {
      throw storeError(error, 'read content in', join(this.#directory, BLOB_DIR));
    }
  }

  /** The salt goes first: without it, whatever else a crash leaves opens nothing. */
  async erase(session: string | null): Promise<void> {
    const id = sessionId(session);
    this.#salts.delete(id);
    this.#indexes.delete(id);
    try {
      const salt = join(this.#directory, saltPath(id));
      if (readWhole(this.#fs, salt) !== undefined) {
        const fd = this.#fs.open(salt, 'r+');
        this.#fs.overwrite(fd, encodeSalt(new Uint8Array(32)));
        await this.#fs.datasync(fd);
        this.#fs.close(fd);
        this.#fs.remove(salt);
        await this.#fs.syncDirectory(join(this.#directory, SALT_DIR));
      }
      this.#fs.removeTree(join(this.#directory, BLOB_DIR, id));
      await this.#fs.syncDirectory(join(this.#directory, BLOB_DIR));
    } catch (error) {
      throw storeError(error, 'erase content in', join(this.#directory, BLOB_DIR));
    }
  }

  async #pack(id: string, record: Uint8Array, timeout: number): Promise<void> {
    const path = join(this.#directory, packPath(id));
    const isNew = !exists(this.#fs, path);
    const fd = this.#fs.open(path, 'a');
    try {
      await this.#lock.wait(PACKS, monotonic() + timeout);
      try {
        await this.#fs.append(fd, this.#endsInLine(path) ? record : Buffer.concat([Buffer.from('\n'), record]));
      } finally {
        this.#lock.unlock(PACKS);
      }
      await this.#fs.datasync(fd);
      if (this.#fs.stat(fd).links === 0) throw new StoreError('REMOVED', `${path} was removed while in use.`);
      if (isNew) await this.#fs.syncDirectory(join(path, '..'));
    } finally {
      this.#fs.close(fd);
    }
  }

  /** False behind a record that a crash cut short. */
  #endsInLine(path: string): boolean {
    const fd = this.#fs.open(path, 'r');
    try {
      const { size } = this.#fs.stat(fd);
      const last = new Uint8Array(1);
      return size === 0 || (this.#fs.read(fd, last, size - 1) === 1 && last[0] === 0x0a);
    } finally {
      this.#fs.close(fd);
    }
  }

  #unpack(id: string, ref: ContentRef): Uint8Array | undefined {
    const path = join(this.#directory, packPath(id));
    if (!exists(this.#fs, path)) return undefined;
    const fd = this.#fs.open(path, 'r');
    try {
      const place = this.#index(id, fd).places.get(`${ref.algorithm}:${ref.hash}`);
      if (place === undefined) return undefined;
      const content = new Uint8Array(place.bytes);
      return this.#fs.read(fd, content, place.offset) === place.bytes ? content : undefined;
    } finally {
      this.#fs.close(fd);
    }
  }

  /** Follows the records from where it stopped; steps over the remains of a crash to the next header. */
  #index(id: string, fd: number): PackIndex {
    const { size } = this.#fs.stat(fd);
    let index = this.#indexes.get(id);
    if (index === undefined || index.end > size) {
      index = { end: 0, places: new Map() };
      this.#indexes.set(id, index);
    }
    const window = new Uint8Array(MAX_PACK_HEADER);
    while (index.end < size) {
      const length = this.#fs.read(fd, window, index.end);
      const header = scanPackHeader(window.subarray(0, length), 0);
      if (header === undefined) index.end = nextHeader(this.#fs, fd, index.end, size);
      else if (index.end + header.length + header.bytes > size) break;
      else {
        const offset = index.end + header.length;
        index.places.set(`${header.algorithm}:${header.hash}`, { offset, bytes: header.bytes });
        index.end = offset + header.bytes + 1;
      }
    }
    return index;
  }

  async #salt(id: string): Promise<Uint8Array> {
    const known = this.#existingSalt(id);
    if (known !== undefined) return known;
    await makeDirectories(this.#fs, join(this.#directory, SALT_DIR));
    await writeDurably(this.#fs, join(this.#directory, saltPath(id)), encodeSalt(this.#random(32)), { keep: true });
    const salt = this.#existingSalt(id); // another process may have been first
    if (salt === undefined) throw new StoreError('IO', `the salt ${saltPath(id)} can't be read back.`);
    return salt;
  }

  #existingSalt(id: string): Uint8Array | undefined {
    let salt = this.#salts.get(id);
    if (salt === undefined) {
      const bytes = readWhole(this.#fs, join(this.#directory, saltPath(id)));
      if (bytes === undefined) return undefined;
      salt = parseSalt(bytes);
      this.#salts.set(id, salt);
    }
    return salt;
  }
}

function sessionId(session: string | null): string {
  if (session !== null && !isHash(session)) throw new RangeError('a session id has 64 hex digits');
  return session ?? NO_SESSION;
}

function exists(fs: Fs, path: string): boolean {
  try {
    fs.size(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** The next place after `from` where a record could begin: behind a newline, with a header's first letters. */
function nextHeader(fs: Fs, fd: number, from: number, size: number): number {
  const window = Buffer.alloc(1 << 16);
  for (let at = from; at < size; at += window.length - 5) {
    const length = fs.read(fd, window, at);
    const found = window.subarray(0, length).indexOf('\nblob ');
    if (found >= 0) return at + found + 1;
  }
  return size;
}
