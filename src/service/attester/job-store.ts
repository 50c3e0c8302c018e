// Jobs and results as files, so that no accepted job is lost and none is answered twice in different ways, whenever the
// process dies. `jobs/<id>.tar` is a submission that was accepted, `jobs/<id>.tries` how often it was begun, and
// `results/<id>.json` what came of it; an id is the SHA-256 of the submission. Each is durable before anybody is told. A
// result goes before its job does: where both are there, the result counts.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex, utf8Decode, utf8Encode } from '#platform';
import { canonicalize, isHash, isObject, type Json, type JsonObject, StoreError } from '../../core/index.ts';
import { hasCode, nodeFs, writeDurably } from '../../store/files/index.ts';
import type { AttesterFiles } from './attester-files.ts';
import { type Others, readOthers, readRefused } from './others.ts';
import type { Refused } from './refusal.ts';

export interface Tries {
  /** Of this submission, ever. */
  readonly attempts: number;
  /** Since it was accepted for the last time. */
  readonly tries: number;
}

export interface StoredJob extends Tries {
  readonly id: string;
  readonly bytes: number;
}

export type Outcome =
  | { readonly status: 'done'; readonly attestation: JsonObject; readonly others?: Others }
  /** `again`: it was no fault of the submission, so it is taken anew when it is posted anew. */
  | { readonly status: 'refused'; readonly error: Refused; readonly again: boolean };

export interface StoredResult {
  readonly id: string;
  readonly attempts: number;
  /** RFC 3339. */
  readonly finished: string;
  readonly outcome: Outcome;
}

export interface KeepLimits {
  readonly ageMs: number;
  readonly bytes: number;
  readonly count: number;
}

const LARGEST_RESULT = 4 * 1024 * 1024;
const JOB = /^([0-9a-f]{64})\.tar$/;
const RESULT = /^([0-9a-f]{64})\.json$/;

/** One process at a time: whoever has the attester's lock. */
export class JobStore {
  readonly #files: AttesterFiles;
  /** Oldest first. */
  readonly #results = new Map<string, { readonly bytes: number; readonly finished: number }>();
  readonly #found: StoredJob[] = [];

  constructor(files: AttesterFiles) {
    this.#files = files;
    this.#readResults();
    this.#readJobs();
  }

  /** What an earlier process left, in the order in which it is to be taken up. What was begun often comes last. */
  get unfinished(): readonly StoredJob[] {
    return this.#found;
  }

