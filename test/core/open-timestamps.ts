// What the tests of OpenTimestamps share: blocks from raw headers, the vectors of spec/vectors/ots, proofs from fast-check.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  type AttestedBlock,
  type OpenTimestamp,
  parseOpenTimestamp,
  type Stamped,
  type TimestampAttestation,
  type TimestampBranch,
  type TimestampCheck,
  type TimestampHash,
  type TimestampOperation,
  type TimestampTree,
  verifyOpenTimestamp,
} from '../../src/core/index.ts';
import { parseOrUndefined } from './parser-property.ts';

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const unhex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));

/** Root and time as they stand in the 80 bytes. */
export function blockOf({ height, header }: { height: number; header: string }): AttestedBlock {
  const bytes = Buffer.from(header, 'hex');
  return { height, merkleRoot: new Uint8Array(bytes.subarray(36, 68)), time: bytes.readUInt32LE(68) };
}

export interface OtsVector {
  readonly about: string;
  readonly file?: string;
  /** Pieces in hex, and how often each stands there. */
  readonly parts?: readonly [string, number][];
  readonly error?: string;
  readonly hash?: TimestampHash;
  readonly digest?: string;
  readonly blocks?: readonly { height: number; header: string }[];
  readonly expect?: { status: string; code: string; attestations: Record<string, unknown>[] };
  /** The reference implementation takes it; we do not. */
  readonly stricter?: boolean;
}

const directory = join(import.meta.dirname, '../../spec/vectors/ots');
export const VECTORS = readdirSync(directory)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name): [string, OtsVector] => [
    name.slice(0, -'.json'.length),
    JSON.parse(readFileSync(join(directory, name), 'utf8')) as OtsVector,
  ]);

export function vector(name: string): OtsVector {
  const found = VECTORS.find(([each]) => each === name)?.[1];
  if (found === undefined) throw new Error(`no vector ${name}`);
  return found;
}

export function fileOf({ file, parts }: OtsVector): Uint8Array {
  return unhex(file ?? (parts ?? []).map(([piece, times]) => piece.repeat(times)).join(''));
}

/** Every change by one bit, with its place. */
export function* oneBitFlips(bytes: Uint8Array): Generator<{ at: number; bit: number; changed: Uint8Array }> {
  for (let at = 0; at < bytes.length; at++) {
    for (let bit = 1; bit < 256; bit *= 2) {
      yield { at, bit, changed: bytes.map((old, i) => (i === at ? old ^ bit : old)) };
    }
  }
}

/** 'refused' where it can't be read. */
export function outcome(
  bytes: Uint8Array,
  stamped: Stamped,
  blocks: readonly AttestedBlock[],
): TimestampCheck['status'] | 'refused' {
  const proof = parseOrUndefined(parseOpenTimestamp, bytes);
  return proof === undefined ? 'refused' : verifyOpenTimestamp(proof, stamped, blocks).status;
}

const bytesOf = (minLength: number, maxLength: number) => fc.uint8Array({ minLength, maxLength });
const uri = fc
  .array(fc.constantFrom(...'abyzABYZ0189-._/:'), { maxLength: 40 })
  .map((letters) => letters.join(''));
const height = fc.oneof(fc.nat(1_000_000), fc.constantFrom(0, 127, 128, 16_383, 16_384, 0xffff_ffff));
export const attestation: fc.Arbitrary<TimestampAttestation> = fc.oneof(
  fc.record({ kind: fc.constantFrom('bitcoin' as const, 'litecoin' as const), height }),
  fc.record({ kind: fc.constant('pending' as const), uri }),
  fc.record({ kind: fc.constant('unknown' as const), tag: bytesOf(8, 8), payload: bytesOf(0, 30) }),
);
const operation: fc.Arbitrary<TimestampOperation> = fc.oneof(
  fc.record({ op: fc.constantFrom('append' as const, 'prepend' as const), argument: bytesOf(1, 40) }),
  fc.record({ op: fc.constantFrom('sha1' as const, 'ripemd160' as const, 'sha256' as const) }),
  fc.record({ op: fc.constantFrom('keccak256' as const, 'reverse' as const) }),
);
const { tree } = fc.letrec<{ tree: TimestampTree; branch: TimestampBranch }>((tie) => ({
  tree: fc.array(tie('branch'), { minLength: 1, maxLength: 4 }),
  branch: fc.oneof(
    { maxDepth: 5 },
    fc.record({ attestation }),
    fc.record({ operation, next: tie('tree') }),
    fc.record({ operation, next: tie('tree') }),
  ),
}));
/** Hexlify is left to the vectors: a few in a row are too much. */
export const proofs: fc.Arbitrary<OpenTimestamp> = fc.oneof(
  fc.record({ hash: fc.constantFrom('sha1' as const, 'ripemd160' as const), digest: bytesOf(20, 20), tree }),
  fc.record({
    hash: fc.constantFrom('sha256' as const, 'keccak256' as const),
    digest: bytesOf(32, 32),
    tree,
  }),
);
