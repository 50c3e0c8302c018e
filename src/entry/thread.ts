// A worker thread that answers calls: it seals, and it checks lines. It starts when it is first needed and keeps the
// process alive only while a call is under way. worker.ts is its other side.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Transferable, Worker } from 'node:worker_threads';
import { StoreError } from '../core/index.ts';
import type { Located } from '../ledger/index.ts';
import type { LinesOptions, LinesResult, Run } from '../verify/index.ts';

export type Place = Pick<Located, 'directory' | 'keyDirectory'>;
type Lines = Pick<Run, 'buffer' | 'start' | 'end'>;

export type Job =
  | { readonly job: 'seal'; readonly place: Place }
  | { readonly job: 'check'; readonly lines: Lines; readonly options: LinesOptions };

export type Answer =
  | { readonly id: number; readonly result: LinesResult | undefined }
  | { readonly id: number; readonly error: { readonly code: StoreError['code']; readonly message: string } };

interface Caller {
  resolve(result: LinesResult | undefined): void;
  reject(error: Error): void;
}

export class Thread {
  #worker: Worker | undefined;
  #counter = 0;
  readonly #callers = new Map<number, Caller>();

  async seal(place: Place): Promise<void> {
    await this.#call({ job: 'seal', place });
  }

  /** The buffer is handed over. */
  async check({ buffer, start, end }: Lines, options: LinesOptions): Promise<LinesResult> {
    const job: Job = { job: 'check', lines: { buffer, start, end }, options };
    const result = await this.#call(job, [buffer.buffer as ArrayBuffer]);
    if (result === undefined) throw new TypeError('the worker gave no result');
    return result;
  }

  /** Ends the thread; calls under way are rejected. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #call(job: Job, transfer: Transferable[] = []): Promise<LinesResult | undefined> {
    return new Promise((resolve, reject) => {
      this.#worker ??= this.#start();
      const id = ++this.#counter;
      this.#callers.set(id, { resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage({ id, ...job }, transfer);
    });
  }

  #start(): Worker {
    const worker = new Worker(workerPath());
    worker.on('message', (answer: Answer) => {
      const caller = this.#callers.get(answer.id);
      this.#callers.delete(answer.id);
      if (this.#callers.size === 0) worker.unref();
      if ('error' in answer) caller?.reject(new StoreError(answer.error.code, answer.error.message));
      else caller?.resolve(answer.result);
    });
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new StoreError('IO', 'the worker thread ended.')));
    return worker;
  }

  #fail(worker: Worker, error: Error): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const { reject } of this.#callers.values()) reject(error);
    this.#callers.clear();
  }
}

/** dist/worker.cjs, beside the file this is built into; from the sources, the one that was built. */
function workerPath(): string {
  const here = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  const beside = join(here, 'worker.cjs');
  return existsSync(beside) ? beside : join(here, '../../dist/worker.cjs');
}
