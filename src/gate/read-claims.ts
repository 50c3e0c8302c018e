// Reads what a message claims, with the weights that lie beside the program. They are loaded when the first message is
// read: most hooks never do.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClaimWeights, findClaims, type Phrases, parseWeights } from '../claims/index.ts';
import { mayTellAct, type ToldAct, type ToldClaim, type ToldClaims, toldActs } from '../rules/index.ts';

let weights: ClaimWeights | null = null;

export function readClaims(message: string, phrases?: Phrases): ToldClaims {
  weights ??= loadWeights();
  const found = findClaims(message, weights, { phrases });
  // Who claims that tests passed is held to that.
  const isTested = found.claims.some(({ type }) => type === 'tested');
  const isSaid = ({ what, quote }: ToldAct): boolean =>
    what === 'a run of tests'
      ? isTested
      : what === 'clean checker' &&
        found.claims.some(
          (claim) => claim.type === 'checked' && claim.unsure !== true && quote.includes(claim.quote),
        );
  const told = (mayTellAct(message) ? toldActs(message) : []).filter((act) => !isSaid(act));
  const acts = told.filter(({ what }) => what !== 'named file');
  const files = told.filter(({ what }) => what === 'named file');
  return {
    ...found,
    ...(acts.length > 0 && { claims: [...found.claims, ...acts.map(claimOf)] }),
    ...(files.length > 0 && { files: files.map(claimOf) }),
  };
}

const OF_FILES: readonly ToldAct['what'][] = ['changed file', 'made file', 'stated file', 'value'];

function claimOf(act: ToldAct): ToldClaim {
  const isOfFile = OF_FILES.includes(act.what);
  const type = isOfFile
    ? 'changed'
    : /^(?:hindrance|obstacle|failure)$/.test(act.what)
      ? 'blocked'
      : 'checked';
  return { type, quote: act.quote, about: null, whole: false, unsure: false, act };
}

function loadWeights(): ClaimWeights {
  const here = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  const beside = join(here, 'claims.weights');
  const path = existsSync(beside) ? beside : join(here, '../claims/claims.weights');
  const loaded = parseWeights(readFileSync(path));
  if (loaded === null)
    throw new Error(`${path} does not hold the weights of the claim reader. Reinstall foil.`);
  return loaded;
}
