// The payload of `claim`: what a final message says is so. Its words are content; what kind of claim it is, is not.
import type { JsonObject } from '../core/index.ts';
import { parseQuoted, type Quoted } from './contract.ts';
import type { Claim, ClaimType } from './evidence.ts';
import { count, cut, cutAll, exactly, flag, hash, oneOf, orNull, shortText, shortTexts } from './members.ts';

const CLAIM_TYPES: readonly ClaimType[] = [
  'done',
  'changed',
  'tested',
  'checked',
  'shipped',
  'blocked',
  'delegation',
];
const MEMBERS = ['claim', 'about', 'whole', 'quote', 'quote_hash', 'names', 'agent_id'];
const LONGEST_WORD = 64;
const LONGEST_ID = 256;
const MOST_NAMES = 8;
const LONGEST_NAME = 256;

export interface RecordedClaim extends Omit<Claim, 'quote'> {
  readonly quote: Quoted;
  /** Targets and tests of commands on record that the quote itself names: it claims no more than those. */
  readonly names: readonly string[];
  /** The subagent whose message it is; null for the agent itself. */
  readonly agentId: string | null;
}

export function encodeClaim(claim: RecordedClaim): JsonObject {
  const { about, agentId, count: said = null } = claim;
  return {
    claim: claim.type,
    about: about === null ? null : cut(about, LONGEST_WORD),
    whole: claim.whole,
    quote: claim.quote.ref,
    quote_hash: claim.quote.hash,
    names: cutAll(claim.names, MOST_NAMES, LONGEST_NAME),
    agent_id: agentId === null ? null : cut(agentId, LONGEST_ID),
    ...(said === null ? {} : { count: said }),
  };
}

export function parseClaim(payload: JsonObject): RecordedClaim {
  const counts = Object.hasOwn(payload, 'count');
  exactly(payload, [...MEMBERS, ...(counts ? ['count'] : [])]);
  return {
    type: oneOf(payload, 'claim', CLAIM_TYPES),
    about: orNull(payload, 'about', () => shortText(payload, 'about', LONGEST_WORD)),
    whole: flag(payload, 'whole'),
    quote: parseQuoted(payload, 'quote') ?? { hash: hash(payload, 'quote_hash'), ref: null },
    names: shortTexts(payload, 'names', MOST_NAMES, LONGEST_NAME),
    agentId: orNull(payload, 'agent_id', () => shortText(payload, 'agent_id', LONGEST_ID)),
    ...(counts ? { count: count(payload, 'count') } : {}),
  };
}
