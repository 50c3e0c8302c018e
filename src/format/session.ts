// Payloads of a session's life: how it began, bound to a key, a block and a branch; its interactions, each chained to the
// one before; how it ended. Recorders write these through the session room, and verifiers recompute every hash in
// them. Parsers take what is there and leave other members alone: hosts say more than we know. spec/session.md.
import { isHash, type Json, type JsonObject, ParseError } from '../core/index.ts';
import { count, hash, object, oneOf, orNull, shortText, shortTexts, text } from './members.ts';

/** In place of a key's id where there is none. */
export const NO_KEY = '0'.repeat(64);

/** A block as an entry tells of it: what it claims can be held against its header. */
export interface BlockFact {
  readonly height: number;
  /** In display order. */
  readonly hash: string;
  /** By its miner's clock, in seconds since 1970. */
  readonly time: number;
  /** 80 bytes in hex. */
  readonly header: string;
}

const HEADER = /^[0-9a-f]{160}$/;

export function encodeBlockFact({ height, hash, time, header }: BlockFact): JsonObject {
  return { height, hash, time, header };
}

export function parseBlockFact(value: JsonObject, path = 'payload'): BlockFact {
  const header = text(value, 'header', path);
  if (!HEADER.test(header)) throw new ParseError('BAD_MEMBER', 'not 160 hex digits', `${path}.header`);
  return {
    height: count(value, 'height', path),
    hash: hash(value, 'hash', path),
    time: count(value, 'time', path),
    header,
  };
}

function blockOrNull(payload: JsonObject): BlockFact | null {
  return orNull(payload, 'block', () => parseBlockFact(object(payload, 'block'), 'payload.block'));
}

/** Seven branches, by the height of the block that a session began at; without one it is the branch 0. */
export function branchOf(height: number | null): string {
  return height === null ? 'branch-0' : `branch-${(height % 7) + 1}`;
}

/** What a session is bound to. */
export interface Binding {
  /** The key's id; null where none is configured. */
  readonly authKey: string | null;
  readonly block: BlockFact | null;
  /** Null where no anchor was asked for. */
  readonly branch: string | null;
}

export const UNBOUND: Binding = { authKey: null, block: null, branch: null };

/** A process, so that nobody takes another one with its number for it. */
export interface ProcessFact {
  readonly pid: number;
  /** As the system counts: comparable within one boot only. Null where it does not tell. */
  readonly started: string | null;
  readonly boot: string | null;
}

const INTERACTION_KINDS = ['response', 'model.result'] as const;
/** `response`: a user's turn as hooks or a program see it. `model.result`: each call of a model. */
export type InteractionKind = (typeof INTERACTION_KINDS)[number];

export interface SessionStart {
  readonly agent: string;
  readonly agentSession: string | null;
  readonly workspaceRoot: string | null;
  /** What began it: the host's word, or the event that came first. */
  readonly trigger: string;
  /** The session that this one goes on from. */
  readonly resumes: string | null;
  /** The root of the harness pack that it began with: 64 hex digits. */
  readonly pack: string | null;
  /** The hash of the grants in force; none where there are none. */
  readonly capabilities?: string | null;
  /** The independent gateway that its model calls must go through; none where nobody asked for one. */
  readonly gateway?: string;
  /** The source whose entries complete the interactions, and which kind of them does. */
  readonly interaction: string;
  readonly interactionKind: InteractionKind;
  readonly mode: string;
  readonly content: string;
  readonly hashes: string;
  /** Of the rules of redaction in force. */
  readonly redaction: string;
  /** Of counterfoil.yaml as it was read; null where there is none. */
  readonly configHash: string | null;
  readonly transcript: string | null;
  readonly hostProcess: ProcessFact | null;
}

export function encodeSessionStart(start: SessionStart, bound: Binding): JsonObject {
  return {
    agent: start.agent,
    agent_session: start.agentSession,
    workspace_root: start.workspaceRoot,
    trigger: start.trigger,
    resumes: start.resumes,
    interaction: start.interaction,
    interaction_kind: start.interactionKind,
    auth_key: bound.authKey ?? NO_KEY,
    block: bound.block === null ? null : encodeBlockFact(bound.block),
    branch: bound.branch,
    pack: start.pack,
    ...(start.gateway === undefined ? {} : { gateway: start.gateway }),
    capabilities: start.capabilities ?? null,
    mode: start.mode,
    content: start.content,
    hashes: start.hashes,
    redaction: start.redaction,
    config_hash: start.configHash,
    transcript: start.transcript,
    pid: start.hostProcess?.pid ?? null,
    pid_started: start.hostProcess?.started ?? null,
    boot_id: start.hostProcess?.boot ?? null,
  };
}

