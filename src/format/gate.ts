// The payload of `gate`: what became of a turn's claims when it wanted to end. There is one entry per turn, even if
// the gate had nothing to say, so that a turn nobody looked at can be told from one that passed.
import type { JsonObject } from '../core/index.ts';
import { parseQuoted, type Quoted } from './contract.ts';
import type { ClaimStatus, GateVerdict } from './evidence.ts';
import {
  count,
  cut,
  cutAll,
  exactly,
  flag,
  hash,
  object,
  objects,
  oneOf,
  orNull,
  seq,
  seqs,
  shortText,
  shortTexts,
} from './members.ts';

/** A claim as the gate saw it. */
export interface GatedClaim {
  /** Seq of the claim. */
  readonly claim: number;
  readonly status: ClaimStatus;
  /** Why, where it is not backed. */
  readonly code: string | null;
  /** Seq of the validation that decided; null where none could. */
  readonly validation: number | null;
}

/** What a gate made of a claim: the same for whoever counts. A turn that was sent back did not end on its claims. */
export type ClaimEnd = 'proven' | 'unproven' | 'excused' | 'sent-back';

export function claimEnd(verdict: GateVerdict, status: ClaimStatus): ClaimEnd {
  if (verdict === 'block') return 'sent-back';
  if (verdict === 'silent' || status === 'excused') return 'excused';
  return status === 'backed' ? 'proven' : 'unproven';
}

/** The gate lets go after so many blocks: of one prompt, as the policy says, within a minute, and in a session. */
export type BlockLimit = 'prompt' | 'minute' | 'session';

export interface Gate {
  readonly verdict: GateVerdict;
  /** For `silent` and `ungated`: why. */
  readonly why: string | null;
  readonly claims: readonly GatedClaim[];
  /** How often this prompt's turn was blocked so far, this time included. */
  readonly blocks: number;
  /** Could the message be read? */
  readonly extraction: 'ok' | 'unparseable' | 'schema_drift' | 'unreadable';
  readonly textFrom: 'message' | 'transcript' | 'none';
  /** The host's own word that a hook made it go on; null where it has none. */
  readonly stopHookActive: boolean | null;
  readonly tree: string | null;
  readonly policyHash: string;
  readonly mode: 'observe' | 'guard' | 'locked';
  /** What still ran in the background. */
  readonly background: readonly string[];
  /** Seqs of results that the host's own transcript does not know, or that came while a command fed our hooks. */
  readonly forged: readonly number[];
  /** Who let a turn end that the gate would have blocked: our own limit, or the host's. Left out for all others. */
  readonly endedBy?: 'limit' | 'host';
  /** Of what there were too many blocks, where our own limit let it end. Entries of earlier versions don't tell. */
  readonly limit?: BlockLimit;
  /** Left out where the host tells nothing of it. */
  readonly host?: HostBlocks;
  /** The version of the rules by which claims were judged and excused; left out by those of version 1. */
  readonly rules?: number;
  /** What the agent was told of its claims, as content: sentences that may quote files. Left out where nothing was. */
  readonly details?: Quoted;
}

/** Ends of a turn that hooks blocked, whoever's they were, as the host's own word tells. */
export interface HostBlocks {
  /** In a row, before this end. */
  readonly blocks: number;
  /** After so many the host lets the turn end, whatever hooks say; null where it is not known to have a limit. */
  readonly cap: number | null;
}

const CLAIM_STATUSES: readonly ClaimStatus[] = [
  'backed',
  'excused',
  'unbacked',
  'stale',
  'failed',
  'weakened',
  'narrow',
  'trick',
  'not-tried',
];
const VERDICTS: readonly GateVerdict[] = ['silent', 'pass', 'warn', 'block', 'unproven', 'ungated'];
const EXTRACTIONS = ['ok', 'unparseable', 'schema_drift', 'unreadable'] as const;
const TEXT_FROM = ['message', 'transcript', 'none'] as const;
const MODES = ['observe', 'guard', 'locked'] as const;
const ENDED_BY = ['limit', 'host'] as const;
const LIMITS: readonly BlockLimit[] = ['prompt', 'minute', 'session'];
const OPTIONAL = ['ended_by', 'limit', 'host', 'rules'];
const MOST_CLAIMS = 64;
const MOST_BACKGROUND = 16;
const MOST_FORGED = 64;
const LONGEST_WORD = 64;
const LONGEST = 256;

