// The ledger in memory, for tests and for trying things out: the store's contract in as few lines as it takes. It keeps
// the same files under the same names as the file store, in a map, so that a verifier reads it in the same way.
// Durable here means that the map has it.
import {
  contentCommitment,
  derivedKey,
  encodeTilePath,
  StoreError,
  sameBytes,
  TILE_WIDTH,
  type Tile,
} from '../../core/index.ts';
import {
  BLOB_DIR,
  blobPath,
  CHECKPOINT_DIR,
  CHECKPOINT_FILE,
  type ContentRef,
  contentSession,
  encodeCheckpointName,
  encodeHead,
  encodeSalt,
  encodeSegmentName,
  GENESIS,
  HEAD_FILE,
  type Head,
  MAX_CONTENT,
  parseSalt,
  SALTED,
  SEGMENT_DIR,
  saltPath,
  statePath,
} from '../../format/index.ts';
import { type AppendOptions, type Build, MOST_BEHIND, type Random, type Store } from '../../ledger/index.ts';
import { type Files, filesFromMap } from '../../verify/index.ts';

export { memoryKeyring } from './keyring.ts';

const SEGMENT = { first: 1, part: 0 };
const SEGMENT_PATH = `${SEGMENT_DIR}/${encodeSegmentName(SEGMENT)}`;
const LINE_FEED = 0x0a;

export class MemoryStore implements Store {
  /** Every file by its path. What is handed out by `files` is a copy. */
  readonly map = new Map<string, Uint8Array>();
  readonly files: Files = filesFromMap(this.map);
  readonly #random: Random;
  #head: Head = { seq: 0, hash: GENESIS };
  #log = new Uint8Array(1 << 12);
  #size = 0;
  /** Where each line begins; the last one is where the next will. */
  readonly #starts = [0];
  #appending: Promise<unknown> = Promise.resolve();
  #sealing: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** Closed, and everything that was under way is done. */
  #ended = false;

  constructor(random: Random) {
    this.#random = random;
    this.#publish();
  }

  append(build: Build, { state, shared, since }: AppendOptions = {}): Promise<Head | undefined> {
    if (this.#closed) return Promise.reject(closed());
    const turn = this.#appending.then(() => {
      const current = (name: string | undefined): Uint8Array | undefined =>
        name === undefined ? undefined : this.map.get(statePath(name))?.slice();
      const block = build(this.#head, current(state), current(shared), this.#behind(since));
      if (block === undefined) return undefined;
      this.#add(block.lines);
      if (state !== undefined && block.state !== undefined)
        this.map.set(statePath(state), block.state.slice());
      if (shared !== undefined && block.shared !== undefined)
        this.map.set(statePath(shared), block.shared.slice());
      this.#head = block.head;
      this.#publish();
      return block.head;
    });
    this.#appending = turn.catch(() => undefined);
    return turn;
  }

  async readState(name: string): Promise<Uint8Array | undefined> {
    return this.map.get(statePath(name))?.slice();
  }

  async head(): Promise<Head> {
    if (this.#ended) throw closed();
    return this.#head;
  }

  async *read(from: number, to: number): AsyncGenerator<Uint8Array> {
    const start = this.#starts[Math.max(1, from) - 1];
    const end = this.#starts[Math.min(to, this.#starts.length - 1)];
    if (start !== undefined && end !== undefined && start < end) yield this.#log.slice(start, end);
  }

  sealing<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    const turn = this.#sealing.then(work);
    this.#sealing = turn.catch(() => undefined);
    return turn;
  }

  async readTile(tile: Tile): Promise<Uint8Array | undefined> {
    for (let width = tile.width; width <= TILE_WIDTH; width++) {
      const bytes = this.map.get(encodeTilePath({ ...tile, width }));
      if (bytes !== undefined) return width === tile.width ? bytes.slice() : bytes.slice(0, tile.width * 32);
    }
    return undefined;
  }

  async writeTiles(tiles: readonly { readonly tile: Tile; readonly bytes: Uint8Array }[]): Promise<void> {
    for (const { tile, bytes } of tiles) {
      const present = this.map.get(encodeTilePath(tile));
      if (present !== undefined && !sameBytes(present, bytes)) {
        throw new StoreError(
          'DAMAGED',
          `${encodeTilePath(tile)} doesn't match the entries. Run \`foil verify\`.`,
        );
      }
    }
    for (const { tile, bytes } of tiles) this.map.set(encodeTilePath(tile), bytes.slice());
  }

