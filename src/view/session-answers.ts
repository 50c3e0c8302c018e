// Long answers about one session: all of it, for the page to check, and what a reader downloads. A thread makes them
// (session-thread.ts), so that whoever asks the server for something short meanwhile isn't kept waiting. The ledger is opened
// for each of them, as it is then.
import { Worker } from 'node:worker_threads';
import { reading, sessionChanges } from '../app/index.ts';
import { StoreError } from '../core/index.ts';
import { encodeChanges } from '../format/index.ts';
import type { LinePlaces } from '../harness/index.ts';
import type { Located } from '../ledger/index.ts';
import { type Download, downloadOf } from './downloads.ts';
import { runArchive } from './run-archive.ts';
import type { CountedSession } from './session-rows.ts';

interface About {
  readonly located: Located;
  readonly session: CountedSession;
  readonly now: number;
}

export type SessionTask = About &
  (
    | { readonly what: 'run'; readonly missing: string | null; readonly places: LinePlaces | undefined }
    | { readonly what: 'changes'; readonly next: number | null }
    | { readonly what: 'download'; readonly download: string; readonly page: Uint8Array | undefined }
  );

export interface SessionCall {
  readonly id: number;
  readonly task: SessionTask;
}

export type SessionAnswer =
  | { readonly id: number; readonly answer: Download }
  | {
      readonly id: number;
      readonly failure: { readonly code: StoreError['code'] | null; readonly message: string };
    };

/** Throws StoreError where the ledger can't be read, or what is asked for can't be made. */
export function answerAbout(task: SessionTask): Promise<Download> {
  const { located, session, now } = task;
  return reading(located, async (ledger) => {
    if (task.what === 'run')
      return { type: 'application/x-tar', body: await runArchive(ledger, located, session, task) };
    if (task.what === 'download') return downloadOf(task.download, ledger, located, session, now, task.page);
    const changes = await sessionChanges(ledger, located, session, { next: task.next, unrecorded: true });
    return { type: 'application/json', body: encodeChanges(changes) };
  });
}

interface Caller {
  resolve(answer: Download): void;
  reject(error: Error): void;
}

export class SessionAnswers {
  readonly #program: string | null;
  #thread: Worker | undefined;
  #counter = 0;
  readonly #callers = new Map<number, Caller>();

  /** `program` is the thread's: `view-session.cjs` of this build. Null: the answers are made where they are asked for. */
  constructor(program: string | null) {
    this.#program = program;
  }

  /** Loading the program takes a while, which nobody has to wait for. */
  start(): void {
    if (this.#program !== null) this.#thread ??= this.#started(this.#program);
  }

  ask(task: SessionTask): Promise<Download> {
    this.start();
    const thread = this.#thread;
    if (thread === undefined) return answerAbout(task);
    return new Promise((resolve, reject) => {
      const id = ++this.#counter;
      this.#callers.set(id, { resolve, reject });
      thread.postMessage({ id, task } satisfies SessionCall);
    });
  }

  /** Those who wait are told that it is over. */
  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  #started(program: string): Worker {
    const thread = new Worker(program, { execArgv: [] });
    thread.unref();
    thread.on('message', (told: SessionAnswer) => {
      const caller = this.#callers.get(told.id);
      this.#callers.delete(told.id);
      if ('answer' in told) caller?.resolve(told.answer);
      else caller?.reject(errorOf(told.failure));
    });
    thread.on('error', (error) => this.#ended(thread, error));
    thread.on('exit', () => this.#ended(thread, new Error('The viewer is closing.')));
    return thread;
  }

  #ended(thread: Worker, error: Error): void {
    if (this.#thread === thread) this.#thread = undefined;
    for (const { reject } of this.#callers.values()) reject(error);
    this.#callers.clear();
  }
}

function errorOf({ code, message }: Extract<SessionAnswer, { failure: unknown }>['failure']): Error {
  return code === null ? new Error(message) : new StoreError(code, message);
}
