// Did an independent gateway that the verifier trusts pass every model call of a run? Each call must have one receipt of such a
// gateway, whose nonce follows from the call's own place in the ledger, and which commits to the same bytes as the run's own
// receipt. Pure; whatever the entries hold is an answer and never an exception. spec/receipt.md, "An independent gateway".
import {
  canonicalize,
  gatewayNonce,
  isHash,
  type Json,
  type JsonObject,
  ParseError,
  type VerifierKey,
} from '../core/index.ts';
import {
  type Entry,
  type GatewayReceipt,
  parseGatewayReceipt,
  parseModelCall,
  parseModelResult,
  parseReceipt,
  receiptParameters,
  type SignedReceipt,
} from '../format/index.ts';
import { shortened } from './findings.ts';
import { isSigned } from './receipt.ts';

/** A gateway as `trust.yaml` names it. */
export interface TrustedGateway {
  /** The key that signs its receipts: its name is the origin of the gateway's ledger and `/gateway`. */
  readonly key: VerifierKey;
  /** Scheme, host and port, as receipts name them. */
  readonly upstreams: readonly string[];
}

const TABLE = {
  GATEWAY_NO_CALLS: 'The run has no model calls, so a gateway has nothing to vouch for.',
  GATEWAY_RUN_UNREADABLE: "The run doesn't begin with a session.start, or one of its entries is malformed.",
  GATEWAY_RECEIPT_MISSING: 'A model call has no receipt from an independent gateway.',
  GATEWAY_RECEIPT_MALFORMED: 'A receipt from an independent gateway is malformed.',
  GATEWAY_RECEIPT_INCOMPLETE:
    'A receipt is for an answer that broke off, but the run claims more of it than the gateway saw.',
  GATEWAY_RECEIPT_OTHER_RUN: 'A receipt was signed for a different run or a different pack.',
  GATEWAY_RECEIPT_OTHER_CALL: 'A receipt is not for the call that it is attached to.',
  GATEWAY_RECEIPT_TWICE: 'A call has two receipts, or two calls share one.',
  GATEWAY_KEY_NOT_TRUSTED: "A receipt names a gateway whose key you don't trust here.",
  GATEWAY_RECEIPT_FORGED: 'A receipt is not signed by the key of the gateway that it names.',
  GATEWAY_UPSTREAM_NOT_ACCEPTED: "A call went to an upstream that you don't accept for this gateway.",
  GATEWAY_COMMITMENT_WRONG: "A receipt commits to different bytes than the run's own receipt for the call.",
  GATEWAY_FACTS_WRONG: "A receipt says something about a call that the run's entries don't.",
  GATEWAY_CALLS_UNNUMBERED: "A receipt has a version that doesn't number the calls of a run.",
  GATEWAY_SEVERAL: 'Several gateways signed for the run, so none of them counted all of its calls.',
  GATEWAY_CALL_REPEATED: 'Two receipts have the same number.',
  GATEWAY_CALL_LEFT_OUT: 'A number is missing: the gateway counted a call that is not in the run.',
  GATEWAY_TOOL_LAST:
    'A tool was asked for or called after the last model call, where no gateway saw what happened to it.',
  GATEWAY_CLOSING_MISSING: "The gateway didn't close the run, or its closing is missing.",
  GATEWAY_CLOSING_MALFORMED: 'A closing is malformed.',
  GATEWAY_CLOSING_OTHER_RUN: 'A closing was signed for a different run or a different pack.',
  GATEWAY_CLOSING_FORGED: 'A closing is not signed by a trusted key of the gateway that it names.',
  GATEWAY_CLOSING_OTHER_END:
    'A closing was signed for a different end of the run than the one it is attached to.',
  GATEWAY_CLOSING_OTHER_COUNT: 'A closing counts more or fewer calls than the run has.',
  GATEWAY_CLOSING_OTHER_CALL: 'A closing names a different last call than the run has.',
} as const satisfies Record<string, string>;

export type GatewayCode = keyof typeof TABLE;
export const GATEWAY_CODES: Readonly<Record<GatewayCode, string>> = TABLE;

export type GatewayVerdict =
  | { readonly ok: true; readonly calls: number }
  | {
      readonly ok: false;
      readonly code: GatewayCode;
      readonly seq: number | null;
      readonly message: string;
    };

/** What the entries say of one call. */
interface Call {
  readonly entry: Entry;
  readonly nonce: string;
  result?: Entry;
  own?: SignedReceipt;
  independent?: SignedReceipt;
}

class Failure extends Error {
  readonly code: GatewayCode;
  readonly seq: number | null;

  constructor(code: GatewayCode, seq: number | null, message: string) {
    super(message);
    this.code = code;
    this.seq = seq;
  }
}

