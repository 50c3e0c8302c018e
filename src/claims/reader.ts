// How likely it is that a piece of a sentence makes a claim, and of which type: a small neural network, whose weights were
// learned from labelled messages (scripts/train-claims.mjs). Each feature of a piece adds to what the hidden units see;
// what these say together makes each kind more or less likely. It knows no grammar. Deterministic, and linear in the text.
import type { ClaimType } from '../format/index.ts';
import { type Features, Looker } from './features.ts';
import { type Piece, piecesOf } from './pieces.ts';
import type { Said } from './said.ts';

/** What a piece may be: no claim, or one of a type. The weights are in this order. */
export const KINDS = [
  'none',
  'done',
  'changed',
  'tested',
  'checked',
  'shipped',
  'blocked',
  'delegation',
] as const satisfies readonly (ClaimType | 'none')[];
const SIZE = KINDS.length;

/** Hidden units. The weights of each feature are so many bytes. */
export const UNITS = 32;

/**
 * The file of weights: a mark, the SHA-256 of what they were learned from, the scale of the bytes, the biases of the units, what
 * each unit says of each kind, the biases of the kinds, how many features there are, and their hashes in order: how many of them
 * have each first 16 bits, a byte each, and then their last 16 bits. Last the weights of the features.
 */
export const MARK = 'foil claim weights 5\n';
export const FIRSTS = 0x10000;
const DIGEST = 32;
const FLOATS = 1 + UNITS + UNITS * SIZE + SIZE;

export interface ClaimWeights {
  readonly learnedFrom: Uint8Array;
  readonly scale: number;
  readonly unitBiases: Float32Array;
  /** For each unit what it says of each kind. */
  readonly says: Float32Array;
  readonly biases: Float32Array;
  /** The last 16 bits of the hashes of features, sorted by all 32; and for each feature what it adds to each unit. */
  readonly lasts: Uint16Array;
  readonly worths: Int8Array;
  /** Where the hashes begin that have the same first 16 bits: one or two of them. */
  readonly starts: Uint32Array;
}

/** Reads the file of weights; null if it is none. */
export function parseWeights(bytes: Uint8Array): ClaimWeights | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = MARK.length + DIGEST;
  const head = start + 4 * FLOATS + 4;
  const isOne = [...MARK].every((char, i) => bytes[i] === char.charCodeAt(0));
  if (bytes.length < head || !isOne) return null;
  const count = view.getUint32(head - 4, true);
  const worths = head + FIRSTS + 2 * count;
  if (bytes.length !== worths + count * UNITS) return null;
  const hashes = hashesIn(bytes, head, count);
  if (hashes === null) return null;
  const floats = Float32Array.from({ length: FLOATS }, (_, i) => view.getFloat32(start + 4 * i, true));
  return {
    learnedFrom: Uint8Array.from(bytes.subarray(MARK.length, start)),
    scale: floats[0] as number,
    unitBiases: floats.subarray(1, 1 + UNITS),
    says: floats.subarray(1 + UNITS, 1 + UNITS + UNITS * SIZE),
    biases: floats.subarray(1 + UNITS + UNITS * SIZE),
    ...hashes,
    worths: new Int8Array(bytes.buffer, bytes.byteOffset + worths, count * UNITS),
  };
}

/** Null where the numbers of hashes are not `count` together. */
function hashesIn(
  bytes: Uint8Array,
  head: number,
  count: number,
): Pick<ClaimWeights, 'lasts' | 'starts'> | null {
  const starts = new Uint32Array(FIRSTS + 1);
  let at = 0;
  for (let first = 0; first < FIRSTS; first++) {
    starts[first] = at;
    at += bytes[head + first] as number;
  }
  starts[FIRSTS] = at;
  if (at !== count) return null;
  // The low byte first, as in all machines that Node runs on.
  const packed = new Uint8Array(bytes.subarray(head + FIRSTS, head + FIRSTS + 2 * count));
  const lasts = new Uint16Array(packed.buffer);
  return { lasts, starts };
}

/** How likely each kind is, in the order of KINDS. */
export type Likelihoods = Float64Array;

export interface ReadPiece {
  readonly piece: Piece;
  readonly likely: Likelihoods;
}

/** For each sentence of a message its pieces, read. */
export function readPieces(all: readonly Said[], weights: ClaimWeights): ReadPiece[][] {
  const looker = new Looker(all);
  const read: ReadPiece[][] = all.map(() => []);
  for (const piece of piecesOf(all))
    read[piece.sentence]?.push({ piece, likely: likelihoods(looker.featuresOf(piece), weights) });
  return read;
}

function likelihoods(features: Features, weights: ClaimWeights): Likelihoods {
  const { scale, unitBiases, says, biases, worths } = weights;
  const sums = new Float64Array(UNITS);
  let squares = 0;
  for (const [hash, worth] of features) {
    squares += worth * worth;
    const at = placeOf(hash, weights) * UNITS;
    if (at < 0) continue;
    for (let unit = 0; unit < UNITS; unit++)
      sums[unit] = (sums[unit] as number) + worth * (worths[at + unit] as number);
  }
  const norm = scale / Math.sqrt(Math.max(1, squares));
  const odds = Float64Array.from(biases);
  for (let unit = 0; unit < UNITS; unit++) {
    const seen = (unitBiases[unit] as number) + (sums[unit] as number) * norm;
    // A unit that sees too little says nothing.
    if (seen <= 0) continue;
    for (let kind = 0; kind < SIZE; kind++)
      odds[kind] = (odds[kind] as number) + seen * (says[unit * SIZE + kind] as number);
  }
  return softmax(odds);
}

function softmax(odds: Float64Array): Float64Array {
  const most = Math.max(...odds);
  const powers = odds.map((one) => Math.exp(one - most));
  const total = powers.reduce((sum, one) => sum + one, 0);
  return powers.map((one) => one / total);
}

/** Where a hash is in the sorted list, or -1. */
function placeOf(hash: number, { lasts, starts }: ClaimWeights): number {
  const first = hash >>> 16;
  const end = starts[first + 1] as number;
  for (let at = starts[first] as number; at < end; at++) if (lasts[at] === (hash & 0xffff)) return at;
  return -1;
}
