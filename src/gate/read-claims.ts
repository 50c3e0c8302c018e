// Reads what a message claims, with the weights that lie beside the program. They are loaded when the first message is
// read: most hooks never do.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ClaimWeights,
  type FoundClaims,
  findClaims,
  type Phrases,
  parseWeights,
} from '../rules/index.ts';

let weights: ClaimWeights | null = null;

export function readClaims(message: string, phrases?: Phrases): FoundClaims {
  weights ??= loadWeights();
  return findClaims(message, weights, { phrases });
}

function loadWeights(): ClaimWeights {
  const here = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  const beside = join(here, 'claims.weights');
  const path = existsSync(beside) ? beside : join(here, '../rules/claims/claims.weights');
  const loaded = parseWeights(readFileSync(path));
  if (loaded === null)
    throw new Error(`${path} does not hold the weights of the claim reader. Reinstall foil.`);
  return loaded;
}
