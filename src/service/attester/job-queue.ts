// The attester's queue: submissions are accepted once, durably, and run a few at a time, each within its time. The same
// submission is one job, however often and by whomever it is posted. Who waits for an answer and who goes away has no
// influence on a job. A process that dies loses nothing: the next one takes up what has no result yet.
import { sha256Hex, utf8Decode } from '#platform';
import { type DsseEnvelope, encodeDsse, type Json, type JsonObject, parseDsse } from '../../core/index.ts';
import type { Attest } from '../../harness/index.ts';
import { type Log, nameOf } from '../service-log.ts';
import type { JobStore, Outcome, Tries } from './job-store.ts';
import { type Others, type OthersName, othersOf } from './others.ts';
import { type Refused, refusalOf } from './refusal.ts';
import { parseSubmission } from './submission.ts';

export interface QueueLimits {
  /** At a time. */
  readonly jobs: number;
  /** Accepted and not finished, running ones included. */
  readonly waiting: number;
  readonly waitingBytes: number;
  /** Submissions that are being written to disk, and so are in memory. One is always taken. */
  readonly enteringBytes: number;
  /** For each job. */
  readonly timeoutMs: number;
  /** For a job that was told to end. Then its place goes to the next all the same. */
  readonly graceMs: number;
  /** How often a job is begun where it never comes to an end, by a crash or a fault of ours. */
  readonly tries: number;
  /** Before a job is begun again after a fault of ours. */
  readonly pauseMs: number;
  /** Results, by age, and by what they take together. */
  readonly keepMs: number;
  readonly keepBytes: number;
  readonly keepCount: number;
}

export const QUEUE_LIMITS: QueueLimits = {
  jobs: 2,
  waiting: 200,
  waitingBytes: 4 * 2 ** 30,
  enteringBytes: 256 * 2 ** 20,
  timeoutMs: 15 * 60_000,
  graceMs: 10_000,
  tries: 8,
  pauseMs: 2000,
  keepMs: 30 * 86_400_000,
  keepBytes: 2 ** 30,
  keepCount: 100_000,
};

/** What is told of a job. */
export interface JobView {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'done' | 'refused';
  /** The one that runs, or that ended; 0 before the first. */
  readonly attempt: number;
  readonly finished?: string;
  readonly attestation?: JsonObject;
  readonly error?: Refused;
}

