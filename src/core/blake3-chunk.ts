// BLAKE3 of at most one chunk, 1,024 bytes: nearly every payload and state of a run. Beside the general one this leaves out
// the tree and allocates nothing for each hash but its text. Words and state of a block are local variables: that is several
// times as quick as arrays, and makes the file long. Longer inputs are not taken. The BLAKE3 paper, sections 2.1 to 2.4.
import { utf8Into } from '#platform';

export const CHUNK_BYTES = 1024;
const BLOCK_BYTES = 64;
const [CHUNK_START, CHUNK_END, ROOT, KEYED_HASH] = [1, 2, 8, 16] as const;
const [IV0, IV1, IV2, IV3] = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a] as const;
const IV = Int32Array.of(IV0, IV1, IV2, IV3, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
const ROUNDS = 7;
/** Code units of the hex digits of each byte, the first one in the low half. */
const HEX = Uint16Array.from({ length: 256 }, (_, byte) => {
  const text = byte.toString(16).padStart(2, '0');
  return text.charCodeAt(0) | (text.charCodeAt(1) << 8);
});

// What a hash works on. Hashing is synchronous, so one is enough for everybody.
const bytes = new Uint8Array(3 * CHUNK_BYTES);
const words = new DataView(bytes.buffer);
const chain = new Int32Array(8);
const digits: number[] = Array.from({ length: 64 }, () => 0);

/** `key` has 32 bytes. Gives 64 hex digits, or null for more than a chunk. A text is hashed as UTF-8. */
export function openChunkHash(key?: Uint8Array): (data: Uint8Array | string) => string | null {
  const start = key === undefined ? IV : wordsOf(key);
  const mode = key === undefined ? 0 : KEYED_HASH;
  return (data) => {
    if (data.length > CHUNK_BYTES) return null;
    const length = take(data);
    if (length > CHUNK_BYTES) return null;
    bytes.fill(0, length, Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES || BLOCK_BYTES);
    chain.set(start);
    let at = 0;
    let flags: number = mode | CHUNK_START;
    for (; length - at > BLOCK_BYTES; at += BLOCK_BYTES) {
      compress(at, BLOCK_BYTES, flags);
      flags = mode;
    }
    compress(at, length - at, flags | CHUNK_END | ROOT);
    return textOf(chain);
  };
}

/** How many bytes it has. Of a text a unit has three at most. */
function take(data: Uint8Array | string): number {
  if (typeof data === 'string') return utf8Into(data, bytes, 0);
  bytes.set(data);
  return data.length;
}

function wordsOf(key: Uint8Array): Int32Array {
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  return Int32Array.from({ length: 8 }, (_, i) => view.getInt32(4 * i, true));
}

function textOf(hash: Int32Array): string {
  for (let i = 0; i < 32; i++) {
    const pair = HEX[((hash[i >> 2] ?? 0) >>> ((i & 3) * 8)) & 255] ?? 0;
    digits[2 * i] = pair & 255;
    digits[2 * i + 1] = pair >> 8;
  }
  return String.fromCharCode.apply(null, digits);
}

/** The block at `at`, of which `length` bytes count, into the chain. */
function compress(at: number, length: number, flags: number): void {
  let m0 = words.getInt32(at, true);
  let m1 = words.getInt32(at + 4, true);
  let m2 = words.getInt32(at + 8, true);
  let m3 = words.getInt32(at + 12, true);
  let m4 = words.getInt32(at + 16, true);
  let m5 = words.getInt32(at + 20, true);
  let m6 = words.getInt32(at + 24, true);
  let m7 = words.getInt32(at + 28, true);
  let m8 = words.getInt32(at + 32, true);
  let m9 = words.getInt32(at + 36, true);
  let m10 = words.getInt32(at + 40, true);
  let m11 = words.getInt32(at + 44, true);
  let m12 = words.getInt32(at + 48, true);
  let m13 = words.getInt32(at + 52, true);
  let m14 = words.getInt32(at + 56, true);
  let m15 = words.getInt32(at + 60, true);
  let v0 = chain[0] ?? 0;
  let v1 = chain[1] ?? 0;
  let v2 = chain[2] ?? 0;
  let v3 = chain[3] ?? 0;
  let v4 = chain[4] ?? 0;
  let v5 = chain[5] ?? 0;
  let v6 = chain[6] ?? 0;
  let v7 = chain[7] ?? 0;
  let v8: number = IV0;
  let v9: number = IV1;
  let v10: number = IV2;
  let v11: number = IV3;
  let v12 = 0;
  let v13 = 0;
  let v14 = length;
  let v15 = flags;
  for (let round = 0; round < ROUNDS; round++) {
    v0 = (v0 + v4 + m0) | 0;
    v12 ^= v0;
    v12 = (v12 >>> 16) | (v12 << 16);
    v8 = (v8 + v12) | 0;
    v4 ^= v8;
    v4 = (v4 >>> 12) | (v4 << 20);
    v0 = (v0 + v4 + m1) | 0;
    v12 ^= v0;
    v12 = (v12 >>> 8) | (v12 << 24);
    v8 = (v8 + v12) | 0;
    v4 ^= v8;
    v4 = (v4 >>> 7) | (v4 << 25);
    v1 = (v1 + v5 + m2) | 0;
    v13 ^= v1;
    v13 = (v13 >>> 16) | (v13 << 16);
    v9 = (v9 + v13) | 0;
    v5 ^= v9;
    v5 = (v5 >>> 12) | (v5 << 20);
    v1 = (v1 + v5 + m3) | 0;
    v13 ^= v1;
    v13 = (v13 >>> 8) | (v13 << 24);
    v9 = (v9 + v13) | 0;
    v5 ^= v9;
    v5 = (v5 >>> 7) | (v5 << 25);
    v2 = (v2 + v6 + m4) | 0;
    v14 ^= v2;
    v14 = (v14 >>> 16) | (v14 << 16);
    v10 = (v10 + v14) | 0;
    v6 ^= v10;
    v6 = (v6 >>> 12) | (v6 << 20);
    v2 = (v2 + v6 + m5) | 0;
    v14 ^= v2;
    v14 = (v14 >>> 8) | (v14 << 24);
    v10 = (v10 + v14) | 0;
    v6 ^= v10;
    v6 = (v6 >>> 7) | (v6 << 25);
    v3 = (v3 + v7 + m6) | 0;
    v15 ^= v3;
    v15 = (v15 >>> 16) | (v15 << 16);
    v11 = (v11 + v15) | 0;
    v7 ^= v11;
    v7 = (v7 >>> 12) | (v7 << 20);
    v3 = (v3 + v7 + m7) | 0;
    v15 ^= v3;
    v15 = (v15 >>> 8) | (v15 << 24);
    v11 = (v11 + v15) | 0;
    v7 ^= v11;
    v7 = (v7 >>> 7) | (v7 << 25);
    v0 = (v0 + v5 + m8) | 0;
    v15 ^= v0;
    v15 = (v15 >>> 16) | (v15 << 16);
    v10 = (v10 + v15) | 0;
    v5 ^= v10;
    v5 = (v5 >>> 12) | (v5 << 20);
    v0 = (v0 + v5 + m9) | 0;
    v15 ^= v0;
    v15 = (v15 >>> 8) | (v15 << 24);
    v10 = (v10 + v15) | 0;
    v5 ^= v10;
    v5 = (v5 >>> 7) | (v5 << 25);
    v1 = (v1 + v6 + m10) | 0;
    v12 ^= v1;
    v12 = (v12 >>> 16) | (v12 << 16);
    v11 = (v11 + v12) | 0;
    v6 ^= v11;
    v6 = (v6 >>> 12) | (v6 << 20);
    v1 = (v1 + v6 + m11) | 0;
    v12 ^= v1;
    v12 = (v12 >>> 8) | (v12 << 24);
    v11 = (v11 + v12) | 0;
    v6 ^= v11;
    v6 = (v6 >>> 7) | (v6 << 25);
    v2 = (v2 + v7 + m12) | 0;
    v13 ^= v2;
    v13 = (v13 >>> 16) | (v13 << 16);
    v8 = (v8 + v13) | 0;
    v7 ^= v8;
    v7 = (v7 >>> 12) | (v7 << 20);
    v2 = (v2 + v7 + m13) | 0;
    v13 ^= v2;
    v13 = (v13 >>> 8) | (v13 << 24);
    v8 = (v8 + v13) | 0;
    v7 ^= v8;
    v7 = (v7 >>> 7) | (v7 << 25);
    v3 = (v3 + v4 + m14) | 0;
    v14 ^= v3;
    v14 = (v14 >>> 16) | (v14 << 16);
    v9 = (v9 + v14) | 0;
    v4 ^= v9;
    v4 = (v4 >>> 12) | (v4 << 20);
    v3 = (v3 + v4 + m15) | 0;
    v14 ^= v3;
    v14 = (v14 >>> 8) | (v14 << 24);
    v9 = (v9 + v14) | 0;
    v4 ^= v9;
    v4 = (v4 >>> 7) | (v4 << 25);
    // The words of the next round: word 0 is word 2 of this one, and so on.
    const first = m0;
    m0 = m2;
    m2 = m3;
    m3 = m10;
    m10 = m12;
    m12 = m9;
    m9 = m11;
    m11 = m5;
    m5 = first;
    const first1 = m1;
    m1 = m6;
    m6 = m4;
    m4 = m7;
    m7 = m13;
    m13 = m14;
    m14 = m15;
    m15 = m8;
    m8 = first1;
  }
  chain[0] = v0 ^ v8;
  chain[1] = v1 ^ v9;
  chain[2] = v2 ^ v10;
  chain[3] = v3 ^ v11;
  chain[4] = v4 ^ v12;
  chain[5] = v5 ^ v13;
  chain[6] = v6 ^ v14;
  chain[7] = v7 ^ v15;
}
