// BLAKE3, for the payload and state hashes of replayable runs; the ledger itself is SHA-256. Apart from `#platform`,
// because hash-wasm (node:crypto has no BLAKE3) must compile its WebAssembly first: whoever hashes opens it once, and
// nobody else loads it.

/** Hashes bytes to 64 lower-case hex digits. */
export type Blake3 = (data: Uint8Array) => string;

export async function openBlake3(): Promise<Blake3> {
  const { createBLAKE3 } = await import('hash-wasm');
  const hasher = await createBLAKE3();
  return (data) => hasher.init().update(data).digest('hex');
}