/** `entries` are those of one run, in order; that they are whole and in the ledger's tree is for the caller to check. */
export function verifyGatewayReceipts(
  entries: readonly Entry[],
  gateways: readonly TrustedGateway[],
): GatewayVerdict {
  try {
    return { ok: true, calls: new Run(entries, gateways).check() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ok: false, code: error.code, seq: error.seq, message: shortened(error.message) };
  }
}

class Run {
  readonly #entries: readonly Entry[];
  readonly #gateways: readonly TrustedGateway[];
  readonly #calls = new Map<number, Call>();
  readonly #byNonce = new Map<string, Call>();
  /** Ids of independent receipts, each with its ledger. */
  readonly #used = new Set<string>();
  readonly #id: string;
  readonly #pack: string | null;

  constructor(entries: readonly Entry[], gateways: readonly TrustedGateway[]) {
    this.#entries = entries;
    this.#gateways = gateways;
    const [start] = entries;
    const pack: Json = start?.payload.pack ?? null;
    if (start?.kind !== 'session.start' || start.session_id === null || !(pack === null || isHash(pack)))
      throw new Failure('GATEWAY_RUN_UNREADABLE', start?.seq ?? null, 'the run does not begin here');
    this.#id = start.session_id;
    this.#pack = pack;
  }

