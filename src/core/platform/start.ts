// SHA-256 (FIPS 180-4) for the first milliseconds of a process: the build uses it for foil.cjs alone, through the
// `start` condition of `#platform`. Loading node:crypto takes longer than everything an append does, and a hash written
// for a warmed-up engine is slow in a cold one, which pays for every call. So: one function, nothing to warm up. What
// hashes more than a few lines uses node.ts or browser.ts, which have the same names and the same results.
import { utf8Encode } from './browser.ts';
import { hmacWith } from './hmac.ts';

export {
  type Ed25519Signer,
  ed25519Signer,
  ed25519Verify,
  sha1Hex,
  utf8Decode,
  utf8Encode,
  utf8Into,
} from './browser.ts';

// Section 4.2.2.
// biome-ignore format: eight a row, as in the standard
const K = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];
// Section 5.3.3.
// biome-ignore format: as in the standard
const INITIAL: readonly [number, number, number, number, number, number, number, number] = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

export function sha256(data: Uint8Array): Uint8Array {
  const out = new Uint8Array(32);
  const view = new DataView(out.buffer);
  hash(data).forEach((word, i) => {
    view.setInt32(4 * i, word);
  });
  return out;
}

export function sha256Hex(data: Uint8Array | string): string {
  let text = '';
  for (const word of hash(typeof data === 'string' ? utf8Encode(data) : data)) {
    text += (word >>> 0).toString(16).padStart(8, '0');
  }
  return text;
}

export function sha256Into(data: Uint8Array, out: Uint8Array, offset: number): void {
  out.set(sha256(data), offset);
}

export const hmacSha256 = hmacWith(sha256);

export function sha256Stream(): { update(data: Uint8Array): void; hex(): string } {
  const pieces: Uint8Array[] = [];
  return {
    update: (data) => void pieces.push(data.slice()),
    hex() {
      const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const piece of pieces) {
        whole.set(piece, at);
        at += piece.length;
      }
      return sha256Hex(whole);
    },
  };
}

/** What takes longer than loading node:crypto. */
const LARGE = 16_384;

/** The eight words of the digest. */
function hash(data: Uint8Array): readonly number[] {
  if (data.length > LARGE) {
    const digest = process.getBuiltinModule('node:crypto').hash('sha256', data, 'buffer');
    return Array.from({ length: 8 }, (_, i) => digest.readInt32BE(4 * i));
  }
  // Section 5.1.1: a one bit, zeros, and the length in bits, to a multiple of 64 bytes.
  const padded = new Uint8Array((Math.floor((data.length + 8) / 64) + 1) * 64);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, data.length << 3);
  const state = INITIAL.map((value) => value | 0);
  const schedule: number[] = [];
  for (let block = 0; block < padded.length; block += 64) compression()(view, block, schedule, state);
  return state;
}

/**
 * Section 6.2.2 for one block. A new function for each: one that is called again and again gets hot, V8 compiles it in
 * another thread, and the process can't end before that has ended, which takes longer than all its hashing.
 */
const compression = () => (view: DataView, block: number, w: number[], state: number[]) => {
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let t = 0; t < 64; t++) {
    let word: number;
    if (t < 16) word = view.getInt32(block + 4 * t);
    else {
      const x = w[t - 15] as number;
      const y = w[t - 2] as number;
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      word = ((((w[t - 16] as number) + s0) | 0) + (((w[t - 7] as number) + s1) | 0)) | 0;
    }
    w[t] = word;
    const sum1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const sum0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t1 = (((((h + sum1) | 0) + ((e & f) ^ (~e & g))) | 0) + (((K[t] as number) + word) | 0)) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + sum0 + ((b & c) ^ (b & d) ^ (c & d))) | 0;
  }
  state[0] = ((state[0] as number) + a) | 0;
  state[1] = ((state[1] as number) + b) | 0;
  state[2] = ((state[2] as number) + c) | 0;
  state[3] = ((state[3] as number) + d) | 0;
  state[4] = ((state[4] as number) + e) | 0;
  state[5] = ((state[5] as number) + f) | 0;
  state[6] = ((state[6] as number) + g) | 0;
  state[7] = ((state[7] as number) + h) | 0;
};
