// Checkpoints against the tree of the log: those in checkpoints/, the newest one's own file, and those that the
// verifier kept elsewhere. Each is looked at when the log has reached its size, so that none has to be held.
import {
  type Checkpoint,
  MAX_NOTE_BYTES,
  type Note,
  openCheckpoint,
  ParseError,
  sameBytes,
} from '../core/index.ts';
import { CHECKPOINT_DIR, CHECKPOINT_FILE, encodeCheckpointName } from '../format/index.ts';
import type { Evidence } from './evidence.ts';
import type { Files } from './files.ts';
import type { Findings } from './findings.ts';
import type { IdentityCheck } from './identity-check.ts';
import type { StampCheck } from './stamp-check.ts';

interface Opened {
  readonly checkpoint: Checkpoint;
  readonly note: Note;
  readonly bytes: Uint8Array;
}

export class CheckpointCheck {
  readonly #files: Files;
  readonly #evidence: Evidence;
  readonly #findings: Findings;
  readonly #identity: IdentityCheck;
  readonly #stamps: Pick<StampCheck, 'checkpoint'>;
  readonly #newest: Opened | undefined;
  readonly #kept: Opened[] = [];
  readonly #named: ReadonlySet<number>;
  /** Sizes whose roots are needed, rising. */
  readonly #sizes: readonly number[];
  #next = 0;
  checkpoints = 0;
  /** Largest size of a checkpoint of this ledger, borne out by the entries or not. */
  sealed = 0;
  /** A kept checkpoint was found in the log. */
  keptHolds = false;

