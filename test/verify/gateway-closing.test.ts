// Every way in which a gateway that saw all calls of a run may still not vouch for the run, each with its own code. Whatever is
// wrong was signed again by the gateway's own key, unless the signature is what is wrong.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeBase64,
  encodeVerifierKey,
  type JsonObject,
  makeSigner,
  makeVerifierKey,
  ParseError,
  runClosingMessage,
} from '../../src/core/index.ts';
import {
  type Entry,
  encodeRunClosing,
  parseGatewayClosing,
  type Receipt,
  type RunClosing,
} from '../../src/format/index.ts';
import { type GATEWAY_CODES, type TrustedGateway, verifyGatewayRun } from '../../src/verify/index.ts';
import { expectValid } from '../schemas.ts';
import {
  CLOSING_CODES,
  entry,
  exchange,
  GATEWAY,
  hash,
  kept,
  ORIGIN,
  OTHER,
  PACK,
  RUN,
  START,
  TRUSTED,
  theirs,
  UPSTREAM,
} from './make-gateway-runs.ts';

const END = entry(11, 'session.end', null, {});
const CALLS = [...exchange(3, '1'), ...exchange(6, '2')];
const ELSEWHERE = 'counterfoil/fedcba9876543210';
const ABROAD = makeSigner(`${ELSEWHERE}/gateway`, new Uint8Array(32).fill(9));
const BOTH = [...TRUSTED, { key: makeVerifierKey(ABROAD.name, ABROAD.publicKey), upstreams: [UPSTREAM] }];

/** The receipt of the call at `at`, which the gateway counted as `call`. */
function numbered(at: number, call: number, change: Partial<Receipt> = {}): JsonObject {
  const client = { run: RUN, pack: PACK, call };
  return theirs(at, at === 3 ? '1' : '2', { change: { client, ...change } });
}

const nonceOf = (handed: JsonObject): string => String((handed.receipt as JsonObject).nonce);
const [FIRST, SECOND] = [numbered(3, 1), numbered(6, 2)];
const RECEIPTS = [kept(9, 3, FIRST), kept(10, 6, SECOND)];

interface Signing {
  readonly change?: Partial<RunClosing>;
  readonly by?: typeof GATEWAY;
  readonly origin?: string;
}

/** As the gateway hands it out when it closes the run. */
function closing({ change = {}, by = GATEWAY, origin = ORIGIN }: Signing = {}): JsonObject {
  const said: RunClosing = {
    client: { run: RUN, pack: PACK },
    calls: 2,
    lastNonce: nonceOf(SECOND),
    end: END.entry_hash,
    issued: '2026-11-17T00:00:00.000Z',
    ...change,
  };
  const signature = by.sign(runClosingMessage({ origin, payload: encodeRunClosing(said, 1) }));
  return {
    v: 1,
    origin,
    gateway_key: { version: 1, public_key: hash('b'), certificate: encodeBase64(new Uint8Array(64)) },
    closing: encodeRunClosing(said, 1, encodeBase64(signature)),
  };
}

function closed(payload: JsonObject, cause: number | null = END.seq, seq = 12): Entry {
  return entry(seq, 'gateway.closing', cause, payload);
}

/** Everything that is judged here is a vector, with the answer that it must have. */
const vectors: JsonObject[] = [];

