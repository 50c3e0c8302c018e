// Does an independent gateway vouch for a run as a whole? Every model call must have its receipt, and the gateway must have counted
// as many calls as are here and closed the run at its end: else its owner could cut off calls, and write anew what stands
// behind the last one that is left. Pure; whatever the entries hold is an answer and never an exception. spec/receipt.md.
import { ed25519Verify } from '#platform';
import { ParseError, parseBase64, runClosingMessage } from '../core/index.ts';
import {
  type Entry,
  type GatewayClosing,
  type GatewayReceipt,
  parseGatewayClosing,
  parseGatewayReceipt,
} from '../format/index.ts';
import { ASKING } from './bundle-model-calls.ts';
import { shortened } from './findings.ts';
import type { TrustedGateway } from './gateway-receipts.ts';
import { type GatewayCode, type GatewayVerdict, verifyGatewayReceipts } from './gateway-receipts.ts';

type Fault = Extract<GatewayVerdict, { ok: false }>;

/** `entries` are those of one run, in order; that they are whole and in the ledger's tree is for the caller to check. */
export function verifyGatewayRun(
  entries: readonly Entry[],
  gateways: readonly TrustedGateway[],
): GatewayVerdict {
  const receipts = verifyGatewayReceipts(entries, gateways);
  if (!receipts.ok) return receipts;
  return unnumbered(entries) ?? unclosed(entries, gateways) ?? unwitnessed(entries) ?? receipts;
}

function fault(code: GatewayCode, seq: number | null, message: string): Fault {
  return { ok: false, code, seq, message: shortened(message) };
}

/** Their receipts hold, so all of them can be parsed. */
function receiptsIn(entries: readonly Entry[]): readonly (GatewayReceipt & Pick<Entry, 'seq' | 'cause'>)[] {
  return entries
    .filter(({ kind }) => kind === 'gateway.receipt')
    .map(({ seq, cause, payload }) => ({ ...parseGatewayReceipt(payload), seq, cause }));
}

/** Are the calls numbered from 1 on by one gateway, without a hole? */
function unnumbered(entries: readonly Entry[]): Fault | undefined {
  const receipts = receiptsIn(entries);
  const numbers = new Set<number>();
  for (const { seq, origin, receipt } of receipts) {
    const call = receipt.client?.call;
    if (call === undefined)
      return fault('GATEWAY_CALLS_UNNUMBERED', seq, `the receipt in entry ${seq} doesn't number its call`);
    if (origin !== receipts[0]?.origin)
      return fault(
        'GATEWAY_SEVERAL',
        seq,
        `the receipt in entry ${seq} is from a different gateway than the first`,
      );
    if (numbers.has(call))
      return fault(
        'GATEWAY_CALL_REPEATED',
        seq,
        `the receipt in entry ${seq} is the second one for call ${call}`,
      );
    numbers.add(call);
  }
  for (let call = 1; call <= receipts.length; call++)
    if (!numbers.has(call))
      return fault(
        'GATEWAY_CALL_LEFT_OUT',
        null,
        `the gateway counted call ${call}, which is not in the run`,
      );
  return undefined;
}

const DEEDS: ReadonlySet<string> = new Set(['tool.call', 'model.tool_use']);

/**
 * What a tool was asked is covered by the next model call, which follows from it. Behind the last call its owner can write down
 * anything until the run is closed: so nothing may have been asked of a tool there.
 */
function unwitnessed(entries: readonly Entry[]): Fault | undefined {
  const last = entries.findLast(({ kind }) => kind === 'model.call')?.seq ?? 0;
  const asking = new Set(
    receiptsIn(entries)
      .filter(mayAsk)
      .map(({ cause }) => cause),
  );
  const found = entries.find(
    ({ kind, seq, cause }) =>
      seq > last && (DEEDS.has(kind) || (kind === 'model.result' && asking.has(cause))),
  );
  if (found === undefined) return undefined;
  const where = `entry ${found.seq}, after the last model call`;
  return fault('GATEWAY_TOOL_LAST', found.seq, `a tool was asked for in ${where}, and nobody else saw that`);
}

/** Did the model ask for a tool, or may it have in an answer that broke off? */
function mayAsk({ receipt: { toolUses = 0, stopReason, response } }: GatewayReceipt): boolean {
  return toolUses > 0 || ASKING.has(stopReason) || (!response.complete && response.bytes > 0);
}

/** Each closing that is here must hold; honest ones are all the same. */
function unclosed(entries: readonly Entry[], gateways: readonly TrustedGateway[]): Fault | undefined {
  const closings = entries.filter(({ kind }) => kind === 'gateway.closing');
  for (const entry of closings) {
    const wrong = wrongClosing(entry, entries, gateways);
    if (wrong !== undefined) return wrong;
  }
  if (closings.length > 0) return undefined;
  return fault(
    'GATEWAY_CLOSING_MISSING',
    null,
    "the gateway didn't close the run, so later calls may have been left out",
  );
}

function wrongClosing(
  { seq, cause, payload }: Entry,
  entries: readonly Entry[],
  gateways: readonly TrustedGateway[],
): Fault | undefined {
  const where = `the closing in entry ${seq}`;
  let given: GatewayClosing;
  try {
    given = parseGatewayClosing(payload);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return fault('GATEWAY_CLOSING_MALFORMED', seq, error.message);
  }
  const { origin, closing } = given;
  const [start] = entries;
  if (closing.client.run !== start?.session_id || closing.client.pack !== (start.payload.pack ?? null))
    return fault('GATEWAY_CLOSING_OTHER_RUN', seq, `${where} was signed for another run or pack`);
  const receipts = receiptsIn(entries);
  if (receipts.some((receipt) => receipt.origin !== origin))
    return fault('GATEWAY_SEVERAL', seq, `${where} is from a different gateway than the receipts`);
  if (!isSigned(given, gateways))
    return fault('GATEWAY_CLOSING_FORGED', seq, `no trusted key of the gateway ${origin} signed ${where}`);
  const end = entries.find((entry) => entry.seq === cause);
  if (end?.kind !== 'session.end' || end.entry_hash !== closing.end)
    return fault(
      'GATEWAY_CLOSING_OTHER_END',
      seq,
      `${where} was signed for a different end than entry ${cause ?? 'none'} has`,
    );
  const last = receipts.find(({ receipt }) => receipt.client?.call === closing.calls)?.receipt.nonce;
  if (closing.calls !== receipts.length)
    return fault(
      'GATEWAY_CLOSING_OTHER_COUNT',
      seq,
      `the gateway counted ${closing.calls} model calls, but the run has ${receipts.length}`,
    );
  return last === closing.lastNonce
    ? undefined
    : fault('GATEWAY_CLOSING_OTHER_CALL', seq, `${where} names a different last call than the run has`);
}

function isSigned({ origin, closing, signed }: GatewayClosing, gateways: readonly TrustedGateway[]): boolean {
  const message = runClosingMessage({ origin, payload: signed });
  const signature = parseBase64(closing.signature);
  return gateways.some(
    ({ key }) => key.name === `${origin}/gateway` && ed25519Verify(key.publicKey, message, signature),
  );
}
