// Runs whose model calls an independent gateway saw, entry by entry: what tests of receipts and of closings begin with.
import {
  encodeBase64,
  gatewayNonce,
  type JsonObject,
  makeSigner,
  makeVerifierKey,
  receiptMessage,
} from '../../src/core/index.ts';
import {
  type Entry,
  encodeModelCall,
  encodeModelResult,
  encodeReceipt,
  type ModelResult,
  NO_TOKENS,
  type Receipt,
} from '../../src/format/index.ts';

/** Those that receipts alone can't have. */
export const CLOSING_CODES = [
  'GATEWAY_CALLS_UNNUMBERED',
  'GATEWAY_CALL_LEFT_OUT',
  'GATEWAY_CALL_REPEATED',
  'GATEWAY_CLOSING_FORGED',
  'GATEWAY_CLOSING_MALFORMED',
  'GATEWAY_CLOSING_MISSING',
  'GATEWAY_CLOSING_OTHER_CALL',
  'GATEWAY_CLOSING_OTHER_COUNT',
  'GATEWAY_CLOSING_OTHER_END',
  'GATEWAY_CLOSING_OTHER_RUN',
  'GATEWAY_SEVERAL',
  'GATEWAY_TOOL_LAST',
] as const;

export const hash = (digit: string): string => digit.repeat(64);
export const RUN = hash('a');
export const PACK = hash('9');
export const ORIGIN = 'counterfoil/0123456789abcdef';
export const UPSTREAM = 'https://api.anthropic.com';
export const GATEWAY = makeSigner(`${ORIGIN}/gateway`, new Uint8Array(32).fill(7));
export const OTHER = makeSigner(`${ORIGIN}/gateway`, new Uint8Array(32).fill(8));
export const TRUSTED = [{ key: makeVerifierKey(GATEWAY.name, GATEWAY.publicKey), upstreams: [UPSTREAM] }];

export function entry(seq: number, kind: string, cause: number | null, payload: JsonObject): Entry {
  const digits = (of: number): string => of.toString(16).padStart(64, '0');
  const session_id = RUN;
  return {
    v: 1,
    seq,
    ts: '2026-11-17T00:00:00.000Z',
    kind,
    source: 'gateway',
    session_id,
    cause,
    payload,
    prev_hash: digits(seq - 1),
    entry_hash: digits(seq),
  };
}

export function factsOf(call: number, byte: string): Receipt {
  return {
    id: `${call}-${'0'.repeat(32)}`,
    run: RUN,
    call: { seq: call, hash: call.toString(16).padStart(64, '0') },
    event: { seq: call + 1, hash: (call + 1).toString(16).padStart(64, '0') },
    pack: PACK,
    nonce: `${call}-${'0'.repeat(32)}`,
    provider: 'anthropic',
    upstream: UPSTREAM,
    api: 'anthropic.messages',
    model: 'm',
    modelAnswered: 'm-1',
    parameters: {},
    request: { commitment: hash(byte), bytes: 10 },
    response: { commitment: hash(byte), bytes: 20, complete: true },
    status: 200,
    result: 'ok',
    stopReason: 'end_turn',
    tokens: NO_TOKENS,
    latencyMs: 9,
    firstByteMs: 1,
    requestId: null,
    issued: '2026-11-17T00:00:00.000Z',
  };
}

export interface Signing {
  readonly change?: Partial<Receipt>;
  readonly by?: typeof GATEWAY;
  readonly origin?: string;
}

/** As the gateway hands it out for the call at `call`. */
export function theirs(
  call: number,
  byte: string,
  { change = {}, by = GATEWAY, origin = ORIGIN }: Signing = {},
): JsonObject {
  const prevHash = (call - 1).toString(16).padStart(64, '0');
  const receipt = {
    ...factsOf(call, byte),
    ...{ run: hash('c'), pack: null, client: { run: RUN, pack: PACK } },
    nonce: gatewayNonce({ session: RUN, pack: PACK, prevHash }),
    ...(change.client?.call === undefined ? {} : { toolUses: 0 }),
    ...change,
  };
  const message = receiptMessage({ origin, payload: encodeReceipt(receipt, 1) });
  return {
    v: 1,
    origin,
    gateway_key: { version: 1, public_key: hash('b'), certificate: encodeBase64(new Uint8Array(64)) },
    receipt: encodeReceipt(receipt, 1, encodeBase64(by.sign(message))),
  };
}

const SIGNATURE = encodeBase64(new Uint8Array(64));
export const START = entry(2, 'session.start', null, { pack: PACK });

/** A call with its result and the run's own receipt, at three seqs from `at` on. */
export function exchange(
  at: number,
  byte: string,
  own: Partial<Receipt> = {},
  more: Partial<ModelResult> = {},
): Entry[] {
  const call = {
    ...{
      provider: 'anthropic',
      api: 'anthropic.messages',
      upstream: UPSTREAM,
      method: 'POST',
      path: '/v1/messages',
    },
    ...{
      model: 'm',
      stream: false,
      parameters: {},
      promptHash: null,
      messages: null,
      toolsHash: null,
      tools: null,
    },
    ...{
      requestBytes: 10,
      receiptId: `${at}-${'0'.repeat(32)}`,
      nonce: null,
      through: 'https://gw.example:8443',
    },
  };
  const result = {
    ...{
      result: 'ok' as const,
      errorCode: null,
      status: 200,
      model: 'm-1',
      responseId: null,
      requestId: null,
    },
    ...{
      stopReason: 'end_turn',
      tokens: NO_TOKENS,
      response: null,
      understood: 'whole' as const,
      toolUses: 0,
    },
    ...{ wireBytes: 20, encoding: null, attempts: 1, durationMs: 10, firstByteMs: 2 },
    ...more,
  };
  return [
    entry(at, 'model.call', null, encodeModelCall(call)),
    entry(at + 1, 'model.result', at, encodeModelResult(result)),
    entry(at + 2, 'receipt', at + 1, encodeReceipt({ ...factsOf(at, byte), ...own }, 1, SIGNATURE)),
  ];
}

export function kept(seq: number, cause: number | null, payload: JsonObject): Entry {
  return entry(seq, 'gateway.receipt', cause, payload);
}
