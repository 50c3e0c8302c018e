// Asks the verifier, in a worker of its own.
import type { RunAnswer, RunQuestion } from './check-run.ts';

export function askVerifier(worker: Worker, question: RunQuestion): Promise<RunAnswer> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<{ answer: RunAnswer } | { failure: string }>) => {
      if ('answer' in data) resolve(data.answer);
      else reject(new Error(data.failure));
    };
    worker.onerror = ({ message }) => reject(new Error(message || 'The verifier did not start.'));
    worker.postMessage(question);
  });
}
