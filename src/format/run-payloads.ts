// What stands in the payloads of a run's events, kind by kind: exactly these members. spec/run.md. The seed's tool record
// and snapshot keep their names.
import { isHash, type Json, type JsonObject, ParseError } from '../core/index.ts';
import { type AgentInit, LONGEST_TOOL, MOST_NEEDS, parseAgentInit, ROOT } from './agent-init.ts';
import { type ContentRef, parseContentRef } from './content.ts';
import { LONGEST_CAPABILITY } from './grants-record.ts';
import {
  asObject,
  count,
  exactly,
  flag,
  hash,
  object,
  oneOf,
  orNull,
  seq,
  shortText,
  shortTexts,
} from './members.ts';
import { parseRunEventId, type RunEventKind } from './run-event.ts';

export type RunAction =
  | { readonly type: 'call'; readonly tool: string; readonly input: Json }
  | { readonly type: 'wait' }
  | { readonly type: 'finish'; readonly result: Json }
  | { readonly type: 'fail'; readonly reason: string };

export interface ToolRequest {
  readonly tool: string;
  readonly input: Json;
  readonly required: readonly string[];
  readonly granted: readonly string[];
}

export const RESULT_OUTCOMES = ['ok', 'error', 'time', 'output', 'fuel', 'unknown'] as const;
export type ResultOutcome = (typeof RESULT_OUTCOMES)[number];
export const DENIAL_CODES = [
  'NOT_GRANTED',
  'BAD_INPUT',
  'UNKNOWN_TOOL',
  'CALL_LIMIT',
  'NOT_RECORDED',
  'STOPPED',
] as const;
export type DenialCode = (typeof DENIAL_CODES)[number];
export const SNAPSHOT_REASONS = ['first', 'count', 'bytes', 'patch', 'last'] as const;
export type SnapshotReason = (typeof SNAPSHOT_REASONS)[number];
export const FINAL_OUTCOMES = ['finished', 'failed', 'stopped'] as const;
export type FinalOutcome = (typeof FINAL_OUTCOMES)[number];

export interface MemoryVersion {
  readonly nodeId: number;
  readonly counter: number;
}

export interface SnapshotFact {
  readonly reason: SnapshotReason;
  readonly stateHash: string;
  /** Where `AgentInit` stands in the ledger. */
  readonly initSeq: number;
  readonly bytes: number;
  readonly snapshot: ContentRef | null;
}

/** What one call took. */
export interface CallUsage {
  readonly ms: number;
  readonly outputBytes: number;
  /** Null where it was not measured. */
  readonly fuel: number | null;
}

/** What a whole run took, as its last event says. */
export interface FinalUsage {
  readonly calls: number;
  readonly denials: number;
  readonly ms: number;
  readonly outputBytes: number;
}

/** What a judge must know of a payload, by kind. */
export type RunPayload =
  | { readonly kind: 'AgentInit'; readonly init: AgentInit }
  | { readonly kind: 'Decision'; readonly action: RunAction }
  | { readonly kind: 'ToolCall'; readonly request: ToolRequest }
  | {
      readonly kind: 'ToolResult';
      readonly tool: string;
      readonly outcome: ResultOutcome;
      readonly output: Json;
      readonly error: string | null;
      readonly usage: CallUsage;
    }
  | {
      readonly kind: 'Denial';
      readonly request: ToolRequest;
      readonly code: DenialCode;
      readonly reason: string;
    }
  | { readonly kind: 'MemoryWrite'; readonly key: string; readonly version: MemoryVersion }
  | { readonly kind: 'Snapshot'; readonly fact: SnapshotFact }
  | { readonly kind: 'Recovery'; readonly at: number; readonly inDoubt: string | null }
  | {
      readonly kind: 'Final';
      readonly outcome: FinalOutcome;
      readonly reason: string | null;
      readonly result: Json;
      readonly usage: FinalUsage;
    }
  | { readonly kind: 'Observation' };
const LONGEST_TEXT = 4096;
export const LONGEST_KEY = 512;

/** Throws ParseError. */
export function parseRunPayload(kind: RunEventKind, payload: JsonObject): RunPayload {
  switch (kind) {
    case 'AgentInit':
      return { kind, init: parseAgentInit(payload) };
    case 'Observation':
      exactly(payload, ['value'], ROOT);
      return { kind };
    case 'Decision':
      exactly(payload, ['action'], ROOT);
      return { kind, action: parseRunAction(object(payload, 'action', ROOT)) };
    case 'ToolCall':
      exactly(payload, REQUEST, ROOT);
      return { kind, request: parseRequest(payload) };
    case 'Denial':
      exactly(payload, [...REQUEST, 'code', 'denial_reason'], ROOT);
      return {
        kind,
        request: parseRequest(payload),
        code: oneOf(payload, 'code', DENIAL_CODES, ROOT),
        reason: shortText(payload, 'denial_reason', LONGEST_TEXT, ROOT),
      };
    case 'ToolResult':
      return parseToolResult(payload);
    case 'MemoryWrite':
      return parseMemoryWrite(payload);
    case 'Snapshot':
      return { kind, fact: parseSnapshotFact(payload) };
    case 'Recovery':
      return parseRecovery(payload);
    case 'Final':
      return parseFinal(payload);
  }
}

const REQUEST = ['tool_id', 'input', 'required_capabilities', 'granted_capabilities'];

export function encodeRequest({ tool, input, required, granted }: ToolRequest): JsonObject {
  return { granted_capabilities: granted, input, required_capabilities: required, tool_id: tool };
}

