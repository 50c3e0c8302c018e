// For commands, most of which hash a few lines and end: SHA-256 by start.ts until there is more to hash than Node takes
// to load node:crypto, then by node.ts, which does everything else. The build uses it for dist/cli/, through the
// `command` condition of `#platform`; the names and the results are those of the others.
import * as node from './node.ts';
import * as start from './start.ts';

export {
  type Ed25519Signer,
  ed25519Signer,
  ed25519Verify,
  sha1Hex,
  sha256Stream,
  utf8Decode,
  utf8Encode,
  utf8Into,
} from './node.ts';

/** Bytes that start.ts may still hash. A few kilobytes take it as long as node:crypto takes to load. */
let left = 4096;
const BLOCK = 64;

function isLittle(length: number): boolean {
  if (left > 0) left -= length + BLOCK;
  return left > 0;
}

export function sha256(data: Uint8Array): Uint8Array {
  return isLittle(data.length) ? start.sha256(data) : node.sha256(data);
}

export function sha256Hex(data: Uint8Array | string): string {
  return isLittle(data.length) ? start.sha256Hex(data) : node.sha256Hex(data);
}

export function sha256Into(data: Uint8Array, out: Uint8Array, offset: number): void {
  if (isLittle(data.length)) start.sha256Into(data, out, offset);
  else node.sha256Into(data, out, offset);
}

export function hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array {
  return isLittle(key.length + data.length + BLOCK)
    ? start.hmacSha256(key, data)
    : node.hmacSha256(key, data);
}
