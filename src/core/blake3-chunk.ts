// BLAKE3 of at most one chunk, 1,024 bytes: nearly every payload and state of a run. Beside the general one this leaves out
// the tree and allocates nothing for each hash, which makes a replay several times as quick. Longer inputs are not taken.
// The BLAKE3 paper, sections 2.1 to 2.4.

export const CHUNK_BYTES = 1024;
const BLOCK_BYTES = 64;
const [CHUNK_START, CHUNK_END, ROOT, KEYED_HASH] = [1, 2, 8, 16];
const IV = Uint32Array.of(
  ...[0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19],
);
const PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
const ROUNDS = 7;

/** Word by word, which one each round takes. */
const SCHEDULE = Uint8Array.from({ length: ROUNDS * 16 }, (_, at) => {
  let word = at % 16;
  for (let round = Math.floor(at / 16); round > 0; round--) word = PERMUTATION[word] ?? 0;
  return word;
});

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** A hasher of its own: it keeps what it works on. `key` has 32 bytes. Gives 64 hex digits. */
export function openChunkHash(key?: Uint8Array): (data: Uint8Array) => string {
  const start = key === undefined ? IV : wordsOf(key, 0, 32, new Uint32Array(8));
  const mode = key === undefined ? 0 : KEYED_HASH;
  const chain = new Uint32Array(8);
  const block = new Uint32Array(16);
  const v = new Uint32Array(16);
  return (data) => {
    if (data.length > CHUNK_BYTES) throw new RangeError(`more than ${CHUNK_BYTES} bytes`);
    chain.set(start);
    let at = 0;
    let flags = mode | CHUNK_START;
    for (; data.length - at > BLOCK_BYTES; at += BLOCK_BYTES) {
      compress(chain, wordsOf(data, at, BLOCK_BYTES, block), BLOCK_BYTES, flags, v);
      flags = mode;
    }
    const rest = data.length - at;
    compress(chain, wordsOf(data, at, rest, block), rest, flags | CHUNK_END | ROOT, v);
    let text = '';
    for (let i = 0; i < 8; i++) {
      const word = chain[i] ?? 0;
      text += `${HEX[word & 255]}${HEX[(word >>> 8) & 255]}${HEX[(word >>> 16) & 255]}${HEX[word >>> 24]}`;
    }
    return text;
  };
}

/** Little-endian, filled up with zeros. */
function wordsOf(data: Uint8Array, at: number, length: number, words: Uint32Array): Uint32Array {
  const whole = length >>> 2;
  for (let i = 0, from = at; i < whole; i++, from += 4)
    words[i] =
      (data[from] ?? 0) |
      ((data[from + 1] ?? 0) << 8) |
      ((data[from + 2] ?? 0) << 16) |
      ((data[from + 3] ?? 0) << 24);
  words.fill(0, whole);
  for (let i = whole * 4; i < length; i++)
    words[whole] = (words[whole] ?? 0) | ((data[at + i] ?? 0) << ((i & 3) * 8));
  return words;
}

function compress(chain: Uint32Array, m: Uint32Array, length: number, flags: number, v: Uint32Array): void {
  v.set(chain);
  v.set(IV.subarray(0, 4), 8);
  v[12] = 0;
  v[13] = 0;
  v[14] = length;
  v[15] = flags;
  for (let at = 0; at < SCHEDULE.length; at += 16) {
    mix(v, 0, 4, 8, 12, m, at);
    mix(v, 1, 5, 9, 13, m, at + 2);
    mix(v, 2, 6, 10, 14, m, at + 4);
    mix(v, 3, 7, 11, 15, m, at + 6);
    mix(v, 0, 5, 10, 15, m, at + 8);
    mix(v, 1, 6, 11, 12, m, at + 10);
    mix(v, 2, 7, 8, 13, m, at + 12);
    mix(v, 3, 4, 9, 14, m, at + 14);
  }
  for (let i = 0; i < 8; i++) chain[i] = (v[i] ?? 0) ^ (v[i + 8] ?? 0);
}

function mix(v: Uint32Array, a: number, b: number, c: number, d: number, m: Uint32Array, at: number): void {
  let va = v[a] ?? 0;
  let vb = v[b] ?? 0;
  let vc = v[c] ?? 0;
  let vd = v[d] ?? 0;
  va = (va + vb + (m[SCHEDULE[at] ?? 0] ?? 0)) | 0;
  vd ^= va;
  vd = (vd >>> 16) | (vd << 16);
  vc = (vc + vd) | 0;
  vb ^= vc;
  vb = (vb >>> 12) | (vb << 20);
  va = (va + vb + (m[SCHEDULE[at + 1] ?? 0] ?? 0)) | 0;
  vd ^= va;
  vd = (vd >>> 8) | (vd << 24);
  vc = (vc + vd) | 0;
  vb ^= vc;
  vb = (vb >>> 7) | (vb << 25);
  v[a] = va;
  v[b] = vb;
  v[c] = vc;
  v[d] = vd;
}
