// The payload of `claim`: what a final message says is so. Its words are content; what kind of claim it is, is not.
import type { JsonObject } from '../core/index.ts';
import { parseQuoted, type Quoted } from './contract.ts';
import type { Claim, ClaimType } from './evidence.ts';
import { cut, exactly, flag, hash, oneOf, orNull, shortText } from './members.ts';

export const CLAIM_TYPES: readonly ClaimType[] = [
  'done',
  'changed',
  'tested',
  'checked',
  'shipped',
  'blocked',
  'delegation',
];
const LONGEST_WORD = 64;
const LONGEST_ID = 256;

export interface RecordedClaim extends Omit<Claim, 'quote'> {
  readonly quote: Quoted;
  /** The subagent whose message it is; null for the agent itself. */
  readonly agentId: string | null;
}

export function encodeClaim(claim: RecordedClaim): JsonObject {
  const { about, agentId } = claim;
  return {
    claim: claim.type,
    about: about === null ? null : cut(about, LONGEST_WORD),
    whole: claim.whole,
    quote: claim.quote.ref,
    quote_hash: claim.quote.hash,
    agent_id: agentId === null ? null : cut(agentId, LONGEST_ID),
  };
}

export function parseClaim(payload: JsonObject): RecordedClaim {
  exactly(payload, ['claim', 'about', 'whole', 'quote', 'quote_hash', 'agent_id']);
  return {
    type: oneOf(payload, 'claim', CLAIM_TYPES),
    about: orNull(payload, 'about', () => shortText(payload, 'about', LONGEST_WORD)),
    whole: flag(payload, 'whole'),
    quote: parseQuoted(payload, 'quote') ?? { hash: hash(payload, 'quote_hash'), ref: null },
    agentId: orNull(payload, 'agent_id', () => shortText(payload, 'agent_id', LONGEST_ID)),
  };
}
