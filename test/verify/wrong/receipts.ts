// Receipts, as in a ledger.
import { type BundleCase, failing, made, OTHER_PACK, unknown } from '../make-bundles.ts';
import { stranger } from './edits.ts';

/** Receipts, as in a ledger. */
export function receipts(): BundleCase[] {
  const misbound = failing('RECEIPT_MISBOUND');
  return [
    made('receipt-of-a-tool-call', 'A receipt names a call of a tool.', misbound, {
      tell: (runs) => {
        const exchange = runs.exchange();
        runs.receipt({ ...exchange, event: runs.tool('Bash', { command: 'ls' }) });
      },
    }),
    made('receipt-at-another-cause', 'The cause of a receipt is a call of a tool.', misbound, {
      tell: (runs) => {
        const call = runs.tool('Bash', { command: 'ls' });
        runs.receipt(runs.exchange(), { cause: call });
      },
    }),
    made('receipt-of-another-run', 'A receipt names another run.', misbound, {
      tell: (runs) => void runs.receipt(runs.exchange(), { change: { run: '7'.repeat(64) } }),
    }),
    made('receipt-used-twice', 'A receipt is there twice.', misbound, {
      tell: (runs) => {
        const exchange = runs.exchange();
        runs.receipt(exchange);
        runs.receipt(exchange);
      },
    }),
    made('nonce-used-twice', 'Two receipts have one nonce.', failing('RECEIPT_NONCE_REUSED'), {
      tell: (runs) => {
        const nonce = 'client-nonce-1';
        for (let i = 0; i < 2; i++) runs.receipt(runs.exchange({ nonce }), { change: { nonce } });
      },
    }),
    made('receipt-forged', 'Another key signed a receipt.', failing('RECEIPT_FORGED'), {
      tell: (runs) => void runs.receipt(runs.exchange(), { by: stranger }),
    }),
    made(
      'receipt-without-its-key',
      'The entry that introduces the gateway’s key is left out.',
      failing('RECEIPT_FORGED'),
      { model: true },
      {
        without: ({ kind }) => kind === 'gateway.key',
      },
    ),
    made('receipt-missing', 'A model call has no receipt.', unknown('RECEIPT_MISSING'), {
      tell: (runs) => void runs.exchange(),
    }),
    made(
      'receipt-of-another-pack',
      'A receipt names another pack than the run.',
      failing('RECEIPT_MISBOUND'),
      {
        tell: (runs) => void runs.receipt(runs.exchange(), { change: { pack: OTHER_PACK.hashes.root } }),
      },
    ),
  ];
}
