// What stands in the payloads of a run's events, kind by kind: exactly these members. spec/run.md. The seed's tool record
// and snapshot keep their names.
import { isHash, type Json, type JsonObject, ParseError } from '../core/index.ts';
import { type ContentRef, parseContentRef } from './content.ts';
import { LONGEST_CAPABILITY } from './grants-record.ts';
import {
  asObject,
  count,
  exactly,
  flag,
  hash,
  object,
  objects,
  oneOf,
  orNull,
  seq,
  shortText,
  shortTexts,
} from './members.ts';
import { parseRunEventId, type RunEventKind } from './run-event.ts';
import { encodeRunParent, parseRunParent, type RunParent } from './run-parent.ts';

export const RUN_HASHES = ['keyed-blake3', 'blake3'] as const;
export type RunHashes = (typeof RUN_HASHES)[number];

export interface RunToolFact {
  readonly name: string;
  readonly pure: boolean;
  readonly idempotent: boolean;
  readonly limits: { readonly ms: number; readonly outputBytes: number };
  /** What every call of it needs, as it says; null where that depends on the input, or is not on record. */
  readonly required: readonly string[] | null;
  /** Null for a tool that runs in the program itself. */
  readonly cell: RunCellFact | null;
}

export interface RunCellFact {
  /** The module that exports the tool, as the bundle names it. */
  readonly module: string;
  readonly fuel: number;
  readonly memoryBytes: number;
}

export interface RunCode {
  /** SHA-256 of the bundle. */
  readonly root: string;
  readonly entry: string;
  readonly files: number;
  readonly bytes: number;
  readonly bundle: ContentRef;
}

export interface AgentInit {
  readonly agent: string;
  /** Each as it was written; a denial has `!` before it. */
  readonly capabilities: readonly string[];
  readonly capabilitiesHash: string | null;
  /** Of the work tree: relative scopes begin there. */
  readonly root: string;
  readonly tools: readonly RunToolFact[];
  readonly code: RunCode;
  readonly limits: { readonly calls: number; readonly events: number };
  readonly hashes: RunHashes;
  readonly node: string;
  /** Random, part of the keys of its calls; null in runs that began before there was one. */
  readonly nonce: string | null;
  /** What the run was told besides its observations: the agent gets them with `init` and `decide`. */
  readonly parameters: JsonObject;
  /** Null for a run that begins by itself. */
  readonly parent: RunParent | null;
}

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

const MOST_TOOLS = 256;
export const LONGEST_TOOL = 128;
const LONGEST_TEXT = 4096;
const LONGEST_ROOT = 1024;
export const LONGEST_KEY = 512;
const MOST_CAPABILITIES = 2000;
/** Needs of one call. */
export const MOST_NEEDS = 64;
const ROOT = 'event.payload';

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