function parseRequest(payload: JsonObject): ToolRequest {
  return {
    tool: shortText(payload, 'tool_id', LONGEST_TOOL, ROOT),
    input: payload.input as Json,
    required: shortTexts(payload, 'required_capabilities', MOST_NEEDS, LONGEST_CAPABILITY, ROOT),
    granted: shortTexts(payload, 'granted_capabilities', MOST_NEEDS, LONGEST_CAPABILITY, ROOT),
  };
}

/** Exactly one of the four forms. Throws ParseError. */
export function parseRunAction(value: JsonObject, path = `${ROOT}.action`): RunAction {
  if (Object.hasOwn(value, 'call')) {
    exactly(value, ['call', 'input'], path);
    return { type: 'call', tool: shortText(value, 'call', LONGEST_TOOL, path), input: value.input as Json };
  }
  if (Object.hasOwn(value, 'wait')) {
    exactly(value, ['wait'], path);
    if (value.wait === true) return { type: 'wait' };
  } else if (Object.hasOwn(value, 'finish')) {
    exactly(value, ['finish'], path);
    return { type: 'finish', result: value.finish as Json };
  } else if (Object.hasOwn(value, 'fail')) {
    exactly(value, ['fail'], path);
    return { type: 'fail', reason: shortText(value, 'fail', LONGEST_TEXT, path) };
  }
  throw new ParseError('BAD_MEMBER', 'none of call, wait, finish, fail', path);
}

const RESULT = ['tool_id', 'output', 'success', 'outcome', 'error', 'fuel_consumed', 'usage'];

function parseToolResult(payload: JsonObject): RunPayload {
  exactly(payload, RESULT, ROOT);
  const usage = object(payload, 'usage', ROOT);
  exactly(usage, ['ms', 'output_bytes'], `${ROOT}.usage`);
  const ms = count(usage, 'ms', `${ROOT}.usage`);
  const outputBytes = count(usage, 'output_bytes', `${ROOT}.usage`);
  const fuel = orNull(payload, 'fuel_consumed', () => count(payload, 'fuel_consumed', ROOT));
  const error = orNull(payload, 'error', () => shortText(payload, 'error', LONGEST_TEXT, ROOT));
  const outcome = oneOf(payload, 'outcome', RESULT_OUTCOMES, ROOT);
  const output = payload.output as Json;
  const isOk = outcome === 'ok';
  const agrees = {
    success: flag(payload, 'success', ROOT) === isOk,
    error: (error === null) === isOk,
    output: isOk || output === null,
  };
  for (const [name, does] of Object.entries(agrees))
    if (!does) throw new ParseError('BAD_MEMBER', 'not what the outcome says', `${ROOT}.${name}`);
  const tool = shortText(payload, 'tool_id', LONGEST_TOOL, ROOT);
  return { kind: 'ToolResult', tool, outcome, output, error, usage: { ms, outputBytes, fuel } };
}

function parseMemoryWrite(payload: JsonObject): RunPayload {
  exactly(payload, ['key', 'value', 'version'], ROOT);
  return {
    kind: 'MemoryWrite',
    key: shortText(payload, 'key', LONGEST_KEY, ROOT),
    version: parseVersion(object(payload, 'version', ROOT), `${ROOT}.version`),
  };
}

export function parseVersion(value: JsonObject, path: string): MemoryVersion {
  exactly(value, ['node_id', 'counter'], path);
  return { nodeId: count(value, 'node_id', path), counter: seq(value, 'counter', path) };
}

function parseSnapshotFact(payload: JsonObject): SnapshotFact {
  exactly(payload, ['reason', 'state_hash', 'init_seq', 'bytes', 'snapshot'], ROOT);
  return {
    reason: oneOf(payload, 'reason', SNAPSHOT_REASONS, ROOT),
    stateHash: hash(payload, 'state_hash', ROOT),
    initSeq: seq(payload, 'init_seq', ROOT),
    bytes: count(payload, 'bytes', ROOT),
    snapshot: orNull(payload, 'snapshot', () =>
      parseContentRef(asObject(payload.snapshot, `${ROOT}.snapshot`), `${ROOT}.snapshot`),
    ),
  };
}

function parseRecovery(payload: JsonObject): RunPayload {
  exactly(payload, ['at', 'in_doubt'], ROOT);
  const inDoubt = orNull(payload, 'in_doubt', () => shortText(payload, 'in_doubt', LONGEST_TOOL, ROOT));
  const named = inDoubt === null ? null : parseRunEventId(inDoubt);
  if (inDoubt !== null && (named === null || !isHash(named.run)))
    throw new ParseError('BAD_MEMBER', 'not the id of an event', `${ROOT}.in_doubt`);
  return { kind: 'Recovery', at: count(payload, 'at', ROOT), inDoubt };
}

function parseFinal(payload: JsonObject): RunPayload {
  exactly(payload, ['outcome', 'reason', 'result', 'usage'], ROOT);
  const usage = object(payload, 'usage', ROOT);
  const path = `${ROOT}.usage`;
  exactly(usage, ['calls', 'denials', 'ms', 'output_bytes'], path);
  return {
    kind: 'Final',
    outcome: oneOf(payload, 'outcome', FINAL_OUTCOMES, ROOT),
    reason: orNull(payload, 'reason', () => shortText(payload, 'reason', LONGEST_TEXT, ROOT)),
    result: payload.result as Json,
    usage: {
      calls: count(usage, 'calls', path),
      denials: count(usage, 'denials', path),
      ms: count(usage, 'ms', path),
      outputBytes: count(usage, 'output_bytes', path),
    },
  };
}
