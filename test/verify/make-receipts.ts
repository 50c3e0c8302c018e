// Small ledgers in which a gateway signed for model calls: an honest one, and the same with one thing wrong. Made with the
// real encoders and fixed keys; every receipt is signed, the wrong ones too, unless the signature is what is wrong.
import {
  encodeBase64,
  encodeHex,
  gatewayKeyMessage,
  type JsonObject,
  makeSigner,
  receiptMessage,
  type Signer,
  sessionIdOf,
} from '../../src/core/index.ts';
import {
  encodeModelCall,
  encodeModelResult,
  encodeReceipt,
  encodeSessionStart,
  encodeValidatorKey,
  GENESIS,
  type ModelCall,
  type ModelResult,
  NO_TOKENS,
  type Receipt,
  UNBOUND,
} from '../../src/format/index.ts';
import { LedgerMaker } from './make-ledger.ts';

const hash = (digit: string): string => digit.repeat(64);
export const PACK = hash('9');

export interface Exchange {
  readonly call: number;
  readonly event: number;
  /** Of its receipt. */
  readonly id: string;
}

export interface ReceiptOptions {
  readonly change?: Partial<Receipt>;
  /** After it was signed. */
  readonly forge?: (payload: JsonObject) => JsonObject;
  readonly keyVersion?: number;
  readonly by?: Signer;
  /** Where it stands. */
  readonly session?: string;
  readonly cause?: number;
}

/** A gateway's session that is told step by step. */
export class Receipts extends LedgerMaker {
  session = '';
  gateway: Signer | undefined;
  gatewayVersion = 0;
  #calls = 0;

  constructor(seed = 1) {
    super(seed);
    this.gatewayKey(41);
  }

  /** The next version; `by` certifies it. */
  gatewayKey(seed: number, by: Signer = this.signer, version = this.gatewayVersion + 1): this {
    const key = makeSigner(`${this.origin}/gateway`, new Uint8Array(32).fill(seed));
    const message = gatewayKeyMessage({ origin: this.origin, version, publicKey: key.publicKey });
    const certificate = encodeBase64(by.sign(message));
    const publicKey = encodeHex(key.publicKey);
    this.append('gateway.key', encodeValidatorKey({ version, publicKey, certificate }), { source: 'ledger' });
    this.gateway = key;
    this.gatewayVersion = version;
    return this;
  }

  begin(pack: string | null = null): this {
    this.session = sessionIdOf({ prevHash: this.hashes.at(-1) ?? GENESIS });
    const payload = encodeSessionStart(
      {
        agent: 'client',
        agentSession: null,
        workspaceRoot: null,
        trigger: 'request',
        resumes: null,
        pack: null,
        interaction: 'gateway',
        interactionKind: 'model.result',
        mode: 'guard',
        content: 'none',
        hashes: 'salted',
        redaction: 'default',
        configHash: null,
        transcript: null,
        hostProcess: null,
      },
      UNBOUND,
    );
    this.append('session.start', { ...payload, pack }, { session_id: this.session, source: 'gateway' });
    return this;
  }

