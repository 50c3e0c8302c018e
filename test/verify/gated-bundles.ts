// Bundles of runs whose model calls an independent gateway saw. Its key signed each receipt, the wrong ones too.
import {
  encodeBase64,
  encodeVerifierKey,
  gatewayNonce,
  type JsonObject,
  makeSigner,
  receiptMessage,
} from '../../src/core/index.ts';
import { encodeReceipt, type Receipt } from '../../src/format/index.ts';
import type { Runs } from './bundle-maker.ts';
import { type BundleCase, failing, made, STRICT, trusting } from './make-bundles.ts';
import type { Exchange } from './make-receipts.ts';

const ORIGIN = 'counterfoil/0123456789abcdef';
const GATEWAY = makeSigner(`${ORIGIN}/gateway`, new Uint8Array(32).fill(43));
const TRUSTED = [{ vkey: encodeVerifierKey(GATEWAY), upstreams: ['https://api.anthropic.com'] }];
const PACK = STRICT.hashes.root;
const GATED: BundleCase['expect'] = { verdict: 'PASS', tier: 'gateway', codes: [] };

/** As the gateway hands it out. */
function handedOut(runs: Runs, exchange: Exchange, change: Partial<Receipt> = {}): JsonObject {
  const receipt = {
    ...runs.facts(exchange),
    ...{ run: 'c'.repeat(64), pack: null, client: { run: runs.session, pack: PACK } },
    nonce: gatewayNonce({
      session: runs.session,
      pack: PACK,
      prevHash: runs.hashes[exchange.call - 2] ?? '',
    }),
    ...change,
  };
  const message = receiptMessage({ origin: ORIGIN, payload: encodeReceipt(receipt, 1) });
  return {
    v: 1,
    origin: ORIGIN,
    gateway_key: { version: 1, public_key: 'b'.repeat(64), certificate: encodeBase64(new Uint8Array(64)) },
    receipt: encodeReceipt(receipt, 1, encodeBase64(GATEWAY.sign(message))),
  };
}

/** A model call with the run's own receipt. */
function asked(runs: Runs): Exchange {
  const exchange = runs.exchange();
  runs.receipt(exchange, { change: { pack: PACK } });
  return exchange;
}

function gated(
  name: string,
  done: string,
  expect: BundleCase['expect'],
  tell: (runs: Runs) => void,
): BundleCase {
  const trust = (runs: Runs) => trusting(runs, { packs: [PACK], gateways: TRUSTED });
  return made(name, done, expect, { pack: STRICT, tell }, { trust });
}

export function gatedBundles(): BundleCase[] {
  return [
    gated('gateway-saw-all', 'A trusted gateway signed for every model call.', GATED, (runs) => {
      for (let i = 0; i < 2; i++) {
        const exchange = asked(runs);
        runs.of('gateway.receipt', handedOut(runs, exchange), { cause: exchange.call });
      }
    }),
    gated(
      'gateway-receipts-swapped',
      'The receipts of two calls stand at each other’s.',
      failing('GATEWAY_RECEIPT_OTHER_CALL'),
      (runs) => {
        const [one, two] = [asked(runs), asked(runs)];
        runs.of('gateway.receipt', handedOut(runs, one), { cause: two.call });
        runs.of('gateway.receipt', handedOut(runs, two), { cause: one.call });
      },
    ),
  ];
}
