// Sealing in a thread of its own, so that hashing and signing never hold up the appends. The thread starts when it is
// first needed and does not keep the process alive.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { StoreError } from '../core/index.ts';
import type { LedgerOptions, Located } from '../ledger/index.ts';

/** What the worker is asked and answers. */
export type WorkerJob = { readonly id: number; readonly job: 'seal'; readonly place: Pick<Located, 'directory' | 'keyDirectory'> };
export type WorkerAnswer = { readonly id: number; readonly error?: { readonly code: string; readonly message: string } };

/** dist/worker.cjs, beside the file this is built into. */
export function workerPath(): string {
  const here = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  const beside = join(here, 'worker.cjs');
  return existsSync(beside) ? beside : join(here, '../../dist/worker.cjs');
}

export function workerSealer(place: Pick<Located, 'directory' | 'keyDirectory'>): NonNullable<LedgerOptions['sealer']> {
  let worker: Worker | undefined;
  let counter = 0;
  const waiting = new Map<number, { resolve: () => void; reject: (error: unknown) => void }>();
  const fail = (error: unknown): void => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const start = (): Worker => {
    const started = new Worker(workerPath());
    started.unref();
    started.on('message', ({ id, error }: WorkerAnswer) => {
      const job = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) job?.resolve();
      else job?.reject(new StoreError(error.code as StoreError['code'], error.message));
      if (waiting.size === 0) started.unref();
    });
    started.on('error', fail);
    started.on('exit', () => fail(new StoreError('IO', 'the sealing thread ended.')));
    return started;
  };
  return {
    seal: () =>
      new Promise((resolve, reject) => {
        worker ??= start();
        const id = ++counter;
        waiting.set(id, { resolve, reject });
        worker.ref();
        const job: WorkerJob = { id, job: 'seal', place };
        worker.postMessage(job);
      }),
    async close() {
      const running = worker;
      worker = undefined;
      await running?.terminate();
    },
  };
}
