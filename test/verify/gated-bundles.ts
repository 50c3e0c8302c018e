// Bundles of runs whose model calls an independent gateway saw. Its key signed each receipt and each closing, the wrong ones too.
import {
  encodeBase64,
  encodeVerifierKey,
  gatewayNonce,
  type JsonObject,
  makeSigner,
  receiptMessage,
  runClosingMessage,
} from '../../src/core/index.ts';
import { encodeReceipt, encodeRunClosing, type Receipt, type RunClosing } from '../../src/format/index.ts';
import type { Runs } from './bundle-maker.ts';
import { type BundleCase, failing, made, STRICT, type Story, trusting } from './make-bundles.ts';
import type { Exchange } from './make-receipts.ts';

const ORIGIN = 'counterfoil/0123456789abcdef';
const GATEWAY = makeSigner(`${ORIGIN}/gateway`, new Uint8Array(32).fill(43));
const OTHER = makeSigner(`${ORIGIN}/gateway`, new Uint8Array(32).fill(44));
const TRUSTED = [{ vkey: encodeVerifierKey(GATEWAY), upstreams: ['https://api.anthropic.com'] }];
const PACK = STRICT.hashes.root;
const GATED: BundleCase['expect'] = { verdict: 'PASS', tier: 'gateway', codes: [] };
/** The entries are in order, and the gateway does not vouch for the run. */
const GRADED_DOWN: BundleCase['expect'] = { verdict: 'PASS', tier: 'self', codes: [] };

function nonceOf(runs: Runs, exchange: Exchange): string {
  const prevHash = runs.hashes[exchange.call - 2] ?? '';
  return gatewayNonce({ session: runs.session, pack: PACK, prevHash });
}

function handedOut(statement: JsonObject): JsonObject {
  const certificate = encodeBase64(new Uint8Array(64));
  return {
    v: 1,
    origin: ORIGIN,
    gateway_key: { version: 1, public_key: 'b'.repeat(64), certificate },
    ...statement,
  };
}

function receiptOf(runs: Runs, exchange: Exchange, call?: number): JsonObject {
  const receipt: Receipt = {
    ...runs.facts(exchange),
    run: 'c'.repeat(64),
    pack: null,
    client: { run: runs.session, pack: PACK, ...(call === undefined ? {} : { call }) },
    nonce: nonceOf(runs, exchange),
    ...(call === undefined ? {} : { toolUses: 0 }),
  };
  const message = receiptMessage({ origin: ORIGIN, payload: encodeReceipt(receipt, 1) });
  return handedOut({ receipt: encodeReceipt(receipt, 1, encodeBase64(GATEWAY.sign(message))) });
}

/** A model call with the run's own receipt. */
function asked(runs: Runs): Exchange {
  const exchange = runs.exchange();
  runs.receipt(exchange, { change: { pack: PACK } });
  return exchange;
}

/** A call for each number, with the gateway's receipt; undefined for a receipt without a number. */
function calls(runs: Runs, numbers: readonly (number | undefined)[]): void {
  for (const number of numbers) {
    const exchange = asked(runs);
    runs.of('gateway.receipt', receiptOf(runs, exchange, number), { cause: exchange.call });
  }
}

/** Behind the end of the run: its closing, and the sum of all of it. */
function closed(runs: Runs, change: Partial<RunClosing> = {}, by = GATEWAY): void {
  const lines = runs.entries().filter(({ entry }) => entry.session_id === runs.session);
  const end = lines.findLast(({ entry }) => entry.kind === 'session.end')?.entry;
  const receipts = lines.filter(({ entry }) => entry.kind === 'gateway.receipt');
  const last = receipts.at(-1)?.entry.payload.receipt as JsonObject;
  const closing: RunClosing = {
    client: { run: runs.session, pack: PACK },
    calls: receipts.length,
    lastNonce: String(last.nonce),
    end: end?.entry_hash ?? '',
    issued: '2026-11-17T08:59:00.000Z',
    ...change,
  };
  const message = runClosingMessage({ origin: ORIGIN, payload: encodeRunClosing(closing, 1) });
  const signed = encodeRunClosing(closing, 1, encodeBase64(by.sign(message)));
  runs.of('gateway.closing', handedOut({ closing: signed }), { cause: end?.seq ?? null });
  runs.sum();
}