function verify(entries: readonly Entry[], gateways: readonly TrustedGateway[] = TRUSTED) {
  const verdict = verifyGatewayRun(entries, gateways);
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

const asked = new Set<string>();
function expectCode(
  verdict: ReturnType<typeof verify>,
  code: keyof typeof GATEWAY_CODES,
  seq: number | null,
): void {
  asked.add(code);
  expect(verdict).toMatchObject({ ok: false, code, seq });
}

/** A run of two calls that is in order, but for its closing. */
function judge(...closings: readonly Entry[]) {
  return verify([START, ...CALLS, ...RECEIPTS, END, ...closings]);
}

describe('verifyGatewayRun', () => {
  it('accepts a run that is closed behind its last call, whichever call was numbered first', () => {
    expectValid('gateway_closing.v1', closing());
    expect(judge(closed(closing()))).toEqual({ ok: true, calls: 2 });
    const swapped = [kept(9, 3, numbered(3, 2)), kept(10, 6, numbered(6, 1))];
    const last = closing({ change: { lastNonce: nonceOf(FIRST) } });
    expect(verify([START, ...CALLS, ...swapped, END, closed(last)])).toEqual({ ok: true, calls: 2 });
  });

  it('accepts the same closing twice', () => {
    expect(judge(closed(closing()), closed(closing(), END.seq, 13))).toEqual({ ok: true, calls: 2 });
  });

  it('a receipt that does not hold', () => {
    expect(verify([START, ...CALLS, kept(9, 3, FIRST), END, closed(closing())])).toMatchObject({
      code: 'GATEWAY_RECEIPT_MISSING',
    });
  });

  it('receipts of an older gateway, which does not number calls', () => {
    const older = [kept(9, 3, theirs(3, '1')), kept(10, 6, theirs(6, '2'))];
    expectCode(verify([START, ...CALLS, ...older, END, closed(closing())]), 'GATEWAY_CALLS_UNNUMBERED', 9);
    const mixed = [kept(9, 3, FIRST), kept(10, 6, theirs(6, '2'))];
    expectCode(verify([START, ...CALLS, ...mixed, END, closed(closing())]), 'GATEWAY_CALLS_UNNUMBERED', 10);
  });

  it('a hole in the numbers: the first call was cut out, or one in the middle', () => {
    const three = [kept(9, 3, FIRST), kept(10, 6, numbered(6, 3))];
    const counted = closed(closing({ change: { calls: 3 } }));
    expectCode(verify([START, ...CALLS, ...three, END, counted]), 'GATEWAY_CALL_LEFT_OUT', null);
    const only = [...exchange(6, '2'), kept(10, 6, SECOND)];
    expectCode(verify([START, ...only, END, closed(closing())]), 'GATEWAY_CALL_LEFT_OUT', null);
  });

  it('the same number twice', () => {
    const twice = [kept(9, 3, FIRST), kept(10, 6, numbered(6, 1))];
    expectCode(verify([START, ...CALLS, ...twice, END, closed(closing())]), 'GATEWAY_CALL_REPEATED', 10);
  });

  it('no closing', () => {
    expectCode(judge(), 'GATEWAY_CLOSING_MISSING', null);
  });

  it.each([
    ['of a later version', { ...closing(), v: 2 }],
    ['with a member more', { ...closing(), more: 1 }],
    ['with no last call', closing({ change: { lastNonce: null } })],
    ['with a last call of none', closing({ change: { calls: 0 } })],
  ])('a closing that is malformed: %s', (_, payload) => {
    expectCode(judge(closed(payload)), 'GATEWAY_CLOSING_MALFORMED', 12);
  });

  it.each([
    ['of another run', { client: { run: hash('d'), pack: PACK } }],
    ['of another pack', { client: { run: RUN, pack: hash('d') } }],
    ['of no pack', { client: { run: RUN, pack: null } }],
  ])('a closing %s', (_, change) => {
    expectCode(judge(closed(closing({ change }))), 'GATEWAY_CLOSING_OTHER_RUN', 12);
  });

  it('a closing under another key, or that was changed', () => {
    expectCode(judge(closed(closing({ by: OTHER }))), 'GATEWAY_CLOSING_FORGED', 12);
    const { closing: signed, ...rest } = closing();
    const changed = { ...rest, closing: { ...(signed as JsonObject), issued: '2026-11-18T00:00:00.000Z' } };
    expectCode(judge(closed(changed)), 'GATEWAY_CLOSING_FORGED', 12);
  });

  it('a receipt is no closing, though the same key signed it', () => {
    const { receipt } = FIRST as { receipt: JsonObject };
    const { closing: signed, ...rest } = closing();
    const { signature } = receipt;
    const moved = { ...rest, closing: { ...(signed as JsonObject), signature: signature as string } };
    expectCode(judge(closed(moved)), 'GATEWAY_CLOSING_FORGED', 12);
  });

  it('several gateways', () => {
    const abroad = closed(closing({ by: ABROAD, origin: ELSEWHERE }));
    expectCode(verify([START, ...CALLS, ...RECEIPTS, END, abroad], BOTH), 'GATEWAY_SEVERAL', 12);
    const change = { client: { run: RUN, pack: PACK, call: 1 } };
    const other = kept(10, 6, theirs(6, '2', { by: ABROAD, origin: ELSEWHERE, change }));
    const one = closed(closing({ change: { calls: 1, lastNonce: nonceOf(FIRST) } }));
    expectCode(verify([START, ...CALLS, kept(9, 3, FIRST), other, END, one], BOTH), 'GATEWAY_SEVERAL', 10);
  });

  it('a closing for another end, or that stands at something else', () => {
    expectCode(judge(closed(closing({ change: { end: hash('e') } }))), 'GATEWAY_CLOSING_OTHER_END', 12);
    expectCode(judge(closed(closing(), 9)), 'GATEWAY_CLOSING_OTHER_END', 12);
    expectCode(judge(closed(closing(), null)), 'GATEWAY_CLOSING_OTHER_END', 12);
    const at = closing({ change: { end: CALLS[0]?.entry_hash ?? '' } });
    expectCode(judge(closed(at, 3)), 'GATEWAY_CLOSING_OTHER_END', 12);
  });

  it('the last call was cut off: the gateway counted more', () => {
    const cut = [START, ...exchange(3, '1'), kept(9, 3, FIRST), END, closed(closing())];
    expectCode(verify(cut), 'GATEWAY_CLOSING_OTHER_COUNT', 12);
  });

  it('the closing counts fewer: it was made before the last call', () => {
    const before = closing({ change: { calls: 1, lastNonce: nonceOf(FIRST) } });
    expectCode(judge(closed(before)), 'GATEWAY_CLOSING_OTHER_COUNT', 12);
  });

  it('another last call', () => {
    const other = closing({ change: { lastNonce: nonceOf(FIRST) } });
    expectCode(judge(closed(other)), 'GATEWAY_CLOSING_OTHER_CALL', 12);
  });

  it('a tool behind the last call, which nobody saw but the owner', () => {
    const call = entry(11, 'tool.call', null, {});
    const end = { ...END, seq: 12, entry_hash: hash('c') };
    const handed = closing({ change: { end: hash('c') } });
    const run = [START, ...CALLS, ...RECEIPTS, call, end, closed(handed, 12, 13)];
    expectCode(verify(run), 'GATEWAY_TOOL_LAST', 11);
    const use = { ...call, kind: 'model.tool_use', cause: 6 };
    expectCode(verify(run.map((each) => (each === call ? use : each))), 'GATEWAY_TOOL_LAST', 11);
    expect(verify(run.map((each) => (each === call ? { ...call, kind: 'tool.result' } : each))).ok).toBe(
      true,
    );
  });

  it.each([
    ['asked for a tool', { toolUses: 1 }, { toolUses: 1 }],
    ['stopped to ask for one', { stopReason: 'tool_use' }, { stopReason: 'tool_use' }],
  ])('the last answer %s, and nothing tells what became of it', (_, theirWord, ours) => {
    const calls = [...exchange(3, '1'), ...exchange(6, '2', {}, ours)];
    const receipts = [kept(9, 3, FIRST), kept(10, 6, numbered(6, 2, theirWord))];
    expectCode(verify([START, ...calls, ...receipts, END, closed(closing())]), 'GATEWAY_TOOL_LAST', 7);
    // The call behind it follows from what became of it.
    const before = [...exchange(3, '1', {}, ours), ...exchange(6, '2')];
    const fine = [kept(9, 3, numbered(3, 1, theirWord)), kept(10, 6, SECOND)];
    expect(verify([START, ...before, ...fine, END, closed(closing())])).toEqual({ ok: true, calls: 2 });
  });

  it('the last answer broke off: who read that far may have called a tool', () => {
    const cut = (bytes: number): Partial<Receipt> => ({
      response: { commitment: hash('2'), bytes, complete: false },
    });
    const broken = { result: 'aborted' as const, stopReason: null };
    const judged = (bytes: number) => {
      const calls = [...exchange(3, '1'), ...exchange(6, '2', cut(bytes), broken)];
      const receipts = [kept(9, 3, FIRST), kept(10, 6, numbered(6, 2, { ...cut(bytes), ...broken }))];
      return verify([START, ...calls, ...receipts, END, closed(closing())]);
    };
    expectCode(judged(20), 'GATEWAY_TOOL_LAST', 7);
    expect(judged(0)).toEqual({ ok: true, calls: 2 });
  });

  it('another number of tools than the gateway saw', () => {
    const receipts = [kept(9, 3, numbered(3, 1, { toolUses: 1 })), kept(10, 6, SECOND)];
    expect(verify([START, ...CALLS, ...receipts, END, closed(closing())])).toMatchObject({
      code: 'GATEWAY_FACTS_WRONG',
    });
  });

  it('one of two closings does not hold', () => {
    const before = closing({ change: { calls: 1, lastNonce: nonceOf(FIRST) } });
    expectCode(judge(closed(closing()), closed(before, END.seq, 13)), 'GATEWAY_CLOSING_OTHER_COUNT', 13);
  });

  it('has no code that nothing above asks for', () => {
    expect([...asked].sort()).toEqual([...CLOSING_CODES].sort());
  });

  it('is pinned by spec/vectors/gateway-closings.json', async () => {
    const text = `[\n${vectors.map((vector) => ` ${JSON.stringify(vector)}`).join(',\n')}\n]\n`;
    await expect(text).toMatchFileSnapshot('../../spec/vectors/gateway-closings.json');
  });
});

describe('what is not trusted', () => {
  const whole = closing();
  const { closing: signed } = whole as { closing: JsonObject };

  it('parseGatewayClosing throws nothing but ParseError', () => {
    const member = (of: JsonObject) => fc.constantFrom(...Object.keys(of), 'more');
    const tried = fc.oneof(
      fc.tuple(member(whole), fc.jsonValue()).map(([name, value]) => ({ ...whole, [name]: value })),
      fc
        .tuple(member(signed), fc.jsonValue())
        .map(([name, value]) => ({ ...whole, closing: { ...signed, [name]: value } })),
    );
    fc.assert(
      fc.property(tried, (payload) => {
        try {
          parseGatewayClosing(payload as JsonObject);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
    );
  });

  it('verifyGatewayRun never throws, and never accepts what was changed', () => {
    const run = [START, ...CALLS, ...RECEIPTS, END];
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (payload) => {
        expect(verifyGatewayRun([...run, closed(payload as JsonObject)], TRUSTED).ok).toBe(false);
      }),
    );
    for (const name of Object.keys(signed)) {
      const changed = { ...whole, closing: { ...signed, [name]: `${JSON.stringify(signed[name])}0` } };
      expect(verifyGatewayRun([...run, closed(changed)], TRUSTED).ok, name).toBe(false);
    }
  });
});
