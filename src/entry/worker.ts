// The worker thread: seals, and checks lines for the parallel verifier. It opens the ledger for itself; locks keep
// it and everybody else apart.
import { parentPort } from 'node:worker_threads';
import { StoreError } from '../core/index.ts';
import { seal } from '../ledger/index.ts';
import { openFileStore, openKeyring } from '../store/files/index.ts';
import type { WorkerAnswer, WorkerJob } from './seal-worker.ts';

parentPort?.on('message', async ({ id, place }: WorkerJob) => {
  let answer: WorkerAnswer = { id };
  try {
    const store = openFileStore(place.directory);
    try {
      await store.sealing(() => seal(store, openKeyring(place.keyDirectory)));
    } finally {
      await store.close();
    }
  } catch (error) {
    const code = error instanceof StoreError ? error.code : 'IO';
    answer = { id, error: { code, message: (error as Error).message } };
  }
  parentPort?.postMessage(answer);
});