  constructor(
    files: Files,
    evidence: Evidence,
    findings: Findings,
    identity: IdentityCheck,
    stamps: Pick<StampCheck, 'checkpoint'>,
    kept: readonly Uint8Array[],
  ) {
    this.#files = files;
    this.#evidence = evidence;
    this.#findings = findings;
    this.#identity = identity;
    this.#stamps = stamps;
    this.#newest = evidence.checkpoint && this.#open(evidence.checkpoint, CHECKPOINT_FILE);
    for (const bytes of kept) {
      const opened = attempt(() => ({ ...openCheckpoint(bytes), bytes }));
      if (opened instanceof ParseError) {
        findings.add(
          'KEPT_CHECKPOINT_MISMATCH',
          null,
          `the checkpoint that you kept is malformed: ${opened.message}`,
        );
      } else this.#kept.push(opened);
    }
    this.#named = new Set(evidence.checkpoints);
    const sizes = new Set(evidence.checkpoints);
    for (const one of [...this.#kept, ...(this.#newest === undefined ? [] : [this.#newest])])
      sizes.add(one.checkpoint.size);
    this.#sizes = [...sizes].sort((a, b) => a - b);
  }

  /** Sizes whose roots will be needed, from the present one up to `to`. */
  wanted(to: number): number[] {
    const sizes: number[] = [];
    for (let i = this.#next; (this.#sizes[i] ?? Number.POSITIVE_INFINITY) <= to; i++)
      sizes.push(this.#sizes[i] ?? 0);
    return sizes;
  }

  /** Looks at every checkpoint up to `to`, whose roots are given. */
  async reached(to: number, roots: ReadonlyMap<number, Uint8Array>): Promise<void> {
    for (const size of this.wanted(to)) {
      this.#next++;
      await this.#at(size, roots.get(size));
    }
  }

  /** The log ended at `size`: checkpoints beyond it show that it was cut. */
  async finish(size: number): Promise<void> {
    for (const beyond of this.wanted(Number.MAX_SAFE_INTEGER)) await this.#at(beyond, undefined, size);
    const { checkpoint, checkpoints } = this.#evidence;
    if (checkpoint === undefined && checkpoints.length > 0) {
      this.#findings.add(
        'CHECKPOINT_MISSING',
        null,
        'the newest checkpoint has no file of its own',
        CHECKPOINT_FILE,
      );
    }
    const newest = this.#newest?.checkpoint.size;
    if (newest !== undefined && newest > 0 && !this.#named.has(newest)) {
      this.#findings.add(
        'CHECKPOINT_MISSING',
        newest,
        `the checkpoint of ${newest} entries is not among the earlier ones`,
        pathOf(newest),
      );
    }
  }

  async #at(size: number, root: Uint8Array | undefined, end?: number): Promise<void> {
    if (this.#named.has(size)) {
      const bytes = await this.#files.read(pathOf(size), 0, MAX_NOTE_BYTES + 1);
      const opened = bytes && this.#open(bytes, pathOf(size));
      if (opened !== undefined && opened.checkpoint.size !== size) {
        const text = `its name says ${size} entries, but it covers ${opened.checkpoint.size}`;
        this.#findings.add('CHECKPOINT_INVALID', size, text, pathOf(size));
      } else if (opened !== undefined) this.#judge(opened, root, pathOf(size), end);
    }
    const newest = this.#newest;
    if (newest?.checkpoint.size === size) this.#judge(newest, root, CHECKPOINT_FILE, end);
    for (const kept of this.#kept)
      if (kept.checkpoint.size === size) this.#judgeKept(kept.checkpoint, root, end);
  }

  #judge(
    { checkpoint, note, bytes }: Opened,
    root: Uint8Array | undefined,
    file: string,
    end: number | undefined,
  ): void {
    const { origin, size } = checkpoint;
    if (file !== CHECKPOINT_FILE) this.checkpoints++; // the other is a copy
    const own = this.#identity.origin;
    if (own !== undefined && origin !== own) {
      this.#findings.add(
        'CHECKPOINT_FOREIGN',
        null,
        `this is a checkpoint of ${origin}, but this ledger is ${own}`,
        file,
      );
      return;
    }
    this.sealed = Math.max(this.sealed, size);
    const holds = root !== undefined && sameBytes(checkpoint.root, root);
    if (end !== undefined) {
      this.#findings.add(
        'TRUNCATED',
        end + 1,
        `the checkpoint covers ${size} entries, but the log ends at ${end}`,
        file,
      );
    } else if (!holds) {
      this.#findings.add(
        'ROOT_MISMATCH',
        size,
        `the first ${size} entries aren't the ones that the checkpoint covers`,
        file,
      );
    }
    if (this.#identity.checkpoint(note, size, holds, file) && holds) this.#stamps.checkpoint(size, bytes);
  }

  #judgeKept(
    { origin, size, root: kept }: Checkpoint,
    root: Uint8Array | undefined,
    end: number | undefined,
  ): void {
    const own = this.#identity.origin;
    if (own !== undefined && origin !== own) {
      this.#findings.add(
        'KEPT_CHECKPOINT_MISMATCH',
        null,
        `you kept a checkpoint of ${origin}, but this ledger is ${own}`,
      );
    } else if (end !== undefined) {
      this.#findings.add(
        'TRUNCATED',
        end + 1,
        `you kept a checkpoint of ${size} entries, but the log ends at ${end}`,
      );
    } else if (root === undefined || !sameBytes(kept, root)) {
      const text = `the first ${size} entries aren't the ones in the checkpoint that you kept: the log was rewritten`;
      this.#findings.add('KEPT_CHECKPOINT_MISMATCH', size, text);
    } else this.keptHolds = true;
  }

  #open(bytes: Uint8Array, file: string): Opened | undefined {
    const opened = attempt(() => ({ ...openCheckpoint(bytes), bytes }));
    if (!(opened instanceof ParseError)) return opened;
    this.#findings.add('CHECKPOINT_INVALID', null, opened.message, file);
    return undefined;
  }
}

function pathOf(size: number): string {
  return `${CHECKPOINT_DIR}/${encodeCheckpointName(size)}`;
}

function attempt<T>(parse: () => T): T | ParseError {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ParseError) return error;
    throw error;
  }
}
