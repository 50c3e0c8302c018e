// Every way in which a receipt of an independent gateway may not hold, each with its own code. Whatever is wrong was signed
// again by the gateway's own key, unless the signature is what is wrong: so it is not the signature that catches it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeBase64,
  encodeVerifierKey,
  gatewayNonce,
  type JsonObject,
  ParseError,
  receiptMessage,
} from '../../src/core/index.ts';
import {
  type BundlePayload,
  type Entry,
  encodeReceipt,
  type ModelResult,
  NO_TOKENS,
  parseGatewayReceipt,
} from '../../src/format/index.ts';
import type { BundledEntries } from '../../src/verify/bundle-entries.ts';
import { BundleFindings } from '../../src/verify/bundle-findings.ts';
import { vouchedFor } from '../../src/verify/bundle-tier.ts';
import { GATEWAY_CODES, type TrustedGateway, verifyGatewayReceipts } from '../../src/verify/index.ts';
import {
  CLOSING_CODES,
  exchange,
  factsOf,
  GATEWAY,
  hash,
  kept,
  ORIGIN,
  OTHER,
  PACK,
  RUN,
  type Signing,
  START,
  TRUSTED,
  theirs,
  UPSTREAM,
} from './make-gateway-runs.ts';

const [ONE, TWO] = [exchange(3, '1'), exchange(6, '2')];

/** Everything that is judged here is a vector, with the answer that it must have. */
const vectors: JsonObject[] = [];

function verify(entries: readonly Entry[], gateways: readonly TrustedGateway[]) {
  const verdict = verifyGatewayReceipts(entries, gateways);
  vectors.push({
    name: expect.getState().currentTestName?.replace(/^.* > /, '') ?? '',
    gateways: gateways.map(({ key, upstreams }) => ({
      vkey: encodeVerifierKey(key),
      upstreams: [...upstreams],
    })),
    entries: entries.map((each) => ({ ...each })),
    expect: verdict.ok ? { ...verdict } : { ok: false, code: verdict.code, seq: verdict.seq },
  });
  return verdict;
}

/** A run of two calls, with these receipts. */
function judge(...receipts: Entry[]) {
  return verify([START, ...ONE, ...TWO, ...receipts], TRUSTED);
}

/** One of them is right. */
function judgeOne(signing: Signing) {
  return judge(kept(9, 3, theirs(3, '1')), kept(10, 6, theirs(6, '2', signing)));
}

const asked = new Set<string>();
function expectCode(
  verdict: ReturnType<typeof judge>,
  code: keyof typeof GATEWAY_CODES,
  seq: number | null,
): void {
  asked.add(code);
  expect(verdict).toMatchObject({ ok: false, code, seq });
}

