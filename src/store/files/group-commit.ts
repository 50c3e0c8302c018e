// Appends of one process: whoever waits when the section is entered shares its one write and one sync.
import type { StoreError } from '../../core/index.ts';
import type { Head } from '../../format/index.ts';
import type { Build } from '../../ledger/index.ts';
import { monotonic } from './clock.ts';
import { storeError } from './failure.ts';
import type { Log } from './log.ts';
import { type OsLock, SECTION } from './os-lock.ts';

/** Characters of lines after which a batch is written, so that no caller waits for a crowd. */
const LARGEST_BATCH = 4 * 1024 * 1024;

interface Waiting {
  readonly build: Build;
  /** On monotonic()'s clock. */
  readonly deadline: number;
  readonly resolve: (head: Head | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export class GroupCommit {
  readonly #directory: string;
  readonly #lock: OsLock;
  readonly #log: Log;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(directory: string, lock: OsLock, log: Log) {
    this.#directory = directory;
    this.#lock = lock;
    this.#log = log;
  }

  append(build: Build, timeout: number): Promise<Head | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ build, deadline: monotonic() + timeout, resolve, reject });
      // A microtask later, so that calls made in one go are written in one go.
      this.#running ??= Promise.resolve().then(() => this.#run());
    });
  }

  /** Resolves when nobody waits any more. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#turn();
      // Whoever was answered gets to ask again before the next write, and shares it.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#running = undefined;
  }

  async #turn(): Promise<void> {
    try {
      const deadline = Math.min(...this.#waiting.map((waiting) => waiting.deadline));
      await this.#lock.enter(deadline - monotonic());
    } catch (error) {
      this.#refuse(error);
      return;
    }
    let answers: (() => void)[];
    try {
      answers = await this.#commit();
    } finally {
      this.#lock.unlock(SECTION);
    }
    for (const answer of answers) answer();
  }

  /** Inside the section. Gives what to tell whom once it is left; rejections for what failed. */
  async #commit(): Promise<(() => void)[]> {
    let head: Head;
    try {
      head = await this.#log.settle();
    } catch (error) {
      const failure = storeError(error, 'use', this.#directory);
      return this.#waiting.splice(0).map(({ reject }) => () => reject(failure));
    }
    const answers: (() => void)[] = [];
    const written: { waiting: Waiting; head: Head }[] = [];
    let lines = '';
    let taken = 0;
    for (const waiting of this.#waiting) {
      if (lines.length > LARGEST_BATCH) break;
      taken++;
      try {
        const block = waiting.build(head);
        if (block === undefined) answers.push(() => waiting.resolve(undefined));
        else {
          lines += block.lines;
          head = block.head;
          written.push({ waiting, head });
        }
      } catch (error) {
        answers.push(() => waiting.reject(error));
      }
    }
    this.#waiting = this.#waiting.slice(taken);
    if (written.length === 0) return answers;
    try {
      await this.#log.write(lines, head);
      for (const { waiting, head: reached } of written) answers.push(() => waiting.resolve(reached));
    } catch (error) {
      const failure = storeError(error, 'write to', this.#directory);
      for (const { waiting } of written) answers.push(() => waiting.reject(failure));
    }
    return answers;
  }

  /** The section could not be entered: those whose time is up are told, the others go on waiting. */
  #refuse(error: unknown): void {
    const timedOut = (error as Partial<StoreError>).code === 'LOCK_TIMEOUT';
    const now = monotonic();
    const out = this.#waiting.filter(({ deadline }) => !timedOut || deadline <= now);
    this.#waiting = this.#waiting.filter((waiting) => !out.includes(waiting));
    for (const { reject } of out) reject(storeError(error, 'lock', this.#directory));
  }
}
