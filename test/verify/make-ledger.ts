// Builds small ledgers in memory, file by file as spec/ says, without the store: what the verifier is tested on must
// not come from the code it is meant to check. Everything is deterministic.

import { sha256Hex, utf8Encode } from '#platform';
import {
  CompactRange,
  type ContentAlgorithm,
  contentCommitment,
  encodeBase64,
  encodeHex,
  encodeTilePath,
  encodeVerifierKey,
  type JsonObject,
  keyRotateMessage,
  leafHash,
  makeSigner,
  type Signer,
  signCheckpoint,
  TileBuilder,
} from '../../src/core/index.ts';
import {
  blobPath,
  type ContentRef,
  type Draft,
  encodeContentRef,
  encodeEntry,
  encodeGap,
  encodeHead,
  encodeKeyRotate,
  encodeLedgerOpen,
  encodePackRecord,
  encodeSalt,
  encodeSegmentName,
  GENESIS,
  originOf,
  packPath,
  type Segment,
  saltPath,
} from '../../src/format/index.ts';

export type FileMap = Map<string, Uint8Array>;

export const SESSION = 'ab'.repeat(32);
const SALT = new Uint8Array(32).fill(0x5a);

const padded = (value: number): string => String(value).padStart(16, '0');

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** A ledger that grows as it is told to. `files` is the directory. */
export class LedgerMaker {
  readonly files: FileMap = new Map();
  readonly lines: string[] = [];
  readonly hashes: string[] = [];
  origin = '';
  signer: Signer;
  segment: Segment = { first: 1, part: 0 };
  #clock = Date.UTC(2026, 10, 15, 10, 0, 0);
  #packs = new Map<string, Uint8Array[]>();

  /** `seed` fills the first key and the nonce. */
  constructor(seed = 1) {
    const key = new Uint8Array(32).fill(seed);
    const publicKey = encodeHex(makeSigner('x', key).publicKey);
    this.signer = makeSigner('x', key);
    const nonce = encodeHex(new Uint8Array(32).fill(seed + 100));
    this.append('ledger.open', encodeLedgerOpen({ nonce, publicKey }));
    this.origin = originOf(this.hashes[0] as string);
    this.signer = makeSigner(this.origin, key);
  }

  get size(): number {
    return this.lines.length;
  }

  get vkey(): string {
    return encodeVerifierKey(this.signer);
  }

  get path(): string {
    return `ledger/${encodeSegmentName(this.segment)}`;
  }

