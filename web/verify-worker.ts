// The verifier, off the page's thread.
import type { Told, WorkerQuestion } from './ask-verifier.ts';
import { checkRun } from './check-run.ts';
import { fetchBytes, type Place } from './fetch-bytes.ts';
import { buffersOf, encodeRun, type RunMessage } from './run-message.ts';

/** Of the last question, for one that is about the same. */
let known: Exclude<WorkerQuestion['parts'], Place | null> = [];
let isServed = false;

addEventListener('message', async ({ data: { parts, keys, now } }: MessageEvent<WorkerQuestion>) => {
  try {
    if (parts !== null) {
      isServed = 'address' in parts;
      known = 'address' in parts ? await fetchBytes(parts) : parts;
    }
    const answer = encodeRun(await checkRun({ parts: known, isServed, keys, now }));
    postMessage({ answer } satisfies Told<RunMessage>, { transfer: buffersOf(answer) });
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    postMessage({ failure } satisfies Told<RunMessage>);
  }
});