/** Throws RangeError for more claims than an entry holds: whoever finds them must stop there, and say so. */
export function encodeGate(gate: Gate): JsonObject {
  if (gate.claims.length > MOST_CLAIMS)
    throw new RangeError(`a gate judges at most ${MOST_CLAIMS} claims at once`);
  return {
    verdict: gate.verdict,
    why: gate.why === null ? null : cut(gate.why, LONGEST),
    claims: gate.claims.map(({ claim, status, code, validation }) => ({
      claim,
      status,
      code: code === null ? null : cut(code, LONGEST_WORD),
      validation,
    })),
    blocks: gate.blocks,
    extraction: gate.extraction,
    text_from: gate.textFrom,
    stop_hook_active: gate.stopHookActive,
    tree: gate.tree,
    policy_hash: gate.policyHash,
    mode: gate.mode,
    background: cutAll(gate.background, MOST_BACKGROUND, LONGEST),
    forged: gate.forged.slice(0, MOST_FORGED),
    ...(gate.endedBy === undefined ? {} : { ended_by: gate.endedBy }),
    ...(gate.limit === undefined ? {} : { limit: gate.limit }),
    ...(gate.host === undefined ? {} : { host: { ...gate.host } }),
    ...(gate.rules === undefined ? {} : { rules: gate.rules }),
    ...(gate.details === undefined ? {} : { details: gate.details.ref, details_hash: gate.details.hash }),
  };
}

export function parseGate(payload: JsonObject): Gate {
  exactly(payload, [
    'verdict',
    'why',
    'claims',
    'blocks',
    'extraction',
    'text_from',
    'stop_hook_active',
    'tree',
    'policy_hash',
    'mode',
    'background',
    'forged',
    ...OPTIONAL.filter((name) => Object.hasOwn(payload, name)),
    ...(Object.hasOwn(payload, 'details') ? ['details', 'details_hash'] : []),
  ]);
  const details = Object.hasOwn(payload, 'details')
    ? (parseQuoted(payload, 'details') ?? { hash: hash(payload, 'details_hash'), ref: null })
    : undefined;
  return {
    verdict: oneOf(payload, 'verdict', VERDICTS),
    why: orNull(payload, 'why', () => shortText(payload, 'why', LONGEST)),
    claims: objects(payload, 'claims', MOST_CLAIMS).map((each, i) => {
      const path = `payload.claims[${i}]`;
      exactly(each, ['claim', 'status', 'code', 'validation'], path);
      return {
        claim: seq(each, 'claim', path),
        status: oneOf(each, 'status', CLAIM_STATUSES, path),
        code: orNull(each, 'code', () => shortText(each, 'code', LONGEST_WORD, path)),
        validation: orNull(each, 'validation', () => seq(each, 'validation', path)),
      };
    }),
    blocks: count(payload, 'blocks'),
    extraction: oneOf(payload, 'extraction', EXTRACTIONS),
    textFrom: oneOf(payload, 'text_from', TEXT_FROM),
    stopHookActive: orNull(payload, 'stop_hook_active', () => flag(payload, 'stop_hook_active')),
    tree: orNull(payload, 'tree', () => hash(payload, 'tree')),
    policyHash: hash(payload, 'policy_hash'),
    mode: oneOf(payload, 'mode', MODES),
    background: shortTexts(payload, 'background', MOST_BACKGROUND, LONGEST),
    forged: seqs(payload, 'forged', MOST_FORGED),
    ...(Object.hasOwn(payload, 'ended_by') ? { endedBy: oneOf(payload, 'ended_by', ENDED_BY) } : {}),
    ...(Object.hasOwn(payload, 'limit') ? { limit: oneOf(payload, 'limit', LIMITS) } : {}),
    ...(Object.hasOwn(payload, 'host') ? { host: parseHost(object(payload, 'host')) } : {}),
    ...(Object.hasOwn(payload, 'rules') ? { rules: count(payload, 'rules') } : {}),
    ...(details === undefined ? {} : { details }),
  };
}

function parseHost(host: JsonObject): HostBlocks {
  const path = 'payload.host';
  exactly(host, ['blocks', 'cap'], path);
  return { blocks: count(host, 'blocks', path), cap: orNull(host, 'cap', () => count(host, 'cap', path)) };
}
