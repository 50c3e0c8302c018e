// C2SP tlog-proof: that an entry is in a tree, as one file: the entry's index, its inclusion proof and the checkpoint it
// leads to. The file comes from anyone: parsing gives its parts, and neither the hashes nor the signatures have been
// checked. `extra` is covered by no signature at all and must never be relied on.
import { utf8Decode, utf8Encode } from '#platform';
import { openCheckpoint, parseDecimal } from './checkpoint.ts';
import { encodeBase64, parseBase64 } from './encoding.ts';
import { ParseError } from './errors.ts';
import { assertSize, HASH_SIZE } from './merkle.ts';

export interface TlogProof {
  /** Zero-based place of the entry among the leaves. */
  readonly index: number;
  /** From the leaf's sibling up to the root's child. */
  readonly hashes: readonly Uint8Array[];
  /** The signed note, byte for byte. */
  readonly checkpoint: Uint8Array;
  /** Not empty where it is there. */
  readonly extra?: Uint8Array;
}

const HEADER = 'c2sp.org/tlog-proof@v1';
export const MAX_PROOF_BYTES = 262_144;
export const MAX_PROOF_HASHES = 64;

/** Throws where parseTlogProof would refuse the result: RangeError, or ParseError for the checkpoint. */
export function encodeTlogProof(proof: TlogProof): Uint8Array {
  assertSize(proof.index);
  if (proof.hashes.length > MAX_PROOF_HASHES || proof.hashes.some((hash) => hash.length !== HASH_SIZE)) {
    throw new RangeError('a proof has at most 64 hashes of 32 bytes');
  }
  if (proof.extra?.length === 0) throw new RangeError('extra data is left out where there is none');
  openCheckpoint(proof.checkpoint);
  const extra = proof.extra === undefined ? '' : `extra ${encodeBase64(proof.extra)}\n`;
  const hashes = proof.hashes.map((hash) => `${encodeBase64(hash)}\n`).join('');
  const head = utf8Encode(`${HEADER}\n${extra}index ${proof.index}\n${hashes}\n`);
  const bytes = new Uint8Array(head.length + proof.checkpoint.length);
  if (bytes.length > MAX_PROOF_BYTES) throw new RangeError('a proof has at most 256 KiB');
  bytes.set(head);
  bytes.set(proof.checkpoint, head.length);
  return bytes;
}

export function parseTlogProof(bytes: Uint8Array): TlogProof {
  if (bytes.length > MAX_PROOF_BYTES) throw new ParseError('TOO_LONG', 'a proof has at most 256 KiB');
  const split = endOfHead(bytes);
  const lines = decode(bytes.subarray(0, split)).split('\n');
  if (lines.shift() !== HEADER) throw new ParseError('MALFORMED', `does not begin with ${HEADER}`, 'line 1');
  const extra = lines[0]?.startsWith('extra ') ? lines.shift()?.slice('extra '.length) : undefined;
  if (extra === '') throw new ParseError('MALFORMED', 'an empty extra line', 'line 2');
  const index = lines.shift();
  if (!index?.startsWith('index ')) throw new ParseError('MALFORMED', 'no index line');
  if (lines.length > MAX_PROOF_HASHES) throw new ParseError('TOO_LONG', 'a proof has at most 64 hashes');
  const checkpoint = bytes.slice(split + 2);
  openCheckpoint(checkpoint);
  return {
    index: parseDecimal(index.slice('index '.length), 'index'),
    hashes: lines.map(parseHash),
    checkpoint,
    ...(extra === undefined ? {} : { extra: parseBase64(extra) }),
  };
}

/** The first blank line: what follows it is the checkpoint, blank line of its own and all. */
function endOfHead(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
    if (bytes[at + 1] === 0x0a) return at;
  }
  throw new ParseError('MALFORMED', 'no blank line before the checkpoint');
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8Decode(bytes);
  } catch {
    throw new ParseError('INVALID_UTF8', 'not UTF-8');
  }
}

function parseHash(line: string, index: number): Uint8Array {
  const hash = parseBase64(line);
  if (hash.length !== HASH_SIZE)
    throw new ParseError('MALFORMED', 'a hash has 32 bytes', `hash ${index + 1}`);
  return hash;
}
