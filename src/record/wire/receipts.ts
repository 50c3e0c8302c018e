// Receipts of the gateway: what is signed of an exchange, from its entries and what was seen of its bytes; and the nonces
// that clients gave, which the ledger remembers for ever.
import type { JsonObject } from '../../core/index.ts';
import {
  type Bound,
  isNonce,
  parseModelCall,
  parseModelResult,
  type Receipt,
  receiptParameters,
  type WireCommitment,
} from '../../format/index.ts';
import { entriesOf, type LogReader } from '../../ledger/index.ts';

/** What was seen on the wire, committed to. */
export interface Wire {
  readonly request: WireCommitment;
  readonly response: WireCommitment & { readonly complete: boolean };
}

export interface ReceiptParts extends Wire {
  readonly run: string;
  readonly call: Bound & { readonly payload: JsonObject };
  readonly event: Bound & { readonly payload: JsonObject };
  readonly pack: string | null;
  readonly issued: string;
}

/** What a receipt's key is derived for. */
export function receiptPurpose(id: string): string {
  return `receipt ${id}`;
}

/** The facts are those of the entries: a receipt can't say of a call what its entries don't. */
export function makeReceipt({ run, call, event, pack, request, response, issued }: ReceiptParts): Receipt {
  const called = parseModelCall(call.payload);
  const result = parseModelResult(event.payload);
  if (called.receiptId === null) throw new TypeError('the call has no receipt');
  return {
    id: called.receiptId,
    run,
    call: { seq: call.seq, hash: call.hash },
    event: { seq: event.seq, hash: event.hash },
    pack,
    ...(called.client === undefined ? {} : { client: called.client }),
    nonce: called.nonce ?? called.receiptId,
    provider: called.provider,
    upstream: called.upstream,
    api: called.api,
    model: called.model,
    modelAnswered: result.model,
    parameters: receiptParameters(called.parameters),
    request,
    response,
    status: result.status,
    result: result.result,
    stopReason: result.stopReason,
    tokens: result.tokens,
    ...(called.client?.call === undefined ? {} : { toolUses: result.toolUses }),
    latencyMs: result.durationMs,
    firstByteMs: result.firstByteMs,
    requestId: result.requestId,
    issued,
  };
}

/** Milliseconds that a receipt waits for company. */
const LONGEST_WAIT = 10;

/**
 * Nobody waits for a receipt, but what is written next would wait for its sync. So it goes along with that, in the same
 * write, and alone only where nothing is written for a while.
 */
export class NextWrite {
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#timer ??= setTimeout(() => this.now(), LONGEST_WAIT);
    });
  }

  /** To be called just before something is appended. */
  now(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** A nonce is malformed, or was used before. */
export class NonceError extends Error {
  override readonly name = 'NonceError';
  readonly code: 'BAD_NONCE' | 'NONCE_USED';

  constructor(code: NonceError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The nonces of a ledger. Read from it when the first is asked for: nobody else takes any while the service runs. */
export class Nonces {
  readonly #read: () => Promise<Iterable<string>>;
  #used: Promise<Set<string>> | undefined;

  constructor(read: () => Promise<Iterable<string>>) {
    this.#read = read;
  }

  /** It is used from now on, whatever becomes of the call. Throws NonceError. */
  async take(nonce: string): Promise<void> {
    if (!isNonce(nonce))
      throw new NonceError('BAD_NONCE', 'a nonce must have 8 to 128 letters, digits or any of . _ ~ : -');
    this.#used ??= this.#load();
    const used = await this.#used;
    if (used.has(nonce)) throw new NonceError('NONCE_USED', 'this nonce was used before');
    used.add(nonce);
  }

  async #load(): Promise<Set<string>> {
    try {
      return new Set(await this.#read());
    } catch (error) {
      this.#used = undefined;
      throw error;
    }
  }
}

/** Every nonce that a client gave. Reads the whole log. */
export async function readNonces(store: LogReader): Promise<string[]> {
  const { seq } = await store.head();
  const found: string[] = [];
  for await (const { payload } of entriesOf(store, 1, seq, ['model.call']))
    if (typeof payload.nonce === 'string') found.push(payload.nonce);
  return found;
}