  async readCheckpoint(): Promise<Uint8Array | undefined> {
    return this.map.get(CHECKPOINT_FILE)?.slice();
  }

  async writeCheckpoint(size: number, note: Uint8Array): Promise<void> {
    this.map.set(`${CHECKPOINT_DIR}/${encodeCheckpointName(size)}`, note.slice());
    this.map.set(CHECKPOINT_FILE, note.slice());
  }

  async putContent(
    session: string | null,
    content: Uint8Array,
    { type, plain = false }: { type?: string; plain?: boolean } = {},
  ): Promise<ContentRef> {
    if (this.#closed) throw closed();
    if (content.length > MAX_CONTENT)
      throw new StoreError('TOO_LARGE', `the limit is ${MAX_CONTENT} bytes. Split it.`);
    const id = contentSession(session);
    const algorithm = plain ? 'sha256' : SALTED;
    const ref: ContentRef = {
      algorithm,
      hash: contentCommitment(algorithm, plain ? null : this.#saltOf(id), content),
      bytes: content.length,
      ...(type === undefined ? {} : { type }),
    };
    this.map.set(blobPath(id, ref), content.slice());
    return ref;
  }

  async commitContent(session: string | null, content: Uint8Array): Promise<ContentRef> {
    if (this.#closed) throw closed();
    const hash = contentCommitment(SALTED, this.#saltOf(contentSession(session)), content);
    return { algorithm: SALTED, hash, bytes: content.length };
  }

  async deriveKey(session: string | null, purpose: string): Promise<Uint8Array> {
    if (this.#closed) throw closed();
    return derivedKey(this.#saltOf(contentSession(session)), purpose);
  }

  async getContent(session: string | null, ref: ContentRef): Promise<Uint8Array | undefined> {
    const id = contentSession(session);
    const salt = ref.algorithm === 'sha256' ? null : this.#salt(id);
    const content = this.map.get(blobPath(id, ref));
    if (salt === undefined || content?.length !== ref.bytes) return undefined;
    return contentCommitment(ref.algorithm, salt, content) === ref.hash ? content.slice() : undefined;
  }

  async eraseContent(session: string | null): Promise<boolean> {
    if (this.#closed) throw closed();
    const id = contentSession(session);
    this.map.delete(saltPath(id));
    for (const path of this.#saltedPaths(id)) this.map.delete(path);
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#appending, this.#sealing]);
    this.#ended = true;
  }

  #behind(since: number | undefined): Uint8Array | undefined {
    const start = since === undefined ? undefined : this.#starts[since];
    if (start === undefined || this.#size - start > MOST_BEHIND) return undefined;
    return this.#log.slice(start, this.#size);
  }

  #add(lines: Uint8Array): void {
    if (this.#size + lines.length > this.#log.length) {
      const larger = new Uint8Array(2 * (this.#size + lines.length));
      larger.set(this.#log.subarray(0, this.#size));
      this.#log = larger;
    }
    this.#log.set(lines, this.#size);
    for (let end = lines.indexOf(LINE_FEED); end >= 0; end = lines.indexOf(LINE_FEED, end + 1)) {
      this.#starts.push(this.#size + end + 1);
    }
    this.#size += lines.length;
  }

  #publish(): void {
    this.map.set(SEGMENT_PATH, this.#log.subarray(0, this.#size));
    this.map.set(HEAD_FILE, encodeHead({ ...this.#head, segment: SEGMENT, offset: this.#size }));
  }

  #saltedPaths(id: string): string[] {
    const salted = ['keyed-sha256', 'hmac-sha256'].map((name) => `${BLOB_DIR}/${id}/${name}-`);
    return [...this.map.keys()].filter((path) => salted.some((beginning) => path.startsWith(beginning)));
  }

  /** Made with the first content. */
  #saltOf(id: string): Uint8Array {
    const known = this.#salt(id);
    if (known !== undefined) return known;
    if (this.#saltedPaths(id).length > 0)
      throw new StoreError(
        'DAMAGED',
        `the salt of ${id} is gone, but the content that it decrypts is still here.`,
      );
    const salt = this.#random(32);
    this.map.set(saltPath(id), encodeSalt(salt));
    return salt;
  }

  #salt(id: string): Uint8Array | undefined {
    const bytes = this.map.get(saltPath(id));
    return bytes === undefined ? undefined : parseSalt(bytes);
  }
}

function closed(): StoreError {
  return new StoreError('CLOSED', 'the ledger is closed.', { fatal: true });
}