  call(change: Partial<ModelCall> = {}): { readonly call: number; readonly id: string } {
    const id = `${this.size + 1}-${(++this.#calls).toString(16).padStart(32, '0')}`;
    const kept = { hash: hash('a'), bytes: 9, ref: null };
    const payload = encodeModelCall({
      provider: 'anthropic',
      api: 'anthropic.messages',
      upstream: 'https://api.anthropic.com',
      method: 'POST',
      path: '/v1/messages',
      model: 'claude-x',
      stream: false,
      parameters: { max_tokens: 64, temperature: 0.5, thinking: { type: 'enabled' } },
      promptHash: hash('a'),
      messages: { base: null, kept: 0, count: 1, added: [{ role: 'user', kept }], more: null },
      toolsHash: null,
      tools: null,
      requestBytes: 123,
      receiptId: id,
      nonce: null,
      ...change,
    });
    return { call: this.#of('model.call', payload, null), id };
  }

  result(call: number, change: Partial<ModelResult> = {}): number {
    const payload = encodeModelResult({
      result: 'ok',
      errorCode: null,
      status: 200,
      model: 'claude-x-1',
      responseId: 'msg_1',
      requestId: 'req_1',
      stopReason: 'end_turn',
      tokens: { ...NO_TOKENS, input: 10, output: 3 },
      response: { hash: hash('b'), bytes: 20, ref: null },
      understood: 'whole',
      toolUses: 0,
      wireBytes: 456,
      encoding: null,
      attempts: 1,
      durationMs: 700,
      firstByteMs: 300,
      ...change,
    });
    return this.#of('model.result', payload, call);
  }

  exchange(change: Partial<ModelCall> = {}): Exchange {
    const { call, id } = this.call(change);
    return { call, event: this.result(call), id };
  }

  /** What a receipt of it says. */
  facts({ call, event, id }: Exchange): Receipt {
    const at = (seq: number): { seq: number; hash: string } => ({ seq, hash: this.hashes[seq - 1] ?? '' });
    return {
      id,
      run: this.session,
      call: at(call),
      event: at(event),
      pack: null,
      nonce: id,
      provider: 'anthropic',
      upstream: 'https://api.anthropic.com',
      api: 'anthropic.messages',
      model: 'claude-x',
      modelAnswered: 'claude-x-1',
      parameters: { max_tokens: 64, temperature: 0.5 },
      request: { commitment: hash('c'), bytes: 123 },
      response: { commitment: hash('d'), bytes: 456, complete: true },
      status: 200,
      result: 'ok',
      stopReason: 'end_turn',
      tokens: { ...NO_TOKENS, input: 10, output: 3 },
      latencyMs: 700,
      firstByteMs: 300,
      requestId: 'req_1',
      issued: '2026-11-15T10:00:01.000Z',
    };
  }

  receipt(exchange: Exchange, options: ReceiptOptions = {}): number {
    const receipt = { ...this.facts(exchange), ...options.change };
    const payload = encodeReceipt(receipt, options.keyVersion ?? this.gatewayVersion);
    const message = receiptMessage({ origin: this.origin, payload });
    const by = options.by ?? this.gateway;
    const signature = encodeBase64(by?.sign(message) ?? new Uint8Array(64));
    const signed = { ...payload, signature };
    return this.append('receipt', options.forge?.(signed) ?? signed, {
      session_id: options.session ?? this.session,
      source: 'gateway',
      cause: options.cause ?? exchange.event,
    });
  }

  #of(kind: string, payload: JsonObject, cause: number | null): number {
    return this.append(kind, payload, { session_id: this.session, source: 'gateway', cause });
  }
}

function told(tell: (made: Receipts) => void): Receipts {
  const made = new Receipts().begin();
  tell(made);
  return made;
}

