// HMAC-SHA256 (RFC 2104) of whatever SHA-256 a platform has.

const BLOCK = 64;

export function hmacWith(
  sha256: (data: Uint8Array) => Uint8Array,
): (key: Uint8Array, data: Uint8Array) => Uint8Array {
  return (key, data) => {
    const block = new Uint8Array(BLOCK);
    block.set(key.length > BLOCK ? sha256(key) : key);
    const inner = new Uint8Array(BLOCK + data.length);
    const outer = new Uint8Array(BLOCK + 32);
    for (let i = 0; i < BLOCK; i++) {
      inner[i] = (block[i] as number) ^ 0x36;
      outer[i] = (block[i] as number) ^ 0x5c;
    }
    inner.set(data, BLOCK);
    outer.set(sha256(inner), BLOCK);
    return sha256(outer);
  };
}