export function encodeAgentInit(init: AgentInit, bundle: JsonObject): JsonObject {
  const { code, tools, nonce, parameters, parent } = init;
  return {
    agent: init.agent,
    capabilities: init.capabilities,
    capabilities_hash: init.capabilitiesHash,
    root: init.root,
    tools: tools.map(encodeToolFact),
    code: { root: code.root, entry: code.entry, files: code.files, bytes: code.bytes, bundle },
    limits: { calls: init.limits.calls, events: init.limits.events },
    hashes: init.hashes,
    node: init.node,
    ...(nonce === null ? {} : { nonce }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(parent === null ? {} : { parent: encodeRunParent(parent) }),
  };
}

export function encodeToolFact({ name, pure, idempotent, limits, required, cell }: RunToolFact): JsonObject {
  return {
    name,
    pure,
    idempotent,
    limits: { ms: limits.ms, output_bytes: limits.outputBytes },
    ...(required === null ? {} : { required_capabilities: required }),
    ...(cell === null
      ? {}
      : { cell: { module: cell.module, fuel: cell.fuel, memory_bytes: cell.memoryBytes } }),
  };
}

const INIT = 'agent capabilities capabilities_hash root tools code limits hashes node'.split(' ');

/** Where a run has none of them, they are left out. */
const INIT_AT_NEED = ['nonce', 'parameters', 'parent'];

function parseAgentInit(payload: JsonObject): AgentInit {
  const has = INIT_AT_NEED.filter((name) => Object.hasOwn(payload, name));
  exactly(payload, [...INIT, ...has], ROOT);
  const limits = object(payload, 'limits', ROOT);
  exactly(limits, ['calls', 'events'], `${ROOT}.limits`);
  return {
    agent: shortText(payload, 'agent', LONGEST_TOOL, ROOT),
    capabilities: shortTexts(payload, 'capabilities', MOST_CAPABILITIES, LONGEST_CAPABILITY + 1, ROOT),
    capabilitiesHash: orNull(payload, 'capabilities_hash', () => hash(payload, 'capabilities_hash', ROOT)),
    root: shortText(payload, 'root', LONGEST_ROOT, ROOT),
    tools: objects(payload, 'tools', MOST_TOOLS, ROOT).map(parseToolFact),
    code: parseCode(object(payload, 'code', ROOT)),
    limits: {
      calls: count(limits, 'calls', `${ROOT}.limits`),
      events: count(limits, 'events', `${ROOT}.limits`),
    },
    hashes: oneOf(payload, 'hashes', RUN_HASHES, ROOT),
    node: shortText(payload, 'node', LONGEST_TOOL, ROOT),
    nonce: has.includes('nonce') ? hash(payload, 'nonce', ROOT) : null,
    parameters: has.includes('parameters') ? parseParameters(object(payload, 'parameters', ROOT)) : {},
    parent: has.includes('parent') ? parseRunParent(object(payload, 'parent', ROOT), `${ROOT}.parent`) : null,
  };
}

/** One form for none: the member is left out. */
function parseParameters(value: JsonObject): JsonObject {
  if (Object.keys(value).length === 0) throw new ParseError('BAD_MEMBER', 'empty', `${ROOT}.parameters`);
  return value;
}

/** Left out of a tool that runs in the program itself, or whose needs follow from its input. */
const TOOL_AT_NEED = ['required_capabilities', 'cell'];

function parseToolFact(value: JsonObject, at: number): RunToolFact {
  const path = `${ROOT}.tools[${at}]`;
  const has = TOOL_AT_NEED.filter((name) => Object.hasOwn(value, name));
  exactly(value, ['name', 'pure', 'idempotent', 'limits', ...has], path);
  const limits = object(value, 'limits', path);
  exactly(limits, ['ms', 'output_bytes'], `${path}.limits`);
  return {
    name: shortText(value, 'name', LONGEST_TOOL, path),
    pure: flag(value, 'pure', path),
    idempotent: flag(value, 'idempotent', path),
    limits: {
      ms: count(limits, 'ms', `${path}.limits`),
      outputBytes: count(limits, 'output_bytes', `${path}.limits`),
    },
    required: has.includes('required_capabilities') ? parseNeeds(value, path) : null,
    cell: has.includes('cell') ? parseCellFact(object(value, 'cell', path), `${path}.cell`) : null,
  };
}

/** Every tool needs something. */
function parseNeeds(value: JsonObject, path: string): readonly string[] {
  const needs = shortTexts(value, 'required_capabilities', MOST_NEEDS, LONGEST_CAPABILITY, path);
  if (needs.length === 0) throw new ParseError('BAD_MEMBER', 'empty', `${path}.required_capabilities`);
  return needs;
}

function parseCellFact(value: JsonObject, path: string): RunCellFact {
  exactly(value, ['module', 'fuel', 'memory_bytes'], path);
  return {
    module: shortText(value, 'module', LONGEST_ROOT, path),
    fuel: count(value, 'fuel', path),
    memoryBytes: count(value, 'memory_bytes', path),
  };
}

function parseCode(value: JsonObject): RunCode {
  const path = `${ROOT}.code`;
  exactly(value, ['root', 'entry', 'files', 'bytes', 'bundle'], path);
  const bundle = parseContentRef(object(value, 'bundle', path), `${path}.bundle`);
  const bytes = count(value, 'bytes', path);
  if (bytes !== bundle.bytes) throw new ParseError('BAD_MEMBER', 'not those of the bundle', `${path}.bytes`);
  return {
    root: hash(value, 'root', path),
    entry: shortText(value, 'entry', LONGEST_ROOT, path),
    files: count(value, 'files', path),
    bytes,
    bundle,
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
