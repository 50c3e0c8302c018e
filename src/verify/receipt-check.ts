// Does each model call that passed the gateway have a receipt, bound to this run, this event and this pack, once? Read in
// the order of the ledger; a call is forgotten once its receipt was seen, so memory is that of what is under way.
import { ParseError, parseHex } from '../core/index.ts';
import { type Entry, parseReceipt, parseValidatorKey } from '../format/index.ts';
import type { Findings } from './findings.ts';
import type { IdentityCheck } from './identity-check.ts';
import { oldestKeyOf } from './oldest-key.ts';
import { isCertified, isSigned, misbound, mismatch } from './receipt.ts';

/** What it must be shown. */
export const RECEIPT_KINDS = ['gateway.key', 'session.start', 'model.call', 'model.result', 'receipt'];

/** Calls without a receipt that are remembered; nonces of clients; sessions with a pack. */
const BOUNDS = { calls: 65_536, nonces: 1_000_000, packs: 65_536 };

export interface ReceiptCounts {
  readonly modelCalls: number;
  readonly receipts: number;
}

interface OpenCall {
  readonly call: Entry;
  event: Entry | undefined;
}

export class ReceiptCheck {
  readonly #findings: Findings;
  readonly #identity: Pick<IdentityCheck, 'origin' | 'current'>;
  readonly #open = new Map<number, OpenCall>();
  readonly #oldest = oldestKeyOf(this.#open);
  readonly #nonces = new Set<string>();
  readonly #packs = new Map<string, string>();
  readonly #bounds: typeof BOUNDS;
  readonly #counts = { modelCalls: 0, receipts: 0 };
  #key: { readonly version: number; readonly publicKey: Uint8Array } | undefined;
  /** Calls that should have a receipt and were forgotten. */
  #without = 0;
  #saidTooMany = false;

  constructor(
    findings: Findings,
    identity: Pick<IdentityCheck, 'origin' | 'current'>,
    bounds: Partial<typeof BOUNDS> = {},
  ) {
    this.#findings = findings;
    this.#identity = identity;
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  get counts(): ReceiptCounts {
    return this.#counts;
  }

  entry(entry: Entry): void {
    try {
      this.#take(entry);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.#findings.add('RECEIPT_MALFORMED', entry.seq, error.message);
    }
  }

  finish(): void {
    const missing = this.#without + this.#open.size;
    if (missing === 0) return;
    const [first = null] = this.#open.keys();
    const text = `${missing === 1 ? 'a model call has' : `${missing} model calls have`} no receipt: still running, cut off, or removed before it was signed`;
    this.#findings.add('RECEIPT_MISSING', first, text);
  }

  #take(entry: Entry): void {
    const { kind, seq, cause, payload, session_id: session } = entry;
    if (kind === 'gateway.key') this.#setKey(entry);
    else if (kind === 'session.start') {
      if (typeof payload.pack === 'string' && session !== null && this.#packs.size < this.#bounds.packs)
        this.#packs.set(session, payload.pack);
    } else if (kind === 'model.call') {
      this.#counts.modelCalls++;
      // Of a recorder that signs none.
      if (payload.receipt_id === null) return;
      this.#open.set(seq, { call: entry, event: undefined });
      if (this.#open.size > this.#bounds.calls) this.#forgetOldest();
    } else if (kind === 'model.result') {
      const open = this.#open.get(cause ?? 0);
      if (open !== undefined) open.event ??= entry;
    } else if (kind === 'receipt') this.#receipt(entry);
  }

  #receipt(entry: Entry): void {
    const { seq, cause, payload, session_id: session } = entry;
    this.#counts.receipts++;
    const receipt = parseReceipt(payload);
    const open = this.#open.get(receipt.call.seq);
    this.#open.delete(receipt.call.seq);
    const forged = this.#forgery(entry, receipt.keyVersion);
    if (forged !== undefined) {
      this.#findings.add('RECEIPT_FORGED', seq, `the receipt is not valid: ${forged}`);
      return;
    }
    const wrong =
      receipt.run !== session
        ? 'it is in a different session than it names'
        : open === undefined
          ? `entry ${receipt.call.seq} is not a call that waits for a receipt`
          : cause !== receipt.event.seq
            ? `its cause is entry ${cause ?? 'none'}, not the result that it names`
            : misbound(receipt, open.call, open.event);
    const pack = this.#packs.get(receipt.run) ?? null;
    if (wrong !== undefined)
      this.#findings.add('RECEIPT_MISBOUND', seq, `the receipt is bound wrongly: ${wrong}`);
    else if (receipt.pack !== pack)
      this.#findings.add('RECEIPT_MISBOUND', seq, 'the receipt names a different pack than its session has');
    else if (open?.event !== undefined) {
      const otherwise = mismatch(receipt, open.call, open.event);
      if (otherwise !== undefined)
        this.#findings.add('RECEIPT_MISMATCH', seq, `in the receipt, ${otherwise}`);
    }
    if (receipt.nonce !== receipt.id) this.#nonce(receipt.nonce, seq);
  }

  /** Ids are unique by the seq in them; what clients chose need not be. */
  #nonce(nonce: string, seq: number): void {
    if (this.#nonces.has(nonce)) {
      this.#findings.add('RECEIPT_NONCE_REUSED', seq, 'another receipt of this ledger has the same nonce');
    } else if (this.#nonces.size < this.#bounds.nonces) this.#nonces.add(nonce);
    else if (!this.#saidTooMany) {
      this.#saidTooMany = true;
      const text = `there are more than ${this.#bounds.nonces} nonces, so it is unknown whether one was used twice`;
      this.#findings.add('RECEIPT_TOO_MANY', seq, text);
    }
  }

  #forgery({ payload }: Entry, keyVersion: number): string | undefined {
    const { origin } = this.#identity;
    if (origin === undefined || this.#key === undefined || keyVersion > this.#key.version)
      return `no entry before it introduces version ${keyVersion} of the gateway's key`;
    if (keyVersion < this.#key.version) return `version ${keyVersion} of the gateway's key was replaced`;
    return isSigned(origin, this.#key.publicKey, payload)
      ? undefined
      : "the gateway's key didn't sign it, or signed something else";
  }

  #setKey({ seq, payload }: Entry): void {
    const { version, publicKey } = parseValidatorKey(payload);
    const { origin, current } = this.#identity;
    const isDue = version === (this.#key?.version ?? 0) + 1;
    if (
      isDue &&
      origin !== undefined &&
      current !== undefined &&
      isCertified(origin, current.publicKey, payload)
    )
      this.#key = { version, publicKey: parseHex(publicKey, 32) };
    else {
      const text = `version ${version} of the gateway's key is not the next one, or not certified by the ledger's key`;
      this.#findings.add('GATEWAY_KEY_INVALID', seq, text);
    }
  }

  #forgetOldest(): void {
    const oldest = this.#oldest();
    if (oldest === undefined) return;
    this.#open.delete(oldest);
    this.#without++;
  }
}
