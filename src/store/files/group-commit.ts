// Appends of one process: whoever waits when the section is entered shares its one write and one sync.
import type { StoreError } from '../../core/index.ts';
import type { Head } from '../../format/index.ts';
import { type AppendOptions, type Block, type Build, MOST_BEHIND } from '../../ledger/index.ts';
import { monotonic } from './clock.ts';
import { storeError } from './failure.ts';
import type { Log } from './log.ts';
import { type OsLock, SECTION } from './os-lock.ts';
import type { StateFiles } from './state-files.ts';

/** Bytes after which a batch is written, so that no caller waits for a crowd. */
const LARGEST_BATCH = 4 * 1024 * 1024;

/** Milliseconds that a process with work to do may stay in the section. */
const HOLD = 25;
/** From so many callers on, they are served in two halves: one is built while the other is written. */
const SPLIT = 16;

interface Waiting {
  readonly build: Build;
  readonly state: string | undefined;
  readonly shared: string | undefined;
  readonly mustKeep: boolean;
  readonly onlyWithLines: boolean;
  readonly since: number | undefined;
  /** On monotonic()'s clock. */
  readonly deadline: number;
  readonly resolve: (head: Head | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** What a build gave: lines, nothing, or an error. It holds only if the lines it was built on are written. */
interface Built {
  readonly waiting: Waiting;
  readonly block?: Block | undefined;
  readonly thrown?: { readonly error: unknown };
}

export class GroupCommit {
  readonly #directory: string;
  readonly #lock: OsLock;
  readonly #log: Log;
  readonly #alone: boolean;
  readonly #states: StateFiles;
  #waiting: Waiting[] = [];
  /** Where the log ended when the section was left; undefined where the states may be others. */
  #left: Head | undefined;
  #running: Promise<void> | undefined;

  /** `alone`: nobody else in this process will call, so nobody is waited for. */
  constructor(directory: string, lock: OsLock, log: Log, states: StateFiles, alone = false) {
    this.#alone = alone;
    this.#directory = directory;
    this.#states = states;
    this.#lock = lock;
    this.#log = log;
  }

  append(
    build: Build,
    timeout: number,
    { state, shared, mustKeep = false, onlyWithLines = false, since }: AppendOptions,
  ): Promise<Head | undefined> {
    return new Promise((resolve, reject) => {
      const deadline = monotonic() + timeout;
      this.#waiting.push({
        build,
        state,
        shared,
        mustKeep,
        onlyWithLines,
        since,
        deadline,
        resolve,
        reject,
      });
      // A microtask later, so that calls made in one go are written in one go.
      this.#running ??= Promise.resolve().then(() => this.#run());
    });
  }

