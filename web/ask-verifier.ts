// Asks a verifier, in a worker of its own. What a long run has many of comes in pieces, so that the page never stands still
// while it takes them in.
import type { Entry } from '../src/format/index.ts';
import type { RunAnswer, RunQuestion } from './check-run.ts';

/** Comes before the answer, as often as there is more. */
export interface Piece {
  readonly entries: readonly Entry[];
  readonly shown: readonly (readonly [name: string, bytes: Uint8Array])[];
}

export type Told<A> = { readonly answer: A } | { readonly failure: string } | { readonly piece: Piece };

export function askVerifier<Q, A>(
  worker: Worker,
  question: Q,
  take: (piece: Piece) => void = () => undefined,
): Promise<A> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Told<A>>) => {
      if ('piece' in data) take(data.piece);
      else if ('answer' in data) resolve(data.answer);
      else reject(new Error(data.failure));
    };
    worker.onerror = ({ message }) => reject(new Error(message || 'The verifier did not start.'));
    worker.postMessage(question);
  });
}

/** About a run. */
export async function askAboutRun(worker: Worker, question: RunQuestion): Promise<RunAnswer> {
  const entries: Entry[] = [];
  const shown = new Map<string, Uint8Array>();
  const answer = await askVerifier<RunQuestion, RunAnswer>(worker, question, (piece) => {
    entries.push(...piece.entries);
    for (const [name, bytes] of piece.shown) shown.set(name, bytes);
  });
  return { ...answer, entries, shown };
}
