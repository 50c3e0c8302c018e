// Does a receipt hold? Who signed it, and whether it says of its call and its result what their entries say. Used for
// every receipt of a ledger, and for one that somebody shows alone.
import { ed25519Verify } from '#platform';
import { gatewayKeyMessage, type JsonObject, parseBase64, parseHex, receiptMessage } from '../core/index.ts';
import {
  type Entry,
  parseModelCall,
  parseModelResult,
  parseReceipt,
  parseValidatorKey,
  receiptParameters,
  type SignedReceipt,
} from '../format/index.ts';

/** Is a gateway's key, as its entry holds it, certified by this key of the ledger? Throws ParseError. */
export function isCertified(origin: string, ledgerKey: Uint8Array, gatewayKey: JsonObject): boolean {
  const { version, publicKey, certificate } = parseValidatorKey(gatewayKey);
  const message = gatewayKeyMessage({ origin, version, publicKey: parseHex(publicKey, 32) });
  return ed25519Verify(ledgerKey, message, parseBase64(certificate));
}

/** Is it signed by this key? Every member counts. Throws ParseError. */
export function isSigned(origin: string, publicKey: Uint8Array, receipt: JsonObject): boolean {
  const { signature } = parseReceipt(receipt);
  return ed25519Verify(publicKey, receiptMessage({ origin, payload: receipt }), parseBase64(signature));
}

/** Why a receipt is not about this call and this result; undefined where it is. Throws ParseError. */
export function misbound(
  receipt: SignedReceipt,
  call: Entry | undefined,
  event: Entry | undefined,
): string | undefined {
  const { run } = receipt;
  if (call === undefined || call.kind !== 'model.call' || call.entry_hash !== receipt.call.hash)
    return `entry ${receipt.call.seq} is not the call that it names`;
  if (event === undefined || event.kind !== 'model.result' || event.entry_hash !== receipt.event.hash)
    return `entry ${receipt.event.seq} is not the result that it names`;
  if (call.session_id !== run || event.session_id !== run) return 'it belongs to another run';
  if (event.cause !== call.seq) return `entry ${event.seq} is not the result of entry ${call.seq}`;
  const { receiptId, nonce } = parseModelCall(call.payload);
  if (receiptId !== receipt.id) return `entry ${call.seq} announces another receipt`;
  if ((nonce ?? receiptId) !== receipt.nonce) return `entry ${call.seq} has a different nonce`;
  return undefined;
}

/** What it says otherwise than the entries do; undefined where they agree. Throws ParseError. */
export function mismatch(receipt: SignedReceipt, call: Entry, event: Entry): string | undefined {
  const called = parseModelCall(call.payload);
  const result = parseModelResult(event.payload);
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['client', JSON.stringify(receipt.client), JSON.stringify(called.client)],
    ['provider', receipt.provider, called.provider],
    ['upstream', receipt.upstream, called.upstream],
    ['api', receipt.api, called.api],
    ['model', receipt.model, called.model],
    ['model_answered', receipt.modelAnswered, result.model],
    ['parameters', JSON.stringify(receipt.parameters), JSON.stringify(receiptParameters(called.parameters))],
    ['request.bytes', receipt.request.bytes, called.requestBytes],
    ['status', receipt.status, result.status],
    ['result', receipt.result, result.result],
    ['stop_reason', receipt.stopReason, result.stopReason],
    ['tokens', JSON.stringify(receipt.tokens), JSON.stringify(result.tokens)],
    ['tool_uses', receipt.toolUses ?? result.toolUses, result.toolUses],
    ['latency_ms', receipt.latencyMs, result.durationMs],
    ['first_byte_ms', receipt.firstByteMs, result.firstByteMs],
    ['request_id', receipt.requestId, result.requestId],
  ];
  const different = pairs.find(([, ours, theirs]) => ours !== theirs);
  if (different !== undefined) return `${different[0]} doesn't match the entries`;
  // A stream's result is on record before its last bytes are there.
  if (receipt.response.bytes < result.wireBytes) return 'response.bytes is less than the entries say';
  return undefined;
}
