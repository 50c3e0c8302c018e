// Payloads of what passes between a client and a model: `model.call`, the request before it went upstream;
// `model.tool_use`, a call of a tool that the model asked for, before the client could act on it; `model.tool_result`,
// what a client says became of one; `model.result`, the answer before its end was delivered. Messages are content, each kept once: a call names those that are new and the
// earlier call whose list it goes on from. spec/model.md is the specification.
import { type JsonObject, ParseError } from '../core/index.ts';
import { parseTests } from './check.ts';
import { type ClientCall, encodeClientCall, parseClientCall } from './client-run.ts';
import {
  count,
  cut,
  exactly,
  flag,
  hash,
  object,
  objects,
  oneOf,
  orNull,
  seq,
  shortText,
} from './members.ts';
import type { Kept, TestCounts } from './recorded.ts';

/** A message as a call tells of it. */
export interface KeptMessage {
  readonly role: string;
  readonly kept: Kept;
}

/** A request's messages: the first `kept` of entry `base`, then `added`. */
export interface Manifest {
  readonly base: number | null;
  readonly kept: number;
  /** All of them. */
  readonly count: number;
  /** Null where they are too many for a line: then `more` is a list of the same form. */
  readonly added: readonly KeptMessage[] | null;
  readonly more: Kept | null;
}

export interface ModelCall {
  readonly provider: string;
  readonly api: string;
  /** Scheme, host and port. */
  readonly upstream: string;
  readonly method: string;
  /** Without the query, which may hold a key. */
  readonly path: string;
  readonly model: string | null;
  readonly stream: boolean;
  /** Small members of the request, as they are or as a reference. */
  readonly parameters: JsonObject;
  /** Of the newest message that the model was sent. */
  readonly promptHash: string | null;
  readonly messages: Manifest | null;
  readonly toolsHash: string | null;
  /** Only where they are new in this session. */
  readonly tools: Kept | null;
  /** As sent. */
  readonly requestBytes: number;
  /** Of the receipt that the answer will have; null where nobody signs one. */
  readonly receiptId: string | null;
  /** The client's own word for this call, never to be used again; null where it gave none. */
  readonly nonce: string | null;
  /** Only on record at an independent gateway: whose call it is. */
  readonly client?: ClientCall;
  /** The independent gateway that it goes through, where it does. */
  readonly through?: string;
}

export interface ModelToolUse {
  readonly toolUseId: string | null;
  readonly tool: string;
  readonly inputHash: string | null;
  readonly inputBytes: number;
  /** False where the model was cut off within it, or wrote what is no JSON. */
  readonly whole: boolean;
}

/** What the model is told of a call that it asked for, where that is new. */
export interface ModelToolResult {
  readonly toolUseId: string;
  /** Null where the API has no word for it. */
  readonly error: boolean | null;
  /** As the output reports them. */
  readonly tests: TestCounts | null;
}

export const MODEL_OUTCOMES = ['ok', 'error', 'incomplete', 'aborted', 'unanswered'] as const;
/** `incomplete`: the upstream stopped before the end; `aborted`: the client did; `unanswered`: no answer began. */
export type ModelOutcome = (typeof MODEL_OUTCOMES)[number];

export const UNDERSTOOD = ['whole', 'part', 'none'] as const;
/** How much of an answer could be read. All of it was forwarded either way. */
export type Understood = (typeof UNDERSTOOD)[number];

export interface Tokens {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly reasoning: number | null;
}

export interface ModelResult {
  readonly result: ModelOutcome;
  readonly errorCode: string | null;
  /** Of the upstream's HTTP answer. */
  readonly status: number | null;
  /** As the answer names it. */
  readonly model: string | null;
  readonly responseId: string | null;
  /** The upstream's own id of the exchange. */
  readonly requestId: string | null;
  readonly stopReason: string | null;
  readonly tokens: Tokens;
  readonly response: Kept | null;
  readonly understood: Understood;
  /** Entries of `model.tool_use`. */
  readonly toolUses: number;
  /** As delivered, before any decoding. */
  readonly wireBytes: number;
  readonly encoding: string | null;
  /** Of the request: 2 where an idle connection turned out to be dead. */
  readonly attempts: number;
  readonly durationMs: number;
  readonly firstByteMs: number | null;
}

export const NO_TOKENS: Tokens = {
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
};

const LONGEST = 2048;
const TRACES = ['redacted', 'lossy'];
/** Of a call: only where there is something to say. */
const LATER = ['client', 'through'];
const MOST_ADDED = 1024;