  /** Durable when it resolves. */
  async accept(id: string, body: Uint8Array, attempts: number): Promise<void> {
    if (attempts > 0) await this.noteTries(id, { attempts, tries: 0 });
    await writeDurably(nodeFs, this.#job(id), body);
    // A refusal that is not to count any more. Until it is gone the job is not there for the next process either.
    if (this.#results.delete(id)) await this.#remove(this.#files.results, `${id}.json`);
  }

  /** Throws StoreError where it is not what was accepted. */
  read(id: string): Uint8Array {
    const path = this.#job(id);
    const bytes = readWhole(path, Number.MAX_SAFE_INTEGER);
    if (bytes === undefined || sha256Hex(bytes) !== id)
      throw new StoreError('DAMAGED', `${path} has changed since the attester accepted it.`);
    return bytes;
  }

  /** How often it was begun, this time included. Durable when it resolves. */
  noteTries(id: string, { attempts, tries }: Tries): Promise<void> {
    return writeDurably(nodeFs, this.#triesFile(id), utf8Encode(`${attempts} ${tries}\n`));
  }

  /** Durable when it resolves. */
  async finish({ id, attempts, finished, outcome }: StoredResult): Promise<void> {
    const bytes = utf8Encode(canonicalize({ v: 1, id, attempts, finished, ...outcome } as unknown as Json));
    if (bytes.length > LARGEST_RESULT) throw new StoreError('TOO_LARGE', 'the result is too large to keep.');
    await writeDurably(nodeFs, join(this.#files.results, `${id}.json`), bytes);
    this.#results.set(id, { bytes: bytes.length, finished: Date.parse(finished) });
    this.#removeJob(id);
  }

  /** Undefined where there is none, or it can't be read: then the submission may be posted anew. */
  result(id: string): StoredResult | undefined {
    if (!this.#results.has(id)) return undefined;
    const found = readResult(join(this.#files.results, `${id}.json`), id);
    if (found === undefined) this.#results.delete(id);
    return found;
  }

  /** Results that are too old, and the oldest while there are too many or they take too much room. */
  async prune(now: number, { ageMs, bytes, count }: KeepLimits): Promise<number> {
    let all = 0;
    for (const result of this.#results.values()) all += result.bytes;
    let removed = 0;
    for (const [id, result] of this.#results) {
      if (now - result.finished <= ageMs && all <= bytes && this.#results.size <= count) continue;
      this.#results.delete(id);
      await this.#remove(this.#files.results, `${id}.json`);
      all -= result.bytes;
      removed++;
    }
    return removed;
  }

  #readResults(): void {
    const { results } = this.#files;
    const found = [];
    for (const name of readdirSync(results)) {
      const [, id] = RESULT.exec(name) ?? [];
      // What is left of a write that was cut off. Nobody else writes here.
      if (id === undefined) removeQuietly(join(results, name));
      else found.push({ id, stat: statSync(join(results, name)) });
    }
    found.sort((a, b) => a.stat.mtimeMs - b.stat.mtimeMs);
    for (const { id, stat } of found) this.#results.set(id, { bytes: stat.size, finished: stat.mtimeMs });
  }

  #readJobs(): void {
    const { jobs } = this.#files;
    const found: (StoredJob & { readonly accepted: number })[] = [];
    const names = readdirSync(jobs);
    for (const name of names) {
      const [, id] = JOB.exec(name) ?? [];
      if (id === undefined) {
        const isOfJob = name.endsWith('.tries') && names.includes(name.replace(/tries$/, 'tar'));
        if (!isOfJob) removeQuietly(join(jobs, name));
      } else if (this.result(id) !== undefined) this.#removeJob(id);
      else {
        const { size, mtimeMs } = statSync(join(jobs, name));
        found.push({ id, bytes: size, accepted: mtimeMs, ...this.#tries(id) });
      }
    }
    found.sort((a, b) => a.tries - b.tries || a.accepted - b.accepted);
    this.#found.push(...found);
  }

  #tries(id: string): Tries {
    const [, attempts, tries] = /^(\d{1,9}) (\d{1,9})\n$/.exec(textOf(this.#triesFile(id))) ?? [];
    return { attempts: Number(attempts ?? 0), tries: Number(tries ?? 0) };
  }

  #removeJob(id: string): void {
    removeQuietly(this.#job(id));
    removeQuietly(this.#triesFile(id));
  }

  async #remove(directory: string, name: string): Promise<void> {
    removeQuietly(join(directory, name));
    await nodeFs.syncDirectory(directory);
  }

  #job(id: string): string {
    return join(this.#files.jobs, `${id}.tar`);
  }

  #triesFile(id: string): string {
    return join(this.#files.jobs, `${id}.tries`);
  }
}

/** Written by us, and yet read as if by anybody: a disk may have given back something else. */
function readResult(path: string, id: string): StoredResult | undefined {
  const bytes = readWhole(path, LARGEST_RESULT);
  if (bytes === undefined) return undefined;
  let value: Record<string, unknown> | null;
  try {
    value = JSON.parse(utf8Decode(bytes)) as Record<string, unknown> | null;
  } catch {
    return undefined;
  }
  const { v, attempts, finished, status, attestation, others, error, again } = value ?? {};
  const isRight = v === 1 && value?.id === id && isHash(id) && Number.isSafeInteger(attempts);
  if (!isRight || typeof finished !== 'string' || Number.isNaN(Date.parse(finished))) return undefined;
  const of = { id, attempts: attempts as number, finished };
  if (status === 'done' && isObject(attestation)) {
    const signed = readOthers(others);
    return { ...of, outcome: { status, attestation, ...(signed === undefined ? {} : { others: signed }) } };
  }
  const refused = readRefused(error);
  if (status !== 'refused' || refused === undefined) return undefined;
  return { ...of, outcome: { status, error: refused, again: again === true } };
}

function textOf(path: string): string {
  const bytes = readWhole(path, 64);
  return bytes === undefined ? '' : Buffer.from(bytes).toString('latin1');
}

/** Undefined where it is not there, or has more than `most` bytes. */
function readWhole(path: string, most: number): Uint8Array | undefined {
  let fd: number;
  try {
    fd = nodeFs.open(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    const { size } = nodeFs.stat(fd);
    if (size > most) return undefined;
    const bytes = new Uint8Array(size);
    return bytes.subarray(0, nodeFs.read(fd, bytes, 0));
  } finally {
    nodeFs.close(fd);
  }
}

function removeQuietly(path: string): void {
  try {
    nodeFs.remove(path);
  } catch {
    // It was not there, or the next start removes it.
  }
}
