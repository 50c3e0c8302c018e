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

/** A character a byte. To unpack it would take a process that has just started longer than to read a message. */
let table: string | null = null;

function hashAt(bytes: string, at: number): number {
  return (
    ((bytes.charCodeAt(at) << 24) |
      (bytes.charCodeAt(at + 1) << 16) |
      (bytes.charCodeAt(at + 2) << 8) |
      bytes.charCodeAt(at + 3)) >>>
    0
  );
}

/** Where the record of a feature begins, or -1. */
function placeOf(bytes: string, hash: number): number {
  let [low, high] = [0, Math.floor(bytes.length / RECORD) - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = hashAt(bytes, middle * RECORD);
    if (found === hash) return middle * RECORD;
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
  table ??= atob(TABLE);
  const manner = mannerOf(all);
  const known: Hashes = new Map();
  const read: ReadPiece[][] = all.map(() => []);
  for (const piece of piecesOf(all))
    read[piece.sentence]?.push({
      piece,
      odds: oddsOf(featuresOf(piece, all.length, manner, known), table),
    });
  return read;
}

function oddsOf(features: ReadonlySet<number>, bytes: string): Odds {
  const sums = new Float64Array(TYPES.length);
  for (const feature of features) {
    const at = placeOf(bytes, feature);
    if (at === -1) continue;
    for (let type = 0; type < TYPES.length; type++)
      sums[type] = (sums[type] as number) + ((bytes.charCodeAt(at + 4 + type) << 24) >> 24);
  }
  const unit = SCALE / Math.sqrt(Math.max(1, features.size));
  return new Map(TYPES.map((type, i) => [type, (BIASES[i] ?? 0) + (sums[i] as number) * unit]));
}
