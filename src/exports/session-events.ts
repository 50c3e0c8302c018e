// Entries as the events of a session that other tools know: it began or ended, a prompt, a response, a key that was
// good or not, a branch, a block. Shared by the logs that are printed for them. Entries come from a ledger that may be
// hostile: what is malformed is a ParseError, never half an event.
import { type Json, type JsonObject, ParseError } from '../core/index.ts';
import type { Entry } from '../format/index.ts';
import {
  type BlockFact,
  count,
  hash,
  orNull,
  parseAnchorStamp,
  parseAuthFail,
  parseAuthOk,
  parseBlockFact,
  parseBranchCreate,
  parseBranchSwitch,
  parseInteraction,
  parseSessionCut,
  parseSessionEnd,
  parseSessionStart,
} from '../format/index.ts';
import { type GentlyDetails, type GentlyEvent, isBranch } from './gently.ts';

export interface SessionEvent {
  readonly event: GentlyEvent;
  readonly details: GentlyDetails;
}

const READERS: Readonly<Record<string, (entry: Entry) => SessionEvent | null>> = {
  'session.start': ({ payload, prev_hash }) => {
    const { authKey, block, branch } = parseSessionStart(payload);
    return {
      event: 'session_start',
      details: {
        ...blockDetails(block),
        branch: branch === null ? null : branchName(branch),
        auth: authKey,
        prev: prev_hash,
      },
    };
  },
  'session.end': ({ payload }) => {
    const closing = parseSessionEnd(payload);
    return {
      event: 'session_end',
      details: {
        ...blockDetails(closing?.block ?? null),
        interactions: closing?.interactions ?? null,
        chain: closing?.chainHash ?? null,
        final: closing?.finalHash ?? null,
      },
    };
  },
  'session.cut': ({ payload }) => {
    const { reason, interactions, chainHash } = parseSessionCut(payload);
    return {
      event: 'session_end',
      details: { ...blockDetails(null), interactions, chain: chainHash, final: null, cut: reason },
    };
  },
  prompt: ({ payload }) => promptOf(payload),
  response: ({ payload }) => responseOf(payload),
  'model.result': ({ payload }) => (sequenceOf(payload) === null ? null : responseOf(payload)),
  'auth.ok': ({ payload }) => ({ event: 'auth_validate', details: parseAuthOk(payload) }),
  'auth.fail': ({ payload }) => ({ event: 'auth_fail', details: parseAuthFail(payload) }),
  'branch.create': ({ payload }) => ({
    event: 'branch_create',
    details: { branch: branchName(parseBranchCreate(payload)) },
  }),
  'branch.switch': ({ payload }) => {
    const { from, to } = parseBranchSwitch(payload);
    return { event: 'branch_switch', details: { from: branchName(from), to: branchName(to) } };
  },
  'anchor.block': ({ payload }) => ({ event: 'btc_anchor', details: blockDetails(parseBlockFact(payload)) }),
  'anchor.stamp': ({ payload }) => {
    const { size, digest, block } = parseAnchorStamp(payload);
    // Only handed to calendars, it is in no block yet.
    return block === null ? null : { event: 'btc_anchor', details: { ...blockDetails(block), size, digest } };
  },
};

/** Sessions whose calls of models are their interactions, as far as they are remembered. */
const MOST_SESSIONS = 10_000;

/**
 * Reads entries in the order of the log. Null for one that is no such event. Throws ParseError where it should be one
 * and is malformed.
 */
export function sessionEventReader(): (entry: Entry) => SessionEvent | null {
  /** By session, the source whose calls of models are prompts. */
  const calling = new Map<string, string>();
  const remember = ({ kind, session_id: session, payload }: Entry): void => {
    if (session === null) return;
    if (kind === 'session.end' || kind === 'session.cut') calling.delete(session);
    if (kind !== 'session.start' || payload.interaction_kind !== 'model.result') return;
    calling.set(session, textOf(payload.interaction) ?? '');
    const [oldest] = calling.size > MOST_SESSIONS ? calling.keys() : [];
    if (oldest !== undefined) calling.delete(oldest);
  };
  return (entry) => {
    const { kind, session_id: session, source, payload } = entry;
    // Which interaction it is, is known when it is answered: calls may overtake each other.
    if (kind === 'model.call')
      return session !== null && calling.get(session) === source ? promptOf(payload) : null;
    if (!Object.hasOwn(READERS, kind)) return null;
    remember(entry);
    return READERS[kind]?.(entry) ?? null;
  };
}

function promptOf(payload: JsonObject): SessionEvent {
  return { event: 'prompt', details: { hash: hashOf(payload, 'prompt_hash'), seq: sequenceOf(payload) } };
}

function responseOf(payload: JsonObject): SessionEvent {
  const interaction = parseInteraction(payload);
  const model = textOf(payload.model);
  return {
    event: 'response',
    details: {
      hash: hashOf(payload, 'response_hash'),
      seq: interaction?.sequence ?? null,
      ...(model === null ? {} : { model }),
      prompt: interaction?.promptHash ?? null,
      chain: interaction?.chainHash ?? null,
    },
  };
}

function blockDetails(block: BlockFact | null): { btc: number | null; block: string | null } {
  return { btc: block?.height ?? null, block: block?.hash ?? null };
}

function sequenceOf(payload: JsonObject): number | null {
  const { sequence = null } = payload;
  if (sequence === null) return null;
  const found = count(payload, 'sequence');
  if (found === 0) throw new ParseError('BAD_MEMBER', 'interactions are counted from 1', 'payload.sequence');
  return found;
}

function hashOf(payload: JsonObject, name: string): string | null {
  return (payload[name] ?? null) === null ? null : orNull(payload, name, () => hash(payload, name));
}

function branchName(name: string): string {
  if (!isBranch(name)) throw new ParseError('BAD_MEMBER', 'not a branch', 'payload.branch');
  return name;
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