describe('verifyGatewayReceipts', () => {
  it('accepts a run whose every call has its receipt, in any order', () => {
    expect(judge(kept(9, 3, theirs(3, '1')), kept(10, 6, theirs(6, '2')))).toEqual({ ok: true, calls: 2 });
    expect(judge(kept(9, 6, theirs(6, '2')), kept(10, 3, theirs(3, '1')))).toEqual({ ok: true, calls: 2 });
  });

  it('defines the nonce: base64url of SHA-256 over session, pack and prev_hash', () => {
    // Computed with Python's hashlib, not with this code.
    expect(gatewayNonce({ session: hash('a'), pack: null, prevHash: hash('b') })).toBe(
      '4tgPeNeQJ1VtZhmhQAYFq73Ka7brJOCDHjPs1UZvpfY',
    );
    expect(gatewayNonce({ session: hash('a'), pack: hash('9'), prevHash: hash('b') })).toBe(
      'bBYTZrsvxwbDR6LcItLIdZuNC3gw_Tzgq4XB8n9fS5A',
    );
  });

  it('is nothing for a run without model calls', () => {
    expectCode(verify([START], TRUSTED), 'GATEWAY_NO_CALLS', null);
  });

  it('needs the run from its beginning, and no other in it', () => {
    expectCode(verify([], TRUSTED), 'GATEWAY_RUN_UNREADABLE', null);
    expectCode(verify(ONE, TRUSTED), 'GATEWAY_RUN_UNREADABLE', 3);
    const [call, ...rest] = ONE as [Entry, ...Entry[]];
    const foreign = [START, { ...call, session_id: hash('b') }, ...rest];
    expectCode(verify(foreign, TRUSTED), 'GATEWAY_RUN_UNREADABLE', 3);
    const spoilt = [START, { ...call, payload: {} }, ...rest, kept(9, 3, theirs(3, '1'))];
    expectCode(verify(spoilt, TRUSTED), 'GATEWAY_RUN_UNREADABLE', 3);
  });

  it('a call without one', () => {
    expectCode(judge(kept(9, 3, theirs(3, '1'))), 'GATEWAY_RECEIPT_MISSING', 6);
  });

  it('one that is malformed', () => {
    const { origin: _, ...without } = theirs(6, '2');
    expectCode(judge(kept(9, 6, without)), 'GATEWAY_RECEIPT_MALFORMED', 9);
    expectCode(judge(kept(9, 6, { ...theirs(6, '2'), more: 1 })), 'GATEWAY_RECEIPT_MALFORMED', 9);
    expectCode(judge(kept(9, 6, { ...theirs(6, '2'), receipt: { v: 2 } })), 'GATEWAY_RECEIPT_MALFORMED', 9);
  });

  it.each([
    ['another run', { client: { run: hash('d'), pack: PACK } }],
    ['another pack', { client: { run: RUN, pack: hash('d') } }],
    ['no pack', { client: { run: RUN, pack: null } }],
  ])('one of %s', (_, change) => {
    expectCode(judgeOne({ change }), 'GATEWAY_RECEIPT_OTHER_RUN', 10);
  });

  it("one of a local gateway, which names no client's run", () => {
    const { client: _, ...local } = { ...factsOf(6, '2'), client: undefined };
    const message = receiptMessage({ origin: ORIGIN, payload: encodeReceipt(local, 1) });
    const receipt = encodeReceipt(local, 1, encodeBase64(GATEWAY.sign(message)));
    expectCode(judge(kept(9, 6, { ...theirs(6, '2'), receipt })), 'GATEWAY_RECEIPT_OTHER_RUN', 9);
  });

  it('one moved to another call, or to none', () => {
    expectCode(judge(kept(9, 6, theirs(3, '1'))), 'GATEWAY_RECEIPT_OTHER_CALL', 9);
    expectCode(judge(kept(9, null, theirs(3, '1'))), 'GATEWAY_RECEIPT_OTHER_CALL', 9);
    expectCode(judge(kept(9, 2, theirs(3, '1'))), 'GATEWAY_RECEIPT_OTHER_CALL', 9);
    expectCode(judgeOne({ change: { nonce: 'a-nonce-of-its-own' } }), 'GATEWAY_RECEIPT_OTHER_CALL', 10);
  });

  it('one used twice, and two of one call', () => {
    expectCode(judge(kept(9, 3, theirs(3, '1')), kept(10, 6, theirs(3, '1'))), 'GATEWAY_RECEIPT_TWICE', 10);
    const second = theirs(3, '1', { change: { id: `5-${'1'.repeat(32)}` } });
    expectCode(judge(kept(9, 3, theirs(3, '1')), kept(10, 3, second)), 'GATEWAY_RECEIPT_TWICE', 10);
  });

  it('C8 fails the bundle that it is in, and one of a stranger only grades it down', () => {
    const payload = {
      runId: RUN,
      origin: ORIGIN,
      harness: { packRoot: PACK, packHash: null },
      outputs: { artifactHash: null },
      eventChainRoot: hash('0'),
    } as unknown as BundlePayload;
    const found = (gateways: readonly TrustedGateway[], ...more: readonly Entry[]) => {
      const run = [START, ...ONE, ...TWO, ...more].map((each) => ({ entry: each, line: new Uint8Array(0) }));
      const findings = new BundleFindings();
      const trust = { keys: [], packs: [], gateways, attesters: [] };
      const bundle = { envelope: null, payload, parts: new Map() };
      const entries = { run, all: run } as unknown as BundledEntries;
      const { gated } = vouchedFor(bundle, entries, { trust, now: 0, more: [] }, findings);
      return [gated, findings.verdict(), findings.all.map(({ code }) => code)];
    };
    const twice = [kept(9, 3, theirs(3, '1')), kept(10, 6, theirs(3, '1'))];
    expect(found(TRUSTED, ...twice)).toEqual([false, 'FAIL', ['GATEWAY_RECEIPT_TWICE']]);
    expect(found([], kept(9, 3, theirs(3, '1')))).toEqual([false, 'PASS', []]);
  });

  it('one by a gateway that nobody trusts', () => {
    const origin = 'counterfoil/fedcba9876543210';
    expectCode(judgeOne({ origin }), 'GATEWAY_KEY_NOT_TRUSTED', 10);
    const entries = [START, ...ONE, kept(9, 3, theirs(3, '1'))];
    expectCode(verify(entries, []), 'GATEWAY_KEY_NOT_TRUSTED', 9);
  });

  it('one by another key in the name of one that is trusted, or changed after it was signed', () => {
    expectCode(judgeOne({ by: OTHER }), 'GATEWAY_RECEIPT_FORGED', 10);
    const { receipt, ...rest } = theirs(6, '2');
    const changed = { ...rest, receipt: { ...(receipt as JsonObject), model: 'other' } };
    expectCode(judge(kept(9, 6, changed)), 'GATEWAY_RECEIPT_FORGED', 9);
  });

  it('an upstream that is not accepted', () => {
    const change = { upstream: 'http://127.0.0.1:1' };
    expectCode(judgeOne({ change }), 'GATEWAY_UPSTREAM_NOT_ACCEPTED', 10);
  });

  it.each([
    ['another request', { request: { commitment: hash('e'), bytes: 10 } }],
    ['another length of the request', { request: { commitment: hash('2'), bytes: 11 } }],
    ['another answer', { response: { commitment: hash('e'), bytes: 20, complete: true } }],
    ['another length of the answer', { response: { commitment: hash('2'), bytes: 21, complete: true } }],
    ['an answer that did not end', { response: { commitment: hash('2'), bytes: 20, complete: false } }],
  ])('%s', (_, change) => {
    expectCode(judgeOne({ change }), 'GATEWAY_COMMITMENT_WRONG', 6);
  });

  it('of an answer that broke off for both, the gateway may have seen more, and the run may not', () => {
    const cut = (bytes: number, byte: string) => ({
      response: { commitment: hash(byte), bytes, complete: false },
    });
    const broken: Partial<ModelResult> = { result: 'aborted', stopReason: null };
    const judged = (ours: number, seen: number, said = broken, byte = '4') => {
      const run = [
        START,
        ...exchange(3, '1', cut(ours, byte), said),
        kept(9, 3, theirs(3, '1', { change: { ...cut(seen, '5'), result: 'aborted', stopReason: null } })),
      ];
      return verify(run, TRUSTED);
    };
    const answered = { ...broken, response: { hash: hash('e'), bytes: 3, ref: null } };
    expect(judged(5, 7)).toEqual({ ok: true, calls: 1 });
    expectCode(judged(7, 5), 'GATEWAY_COMMITMENT_WRONG', 3);
    // The bytes that came are the same, so what they say is vouched for.
    expect(judged(7, 7, answered, '5')).toEqual({ ok: true, calls: 1 });
    for (const more of [
      { result: 'ok' as const },
      { result: 'error' as const },
      { stopReason: 'end_turn' },
      { model: 'better' },
      { status: 201 },
      { tokens: { ...NO_TOKENS, output: 9 } },
    ])
      expectCode(judged(7, 7, { ...answered, ...more }, '5'), 'GATEWAY_RECEIPT_INCOMPLETE', 3);
    expectCode(judged(5, 7, answered), 'GATEWAY_RECEIPT_INCOMPLETE', 3);
    expectCode(judged(7, 7, answered), 'GATEWAY_RECEIPT_INCOMPLETE', 3);
    expectCode(judged(5, 7, { ...broken, toolUses: 1 }), 'GATEWAY_RECEIPT_INCOMPLETE', 3);
  });

  it("a call without the run's own receipt, or with one of another entry", () => {
    const [call, result] = ONE as [Entry, Entry, Entry];
    const run = [START, call, result, kept(9, 3, theirs(3, '1'))];
    expectCode(verify(run, TRUSTED), 'GATEWAY_COMMITMENT_WRONG', 3);
    const other = [
      START,
      ...exchange(3, '1', { call: { seq: 3, hash: hash('f') } }),
      kept(9, 3, theirs(3, '1')),
    ];
    expectCode(verify(other, TRUSTED), 'GATEWAY_COMMITMENT_WRONG', 3);
  });

  it.each([
    ['model', { model: 'larger' }],
    ['answering model', { modelAnswered: 'smaller' }],
    ['provider', { provider: 'openai' }],
    ['api', { api: 'openai.chat' }],
    ['status', { status: 500 }],
    ['stop reason', { stopReason: 'tool_use' }],
    ['number of tokens', { tokens: { ...NO_TOKENS, input: 1 } }],
  ])('another %s', (what, change) => {
    const verdict = judgeOne({ change });
    expectCode(verdict, 'GATEWAY_FACTS_WRONG', 6);
    expect(verdict).toMatchObject({ message: expect.stringContaining(`different ${what}`) });
  });

  it('an accepted upstream that is not the one that the run says', () => {
    const upstreams = [UPSTREAM, 'https://api.openai.com'];
    const [{ key }] = TRUSTED as [(typeof TRUSTED)[0]];
    const receipt = theirs(3, '1', { change: { upstream: 'https://api.openai.com' } });
    const verdict = verify([START, ...ONE, kept(9, 3, receipt)], [{ key, upstreams }]);
    expectCode(verdict, 'GATEWAY_FACTS_WRONG', 3);
    expect(verdict).toMatchObject({
      message: expect.stringContaining('Give the same address as --upstream'),
    });
  });

  it('has no code that nothing above asks for', () => {
    const others: readonly string[] = CLOSING_CODES;
    const own = Object.keys(GATEWAY_CODES).filter((code) => !others.includes(code));
    expect([...asked].sort()).toEqual(own.sort());
  });

  it('is pinned by spec/vectors/gateway-receipts.json', async () => {
    const text = `[\n${vectors.map((vector) => ` ${JSON.stringify(vector)}`).join(',\n')}\n]\n`;
    await expect(text).toMatchFileSnapshot('../../spec/vectors/gateway-receipts.json');
  });
});