  /** Appends an entry and publishes the head. */
  append(kind: string, payload: JsonObject, more: Partial<Draft> = {}): number {
    const ts = new Date(this.#clock++).toISOString();
    const seq = this.size + 1;
    const prev = this.hashes.at(-1) ?? GENESIS;
    const { line, hash } = encodeEntry({ kind, payload, source: 'cli', ts, ...more }, seq, prev);
    this.lines.push(line);
    this.hashes.push(hash);
    this.files.set(this.path, join(this.files.get(this.path) ?? new Uint8Array(0), utf8Encode(`${line}\n`)));
    this.publishHead();
    return seq;
  }

  notes(count: number): this {
    for (let i = 0; i < count; i++) this.append('note', { text: `note ${this.size + 1} … „ü“` });
    return this;
  }

  publishHead(): void {
    const offset = (this.files.get(this.path) as Uint8Array).length;
    const hash = this.hashes.at(-1) as string;
    this.files.set('head', encodeHead({ seq: this.size, hash, segment: this.segment, offset }));
  }

  root(size = this.size): Uint8Array {
    const range = new CompactRange();
    for (const line of this.lines.slice(0, size)) range.push(leafHash(utf8Encode(line)));
    return range.root();
  }

  checkpoint(size = this.size, signer = this.signer): Uint8Array {
    return signCheckpoint({ origin: signer.name, size, root: this.root(size) }, signer);
  }

  /** Writes the tiles and the checkpoint, as sealing does; stale partial tiles stay unless pruned. */
  seal(): this {
    const builder = new TileBuilder((tile, bytes) => void this.files.set(encodeTilePath(tile), bytes));
    for (const line of this.lines) builder.push(leafHash(utf8Encode(line)));
    builder.flushPartials();
    const note = this.checkpoint();
    this.files.set(`checkpoints/${padded(this.size)}`, note);
    this.files.set('checkpoint', note);
    return this;
  }

  /** The next entry goes to a new segment. */
  rotateSegment(): this {
    this.segment = { first: this.size + 1, part: 0 };
    return this;
  }

  /** A crash left bytes that are no entry; writing goes on in a new segment that begins with a gap. */
  tear(torn: string): this {
    const path = this.path;
    const offset = (this.files.get(path) as Uint8Array).length;
    const bytes = utf8Encode(torn);
    this.files.set(path, join(this.files.get(path) as Uint8Array, bytes));
    const file = encodeSegmentName(this.segment);
    const first = this.size + 1;
    this.segment = { first, part: this.files.has(`ledger/${padded(first)}.jsonl`) ? 1 : 0 };
    const gap = { reason: 'torn', file, offset, bytes: bytes.length, sha256: sha256Hex(bytes) } as const;
    this.append('gap', encodeGap(gap));
    return this;
  }

  /** Replaces a segment by what `gzip` makes of it, and records that. */
  async archive(name: string, gzip: (bytes: Uint8Array) => Promise<Uint8Array> = gzipped): Promise<this> {
    const plain = this.files.get(`ledger/${name}`) as Uint8Array;
    const gz = await gzip(plain);
    this.files.set(`ledger/${name}.gz`, gz);
    this.files.delete(`ledger/${name}`);
    const file = { name, bytes: plain.length, sha256: sha256Hex(plain), gz_sha256: sha256Hex(gz) };
    this.append('archive', { files: [file] });
    return this;
  }

  /** Hands over to a new key, after a checkpoint of the old one. */
  rotateKey(seed: number): this {
    this.seal();
    const old = this.signer;
    const next = makeSigner(this.origin, new Uint8Array(32).fill(seed));
    const message = keyRotateMessage({
      origin: this.origin,
      seq: this.size + 1,
      prevHash: this.hashes.at(-1) as string,
      root: this.root(),
      oldKey: old.publicKey,
      newKey: next.publicKey,
    });
    const note = new TextDecoder().decode(this.checkpoint());
    const signature = encodeBase64(old.sign(message));
    const publicKey = encodeHex(next.publicKey);
    this.append('key.rotate', encodeKeyRotate({ checkpoint: note, publicKey, signature }));
    this.signer = next;
    return this;
  }

  /** How content that is salted is committed to. */
  salted: ContentAlgorithm = 'hmac-sha256';

  /** Keeps content in the session's pack (or in a file of its own) and gives the reference. */
  content(text: string, options: { plain?: boolean; big?: boolean; session?: string } = {}): JsonObject {
    const session = options.session ?? SESSION;
    const bytes = utf8Encode(text);
    const algorithm = options.plain ? 'sha256' : this.salted;
    if (!options.plain) this.files.set(saltPath(session), encodeSalt(SALT));
    const hash = contentCommitment(algorithm, options.plain ? null : SALT, bytes);
    const ref: ContentRef = { algorithm, hash, bytes: bytes.length, type: 'text/plain' };
    if (options.big) this.files.set(blobPath(session, ref), bytes);
    else {
      const records = this.#packs.get(session) ?? [];
      this.#packs.set(session, records);
      records.push(encodePackRecord(ref, bytes));
      this.files.set(packPath(session), join(...records));
    }
    return encodeContentRef(ref);
  }

  /** An independent copy of the directory. */
  copy(): FileMap {
    return new Map([...this.files].map(([path, bytes]) => [path, new Uint8Array(bytes)]));
  }
}

export async function gzipped(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The lines of a file, without their newlines. */
export function linesOf(files: FileMap, path: string): string[] {
  return new TextDecoder().decode(files.get(path)).split('\n').slice(0, -1);
}

export function setLines(files: FileMap, path: string, lines: readonly string[]): void {
  files.set(path, utf8Encode(lines.map((line) => `${line}\n`).join('')));
}
