// What is known of a session's work tree between hooks: how it was when the session began, and what differed at each
// fingerprint, so that the gate can name the edit that made evidence stale. A folder a session beside the ledger's
// entries, derived and disposable, removed a day after the session ended: until then a check can be asked for or run
// again. Where it is lost, nothing is known to be fresh.
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isHash } from '../core/index.ts';
import { type Base, encodeBase, encodeTree, parseBase, parseTree, type TreeState } from './tree-state.ts';

/** One name for each fingerprint; more are of no use to anybody. */
const MOST_KEPT = 32;
const NAME = /^[0-9a-f]{64}$/;
const ENDED = 'ended';
const KEPT_MS = 24 * 3_600_000;

/** Removes what is known of sessions that ended longer than a day ago. */
export function sweepTrees(directory: string, now: number): void {
  for (const name of readdirSync(directory)) {
    if (!NAME.test(name)) continue;
    const ended = statSync(join(directory, name, ENDED), { throwIfNoEntry: false });
    if (ended !== undefined && now - ended.mtimeMs > KEPT_MS)
      rmSync(join(directory, name), { recursive: true, force: true });
  }
}

export class TreeMemory {
  readonly #directory: string;

  constructor(directory: string, session: string) {
    if (!isHash(session)) throw new RangeError('a session id has 64 hex digits');
    this.#directory = join(directory, session);
  }

  begin(base: Base, state: TreeState | null): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    this.#write('base', encodeBase(base));
    if (state !== null) {
      this.#write('start', encodeTree(state));
      this.#write('last', encodeTree(state));
    }
  }

  /** When that was, in milliseconds; null where nobody knows. */
  begun(): number | null {
    return statSync(join(this.#directory, 'base'), { throwIfNoEntry: false })?.mtimeMs ?? null;
  }

  base(): Base | undefined {
    return this.#read('base', parseBase);
  }

  /** As the session began. */
  start(): TreeState | undefined {
    return this.#read('start', parseTree);
  }

  /** The newest: what did not change since need not be read again. */
  last(): TreeState | undefined {
    return this.#read('last', parseTree);
  }

  at(fingerprint: string): TreeState | undefined {
    return NAME.test(fingerprint) ? this.#read(fingerprint, parseTree) : undefined;
  }

  /** `last` is what was the newest until now: what did not change need not be written, only be known to be of use. */
  keep(fingerprint: string, state: TreeState, last: TreeState | undefined): void {
    const text = encodeTree(state);
    if (last === undefined || encodeTree(last) !== text) this.#write('last', text);
    if (this.#touch(fingerprint)) return;
    this.#write(fingerprint, text);
    this.#prune();
  }

  /** The session is over. */
  end(): void {
    if (statSync(this.#directory, { throwIfNoEntry: false }) !== undefined) this.#write(ENDED, '');
  }

  #read<T>(name: string, parse: (text: string) => T): T | undefined {
    try {
      return parse(readFileSync(join(this.#directory, name), 'utf8'));
    } catch {
      return undefined;
    }
  }

  /** False where it is not there. */
  #touch(name: string): boolean {
    try {
      const now = Date.now() / 1000;
      utimesSync(join(this.#directory, name), now, now);
      return true;
    } catch {
      return false;
    }
  }

  /** In one step: a hook beside us may be reading. */
  #write(name: string, text: string): void {
    const path = join(this.#directory, name);
    writeFileSync(`${path}.${process.pid}`, text, { mode: 0o600 });
    renameSync(`${path}.${process.pid}`, path);
  }

  #prune(): void {
    const kept = readdirSync(this.#directory).filter((name) => NAME.test(name));
    if (kept.length <= MOST_KEPT) return;
    const age = (name: string): number =>
      statSync(join(this.#directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const oldest = kept.map((name) => ({ name, at: age(name) })).sort((a, b) => a.at - b.at);
    for (const { name } of oldest.slice(0, kept.length - MOST_KEPT)) {
      try {
        unlinkSync(join(this.#directory, name));
      } catch {
        // Another hook was first.
      }
    }
  }
}