describe('what is not trusted', () => {
  const whole = theirs(3, '1');
  const { receipt } = whole as { receipt: JsonObject };
  const member = (of: JsonObject) => fc.constantFrom(...Object.keys(of), 'more');

  it('parseGatewayReceipt throws nothing but ParseError', () => {
    expect(parseGatewayReceipt(whole).receipt.client).toEqual({ run: RUN, pack: PACK });
    const tried = fc.oneof(
      fc.tuple(member(whole), fc.jsonValue()).map(([name, value]) => ({ ...whole, [name]: value })),
      fc
        .tuple(member(receipt), fc.jsonValue())
        .map(([name, value]) => ({ ...whole, receipt: { ...receipt, [name]: value } })),
    );
    fc.assert(
      fc.property(tried, (payload) => {
        try {
          parseGatewayReceipt(payload as JsonObject);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
    );
  });

  it('verifyGatewayReceipts never throws, and never accepts what was changed', () => {
    const run = [START, ...ONE, kept(9, 3, whole)];
    expect(verifyGatewayReceipts(run, TRUSTED)).toEqual({ ok: true, calls: 1 });
    const place = fc.constantFrom(...run.keys());
    fc.assert(
      fc.property(place, fc.dictionary(fc.string(), fc.jsonValue()), (at, payload) => {
        const changed = run.map((each, i) => (i === at ? { ...each, payload: payload as JsonObject } : each));
        expect(verifyGatewayReceipts(changed, TRUSTED).ok).toBe(false);
      }),
    );
    for (const name of Object.keys(receipt)) {
      const changed = { ...whole, receipt: { ...receipt, [name]: `${JSON.stringify(receipt[name])}0` } };
      expect(verifyGatewayReceipts([START, ...ONE, kept(9, 3, changed)], TRUSTED).ok, name).toBe(false);
    }
  });
});
