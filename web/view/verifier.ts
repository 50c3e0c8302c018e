// The verifiers of the viewer: scripts of their own, which the browser loads when they are first needed.
import { askAboutRun, askVerifier } from '../ask-verifier.ts';
import type { LedgerAnswer, LedgerQuestion } from '../check-ledger.ts';
import type { RunAnswer, RunQuestion } from '../check-run.ts';
import { scriptUrls } from '../script-urls.ts';

export function check(question: RunQuestion): Promise<RunAnswer> {
  return withWorker('/verify-worker.js', (worker) => askAboutRun(worker, question));
}

export function checkWhole(question: LedgerQuestion): Promise<LedgerAnswer> {
  return withWorker('/verify-ledger.js', (worker) => askVerifier(worker, question));
}

async function withWorker<A>(script: string, ask: (worker: Worker) => Promise<A>): Promise<A> {
  const worker = new Worker(scriptUrls.createScriptURL(script));
  try {
    return await ask(worker);
  } finally {
    worker.terminate();
  }
}
