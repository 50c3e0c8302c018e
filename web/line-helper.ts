// A second thread for the verifier of whole ledgers: it checks lines, which is half of the work, while the first reads on and
// looks at content. Both run the same script.
import { checkLines, type LineChecker, type LinesOptions, type LinesResult } from '../src/verify/index.ts';

export interface LinesQuestion {
  readonly what: 'lines';
  readonly buffer: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly options: LinesOptions;
}

export type LinesAnswer = { readonly answer: LinesResult } | { readonly failure: string };

/** What is used of a worker. */
export interface LineThread {
  onmessage: ((event: { readonly data: LinesAnswer }) => void) | null;
  onerror: ((event: { readonly message: string }) => void) | null;
  postMessage(question: LinesQuestion, moved: ArrayBuffer[]): void;
}

/** With what of it can be handed over. */
export function answerLines({ buffer, start, end, options }: LinesQuestion): [LinesResult, ArrayBuffer[]] {
  const result = checkLines(buffer, start, end, options);
  return [result, [result.leaves.buffer, result.sessions.of.buffer] as ArrayBuffer[]];
}

/** Questions wait for one another there, and are answered in their order. */
export function lineHelper(thread: LineThread): LineChecker {
  const waiting: { resolve(result: LinesResult): void; reject(error: Error): void }[] = [];
  thread.onmessage = ({ data }) => {
    const asked = waiting.shift();
    if ('answer' in data) asked?.resolve(data.answer);
    else asked?.reject(new Error(data.failure));
  };
  thread.onerror = ({ message }) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(message || 'The verifier did not start.'));
  };
  return {
    width: 1,
    check: ({ buffer, start, end }, options) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        thread.postMessage({ what: 'lines', buffer, start, end, options }, [buffer.buffer as ArrayBuffer]);
      }),
  };
}