export function encodeMessage({ role, kept }: KeptMessage): JsonObject {
  return { bytes: kept.bytes, content: kept.ref, hash: kept.hash, role: cut(role, 64) };
}

// Members here and below are in the order of canonical JSON: so it is written far quicker.
export function encodeModelCall(call: ModelCall): JsonObject {
  const { messages, tools } = call;
  return {
    api: call.api,
    ...(call.client === undefined ? {} : { client: encodeClientCall(call.client) }),
    messages:
      messages === null
        ? null
        : {
            added: messages.added?.map(encodeMessage) ?? null,
            base: messages.base,
            count: messages.count,
            kept: messages.kept,
            more: messages.more?.ref ?? null,
            more_hash: messages.more?.hash ?? null,
          },
    method: call.method,
    model: call.model,
    nonce: call.nonce,
    parameters: call.parameters,
    path: call.path,
    prompt_hash: call.promptHash,
    provider: call.provider,
    receipt_id: call.receiptId,
    request_bytes: call.requestBytes,
    stream: call.stream,
    ...(call.through === undefined ? {} : { through: call.through }),
    tools: tools?.ref ?? null,
    tools_hash: call.toolsHash,
    upstream: call.upstream,
  };
}

export function parseModelCall(payload: JsonObject): Omit<ModelCall, 'messages' | 'tools'> {
  exactlyTraced(payload, [
    'provider',
    'api',
    'upstream',
    'method',
    'path',
    'model',
    'stream',
    'parameters',
    'prompt_hash',
    'messages',
    'tools_hash',
    'tools',
    'request_bytes',
    'receipt_id',
    'nonce',
    ...LATER.filter((name) => Object.hasOwn(payload, name)),
  ]);
  if (payload.messages !== null) assertManifest(object(payload, 'messages'));
  if (payload.tools !== null) object(payload, 'tools');
  return {
    provider: shortText(payload, 'provider', 64),
    api: shortText(payload, 'api', 64),
    upstream: shortText(payload, 'upstream', LONGEST),
    method: shortText(payload, 'method', 64),
    path: shortText(payload, 'path', 2 * LONGEST),
    model: orNull(payload, 'model', () => shortText(payload, 'model', LONGEST)),
    stream: flag(payload, 'stream'),
    parameters: object(payload, 'parameters'),
    promptHash: orNull(payload, 'prompt_hash', () => hash(payload, 'prompt_hash')),
    toolsHash: orNull(payload, 'tools_hash', () => hash(payload, 'tools_hash')),
    requestBytes: count(payload, 'request_bytes'),
    receiptId: orNull(payload, 'receipt_id', () => shortText(payload, 'receipt_id', 64)),
    nonce: orNull(payload, 'nonce', () => shortText(payload, 'nonce', 128)),
    ...(Object.hasOwn(payload, 'client') ? { client: parseClientCall(payload) } : {}),
    ...(Object.hasOwn(payload, 'through') ? { through: shortText(payload, 'through', LONGEST) } : {}),
  };
}

export function encodeModelToolUse(use: ModelToolUse): JsonObject {
  return {
    input_bytes: use.inputBytes,
    input_hash: use.inputHash,
    tool: use.tool,
    tool_use_id: use.toolUseId,
    whole: use.whole,
  };
}

export function parseModelToolUse(payload: JsonObject): ModelToolUse {
  exactlyTraced(payload, ['tool_use_id', 'tool', 'input_hash', 'input_bytes', 'whole']);
  return {
    toolUseId: orNull(payload, 'tool_use_id', () => shortText(payload, 'tool_use_id', LONGEST)),
    tool: shortText(payload, 'tool', LONGEST),
    inputHash: orNull(payload, 'input_hash', () => hash(payload, 'input_hash')),
    inputBytes: count(payload, 'input_bytes'),
    whole: flag(payload, 'whole'),
  };
}

export function encodeModelToolResult(result: ModelToolResult): JsonObject {
  return {
    tool_use_id: result.toolUseId,
    error: result.error,
    tests: result.tests === null ? null : { ...result.tests },
  };
}

export function parseModelToolResult(payload: JsonObject): ModelToolResult {
  exactlyTraced(payload, ['tool_use_id', 'error', 'tests']);
  return {
    toolUseId: shortText(payload, 'tool_use_id', LONGEST),
    error: orNull(payload, 'error', () => flag(payload, 'error')),
    tests: orNull(payload, 'tests', () => parseTests(object(payload, 'tests'))),
  };
}

