// The worker thread: seals, and checks lines for the parallel verifier. To seal, it opens the ledger for itself;
// locks keep it and everybody else apart.
import { parentPort } from 'node:worker_threads';
import { StoreError } from '../core/index.ts';
import { seal } from '../ledger/index.ts';
import { openFileStore, openKeyring } from '../store/files/index.ts';
import { checkLines } from '../verify/index.ts';
import type { Answer, Job, Place } from './thread.ts';

parentPort?.on('message', async (call: Job & { readonly id: number }) => {
  const { id } = call;
  let answer: Answer = { id, result: undefined };
  try {
    if (call.job === 'seal') await sealOnce(call.place);
    else {
      const { buffer, start, end } = call.lines;
      const result = checkLines(buffer, start, end, call.options);
      const moved = [result.leaves.buffer, result.sessions.of.buffer] as ArrayBuffer[];
      parentPort?.postMessage({ id, result } satisfies Answer, moved);
      return;
    }
  } catch (error) {
    const code = error instanceof StoreError ? error.code : 'IO';
    answer = { id, error: { code, message: (error as Error).message } };
  }
  parentPort?.postMessage(answer);
});

async function sealOnce(place: Place): Promise<void> {
  const store = openFileStore(place.directory);
  try {
    await store.sealing(() => seal(store, openKeyring(place.keyDirectory)));
  } finally {
    await store.close();
  }
}
