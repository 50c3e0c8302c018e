// Objects as git keeps many of them: a pack and its index, both of version 2, as Documentation/gitformat-pack describes
// them. Every object is whole and not compressed: they are a few hundred bytes of hashes, and git compresses them when it
// packs anew. A pack is durable before a ref leads to it; one that nothing leads to harms nobody.
import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { GitObject } from '../../format/index.ts';

const TYPES = { commit: 1, tree: 2, blob: 3 } as const;
/** An object in a stored block of deflate has a length of 16 bits. */
const LONGEST = 65_535;

interface Placed {
  readonly id: string;
  readonly hash: Uint8Array;
  readonly crc: number;
  readonly offset: number;
}

/** Collects objects, each one once. */
export class PackBuilder {
  readonly #seen = new Set<string>();
  readonly #parts: Buffer[] = [];
  readonly #placed: Placed[] = [];
  #length = 12;

  get isEmpty(): boolean {
    return this.#placed.length === 0;
  }

  add(object: GitObject): void {
    if (this.#seen.has(object.id)) return;
    this.#seen.add(object.id);
    const bytes = encodeObject(object);
    const { id, hash } = object;
    this.#placed.push({ id, hash, crc: crc32(bytes), offset: this.#length });
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  /** Durable in `git` when it resolves. */
  async write(git: string): Promise<void> {
    const head = Buffer.alloc(12);
    head.write('PACK');
    head.writeUInt32BE(2, 4);
    head.writeUInt32BE(this.#placed.length, 8);
    const body = Buffer.concat([head, ...this.#parts]);
    const checksum = createHash('sha1').update(body).digest();
    const directory = join(git, 'objects', 'pack');
    const name = join(directory, `pack-${checksum.toString('hex')}`);
    // Git looks for the index, so it comes last.
    await writeWhole(directory, `${name}.pack`, [body, checksum]);
    await writeWhole(directory, `${name}.idx`, encodeIndex(this.#placed, checksum));
    await syncDirectory(directory);
  }
}

/** Type and length, then a zlib stream of one stored block (RFC 1950, RFC 1951 section 3.2.4). */
function encodeObject({ type, bytes, id }: GitObject): Buffer {
  const { length } = bytes;
  if (length > LONGEST) throw new RangeError(`object ${id} is too large for a pack file`);
  const header: number[] = [];
  let byte = (TYPES[type] << 4) | (length & 15);
  for (let rest = length >>> 4; rest > 0; rest >>>= 7) {
    header.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  header.push(byte);
  const at = header.length;
  const encoded = Buffer.allocUnsafe(at + 7 + length + 4);
  encoded.set(header);
  encoded.set([0x78, 0x01, 0x01], at);
  encoded.writeUInt16LE(length, at + 3);
  encoded.writeUInt16LE(~length & 0xffff, at + 5);
  encoded.set(bytes, at + 7);
  encoded.writeUInt32BE(adler32(bytes), at + 7 + length);
  return encoded;
}

function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}

function encodeIndex(objects: readonly Placed[], pack: Buffer): Buffer[] {
  const sorted = [...objects].sort((a, b) => (a.id < b.id ? -1 : 1));
  const head = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
  const fanout = Buffer.alloc(1024);
  const crcs = Buffer.alloc(4 * sorted.length);
  const offsets = Buffer.alloc(4 * sorted.length);
  let up = 0;
  for (let byte = 0; byte < 256; byte++) {
    while ((sorted[up]?.hash[0] ?? 256) <= byte) up++;
    fanout.writeUInt32BE(up, 4 * byte);
  }
  for (const [i, { crc, offset }] of sorted.entries()) {
    crcs.writeUInt32BE(crc, 4 * i);
    offsets.writeUInt32BE(offset, 4 * i);
  }
  const body = Buffer.concat([head, fanout, ...sorted.map(({ hash }) => hash), crcs, offsets, pack]);
  return [body, createHash('sha1').update(body).digest()];
}

/** Under another name until it is durable. Git removes what begins with `tmp_` when it tidies up. */
async function writeWhole(directory: string, name: string, parts: readonly Buffer[]): Promise<void> {
  const made = join(directory, 'tmp_foil');
  await rm(made, { force: true });
  const file: FileHandle = await open(made, 'wx', 0o400);
  try {
    for (const part of parts) await file.writeFile(part);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(made, name);
}

export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
