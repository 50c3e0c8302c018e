// The thread behind `SessionAnswers`: `view-session.cjs` runs it.
import { parentPort } from 'node:worker_threads';
import { StoreError } from '../core/index.ts';
import { answerAbout, type SessionAnswer, type SessionCall } from './session-answers.ts';

export function answerSessions(): void {
  parentPort?.on('message', async ({ id, task }: SessionCall) => {
    try {
      const answer = await answerAbout(task);
      parentPort?.postMessage({ id, answer } satisfies SessionAnswer, ownBuffers(answer.body));
    } catch (error) {
      const code = error instanceof StoreError ? error.code : null;
      const failure = { code, message: error instanceof Error ? error.message : String(error) };
      parentPort?.postMessage({ id, failure } satisfies SessionAnswer);
    }
  });
}

/** What is handed over without a copy. Small buffers of Node share one with others, which must stay here. */
function ownBuffers(body: string | Uint8Array): ArrayBuffer[] {
  if (typeof body === 'string' || !(body.buffer instanceof ArrayBuffer)) return [];
  return body.byteLength === body.buffer.byteLength ? [body.buffer] : [];
}