export function receiptLedgers(): Readonly<Record<string, Receipts>> {
  const other = makeSigner('other', new Uint8Array(32).fill(77));
  return {
    honest: told((made) => void made.receipt(made.exchange())),
    'streamed-bytes-behind-the-result': told(
      (made) =>
        void made.receipt(made.exchange({ stream: true }), {
          change: { response: { commitment: hash('d'), bytes: 500, complete: true } },
        }),
    ),
    'nonce-of-the-client': told(
      (made) =>
        void made.receipt(made.exchange({ nonce: 'client-nonce-1' }), {
          change: { nonce: 'client-nonce-1' },
        }),
    ),
    'rotated-gateway-key': told((made) => {
      made.receipt(made.exchange());
      made.gatewayKey(42);
      made.receipt(made.exchange());
    }),
    'rotated-ledger-key': told((made) => {
      made.receipt(made.exchange());
      made.rotateKey(9).gatewayKey(42);
      made.receipt(made.exchange());
    }),
    'run-with-a-pack': told((made) => {
      made.begin(PACK);
      made.receipt(made.exchange(), { change: { pack: PACK } });
    }),
    'two-sessions-interleaved': told((made) => {
      const [first, one] = [made.session, made.call()];
      made.begin();
      const two = made.exchange();
      made.receipt(two);
      made.session = first;
      made.receipt({ ...one, event: made.result(one.call) });
    }),
    'recorder-that-signs-none': told((made) => void made.exchange({ receiptId: null })),
    'call-without-a-result': told((made) => void made.call()),
    'result-without-a-receipt': told((made) => void made.exchange()),
    'forged-signature': told((made) => void made.receipt(made.exchange(), { by: other })),
    'changed-after-signing': told(
      (made) =>
        void made.receipt(made.exchange(), {
          forge: (payload) => ({ ...payload, issued: '2026-11-14T10:00:01.000Z' }),
        }),
    ),
    'signed-for-another-ledger': told((made) => {
      const elsewhere = new Receipts(5);
      made.receipt(made.exchange(), {
        forge: (payload) => {
          const message = receiptMessage({ origin: elsewhere.origin, payload });
          return { ...payload, signature: encodeBase64(made.gateway?.sign(message) ?? new Uint8Array(64)) };
        },
      });
    }),
    'unknown-key-version': told((made) => void made.receipt(made.exchange(), { keyVersion: 2 })),
    'replaced-key-version': told((made) => {
      const old = made.gateway ?? other;
      made.gatewayKey(42);
      made.receipt(made.exchange(), { by: old, keyVersion: 1 });
    }),
    'certificate-by-another-key': told((made) => {
      made.gatewayKey(42, other);
      made.receipt(made.exchange());
    }),
    'for-another-run': told((made) => {
      const exchange = made.exchange();
      made.receipt(exchange, { change: { run: hash('7') } });
    }),
    'in-another-session': told((made) => {
      const exchange = made.exchange();
      const run = made.session;
      made.begin();
      made.receipt(exchange, { change: { run } });
    }),
    'for-another-event': told((made) => {
      const exchange = made.exchange();
      made.receipt(exchange, { change: { event: { seq: exchange.event, hash: hash('7') } } });
    }),
    'for-another-call': told((made) => {
      const exchange = made.exchange();
      made.receipt(exchange, { change: { call: { seq: exchange.call, hash: hash('7') } } });
    }),
    'for-an-entry-of-another-kind': told((made) => {
      const exchange = made.exchange();
      const note = made.append('note', {}, { session_id: made.session });
      made.receipt({ ...exchange, event: note });
    }),
    'for-another-pack': told((made) => void made.receipt(made.exchange(), { change: { pack: PACK } })),
    'without-the-pack-of-its-run': told((made) => {
      made.begin(PACK);
      made.receipt(made.exchange());
    }),
    'another-receipt-than-announced': told((made) => {
      const exchange = made.exchange();
      made.receipt({ ...exchange, id: `${exchange.call}-${'f'.repeat(32)}` });
    }),
    'another-nonce-than-the-call': told(
      (made) =>
        void made.receipt(made.exchange({ nonce: 'client-nonce-1' }), {
          change: { nonce: 'client-nonce-2' },
        }),
    ),
    'issued-twice': told((made) => {
      const exchange = made.exchange();
      made.receipt(exchange);
      made.receipt(exchange);
    }),
    'nonce-used-twice': told((made) => {
      const nonce = 'client-nonce-1';
      made.receipt(made.exchange({ nonce }), { change: { nonce } });
      made.receipt(made.exchange({ nonce }), { change: { nonce } });
    }),
    'other-tokens-than-the-entries': told(
      (made) =>
        void made.receipt(made.exchange(), { change: { tokens: { ...NO_TOKENS, input: 1, output: 1 } } }),
    ),
    'another-model-than-the-entries': told(
      (made) => void made.receipt(made.exchange(), { change: { modelAnswered: 'cheap' } }),
    ),
    'fewer-bytes-than-the-entries': told(
      (made) =>
        void made.receipt(made.exchange(), {
          change: { response: { commitment: hash('d'), bytes: 455, complete: true } },
        }),
    ),
    'malformed-receipt': told(
      (made) => void made.receipt(made.exchange(), { forge: ({ pack: _, ...payload }) => payload }),
    ),
  };
}
