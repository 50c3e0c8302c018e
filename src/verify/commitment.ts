// Content commitments over content that is not in one piece: SHA-256, or HMAC-SHA256 (RFC 2104) under a salt of 32
// bytes. The same values as core's contentCommitment; a test holds them together.

import { sha256Hex, sha256Stream } from '#platform';
import { parseHex } from '../core/index.ts';

const BLOCK = 64;
const INNER = 0x36;
const OUTER = 0x5c;

export interface CommitmentStream {
  update(piece: Uint8Array): void;
  hex(): string;
}

/** Plain SHA-256 where the salt is null. */
export function commitmentStream(salt: Uint8Array | null): CommitmentStream {
  const inner = sha256Stream();
  if (salt === null) return inner;
  inner.update(padded(salt, INNER, BLOCK));
  return {
    update: (piece) => inner.update(piece),
    hex: () => {
      const outer = padded(salt, OUTER, BLOCK + 32);
      outer.set(parseHex(inner.hex(), 32), BLOCK);
      return sha256Hex(outer);
    },
  };
}

function padded(salt: Uint8Array, pad: number, length: number): Uint8Array {
  const block = new Uint8Array(length).fill(pad, 0, BLOCK);
  for (let i = 0; i < salt.length; i++) block[i] = (salt[i] ?? 0) ^ pad;
  return block;
}