/** There is no room now. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

interface Job extends Tries {
  readonly id: string;
  readonly bytes: number;
  status: 'queued' | 'running';
  attempts: number;
  tries: number;
}

export class JobQueue {
  readonly #store: JobStore;
  readonly #attest: Attest;
  readonly #limits: QueueLimits;
  readonly #log: Log;
  readonly #jobs = new Map<string, Job>();
  /** Ids in order; those of #jobs that do not run and are not paused. */
  readonly #line: string[] = [];
  readonly #entering = new Map<string, Promise<JobView>>();
  #enteringBytes = 0;
  readonly #running = new Map<string, AbortController>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  readonly #listeners = new Map<string, Set<() => void>>();
  #draining = false;
  #onIdle = (): void => undefined;

  constructor(store: JobStore, attest: Attest, limits: QueueLimits, log: Log) {
    this.#store = store;
    this.#attest = attest;
    this.#limits = limits;
    this.#log = log;
    for (const { id, bytes, attempts, tries } of store.unfinished) {
      this.#jobs.set(id, { id, bytes, status: 'queued', attempts, tries });
      this.#line.push(id);
    }
  }

  /** Takes up what an earlier process left. */
  start(): void {
    if (this.#jobs.size > 0) this.#log(`resuming ${this.#jobs.size} jobs that have no result yet`);
    this.#next();
  }

  get counts(): { readonly queued: number; readonly running: number } {
    return { queued: this.#jobs.size - this.#running.size, running: this.#running.size };
  }

  /** The job is durable when it resolves. Throws PackError for what is no submission, QueueFull where there is no room. */
  submit(body: Uint8Array): Promise<JobView> {
    const id = sha256Hex(body);
    const entering = this.#entering.get(id);
    if (entering !== undefined) return entering;
    const entered = this.#enter(id, body).finally(() => this.#entering.delete(id));
    this.#entering.set(id, entered);
    return entered;
  }

  async #enter(id: string, body: Uint8Array): Promise<JobView> {
    const there = this.look(id);
    const before = this.#jobs.has(id) ? undefined : this.#store.result(id);
    const isAgain = before?.outcome.status === 'refused' && before.outcome.again;
    if (there !== undefined && !isAgain) return there;
    parseSubmission(body);
    this.#assertRoom(body.length);
    this.#enteringBytes += body.length;
    const attempts = before?.attempts ?? 0;
    try {
      await this.#store.accept(id, body, attempts);
    } finally {
      this.#enteringBytes -= body.length;
    }
    this.#jobs.set(id, { id, bytes: body.length, status: 'queued', attempts, tries: 0 });
    this.#line.push(id);
    this.#next();
    return this.#viewOf(id);
  }

  #assertRoom(bytes: number): void {
    let all = this.#enteringBytes + bytes;
    for (const job of this.#jobs.values()) all += job.bytes;
    const count = this.#jobs.size + this.#entering.size;
    if (this.#draining) throw new QueueFull('The attester is shutting down. Try again later.');
    if (this.#enteringBytes > 0 && this.#enteringBytes + bytes > this.#limits.enteringBytes)
      throw new QueueFull('Too many submissions are arriving at once. Try again later.');
    if (count >= this.#limits.waiting || all > this.#limits.waitingBytes)
      throw new QueueFull('The queue is full. Try again later.');
  }

  look(id: string): JobView | undefined {
    if (this.#jobs.has(id)) return this.#viewOf(id);
    const result = this.#store.result(id);
    if (result === undefined) return undefined;
    const { attempts: attempt, finished, outcome } = result;
    return outcome.status === 'done'
      ? { id, status: 'done', attempt, finished, attestation: outcome.attestation }
      : { id, status: 'refused', attempt, finished, error: outcome.error };
  }

  /** What was signed for other tools, or why there is none. Undefined where there is no such job. */
  document(id: string, name: OthersName): { readonly document: JsonObject } | Refused | undefined {
    if (this.#jobs.has(id)) return { code: 'NOT_DONE', message: 'The job has no result yet.' };
    const outcome = this.#store.result(id)?.outcome;
    if (outcome === undefined) return undefined;
    if (outcome.status === 'refused') return outcome.error;
    const { others } = outcome;
    if (others === undefined)
      return {
        code: 'NOT_FOR_OTHERS',
        message: 'This result is older than this kind of document, so there is no signed one.',
      };
    return 'error' in others ? (others.error as Refused) : { document: others[name] };
  }

  /** As `look`, once the job has a result, `milliseconds` are over, nobody listens any more, or the attester leaves. */
  async wait(id: string, milliseconds: number, gone: AbortSignal): Promise<JobView | undefined> {
    if (this.#jobs.has(id) && milliseconds > 0 && !this.#draining && !gone.aborted)
      await new Promise<void>((resolve) => {
        const listeners = this.#listeners.get(id) ?? new Set();
        const end = (): void => {
          clearTimeout(timer);
          gone.removeEventListener('abort', end);
          listeners.delete(end);
          if (listeners.size === 0) this.#listeners.delete(id);
          resolve();
        };
        const timer = setTimeout(end, milliseconds);
        gone.addEventListener('abort', end);
        this.#listeners.set(id, listeners.add(end));
      });
    return this.look(id);
  }

  /** Begins no more jobs, and ends those that still run after `milliseconds`. They stay accepted, for the next process. */
  async drain(milliseconds: number): Promise<void> {
    this.#draining = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    for (const listeners of [...this.#listeners.values()]) for (const end of [...listeners]) end();
    const timer = setTimeout(() => {
      for (const controller of this.#running.values()) controller.abort('shutdown');
    }, milliseconds);
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (this.#running.size === 0) resolve();
    });
    clearTimeout(timer);
  }

  async prune(now: number): Promise<void> {
    const { keepMs, keepBytes, keepCount } = this.#limits;
    const removed = await this.#store.prune(now, { ageMs: keepMs, bytes: keepBytes, count: keepCount });
    if (removed > 0) this.#log(`removed ${removed} old results`);
  }

  #next(): void {
    while (!this.#draining && this.#running.size < this.#limits.jobs) {
      const job = this.#jobs.get(this.#line.shift() ?? '');
      if (job === undefined) break;
      const controller = new AbortController();
      this.#running.set(job.id, controller);
      job.status = 'running';
      void this.#run(job, controller).then((again) => {
        this.#running.delete(job.id);
        if (again) this.#pause(job);
        this.#next();
        if (this.#running.size === 0) this.#onIdle();
      });
    }
  }

  /** Back into the line, after a while. */
  #pause(job: Job): void {
    job.status = 'queued';
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      this.#line.push(job.id);
      this.#next();
    }, this.#limits.pauseMs);
    this.#pauses.add(pause);
  }

  /** True where it is to be begun again. Never throws: whatever fails here, the job is still on the disk. */
  async #run(job: Job, controller: AbortController): Promise<boolean> {
    const { tries } = this.#limits;
    try {
      const outcome = job.tries >= tries ? gaveUp(job.tries) : await this.#outcome(job, controller);
      if (outcome === undefined) return true;
      await this.#store.finish({ ...job, finished: new Date().toISOString(), outcome });
      this.#jobs.delete(job.id);
      for (const end of [...(this.#listeners.get(job.id) ?? [])]) end();
      await this.prune(Date.now());
      return false;
    } catch (error) {
      this.#log(`job ${job.id.slice(0, 16)}: ${nameOf(error)}`);
      return this.#jobs.has(job.id);
    }
  }

  /** Undefined where it says nothing about the submission. */
  async #outcome(job: Job, controller: AbortController): Promise<Outcome | undefined> {
    const { timeoutMs, graceMs } = this.#limits;
    Object.assign(job, { attempts: job.attempts + 1, tries: job.tries + 1 });
    await this.#store.noteTries(job.id, job);
    const submission = parseSubmission(this.#store.read(job.id));
    const timer = setTimeout(() => controller.abort('timeout'), timeoutMs);
    try {
      // Told to end already: the work would never hear of it.
      controller.signal.throwIfAborted();
      let others: Others | undefined;
      const work = this.#attest(submission, controller.signal, {
        isRequired: false,
        take(documents) {
          others = othersOf(documents);
        },
      });
      const attestation = await untilLate(work, controller.signal, graceMs);
      // What came after all, but too late, is not an answer: somebody may have planned without it.
      if (!controller.signal.aborted)
        return {
          status: 'done',
          attestation: parseAttestation(attestation),
          ...(others === undefined ? {} : { others }),
        };
    } catch (error) {
      if (!controller.signal.aborted) {
        const refused = refusalOf(error);
        if (refused !== null) {
          const { code, message, again } = refused;
          return { status: 'refused', error: { code, message }, again };
        }
        this.#log(`job ${job.id.slice(0, 16)}, attempt ${job.attempts}: ${nameOf(error)}`);
        return undefined;
      }
    } finally {
      clearTimeout(timer);
    }
    if (controller.signal.reason === 'timeout') return tookTooLong(timeoutMs);
    // It was the attester that had to leave, in order: no sign that this job can't be done.
    job.tries--;
    await this.#store.noteTries(job.id, job);
    return undefined;
  }

  #viewOf(id: string): JobView {
    const job = this.#jobs.get(id);
    return { id, status: job?.status ?? 'queued', attempt: job?.attempts ?? 0 };
  }
}

/** What `work` gives; once it was told to end, it has so long to do so. */
function untilLate<T>(work: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let late: NodeJS.Timeout | undefined;
    const told = (): void => {
      late = setTimeout(() => reject(new Error("the job didn't stop when asked to")), graceMs);
    };
    signal.addEventListener('abort', told, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(late);
      signal.removeEventListener('abort', told);
    });
  });
}

/** Throws TypeError: then the attester is broken, and not the submission. */
function parseAttestation(bytes: Uint8Array): JsonObject {
  let envelope: DsseEnvelope;
  try {
    envelope = parseDsse(JSON.parse(utf8Decode(bytes)) as Json);
  } catch (cause) {
    throw new TypeError('an attestation is a DSSE envelope', { cause });
  }
  return JSON.parse(utf8Decode(encodeDsse(envelope))) as JsonObject;
}

function tookTooLong(milliseconds: number): Outcome {
  const message = `The job was ended after ${milliseconds / 1000} seconds. Post it again to have it tried again.`;
  return { status: 'refused', error: { code: 'TIMEOUT', message }, again: true };
}

function gaveUp(tries: number): Outcome {
  const message = `The attester failed ${tries} times at this job. This says nothing about the submission. Ask its operator to look at its log, then post it again.`;
  return { status: 'refused', error: { code: 'ATTESTER_FAILED', message }, again: true };
}