export function encodeModelResult(result: ModelResult): JsonObject {
  const { response } = result;
  return {
    attempts: result.attempts,
    duration_ms: result.durationMs,
    encoding: result.encoding,
    error_code: result.errorCode,
    first_byte_ms: result.firstByteMs,
    model: result.model,
    request_id: result.requestId,
    response: response?.ref ?? null,
    response_bytes: response?.bytes ?? null,
    response_hash: response?.hash ?? null,
    response_id: result.responseId,
    result: result.result,
    status: result.status,
    stop_reason: result.stopReason,
    tokens: encodeTokens(result.tokens),
    tool_uses: result.toolUses,
    understood: result.understood,
    wire_bytes: result.wireBytes,
  };
}

export function parseModelResult(payload: JsonObject): Omit<ModelResult, 'response'> & {
  readonly responseHash: string | null;
} {
  // Those of its interaction are parseInteraction's.
  const { sequence: _, prompt_hash: __, chain_hash: ___, ...members } = payload;
  exactlyTraced(members, [
    'result',
    'error_code',
    'status',
    'model',
    'response_id',
    'request_id',
    'stop_reason',
    'tokens',
    'response',
    'response_hash',
    'response_bytes',
    'understood',
    'tool_uses',
    'wire_bytes',
    'encoding',
    'attempts',
    'duration_ms',
    'first_byte_ms',
  ]);
  const word = (name: string): string | null =>
    orNull(payload, name, () => shortText(payload, name, LONGEST));
  const number = (name: string): number | null => orNull(payload, name, () => count(payload, name));
  if (payload.response !== null) object(payload, 'response');
  number('response_bytes');
  return {
    result: oneOf(payload, 'result', MODEL_OUTCOMES),
    errorCode: word('error_code'),
    status: number('status'),
    model: word('model'),
    responseId: word('response_id'),
    requestId: word('request_id'),
    stopReason: word('stop_reason'),
    tokens: parseTokens(object(payload, 'tokens')),
    responseHash: orNull(payload, 'response_hash', () => hash(payload, 'response_hash')),
    understood: oneOf(payload, 'understood', UNDERSTOOD),
    toolUses: count(payload, 'tool_uses'),
    wireBytes: count(payload, 'wire_bytes'),
    encoding: word('encoding'),
    attempts: count(payload, 'attempts'),
    durationMs: count(payload, 'duration_ms'),
    firstByteMs: number('first_byte_ms'),
  };
}

export function encodeTokens({ input, output, cacheRead, cacheWrite, reasoning }: Tokens): JsonObject {
  return { cache_read: cacheRead, cache_write: cacheWrite, input, output, reasoning };
}

export function parseTokens(tokens: JsonObject): Tokens {
  const path = 'payload.tokens';
  exactly(tokens, ['input', 'output', 'cache_read', 'cache_write', 'reasoning'], path);
  const number = (name: string): number | null => orNull(tokens, name, () => count(tokens, name, path));
  return {
    input: number('input'),
    output: number('output'),
    cacheRead: number('cache_read'),
    cacheWrite: number('cache_write'),
    reasoning: number('reasoning'),
  };
}

function assertManifest(messages: JsonObject): void {
  const path = 'payload.messages';
  exactly(messages, ['base', 'kept', 'count', 'added', 'more', 'more_hash'], path);
  orNull(messages, 'base', () => seq(messages, 'base', path));
  const kept = count(messages, 'kept', path);
  const all = count(messages, 'count', path);
  if (kept > 0 && messages.base === null)
    throw new ParseError('BAD_MEMBER', 'some are kept from no entry', `${path}.kept`);
  orNull(messages, 'more_hash', () => hash(messages, 'more_hash', path));
  if (messages.more !== null) object(messages, 'more', path);
  if (messages.added === null) return;
  const added = objects(messages, 'added', MOST_ADDED, path);
  if (kept + added.length !== all) throw new ParseError('BAD_MEMBER', 'not their number', `${path}.count`);
  for (const [i, each] of added.entries()) {
    const place = `${path}.added[${i}]`;
    exactly(each, ['role', 'hash', 'bytes', 'content'], place);
    shortText(each, 'role', 64, place);
    hash(each, 'hash', place);
    count(each, 'bytes', place);
    if (each.content !== null) object(each, 'content', place);
  }
}

/** What redaction did may stand there, too. */
function exactlyTraced(payload: JsonObject, names: readonly string[]): void {
  exactly(payload, [...names, ...TRACES.filter((name) => Object.hasOwn(payload, name))]);
}
