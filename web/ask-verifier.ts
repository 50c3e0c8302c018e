// Asks a verifier, in a worker of its own.

export function askVerifier<Q, A>(worker: Worker, question: Q): Promise<A> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<{ answer: A } | { failure: string }>) => {
      if ('answer' in data) resolve(data.answer);
      else reject(new Error(data.failure));
    };
    worker.onerror = ({ message }) => reject(new Error(message || 'The verifier did not start.'));
    worker.postMessage(question);
  });
}
