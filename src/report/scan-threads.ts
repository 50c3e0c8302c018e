// Many transcripts read by several threads, a file at a time: each is a session by itself. Results come in the order of
// the files, whoever is done first, so that what a resumed session repeats is counted where it was said first.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { FoundTurn } from './scan-file.ts';
import type { TranscriptFile } from './transcript-files.ts';

export interface PartAsked {
  readonly project: string | undefined;
  readonly list: boolean;
}

export interface ScannedPart {
  readonly file: TranscriptFile;
  readonly turns: readonly FoundTurn[];
  /** Why it could not be read. */
  readonly problem: string | null;
}

/** What a thread is asked, in plain data. */
export interface PartOrder extends PartAsked {
  readonly agent: string;
  readonly path: string;
  readonly bytes: number;
  readonly changed: number;
}

export type PartAnswer = Omit<ScannedPart, 'file'>;

/** A thread takes a tenth of a second to start. */
const FEWEST_BYTES = 8 * 1024 * 1024;
/** Each may need some hundred megabytes. */
const MOST_THREADS = 8;
/**
 * How much code runs before V8 optimizes a function, nine times as much as by itself. A scan runs a lot of code, and little
 * of it often: in one thread, optimizing it as early as usual took a fifth more processor time than it saved.
 */
const PATIENT = '--interrupt-budget=600000';
/** Sources that are not built have no script for a thread. */
const FOIL = typeof __filename === 'string' ? join(dirname(__filename), 'foil.cjs') : null;

export function threadsFor(files: readonly TranscriptFile[]): number {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes < FEWEST_BYTES || FOIL === null || !existsSync(FOIL)) return 1;
  return Math.min(availableParallelism(), files.length, MOST_THREADS);
}

export async function* scanInThreads(
  files: readonly TranscriptFile[],
  asked: PartAsked,
  step: (bytes: number) => boolean,
): AsyncIterable<ScannedPart> {
  const answers = new Map<TranscriptFile, PromiseWithResolvers<PartAnswer>>();
  for (const file of files) answers.set(file, promised());
  // The longest first, so that no thread is left alone with it at the end.
  const waiting = [...files].sort((a, b) => b.bytes - a.bytes);
  let ready = 0;
  setFlagsFromString(PATIENT);
  const workers = Array.from({ length: threadsFor(files) }, () => new Worker(BOOT, { eval: true }));
  try {
    for (const worker of workers) serve(worker);
    for (const file of files) {
      const answer = answers.get(file)?.promise;
      const told = await until(answer, () => step(ready));
      if (told === undefined) return;
      ready -= file.bytes;
      yield { file, ...told };
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  function serve(worker: Worker): void {
    let current: TranscriptFile | undefined;
    const next = (): void => {
      current = waiting.shift();
      if (current === undefined) return;
      const { kind, path, bytes, changed } = current;
      worker.postMessage({ ...asked, agent: kind.agent, path, bytes, changed } satisfies PartOrder);
    };
    const settle = (answer: PartAnswer): void => {
      if (current !== undefined) answers.get(current)?.resolve(answer);
      ready += current?.bytes ?? 0;
    };
    worker.on('message', (answer: PartAnswer) => {
      settle(answer);
      next();
    });
    // One that ran out of memory takes its file with it, and no other.
    worker.on('error', (error) => {
      settle({ turns: [], problem: error.message });
      if (waiting.length === 0) return;
      const another = new Worker(BOOT, { eval: true });
      workers.push(another);
      serve(another);
    });
    next();
  }
}

const BOOT = `require(${JSON.stringify(FOIL)}).load('cli/scan-part')['scan-part'].scanParts()`;
const PATIENCE = 100;

/** Undefined where `stop` says so first. */
async function until<T>(promise: Promise<T> | undefined, stop: () => boolean): Promise<T | undefined> {
  for (;;) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pause = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), PATIENCE);
    });
    const first = await Promise.race([promise, pause]);
    clearTimeout(timer);
    if (first !== null) return first;
    if (stop()) return undefined;
  }
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

function promised<T>(): PromiseWithResolvers<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
