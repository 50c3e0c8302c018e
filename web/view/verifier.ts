// The verifier of the viewer: a script of its own, which the browser loads when the first run is opened.
import { askVerifier } from '../ask-verifier.ts';
import type { RunAnswer, RunQuestion } from '../check-run.ts';
import { scriptUrls } from '../script-urls.ts';

export async function check(question: RunQuestion): Promise<RunAnswer> {
  const worker = new Worker(scriptUrls.createScriptURL('/verify-worker.js'));
  try {
    return await askVerifier(worker, question);
  } finally {
    worker.terminate();
  }
}