  check(): number {
    for (const entry of this.#entries) this.#take(entry);
    if (this.#calls.size === 0) throw new Failure('GATEWAY_NO_CALLS', null, 'the run has no model calls');
    for (const call of this.#calls.values()) this.#judge(call);
    return this.#calls.size;
  }

  #take(entry: Entry): void {
    const { kind, seq, cause, payload } = entry;
    if (entry.session_id !== this.#id)
      throw new Failure('GATEWAY_RUN_UNREADABLE', seq, `entry ${seq} belongs to another run`);
    if (kind === 'model.call') {
      const nonce = gatewayNonce({ session: this.#id, pack: this.#pack, prevHash: entry.prev_hash });
      const call = { entry, nonce };
      this.#calls.set(seq, call);
      this.#byNonce.set(nonce, call);
    } else if (kind === 'model.result') {
      const call = this.#calls.get(cause ?? 0);
      if (call !== undefined) call.result ??= entry;
    } else if (kind === 'receipt') {
      const own = readable(entry, () => parseReceipt(payload));
      const call = this.#calls.get(own.call.seq);
      if (call !== undefined) call.own ??= own;
    } else if (kind === 'gateway.receipt') this.#receipt(entry);
  }

  /** One that is here must hold, whatever else there is: nobody has a reason to keep one that does not. */
  #receipt({ seq, cause, payload }: Entry): void {
    const given = parsed(seq, payload);
    const { receipt, origin } = given;
    const { client } = receipt;
    if (client === undefined || client.run !== this.#id || client.pack !== this.#pack)
      throw new Failure(
        'GATEWAY_RECEIPT_OTHER_RUN',
        seq,
        `the receipt in entry ${seq} was signed for another run or pack`,
      );
    this.#signed(seq, given);
    const call = this.#calls.get(cause ?? 0);
    const id = `${origin} ${receipt.id}`;
    if (this.#used.has(id) || call?.independent !== undefined)
      throw new Failure(
        'GATEWAY_RECEIPT_TWICE',
        seq,
        `the receipt in entry ${seq} is there twice, or its call has two`,
      );
    this.#used.add(id);
    if (call === undefined || call.nonce !== receipt.nonce) {
      const other = this.#byNonce.get(receipt.nonce)?.entry.seq;
      const whose = other === undefined ? 'no call of this run' : `the call in entry ${other}`;
      throw new Failure(
        'GATEWAY_RECEIPT_OTHER_CALL',
        seq,
        `the receipt in entry ${seq} is for ${whose}, but is attached to entry ${cause ?? 'none'}`,
      );
    }
    call.independent = receipt;
  }

  #signed(seq: number, { origin, receipt, signed }: GatewayReceipt): void {
    const named = this.#gateways.filter(({ key }) => key.name === `${origin}/gateway`);
    if (named.length === 0)
      throw new Failure(
        'GATEWAY_KEY_NOT_TRUSTED',
        seq,
        `you don't trust a key of the gateway ${origin} here`,
      );
    const gateway = named.find(({ key }) => isSigned(origin, key.publicKey, signed));
    if (gateway === undefined)
      throw new Failure(
        'GATEWAY_RECEIPT_FORGED',
        seq,
        `no trusted key of the gateway ${origin} signed the receipt in entry ${seq}`,
      );
    if (!gateway.upstreams.includes(receipt.upstream))
      throw new Failure(
        'GATEWAY_UPSTREAM_NOT_ACCEPTED',
        seq,
        `${receipt.upstream} is not an accepted upstream of the gateway ${origin}`,
      );
  }

  #judge({ entry, result, own, independent }: Call): void {
    const { seq } = entry;
    if (independent === undefined)
      throw new Failure(
        'GATEWAY_RECEIPT_MISSING',
        seq,
        `the model call in entry ${seq} has no receipt from an independent gateway`,
      );
    if (own === undefined || own.call.hash !== entry.entry_hash)
      throw new Failure(
        'GATEWAY_COMMITMENT_WRONG',
        seq,
        `the run has no receipt of its own for the call in entry ${seq} to compare with the gateway's`,
      );
    const bytes = differentBytes(own, independent);
    if (bytes !== undefined)
      throw new Failure('GATEWAY_COMMITMENT_WRONG', seq, `about the call in entry ${seq}: ${bytes}`);
    const fact = differentFact(entry, result, independent);
    if (fact !== undefined)
      throw new Failure(
        'GATEWAY_FACTS_WRONG',
        seq,
        `about the call in entry ${seq}: the gateway and the run give a different ${fact}${CURES[fact] ?? ''}`,
      );
    if (!independent.response.complete && claimsMore(own, result, independent))
      throw new Failure(
        'GATEWAY_RECEIPT_INCOMPLETE',
        seq,
        `about the call in entry ${seq}: the gateway saw no complete answer, but the run claims more of it`,
      );
  }
}

/** What makes an honest run differ. */
const CURES: Readonly<Record<string, string>> = {
  upstream: '. Give the same address as --upstream to the gateway of the run and to the independent one',
};

/** Both commit under the same key, so what they saw alike has the same commitment. */
function differentBytes(own: SignedReceipt, independent: SignedReceipt): string | undefined {
  const [ours, theirs] = [own.response, independent.response];
  if (
    own.request.commitment !== independent.request.commitment ||
    own.request.bytes !== independent.request.bytes
  )
    return 'the gateway saw a different request than the run says';
  if (ours.complete !== theirs.complete)
    return `the answer is ${theirs.complete ? '' : 'not '}complete for the gateway, and ${ours.complete ? '' : 'not '}for the run`;
  // Of an answer that was cut off, each end has what had come that far.
  const isAlike = ours.complete
    ? ours.commitment === theirs.commitment && ours.bytes === theirs.bytes
    : ours.bytes <= theirs.bytes;
  return isAlike ? undefined : 'the gateway saw a different answer than the run says';
}

/**
 * Of an answer that broke off a gateway vouches for the bytes that it saw, and for nothing else: the run must say that it
 * broke off, and either have the same bytes and the same facts, or claim nothing of what was answered.
 */
function claimsMore(
  own: SignedReceipt,
  result: Entry | undefined,
  { response, ...theirs }: SignedReceipt,
): boolean {
  if (result === undefined) return false;
  const ours = readable(result, () => parseModelResult(result.payload));
  if (ours.result === 'ok' || ours.result === 'error') return true;
  const isSame = (ourFact: unknown, theirFact: unknown): boolean => ourFact === null || ourFact === theirFact;
  if (
    !isSame(ours.status, theirs.status) ||
    !isSame(ours.model, theirs.modelAnswered) ||
    !isSame(ours.stopReason, theirs.stopReason) ||
    !Object.entries(ours.tokens).every(([name, count]) =>
      isSame(count, theirs.tokens[name as keyof typeof theirs.tokens]),
    )
  )
    return true;
  const isAlike = own.response.bytes === response.bytes && own.response.commitment === response.commitment;
  return !isAlike && (ours.responseHash !== null || ours.toolUses > 0);
}

/** The name of what is different. Times differ by nature, and texts of parameters by what each side redacts. */
function differentFact(
  entry: Entry,
  result: Entry | undefined,
  independent: SignedReceipt,
): string | undefined {
  const call = readable(entry, () => parseModelCall(entry.payload));
  if (result === undefined) return 'result';
  const answer = readable(result, () => parseModelResult(result.payload));
  const pairs: (readonly [string, unknown, unknown])[] = [
    ['provider', call.provider, independent.provider],
    ['upstream', call.upstream, independent.upstream],
    ['api', call.api, independent.api],
    ['model', call.model, independent.model],
    [
      'set of parameters',
      canonicalize({ ...receiptParameters(call.parameters) }),
      canonicalize({ ...independent.parameters }),
    ],
  ];
  if (independent.response.complete)
    pairs.push(
      ['status', answer.status, independent.status],
      ['result', answer.result, independent.result],
      ['answering model', answer.model, independent.modelAnswered],
      ['stop reason', answer.stopReason, independent.stopReason],
      ['number of tokens', JSON.stringify(answer.tokens), JSON.stringify(independent.tokens)],
      ['number of tools', answer.toolUses, independent.toolUses ?? answer.toolUses],
    );
  return pairs.find(([, ours, theirs]) => ours !== theirs)?.[0];
}

function parsed(seq: number, payload: JsonObject): GatewayReceipt {
  try {
    return parseGatewayReceipt(payload);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new Failure('GATEWAY_RECEIPT_MALFORMED', seq, error.message);
  }
}

function readable<T>({ seq }: Entry, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new Failure('GATEWAY_RUN_UNREADABLE', seq, error.message);
  }
}
