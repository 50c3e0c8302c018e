// The verifier, off the page's thread.
import { checkRun, type RunQuestion } from './check-run.ts';

addEventListener('message', async ({ data }: MessageEvent<RunQuestion>) => {
  try {
    postMessage({ answer: await checkRun(data) });
  } catch (error) {
    postMessage({ failure: error instanceof Error ? error.message : String(error) });
  }
});
