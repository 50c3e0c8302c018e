// The payload of a run's first event: the agent, its capabilities, tools, code and limits. spec/run.md.
import { type JsonObject, ParseError } from '../core/index.ts';
import { type ContentRef, parseContentRef } from './content.ts';
import { LONGEST_CAPABILITY } from './grants-record.ts';
import {
  count,
  exactly,
  flag,
  hash,
  object,
  objects,
  oneOf,
  orNull,
  shortText,
  shortTexts,
} from './members.ts';
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

const MOST_TOOLS = 256;
export const LONGEST_TOOL = 128;
const LONGEST_ROOT = 1024;
const MOST_CAPABILITIES = 2000;
/** Needs of one call. */
export const MOST_NEEDS = 64;
export const ROOT = 'event.payload';

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

export function parseAgentInit(payload: JsonObject): AgentInit {
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
