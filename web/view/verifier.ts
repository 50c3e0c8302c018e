// The verifiers of the viewer: scripts of their own, which the browser loads when they are first needed.
import { askVerifier } from '../ask-verifier.ts';
import type { LedgerAnswer, LedgerQuestion } from '../check-ledger.ts';
import type { RunAnswer, RunQuestion } from '../check-run.ts';
import { scriptUrls } from '../script-urls.ts';

export function check(question: RunQuestion): Promise<RunAnswer> {
  return asked('/verify-worker.js', question);
}

export function checkWhole(question: LedgerQuestion): Promise<LedgerAnswer> {
  return asked('/verify-ledger.js', question);
}

async function asked<Q, A>(script: string, question: Q): Promise<A> {
  const worker = new Worker(scriptUrls.createScriptURL(script));
  try {
    return await askVerifier<Q, A>(worker, question);
  } finally {
    worker.terminate();
  }
}