  /** Resolves when nobody waits any more. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#turn();
    this.#running = undefined;
  }

  /**
   * One stay in the section. Whoever was answered gets to ask again before the section is left, so a busy process
   * pays for the lock and the head once for many writes; others wait at most HOLD for it.
   */
  async #turn(): Promise<void> {
    try {
      await this.#lock.enter(this.#earliest);
    } catch (error) {
      this.#refuse(error);
      return;
    }
    try {
      const left = this.#left;
      this.#left = undefined;
      const settled = await this.#log.settle();
      this.#states.enter(left?.seq === settled.seq && left.hash === settled.hash);
      await this.#commitAll(settled);
      this.#states.publish();
      this.#left = this.#log.publish();
    } catch (error) {
      const failure = storeError(error, 'use', this.#directory);
      for (const { reject } of this.#waiting.splice(0)) reject(failure);
    } finally {
      this.#lock.unlock(SECTION);
    }
  }

  /** Batch after batch. While one is being written the next is built on top of it, so that neither waits idly. */
  async #commitAll(settled: Head): Promise<void> {
    const until = monotonic() + HOLD;
    let head = settled;
    let writing: Promise<boolean> | undefined;
    while (this.#waiting.length > 0 && monotonic() < until) {
      // Who asks for the lines before its own reads them from the file, so they must be there.
      if (writing !== undefined && this.#waiting[0]?.since !== undefined) {
        if (!(await writing)) return;
        writing = undefined;
      }
      const many = this.#waiting.length > SPLIT;
      const batch = this.#build(
        head,
        writing === undefined && many ? this.#waiting.length / 2 : this.#waiting.length,
      );
      const callersComing = writing !== undefined;
      if (writing !== undefined && !(await writing)) {
        // It was built on lines that did not make it. Building is pure, so they can have another go.
        this.#waiting = [...batch.map(({ waiting }) => waiting), ...this.#waiting];
        return;
      }
      head = batch.findLast(({ block }) => block !== undefined)?.block?.head ?? head;
      writing = this.#write(batch, head);
      if (callersComing) await immediate();
      if (this.#waiting.length > 0) continue;
      if (!(await writing)) return;
      writing = undefined;
      if (!this.#alone) await immediate();
    }
    await writing;
  }

  /** Asks the first who wait for their lines. */
  #build(before: Head, count: number): Built[] {
    const built: Built[] = [];
    let head = before;
    let bytes = 0;
    for (const waiting of this.#waiting) {
      if (built.length >= count || bytes > LARGEST_BATCH) break;
      const { since } = waiting;
      if (since !== undefined && built.length > 0) break;
      try {
        const behind = since === undefined ? undefined : this.#log.behind(since, MOST_BEHIND);
        const states = [this.#current(waiting.state), this.#current(waiting.shared)] as const;
        const block = waiting.build(head, ...states, behind);
        if (waiting.mustKeep && waiting.state !== undefined && block?.state !== undefined)
          this.#states.prepare(waiting.state);
        if (waiting.state !== undefined && block?.state !== undefined)
          this.#states.replace(waiting.state, block.state);
        if (waiting.shared !== undefined && block?.shared !== undefined)
          this.#states.replace(waiting.shared, block.shared);
        head = block?.head ?? head;
        bytes += block?.lines.length ?? 0;
        built.push({ waiting, block });
      } catch (error) {
        built.push({ waiting, thrown: { error } });
      }
    }
    this.#waiting = this.#waiting.slice(built.length);
    return built;
  }

  #current(state: string | undefined): Uint8Array | undefined {
    return state === undefined ? undefined : this.#states.current(state);
  }

  /** One write and one sync; then everybody is answered. False when it failed. */
  async #write(batch: readonly Built[], head: Head): Promise<boolean> {
    const lines = batch.flatMap(({ block }) => (block === undefined ? [] : [block.lines]));
    try {
      if (lines.length > 0) await this.#log.write(joined(lines), head);
    } catch (error) {
      this.#states.forget();
      const failure = storeError(error, 'write to', this.#directory);
      for (const { waiting, block } of batch) if (block !== undefined) waiting.reject(failure);
      // Who had nothing to write decided so on a head, and perhaps a state, that never came to be.
      const others = batch.filter(({ block }) => block === undefined);
      this.#waiting = [...others.map(({ waiting }) => waiting), ...this.#waiting];
      return false;
    }
    for (const { waiting, block } of batch) {
      if (waiting.state !== undefined && block?.state !== undefined)
        this.#states.written(waiting.state, block.state, waiting.onlyWithLines);
      if (waiting.shared !== undefined && block?.shared !== undefined)
        this.#states.written(waiting.shared, block.shared, false);
    }
    for (const { waiting, block, thrown } of batch) {
      if (thrown !== undefined) waiting.reject(thrown.error);
      else waiting.resolve(block?.head);
    }
    return true;
  }

  /** When the first of those who wait has waited enough, also one who came while others were waiting already. */
  readonly #earliest = (): number => {
    let earliest = Number.POSITIVE_INFINITY;
    for (const { deadline } of this.#waiting) if (deadline < earliest) earliest = deadline;
    return earliest;
  };

  /** The section could not be entered: those whose time is up are told, the others go on waiting. */
  #refuse(error: unknown): void {
    const timedOut = (error as Partial<StoreError>).code === 'LOCK_TIMEOUT';
    const now = monotonic();
    const all = this.#waiting;
    const isOut = ({ deadline }: Waiting): boolean => !timedOut || deadline <= now;
    this.#waiting = all.filter((waiting) => !isOut(waiting));
    const failure = storeError(error, 'lock', this.#directory);
    for (const waiting of all) if (isOut(waiting)) waiting.reject(failure);
  }
}

/** One piece of memory. Blocks that one writer built in a row mostly are already. */
function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (first === undefined) return new Uint8Array(0);
  let end = first.byteOffset;
  for (const { buffer, byteOffset, byteLength } of pieces) {
    if (buffer !== first.buffer || byteOffset !== end) return Buffer.concat(pieces);
    end += byteLength;
  }
  return new Uint8Array(first.buffer, first.byteOffset, end - first.byteOffset);
}

function immediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
