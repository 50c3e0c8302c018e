// Asks a verifier, in a worker of its own.
import type { RunAnswer, RunQuestion } from './check-run.ts';
import type { Place } from './fetch-bytes.ts';
import { type RunMessage, readRun } from './run-message.ts';
import { inSlices } from './slices.ts';

/** `parts` may also be where to get them. Null: those of the question before. */
export type WorkerQuestion = Omit<RunQuestion, 'parts' | 'isServed'> & {
  readonly parts: RunQuestion['parts'] | Place | null;
};

export type Told<A> = { readonly answer: A } | { readonly failure: string };

export function askVerifier<Q, A>(worker: Worker, question: Q): Promise<A> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Told<A>>) => {
      if ('answer' in data) resolve(data.answer);
      else reject(new Error(data.failure));
    };
    worker.onerror = ({ message }) => reject(new Error(message || 'The verifier did not start.'));
    worker.postMessage(question);
  });
}

/** About a run. */
export async function askAboutRun(worker: Worker, question: WorkerQuestion): Promise<RunAnswer> {
  return inSlices(readRun(await askVerifier<WorkerQuestion, RunMessage>(worker, question)));
}