/** What a verifier takes from a session.start. */
export interface RecordedStart extends Binding {
  readonly agent: string;
  readonly resumes: string | null;
  /** The root of its harness pack; null where it has none. */
  readonly pack: string | null;
  readonly interaction: string;
  /** Null in one of before there were chains. */
  readonly interactionKind: InteractionKind | null;
  readonly hostProcess: ProcessFact | null;
}

export function parseSessionStart(payload: JsonObject): RecordedStart {
  const key = hash(payload, 'auth_key');
  const resumes = payload.resumes ?? null;
  if (resumes !== null && !isHash(resumes))
    throw new ParseError('BAD_MEMBER', 'not 64 hex digits', 'payload.resumes');
  return {
    agent: text(payload, 'agent'),
    resumes,
    pack: (payload.pack ?? null) === null ? null : hash(payload, 'pack'),
    interaction: text(payload, 'interaction'),
    interactionKind:
      payload.interaction_kind === undefined ? null : oneOf(payload, 'interaction_kind', INTERACTION_KINDS),
    authKey: key === NO_KEY ? null : key,
    block: blockOrNull(payload),
    branch: orNull(payload, 'branch', () => shortText(payload, 'branch', LONGEST_BRANCH)),
    hostProcess: parseProcess(payload),
  };
}

const LONGEST_BRANCH = 64;
const LONGEST_WORD = 256;

/** Entries of before have the number alone. */
function parseProcess(payload: JsonObject): ProcessFact | null {
  const { pid = null, pid_started: started = null, boot_id: boot = null } = payload;
  if (pid === null) return null;
  const word = (name: string, value: Json): string | null =>
    value === null ? null : shortText(payload, name, LONGEST_WORD);
  return {
    pid: count(payload, 'pid'),
    started: word('pid_started', started),
    boot: word('boot_id', boot),
  };
}

/** What an entry that completes an interaction says of it; all null in one that does not. */
export interface Interaction {
  readonly sequence: number;
  readonly promptHash: string | null;
  readonly chainHash: string;
}

export function encodeInteraction(interaction: Interaction | null): {
  readonly sequence: number | null;
  readonly prompt_hash: string | null;
  readonly chain_hash: string | null;
} {
  return {
    sequence: interaction?.sequence ?? null,
    prompt_hash: interaction?.promptHash ?? null,
    chain_hash: interaction?.chainHash ?? null,
  };
}

/** An interaction as a verifier finds it. */
export interface RecordedInteraction extends Interaction {
  readonly responseHash: string | null;
  readonly model: string | null;
}

/** Of a `response` or a `model.result`. Null where it completes none, as all of before there were chains. */
export function parseInteraction(payload: JsonObject): RecordedInteraction | null {
  const { sequence = null, chain_hash: chain = null, model = null } = payload;
  if (sequence === null && chain === null) return null;
  const known = (name: string): string | null => orNull(payload, name, () => hash(payload, name));
  const found = count(payload, 'sequence');
  if (found === 0) throw new ParseError('BAD_MEMBER', 'interactions are counted from 1', 'payload.sequence');
  return {
    sequence: found,
    promptHash: known('prompt_hash'),
    responseHash: known('response_hash'),
    chainHash: hash(payload, 'chain_hash'),
    model: typeof model === 'string' ? model : null,
  };
}

export interface SessionCounts {
  readonly prompts: number;
  readonly responses: number;
  readonly calls: number;
  readonly results: number;
  readonly denied: number;
  readonly redacted: number;
}

/** What the end of a session seals of it. */
export interface Closing {
  readonly block: BlockFact | null;
  /** The last one's sequence. */
  readonly interactions: number;
  readonly chainHash: string | null;
  readonly finalHash: string;
}

export interface SessionEnd {
  readonly reason: string | null;
  readonly exitCode: number | null;
  readonly counts: SessionCounts;
}

export function encodeSessionEnd(end: SessionEnd, closing: Closing): JsonObject {
  return {
    reason: end.reason,
    exit_code: end.exitCode,
    counts: { ...end.counts },
    block: closing.block === null ? null : encodeBlockFact(closing.block),
    interactions: closing.interactions,
    chain_hash: closing.chainHash,
    final_hash: closing.finalHash,
  };
}

/** Null for one of before sessions were closed so. */
export function parseSessionEnd(payload: JsonObject): Closing | null {
  if (!Object.hasOwn(payload, 'final_hash')) return null;
  return {
    block: blockOrNull(payload),
    interactions: count(payload, 'interactions'),
    chainHash: orNull(payload, 'chain_hash', () => hash(payload, 'chain_hash')),
    finalHash: hash(payload, 'final_hash'),
  };
}

