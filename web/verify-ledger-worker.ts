// The verifier of whole ledgers and of proofs, off the page's thread. Few readers need it, so it is loaded when one is dropped.
import { checkLedger, type LedgerQuestion } from './check-ledger.ts';
import { answerLines, type LinesQuestion, type LineThread, lineHelper } from './line-helper.ts';
import { scriptUrls } from './script-urls.ts';

addEventListener('message', async ({ data }: MessageEvent<LedgerQuestion | LinesQuestion>) => {
  try {
    if (data.what === 'lines') {
      const [answer, moved] = answerLines(data);
      postMessage({ answer }, { transfer: moved });
      return;
    }
    // Where a worker may start none, it does all of it.
    const helper = typeof Worker === 'undefined' ? undefined : () => lineHelper(anotherOfThis());
    postMessage({ answer: await checkLedger(data, helper) });
  } catch (error) {
    postMessage({ failure: error instanceof Error ? error.message : String(error) });
  }
});

/** Ends with this one. */
function anotherOfThis(): LineThread {
  return new Worker(scriptUrls.createScriptURL(location.href)) as LineThread;
}
