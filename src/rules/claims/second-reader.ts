// A second reader beside the rules: how likely it is that a piece of a sentence makes a claim of each type, by weights that were
// learned from the labelled messages of the corpus (scripts/train-claims.mjs). It knows no grammar and errs where the
// rules do not, and the other way round: what both see is sure. Deterministic, and linear in the text.
import type { ClaimType } from '../../format/index.ts';
import { featuresOf, type Hashes, mannerOf } from './features.ts';
import { type Piece, piecesOf } from './pieces.ts';
import type { Said } from './said.ts';
import { BIASES, SCALE, TABLE, TYPES } from './weights.ts';

/** The table: for each feature its hash, four bytes, and what it is worth for each type, one byte each; by hash. */
const RECORD = 4 + TYPES.length;

interface Weights {
  readonly hashes: Uint32Array;
  readonly worths: Int8Array;
}

let weights: Weights | null = null;

function openWeights(): Weights {
  const text = atob(TABLE);
  const count = Math.floor(text.length / RECORD);
  const hashes = new Uint32Array(count);
  const worths = new Int8Array(count * TYPES.length);
  for (let i = 0; i < count; i++) {
    const at = i * RECORD;
    hashes[i] =
      ((text.charCodeAt(at) << 24) |
        (text.charCodeAt(at + 1) << 16) |
        (text.charCodeAt(at + 2) << 8) |
        text.charCodeAt(at + 3)) >>>
      0;
    for (let type = 0; type < TYPES.length; type++)
      worths[i * TYPES.length + type] = text.charCodeAt(at + 4 + type);
  }
  return { hashes, worths };
}

function placeOf(hashes: Uint32Array, hash: number): number {
  let [low, high] = [0, hashes.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = hashes[middle] as number;
    if (found === hash) return middle;
    if (found < hash) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Log odds of a claim, by type. */
export type Odds = ReadonlyMap<ClaimType, number>;

/** A piece of a sentence, and what it claims in all likelihood. */
export interface ReadPiece {
  readonly piece: Piece;
  readonly odds: Odds;
}

/** For each sentence of a message its pieces with their odds. */
export function readAgain(all: readonly Said[]): ReadPiece[][] {
  weights ??= openWeights();
  const manner = mannerOf(all);
  const known: Hashes = new Map();
  const read: ReadPiece[][] = all.map(() => []);
  for (const piece of piecesOf(all))
    read[piece.sentence]?.push({
      piece,
      odds: oddsOf(featuresOf(piece, all.length, manner, known), weights),
    });
  return read;
}

function oddsOf(features: ReadonlySet<number>, { hashes, worths }: Weights): Odds {
  const sums = new Float64Array(TYPES.length);
  for (const feature of features) {
    const at = placeOf(hashes, feature);
    if (at === -1) continue;
    for (let type = 0; type < TYPES.length; type++)
      sums[type] = (sums[type] as number) + (worths[at * TYPES.length + type] as number);
  }
  const unit = SCALE / Math.sqrt(Math.max(1, features.size));
  return new Map(TYPES.map((type, i) => [type, (BIASES[i] ?? 0) + (sums[i] as number) * unit]));
}