function gated(
  name: string,
  done: string,
  expect: BundleCase['expect'],
  story: Pick<Story, 'tell' | 'after'>,
): BundleCase {
  const trust = (runs: Runs) => trusting(runs, { packs: [PACK], gateways: TRUSTED });
  return made(name, done, expect, { pack: STRICT, ...story }, { trust });
}

const two = (runs: Runs): void => calls(runs, [1, 2]);

/** Two calls that are in order, and a closing that is not. */
function misclosed(
  name: string,
  done: string,
  expect: BundleCase['expect'],
  change: Partial<RunClosing>,
): BundleCase {
  return gated(name, done, expect, { tell: two, after: (runs) => closed(runs, change) });
}

export function gatedBundles(): BundleCase[] {
  return [
    gated('gateway-saw-all', 'A trusted gateway signed for every model call, and closed the run.', GATED, {
      tell: two,
      after: closed,
    }),
    gated('gateway-unnumbered', 'An older gateway signed for every model call.', GRADED_DOWN, {
      tell: (runs) => calls(runs, [undefined, undefined]),
    }),
    gated(
      'gateway-not-closed',
      'A trusted gateway signed for every call; nothing closes the run.',
      GRADED_DOWN,
      {
        tell: two,
      },
    ),
    gated(
      'gateway-receipts-swapped',
      'The receipts of two calls stand at each other’s.',
      failing('GATEWAY_RECEIPT_OTHER_CALL'),
      {
        tell(runs) {
          const [one, other] = [asked(runs), asked(runs)];
          runs.of('gateway.receipt', receiptOf(runs, one, 1), { cause: other.call });
          runs.of('gateway.receipt', receiptOf(runs, other, 2), { cause: one.call });
        },
        after: closed,
      },
    ),
    gated('gateway-call-left-out', 'The second of three calls was cut out.', GRADED_DOWN, {
      tell: (runs) => calls(runs, [1, 3]),
      after: (runs) => closed(runs, { calls: 3 }),
    }),
    gated('gateway-call-repeated', 'Two calls have the same number.', GRADED_DOWN, {
      tell: (runs) => calls(runs, [1, 1]),
      after: closed,
    }),
    gated(
      'gateway-last-call-cut-off',
      'The last call was cut off, what a tool was asked before it was changed, and then the run was closed.',
      GRADED_DOWN,
      {
        tell(runs) {
          calls(runs, [1]);
          runs.tool('Bash', { command: 'echo harmless' });
        },
        after: (runs) => closed(runs, { calls: 2, lastNonce: 'N'.repeat(43) }),
      },
    ),
    gated(
      'gateway-tool-behind-the-last-call',
      'A tool was called behind the last model call, so that its owner could change that until the run was closed.',
      GRADED_DOWN,
      {
        tell(runs) {
          two(runs);
          runs.tool('Bash', { command: 'echo harmless' });
        },
        after: closed,
      },
    ),
    misclosed('gateway-closed-too-early', 'The closing was made before the last call.', GRADED_DOWN, {
      calls: 1,
    }),
    misclosed('gateway-closed-at-another-call', 'The closing names another last call.', GRADED_DOWN, {
      lastNonce: 'N'.repeat(43),
    }),
    misclosed(
      'gateway-closed-another-run',
      'The closing is of another run.',
      failing('GATEWAY_CLOSING_OTHER_RUN'),
      { client: { run: 'd'.repeat(64), pack: PACK } },
    ),
    misclosed(
      'gateway-closed-another-end',
      'What stands before the end was changed after the run was closed.',
      failing('GATEWAY_CLOSING_OTHER_END'),
      { end: 'e'.repeat(64) },
    ),
    gated('gateway-closed-by-another', 'Another key signed the closing.', failing('GATEWAY_CLOSING_FORGED'), {
      tell: two,
      after: (runs) => closed(runs, {}, OTHER),
    }),
  ];
}
