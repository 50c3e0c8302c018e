// SHA-256 and HMAC-SHA256 (RFC 2104) of content that is not in one piece, for commitments. The same values as core's
// contentCommitment; a test holds them together.

import { sha256Hex, sha256Stream } from '#platform';
import { parseHex } from '../core/index.ts';

const BLOCK = 64;
const INNER = 0x36;
const OUTER = 0x5c;

export interface CommitmentStream {
  update(piece: Uint8Array): void;
  hex(): string;
}

/** Under a key of 32 bytes; plain SHA-256 where it is null. */
export function commitmentStream(key: Uint8Array | null): CommitmentStream {
  const inner = sha256Stream();
  if (key === null) return inner;
  inner.update(padded(key, INNER, BLOCK));
  return {
    update: (piece) => inner.update(piece),
    hex: () => {
      const outer = padded(key, OUTER, BLOCK + 32);
      outer.set(parseHex(inner.hex(), 32), BLOCK);
      return sha256Hex(outer);
    },
  };
}

function padded(key: Uint8Array, pad: number, length: number): Uint8Array {
  const block = new Uint8Array(length).fill(pad, 0, BLOCK);
  for (let i = 0; i < key.length; i++) block[i] = (key[i] ?? 0) ^ pad;
  return block;
}
