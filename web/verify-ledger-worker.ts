// The verifier of whole ledgers and of proofs, off the page's thread. Few readers need it, so it is loaded when one is dropped.
import { checkLedger, type LedgerQuestion } from './check-ledger.ts';

addEventListener('message', async ({ data }: MessageEvent<LedgerQuestion>) => {
  try {
    postMessage({ answer: await checkLedger(data) });
  } catch (error) {
    postMessage({ failure: error instanceof Error ? error.message : String(error) });
  }
});
