// SHA-256 (FIPS 180-4) for browsers, which have none that answers at once: verifying a ledger is mostly hashing many short
// messages, and this takes half the time of a library that is written for every hash there is. Nothing is kept of a message
// but what the next one overwrites: what is hashed here is no secret of the one who verifies.

// Section 4.2.2.
// biome-ignore format: eight a row, as in the standard
const K = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);
// Section 5.3.3.
const INITIAL = Int32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
);
const BLOCK = 64;

const state = new Int32Array(8);
const schedule = new Int32Array(64);
/** What is left of a message, a one bit, zeros, and the length in bits: one block or two. */
const rest = new Uint8Array(2 * BLOCK);
const restView = new DataView(rest.buffer);

/** The digest of `data`, as 32 bytes from `offset` on. `data` and `out` may be the same bytes. */
export function sha256Into(data: Uint8Array, out: Uint8Array, offset: number): void {
  state.set(INITIAL);
  const { length } = data;
  let at = 0;
  for (; at + BLOCK <= length; at += BLOCK) compress(data, at);
  // Section 5.1.1.
  const left = length - at;
  for (let i = 0; i < left; i++) rest[i] = data[at + i] as number;
  const padded = left < BLOCK - 8 ? BLOCK : 2 * BLOCK;
  rest.fill(0, left, padded);
  rest[left] = 0x80;
  restView.setUint32(padded - 8, Math.floor(length / 0x2000_0000));
  restView.setUint32(padded - 4, length << 3);
  compress(rest, 0);
  if (padded > BLOCK) compress(rest, BLOCK);
  for (let i = 0; i < 8; i++) {
    const word = state[i] as number;
    const to = offset + 4 * i;
    out[to] = word >>> 24;
    out[to + 1] = word >>> 16;
    out[to + 2] = word >>> 8;
    out[to + 3] = word;
  }
}

/** Section 6.2.2. */
function compress(bytes: Uint8Array, at: number): void {
  const w = schedule;
  for (let t = 0; t < 16; t++) {
    const from = at + 4 * t;
    w[t] =
      ((bytes[from] as number) << 24) |
      ((bytes[from + 1] as number) << 16) |
      ((bytes[from + 2] as number) << 8) |
      (bytes[from + 3] as number);
  }
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15] as number;
    const y = w[t - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[t] = (w[t - 16] as number) + s0 + (w[t - 7] as number) + s1;
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let t = 0; t < 64; t++) {
    const sum1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const sum0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t1 = (h + sum1 + ((e & f) ^ (~e & g)) + (K[t] as number) + (w[t] as number)) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + sum0 + ((b & c) ^ (b & d) ^ (c & d))) | 0;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
  state[4] = (state[4] as number) + e;
  state[5] = (state[5] as number) + f;
  state[6] = (state[6] as number) + g;
  state[7] = (state[7] as number) + h;
}
