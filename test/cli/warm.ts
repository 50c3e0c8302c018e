// The built command without the cost of starting it: a process that has loaded it once takes one run after the other
// (warm-process.mjs). A thread talks to these processes, so that a test can wait for a run without an event loop, as
// with spawnSync.
import { join } from 'node:path';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { fastDirectory } from '../temporary.ts';

export const FOIL = join(import.meta.dirname, '../../dist/foil.cjs');

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Run {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string | Uint8Array;
}

interface Answered {
  readonly id: number;
  readonly result: Result;
}

/** No command takes so long; what does hangs. */
const DEADLINE = 120_000;

/** Waits without an event loop: nothing that the test itself serves is answered meanwhile. */
export function runWarmSync(words: readonly string[], run: Run): Result {
  const warm = theThread();
  let result: Result | undefined;
  const id = warm.request(words, run, (given) => {
    result = given;
  });
  for (const until = Date.now() + DEADLINE; result === undefined; ) {
    if (!warm.wait(until)) {
      warm.kill(id);
      throw new Error(`foil ${words.join(' ')}: no end after ${DEADLINE} ms`);
    }
  }
  return result;
}

/** Runs beside others, each in a process that has no other run at the time. */
export function runWarm(words: readonly string[], run: Run): Promise<Result> {
  return new Promise((resolve) => {
    theThread().request(words, run, resolve);
  });
}

class WarmThread {
  /** Counts answers, so that there is something to wait for. */
  readonly #signal = new Int32Array(new SharedArrayBuffer(4));
  readonly #waiting = new Map<number, (result: Result) => void>();
  readonly #port: MessagePort;
  #ids = 0;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    const program = join(import.meta.dirname, 'warm-process.mjs');
    new Worker(join(import.meta.dirname, 'warm-thread.mjs'), {
      workerData: { port: port2, parent: fastDirectory, program, signal: this.#signal },
      transferList: [port2],
    }).unref();
    this.#port = port1;
    port1.on('message', (answered: Answered) => this.#settle(answered));
    port1.unref();
  }

  request(words: readonly string[], { cwd, env, input = '' }: Run, settle: (result: Result) => void): number {
    const id = this.#ids++;
    this.#waiting.set(id, settle);
    this.#port.ref();
    this.#port.postMessage({ id, words, cwd, env, input, command: FOIL });
    return id;
  }

  kill(id: number): void {
    this.#waiting.delete(id);
    this.#port.postMessage({ id, kill: true });
  }

  /** Takes what was answered, or waits until something is. False where nothing was by then. */
  wait(until: number): boolean {
    const seen = Atomics.load(this.#signal, 0);
    let count = 0;
    for (;;) {
      const given = receiveMessageOnPort(this.#port) as { message: Answered } | undefined;
      if (given === undefined) break;
      this.#settle(given.message);
      count++;
    }
    return count > 0 || Atomics.wait(this.#signal, 0, seen, until - Date.now()) !== 'timed-out';
  }

  #settle({ id, result }: Answered): void {
    this.#waiting.get(id)?.(result);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#port.unref();
  }
}

let thread: WarmThread | undefined;
function theThread(): WarmThread {
  thread ??= new WarmThread();
  return thread;
}
