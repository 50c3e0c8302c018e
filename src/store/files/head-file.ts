// The head file: read and replaced in place, by one small write, inside the exclusive section.
import { join } from 'node:path';
import { encodeHead, HEAD_FILE, HEAD_SIZE, type Position, parseHead } from '../../format/index.ts';
import { hasCode, storeError } from './failure.ts';
import type { Fs } from './fs.ts';

export class HeadFile {
  readonly #path: string;
  readonly #fs: Fs;
  readonly #flags: 'r' | 'r+';
  readonly #onRemoved: () => void;
  #fd = -1;
  readonly #bytes = Buffer.alloc(HEAD_SIZE);
  readonly #known = Buffer.alloc(HEAD_SIZE);
  #position: Position | undefined; // what #known says

  /**
   * `onRemoved` is called before a head that was removed while it was open is looked for again; it may throw. Whoever
   * writes must be able to publish before anything is appended, so only a reader opens it for reading.
   */
  constructor(directory: string, fs: Fs, readOnly: boolean, onRemoved: () => void) {
    this.#path = join(directory, HEAD_FILE);
    this.#fs = fs;
    this.#flags = readOnly ? 'r' : 'r+';
    this.#onRemoved = onRemoved;
  }

  /** Undefined when it is missing, torn or fails its checksum. */
  read(): Position | undefined {
    if (this.#fd >= 0 && this.#fs.stat(this.#fd).links === 0) {
      this.#onRemoved();
      this.close();
    }
    try {
      if (this.#fd < 0) this.#fd = this.#fs.open(this.#path, this.#flags);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw storeError(error, 'read', this.#path);
    }
    const length = this.#fs.read(this.#fd, this.#bytes, 0);
    if (this.#position !== undefined && length === HEAD_SIZE && this.#bytes.equals(this.#known))
      return this.#position;
    try {
      this.#position = parseHead(this.#bytes.subarray(0, length));
      this.#known.set(this.#bytes);
    } catch {
      this.#position = undefined;
    }
    return this.#position;
  }

  /** Creates the file where it is missing. */
  publish(position: Position): void {
    if (this.#fd < 0) {
      this.#fs.close(this.#fs.open(this.#path, 'a'));
      this.#fd = this.#fs.open(this.#path, 'r+');
    }
    const bytes = encodeHead(position);
    this.#fs.overwrite(this.#fd, bytes);
    this.#known.set(bytes);
    this.#position = position;
  }

  sync(): Promise<void> {
    return this.#fs.datasync(this.#fd);
  }

  close(): void {
    if (this.#fd >= 0) this.#fs.close(this.#fd);
    this.#fd = -1;
    this.#position = undefined;
  }
}
