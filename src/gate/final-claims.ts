// What a structured final block claims. Each of its texts is read like prose, so that nothing is said in a slot that a
// sentence could not say; what the block itself calls a claim is one, whatever its words.

import { aboutText, type FoilFinal } from '../claims/index.ts';
import type { ClaimType } from '../format/index.ts';
import type { ClaimPolicy } from '../policy/index.ts';
import type { ToldClaims } from '../rules/index.ts';
import { readCommand } from '../shell/index.ts';
import { readClaims } from './read-claims.ts';

/** What a message claims with its block, and what it discloses there. The block says nothing where the policy wants none. */
export function withFinal(found: ToldClaims, { finalBlock, phrases }: ClaimPolicy): ToldClaims {
  const { final } = found;
  if (finalBlock === 'off' || final === null) return found;
  const read = textsOf(final).map(({ type, text }) => readText(type, text, phrases));
  const claims = read.flatMap((each) => each.claims);
  return {
    ...found,
    claims: [
      ...found.claims,
      // Who says that it is not done yet is not held to how far it is, unless a run says otherwise.
      ...claims.map((claim) =>
        final.type === 'partial' && claim.type === 'done' ? { ...claim, unsure: true } : claim,
      ),
    ],
    disclosures: [...found.disclosures, ...read.flatMap((each) => each.disclosures)],
    failures: [...found.failures, ...read.flatMap((each) => each.failures)],
  };
}

interface Text {
  /** What the block says that it claims; null where it does not say. */
  readonly type: ClaimType | null;
  readonly text: string;
}

function textsOf(final: FoilFinal): Text[] {
  const { type, summary, claims, what_succeeded, what_remains, next_route_or_question } = final;
  const slots = [what_succeeded, what_remains, next_route_or_question];
  return [
    // What kind of an end it is, is the first claim.
    { type: type === 'partial' ? null : type, text: summary },
    ...claims.map(({ claim_type, object }) => ({ type: claim_type, text: object })),
    ...slots.flatMap((text) => (text === null ? [] : [{ type: null, text }])),
  ];
}

function readText(type: ClaimType | null, text: string, phrases: ClaimPolicy['phrases']): ToldClaims {
  const read = readClaims(text, phrases);
  if (type === null) return read;
  const own = (of: ClaimType) => ({ type: of, quote: text, ...aboutText(of, text), unsure: false });
  const claims = read.claims.map((claim) => (claim.type === type ? { ...claim, unsure: false } : claim));
  const isMade = (of: ClaimType) => claims.some((claim) => claim.type === of && !claim.unsure);
  const isSent = ATTEMPTED.includes(type) || isMade('shipped') || !namesShipping(text);
  return {
    ...read,
    claims: [
      ...(isMade(type) ? [] : [own(type)]),
      ...(isSent || type === 'shipped' ? [] : [own('shipped')]),
      ...claims,
    ],
  };
}

/** What could not be done was not done. */
const ATTEMPTED: readonly ClaimType[] = ['blocked', 'delegation'];
/** What it is of, behind a command or a word for what is sent away; a workflow or a hook of that name is another thing. */
const OBJECT = /^(?:$|[\s,:]+(?:of|to|for|on|at|origin|v?\d|-))/i;
const DEED =
  /^(?:the )?(?:publi\w+|deploy\w*|rollout|release|push)(?: of \S+)? (?:of v?\d|(?:to|on) (?:the )?(?:npm|pypi|production|prod|staging|main|master|origin|registry)\b)(?! (?:workflow|script|job|step|hook)\b)/i;

/** "npm publish of 1.0.1", "deployment to production": an object that names a deed, by its command or by its word. */
function namesShipping(text: string): boolean {
  const ships = readCommand(text, { cwd: null, root: null }).checks.find(({ kind }) => kind === 'ship');
  const name = ships?.runner.includes(' ') === true ? ships.runner : null;
  return (name !== null && text.startsWith(name) && OBJECT.test(text.slice(name.length))) || DEED.test(text);
}
