// Which 32 bytes may stand for a point in an Ed25519 key or signature. OpenSSL takes encodings that RFC 8032 calls
// malformed (y not below p) and the eight small-order points, under which a signature fits many messages. Both
// platforms ask here first, so that Node and a browser never disagree about one.

/** y-coordinates of the eight points of small order, little-endian, sign bit cleared. */
const SMALL_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].map((hex) => Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16)));

/** False for a y ≥ p = 2^255 − 19 and for a point of small order, whatever its sign bit. */
export function isAcceptablePoint(bytes: Uint8Array): boolean {
  return bytes.length === 32 && isBelowPrime(bytes) && !SMALL_ORDER.some((point) => sameY(bytes, point));
}

function isBelowPrime(bytes: Uint8Array): boolean {
  if (((bytes[31] ?? 0) & 0x7f) !== 0x7f) return true;
  for (let i = 30; i > 0; i--) if (bytes[i] !== 0xff) return true;
  return (bytes[0] ?? 0) < 0xed;
}

function sameY(bytes: Uint8Array, point: Uint8Array): boolean {
  for (let i = 0; i < 31; i++) if (bytes[i] !== point[i]) return false;
  return ((bytes[31] ?? 0) & 0x7f) === point[31];
}
