// The way from a local gateway to an independent one: where it is, what goes with a call, what of its answers is its own
// word and not the upstream's, and the receipt that it hands out when the answer has ended. What it says is another
// machine's word: it is parsed within bounds, and judged by whoever verifies the run.
import type { IncomingHttpHeaders } from 'node:http';
import { encodeHex, type JsonObject, ParseError } from '../../core/index.ts';
import { type ClientRun, parseGatewayReceipt, parseReceiptId } from '../../format/index.ts';
import type { GatewayAccess } from './address.ts';
import { askGateway, parseObject } from './ask-gateway.ts';
import { RECEIPT_HEADER } from './headers.ts';
import { COMMITMENT_HEADER, ERROR_HEADER, NONCE_HEADER, PACK_HEADER, RUN_HEADER } from './independent.ts';
import type { Sender } from './send.ts';

/** One call that goes there. */
export interface Through extends GatewayAccess {
  readonly nonce: string;
  readonly client: ClientRun;
  /** Of the commitments, which the run's own receipt has, too. */
  readonly key: Uint8Array;
}

/** Flat, as rawHeaders. */
export function throughHeaders({ token, nonce, client, key }: Through): string[] {
  return [
    ...['Proxy-Authorization', `Bearer ${token}`],
    ...[NONCE_HEADER, nonce],
    ...[RUN_HEADER, client.run],
    ...(client.pack === null ? [] : [PACK_HEADER, client.pack]),
    ...[COMMITMENT_HEADER, encodeHex(key)],
  ];
}

/** The gateway's own answer instead of the upstream's. */
export class GatewayFailed extends Error {
  override readonly name = 'GatewayFailed';
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.status = status;
  }
}

export function unreachable(url: string, cause: unknown): GatewayFailed {
  const message = `The independent gateway ${url} can't be reached, and without it nothing is sent to the provider. Start it, or check its address with \`foil gateway show\`.`;
  return new GatewayFailed('GATEWAY_UNREACHABLE', 502, message, cause);
}

/** Undefined for an answer of the upstream's, which always has the id of a receipt. */
export function failureIn(url: string, headers: IncomingHttpHeaders): GatewayFailed | undefined {
  const given = headers[ERROR_HEADER];
  if (given === undefined && receiptIdOf(headers) !== null) return undefined;
  const code = typeof given === 'string' && /^[A-Z_]{1,64}$/.test(given) ? given : null;
  if (code === null)
    return new GatewayFailed(
      'GATEWAY_UNKNOWN',
      502,
      `The server at ${url} is not a Counterfoil gateway. Check its address with \`foil gateway show\`.`,
    );
  if (code === 'UPSTREAM_STALLED')
    return new GatewayFailed(code, 504, 'The upstream did not answer in time.');
  if (code === 'UPSTREAM_FAILED') return new GatewayFailed(code, 502, "The upstream can't be reached.");
  return new GatewayFailed(
    `GATEWAY_${code}`,
    502,
    `The independent gateway ${url} refuses: ${SAYS[code] ?? code}.`,
  );
}

const SAYS: Readonly<Record<string, string>> = {
  WRONG_TOKEN: "it doesn't know the token. Run `foil gateway show` to see which file holds the token",
  UNKNOWN_UPSTREAM: "it doesn't forward to this upstream. Its operator can add the upstream with --upstream",
  NONCE_USED: 'this call was sent before. Start a new one',
  RUN_CLOSED: 'the run has ended. Start a new run',
  AUDIT_APPEND_FAILED: "it can't record. Its operator should run `foil doctor` there",
};

export function receiptIdOf(headers: IncomingHttpHeaders): string | null {
  const id = headers[RECEIPT_HEADER];
  if (typeof id !== 'string') return null;
  try {
    parseReceiptId(id);
    return id;
  } catch {
    return null;
  }
}

/** Milliseconds before each try. The gateway itself waits for a receipt that is being signed. */
const TRIES = [0, 200, 1000, 5000];
const LONGEST_WAIT = 40_000;

/** `id` may be `nonce/` and the nonce. The payload of a `gateway.receipt`. Throws what the last try threw. */
export async function fetchReceipt(sender: Sender, through: Through, id: string): Promise<JsonObject> {
  let failure: unknown;
  for (const wait of TRIES) {
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    try {
      return await tryFetch(sender, through, id);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function tryFetch(sender: Sender, through: Through, id: string): Promise<JsonObject> {
  const { status, body } = await askGateway(sender, through, {
    method: 'GET',
    target: `/receipts/${id}?wait`,
    headers: [],
    patienceMs: LONGEST_WAIT,
  });
  if (status !== 200)
    throw new ParseError('MALFORMED', 'the gateway has no receipt for this call', 'receipt');
  const payload = parseObject(body, 'receipt');
  if (parseGatewayReceipt(payload).receipt.nonce !== through.nonce)
    throw new ParseError('MALFORMED', 'the receipt belongs to a different call', 'receipt');
  return payload;
}
