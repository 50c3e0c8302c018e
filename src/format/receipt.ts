// The payload of `receipt`: what the gateway vouches for of one exchange with a model, bound to the entries of its call and
// its result, to the run, to the pack, and to a nonce. Signed with the gateway's key; every member is under the
// signature. The commitments are to the bytes as they went over the wire, under a key that goes with the session.
// spec/receipt.md is the specification.
import { type Json, type JsonObject, ParseError } from '../core/index.ts';
import { type ClientCall, encodeClientCall, parseClientCall } from './client-run.ts';
import {
  count,
  cut,
  exactly,
  flag,
  hash,
  moment,
  object,
  oneOf,
  orNull,
  seq,
  shortText,
  signature,
} from './members.ts';
import { encodeTokens, MODEL_OUTCOMES, type ModelOutcome, parseTokens, type Tokens } from './model.ts';

/** An entry, by its place and its bytes. */
export interface Bound {
  readonly seq: number;
  readonly hash: string;
}

/** HMAC-SHA256 under the receipt's key of `request\n` or `response\n` and the bytes. */
export interface WireCommitment {
  /** 64 hex digits. */
  readonly commitment: string;
  readonly bytes: number;
}

export interface Receipt {
  /** `<seq of the call>-<32 hex digits>`. */
  readonly id: string;
  /** The session. */
  readonly run: string;
  /** `model.call`. */
  readonly call: Bound;
  /** `model.result`. */
  readonly event: Bound;
  /** Hash of the harness pack; null where the run has none. */
  readonly pack: string | null;
  /** Only in a receipt of an independent gateway: version 3, or version 2 where the call has no number. */
  readonly client?: ClientCall;
  /** The client's, or the id. */
  readonly nonce: string;
  readonly provider: string;
  readonly upstream: string;
  readonly api: string;
  readonly model: string | null;
  readonly modelAnswered: string | null;
  /** Those of one value each. */
  readonly parameters: Readonly<Record<string, Scalar>>;
  readonly request: WireCommitment;
  /** `complete`: the body came to its end. */
  readonly response: WireCommitment & { readonly complete: boolean };
  readonly status: number | null;
  readonly result: ModelOutcome;
  readonly stopReason: string | null;
  readonly tokens: Tokens;
  /** How many tools the model asked for. In version 3 alone. */
  readonly toolUses?: number;
  readonly latencyMs: number;
  readonly firstByteMs: number | null;
  /** The upstream's id of the exchange. */
  readonly requestId: string | null;
  readonly issued: string;
}

export type Scalar = string | number | boolean | null;

export interface SignedReceipt extends Receipt {
  readonly keyVersion: number;
  /** Base64. */
  readonly signature: string;
}

/** Version 2 has `client` besides, and version 3 a number in it and `tool_uses`. */
const VERSION = 1;
const CLIENT_VERSION = 2;
const NUMBERED_VERSION = 3;
const LONGEST = 2048;
const LONGEST_NONCE = 128;
const MOST_PARAMETERS = 32;
const LONGEST_PARAMETER = 256;
const ID = /^[1-9]\d{0,15}-[0-9a-f]{32}$/;
const NONCE = /^[A-Za-z0-9._~:-]{8,128}$/;

const MEMBERS = [
  'v',
  'id',
  'run',
  'call',
  'event',
  'pack',
  'nonce',
  'provider',
  'upstream',
  'api',
  'model',
  'model_answered',
  'parameters',
  'request',
  'response',
  'status',
  'result',
  'stop_reason',
  'tokens',
  'latency_ms',
  'first_byte_ms',
  'request_id',
  'issued',
  'key_version',
  'signature',
];

/** The seq of the call that it begins with. Throws ParseError. */
export function parseReceiptId(text: string): number {
  if (!ID.test(text)) throw new ParseError('MALFORMED', 'not the id of a receipt', 'id');
  return Number(text.slice(0, text.indexOf('-')));
}

/** A nonce that a client may give: none that could be an id of ours. */
export function isNonce(text: string): boolean {
  return NONCE.test(text) && !ID.test(text);
}

/** The scalar members of a request's parameters, as many and as long as a receipt takes. */
export function receiptParameters(parameters: JsonObject): Readonly<Record<string, Scalar>> {
  // In the order of canonical JSON, so that it is the same before it is written and after.
  const scalars = Object.entries(parameters)
    .filter((member): member is [string, Scalar] => isScalar(member[1]) && member[0].length <= 64)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    scalars
      .slice(0, MOST_PARAMETERS)
      .map(([name, value]) => [name, typeof value === 'string' ? cut(value, LONGEST_PARAMETER) : value]),
  );
}