const CUT_REASONS = ['process-gone', 'rebooted'] as const;

/** A session that nobody ended, and whose process is gone. */
export interface SessionCut {
  readonly reason: (typeof CUT_REASONS)[number];
  readonly hostProcess: ProcessFact;
  readonly interactions: number;
  readonly chainHash: string | null;
}

export function encodeSessionCut({ reason, hostProcess, interactions, chainHash }: SessionCut): JsonObject {
  const { pid, started, boot } = hostProcess;
  return { reason, pid, pid_started: started, boot_id: boot, interactions, chain_hash: chainHash };
}

export function parseSessionCut(payload: JsonObject): SessionCut {
  const hostProcess = parseProcess(payload);
  if (hostProcess === null) throw new ParseError('BAD_MEMBER', 'missing', 'payload.pid');
  return {
    reason: oneOf(payload, 'reason', CUT_REASONS),
    hostProcess,
    interactions: count(payload, 'interactions'),
    chainHash: orNull(payload, 'chain_hash', () => hash(payload, 'chain_hash')),
  };
}

export const AUTH_REASONS = [
  'unknown-key',
  'revoked',
  'malformed',
  'too-many-attempts',
  'none-presented',
  'unreadable',
] as const;
export type AuthReason = (typeof AUTH_REASONS)[number];
/** Before a call of a tool or a model, where that came first after the key went bad. */
const AUTH_TIMES = ['start', 'prompt', 'call'] as const;
export type AuthTime = (typeof AUTH_TIMES)[number];

export interface AuthOk {
  readonly key: string;
  readonly name: string;
  readonly at: AuthTime;
}

export function encodeAuthOk({ key, name, at }: AuthOk): JsonObject {
  return { key, name, at };
}

export function parseAuthOk(payload: JsonObject): AuthOk {
  return {
    key: hash(payload, 'key'),
    name: shortText(payload, 'name', LONGEST_WORD),
    at: oneOf(payload, 'at', AUTH_TIMES),
  };
}

/** Never what was presented: only the id of a key that is known. */
export interface AuthFail {
  readonly reason: AuthReason;
  readonly key: string | null;
  readonly at: AuthTime;
}

export function encodeAuthFail({ reason, key, at }: AuthFail): JsonObject {
  return { reason, key, at };
}

export function parseAuthFail(payload: JsonObject): AuthFail {
  return {
    reason: oneOf(payload, 'reason', AUTH_REASONS),
    key: orNull(payload, 'key', () => hash(payload, 'key')),
    at: oneOf(payload, 'at', AUTH_TIMES),
  };
}

export function encodeBranchCreate(branch: string): JsonObject {
  return { branch };
}

export function parseBranchCreate(payload: JsonObject): string {
  return shortText(payload, 'branch', LONGEST_BRANCH);
}

/** A session began on another branch than the one before it. */
export interface BranchSwitch {
  readonly from: string;
  readonly to: string;
}

export function encodeBranchSwitch({ from, to }: BranchSwitch): JsonObject {
  return { from, to };
}

export function parseBranchSwitch(payload: JsonObject): BranchSwitch {
  return { from: shortText(payload, 'from', LONGEST_BRANCH), to: shortText(payload, 'to', LONGEST_BRANCH) };
}

/** A checkpoint that was handed to calendars, or found its way into a block. */
export interface AnchorStamp {
  /** Entries under the checkpoint. */
  readonly size: number;
  /** Of the checkpoint's note with the ledger's own signature alone: what is stamped. */
  readonly digest: string;
  readonly state: 'pending' | 'complete';
  readonly calendars: readonly string[];
  readonly block: BlockFact | null;
  /** Of the .ots file as it is by now. */
  readonly proofSha256: string;
}

const MOST_CALENDARS = 16;
const LONGEST_URL = 1000;

export function encodeAnchorStamp(stamp: AnchorStamp): JsonObject {
  const { size, digest, state, calendars, block, proofSha256 } = stamp;
  return {
    size,
    digest,
    state,
    calendars: [...calendars],
    block: block === null ? null : encodeBlockFact(block),
    proof_sha256: proofSha256,
  };
}

export function parseAnchorStamp(payload: JsonObject): AnchorStamp {
  return {
    size: count(payload, 'size'),
    digest: hash(payload, 'digest'),
    state: oneOf(payload, 'state', ['pending', 'complete']),
    calendars: shortTexts(payload, 'calendars', MOST_CALENDARS, LONGEST_URL),
    block: blockOrNull(payload),
    proofSha256: hash(payload, 'proof_sha256'),
  };
}
