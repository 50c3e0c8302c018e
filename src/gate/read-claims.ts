// Reads what a message claims, with the weights that lie beside the program. They are loaded when the first message is
// read: most hooks never do.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ClaimWeights,
  type FoundClaim,
  type FoundClaims,
  findClaims,
  mayTellAct,
  type Phrases,
  parseWeights,
  type ToldAct,
  toldActs,
} from '../rules/index.ts';

let weights: ClaimWeights | null = null;

export function readClaims(message: string, phrases?: Phrases): FoundClaims {
  weights ??= loadWeights();
  const found = findClaims(message, weights, { phrases });
  const acts = mayTellAct(message) ? toldActs(message) : [];
  return acts.length === 0 ? found : { ...found, claims: [...found.claims, ...acts.map(claimOf)] };
}

function claimOf(act: ToldAct): FoundClaim {
  const type = act.what === 'hindrance' ? 'blocked' : 'checked';
  return { type, quote: act.quote, about: null, whole: false, unsure: false, act };
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