/** What is to be signed: everything but the signature; with one, what is written. In the order of canonical JSON. */
export function encodeReceipt(receipt: Receipt, keyVersion: number, signature?: string): JsonObject {
  const { call, event, request, response } = receipt;
  return {
    api: receipt.api,
    call: { hash: call.hash, seq: call.seq },
    ...(receipt.client === undefined ? {} : { client: encodeClientCall(receipt.client) }),
    event: { hash: event.hash, seq: event.seq },
    first_byte_ms: receipt.firstByteMs,
    id: receipt.id,
    issued: receipt.issued,
    key_version: keyVersion,
    latency_ms: receipt.latencyMs,
    model: receipt.model,
    model_answered: receipt.modelAnswered,
    nonce: receipt.nonce,
    pack: receipt.pack,
    parameters: { ...receipt.parameters },
    provider: receipt.provider,
    request: { bytes: request.bytes, commitment: request.commitment },
    request_id: receipt.requestId,
    response: { bytes: response.bytes, commitment: response.commitment, complete: response.complete },
    result: receipt.result,
    run: receipt.run,
    ...(signature === undefined ? {} : { signature }),
    status: receipt.status,
    stop_reason: receipt.stopReason,
    tokens: encodeTokens(receipt.tokens),
    ...(receipt.toolUses === undefined ? {} : { tool_uses: receipt.toolUses }),
    upstream: receipt.upstream,
    v: versionOf(receipt.client),
  };
}

function versionOf(client: ClientCall | undefined): number {
  if (client === undefined) return VERSION;
  return client.call === undefined ? CLIENT_VERSION : NUMBERED_VERSION;
}

export function parseReceipt(payload: JsonObject): SignedReceipt {
  const isNumbered = payload.v === NUMBERED_VERSION;
  const hasClient = isNumbered || payload.v === CLIENT_VERSION;
  exactly(payload, [...MEMBERS, ...(hasClient ? ['client'] : []), ...(isNumbered ? ['tool_uses'] : [])]);
  if (payload.v !== VERSION && !hasClient)
    throw new ParseError('UNKNOWN_VERSION', 'only versions 1, 2 and 3 are known', 'payload.v');
  const client = hasClient ? parseClientCall(payload) : undefined;
  if (payload.v !== versionOf(client))
    throw new ParseError('BAD_MEMBER', 'not of this version', 'payload.client');
  const id = shortText(payload, 'id', 64);
  parseReceiptId(id);
  const nonce = shortText(payload, 'nonce', LONGEST_NONCE);
  if (nonce !== id && !isNonce(nonce)) throw new ParseError('BAD_MEMBER', 'not a nonce', 'payload.nonce');
  const word = (name: string): string | null =>
    orNull(payload, name, () => shortText(payload, name, LONGEST));
  const number = (name: string): number | null => orNull(payload, name, () => count(payload, name));
  const [request, response] = [object(payload, 'request'), object(payload, 'response')];
  exactly(request, ['commitment', 'bytes'], 'payload.request');
  exactly(response, ['commitment', 'bytes', 'complete'], 'payload.response');
  return {
    id,
    run: hash(payload, 'run'),
    call: bound(payload, 'call'),
    event: bound(payload, 'event'),
    pack: orNull(payload, 'pack', () => hash(payload, 'pack')),
    ...(client === undefined ? {} : { client }),
    nonce,
    provider: shortText(payload, 'provider', 64),
    upstream: shortText(payload, 'upstream', LONGEST),
    api: shortText(payload, 'api', 64),
    model: word('model'),
    modelAnswered: word('model_answered'),
    parameters: parameters(object(payload, 'parameters')),
    request: wire(request, 'payload.request'),
    response: {
      ...wire(response, 'payload.response'),
      complete: flag(response, 'complete', 'payload.response'),
    },
    status: number('status'),
    result: oneOf(payload, 'result', MODEL_OUTCOMES),
    stopReason: word('stop_reason'),
    tokens: parseTokens(object(payload, 'tokens')),
    ...(isNumbered ? { toolUses: count(payload, 'tool_uses') } : {}),
    latencyMs: count(payload, 'latency_ms'),
    firstByteMs: number('first_byte_ms'),
    requestId: word('request_id'),
    issued: moment(payload, 'issued'),
    keyVersion: seq(payload, 'key_version'),
    signature: signature(payload, 'signature'),
  };
}

function bound(payload: JsonObject, name: string): Bound {
  const of = object(payload, name);
  const path = `payload.${name}`;
  exactly(of, ['seq', 'hash'], path);
  return { seq: seq(of, 'seq', path), hash: hash(of, 'hash', path) };
}

function wire(of: JsonObject, path: string): WireCommitment {
  return { commitment: hash(of, 'commitment', path), bytes: count(of, 'bytes', path) };
}

function parameters(of: JsonObject): Readonly<Record<string, Scalar>> {
  const path = 'payload.parameters';
  const members = Object.entries(of);
  if (members.length > MOST_PARAMETERS)
    throw new ParseError('BAD_MEMBER', `more than ${MOST_PARAMETERS}`, path);
  for (const [name, value] of members) {
    if (!isScalar(value)) throw new ParseError('BAD_MEMBER', 'not one value', `${path}.${name}`);
    if (typeof value === 'string') shortText(of, name, LONGEST_PARAMETER, path);
  }
  return of as Readonly<Record<string, Scalar>>;
}

function isScalar(value: Json): value is Scalar {
  return typeof value !== 'object' || value === null;
}
