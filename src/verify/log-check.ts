// Joins the runs that checkLines saw into one log: sequence and chain across runs and segments, the genesis, names of
// segments, and the question whether bad bytes are damage or the torn end of a write that nobody was told had
// succeeded. Only bytes past the head and above every checkpoint, at the end of the last segment, can be the latter.
import { HASH_SIZE } from '../core/index.ts';
import { compareSegments, GENESIS } from '../format/index.ts';
import type { Evidence } from './evidence.ts';
import type { Findings } from './findings.ts';
import type { LinesResult, PickedLine } from './lines.ts';
import type { Run } from './runs.ts';
import type { RunSessions } from './session-sums.ts';

/** The lines of a run that are part of the log: what goes into the tree, and what was picked. */
export interface Joined {
  readonly leaves: Uint8Array;
  readonly sessions: RunSessions;
  readonly picked: readonly PickedLine[];
  readonly run: Run;
}

/** Bad runs held back while it is open whether anything good follows; more than this is not one torn write. */
const MAX_HELD = 64;
/** So are more lines than this: each costs the memory of a hash. */
const MAX_HELD_LINES = 100_000;

export class LogCheck {
  readonly #evidence: Evidence;
  readonly #findings: Findings;
  /** Lines so far: the size of the tree. */
  lines = 0;
  tornBytes = 0;
  #due = 1;
  /** Undefined behind a line that is no entry. */
  #hash: string | undefined = GENESIS;
  #segment = -1;
  #torn: { readonly file: string; readonly offset: number } | undefined;
  #held: { run: Run; result: LinesResult }[] = [];
  #heldLines = 0;

  constructor(evidence: Evidence, findings: Findings) {
    this.#evidence = evidence;
    this.#findings = findings;
  }

  /** The seq of the last line, read or reckoned. */
  get lastSeq(): number {
    return this.#due - 1;
  }

  /** Takes the next run; gives the runs that are decided by it. */
  add(run: Run, result: LinesResult): Joined[] {
    if (this.#torn !== undefined) {
      this.#alsoTorn(run);
      return [];
    }
    const held = this.#held;
    if (held.length > 0) {
      held.push({ run, result });
      this.#heldLines += result.count;
      const few = held.length < MAX_HELD && this.#heldLines < MAX_HELD_LINES;
      if (result.count === 0 || (!isGood(result) && few)) return [];
      this.#held = [];
      return held.map((one) => this.#join(one.run, one.result));
    }
    const clean = this.#cleanPart(run, result);
    if (clean.count === result.count || !this.#mayBeTorn(run, clean)) return [this.#join(run, result)];
    if (this.#evidence.head.state === 'good') return [this.#tear(run, result, clean)];
    // Without a head only the very end of the log can be torn: if an entry follows, this is damage.
    const goodLater = result.goodAfter || clean.count < result.clean.count;
    if (goodLater) return [this.#join(run, result)];
    if (result.count >= MAX_HELD_LINES) return [this.#join(run, result)];
    this.#held = [{ run, result }];
    this.#heldLines = result.count;
    return [];
  }

  /**
   * A segment that holds no entry must still be named after the next one, as whoever began it did: readers find entries
   * by those names, and would take it for one that holds entries which stand elsewhere.
   */
  tornSegment(run: Run): void {
    const { first, path } = this.#fileOf(run);
    if (first === this.#due) return;
    const text = `named after entry ${first}, but entry ${this.#due} was expected`;
    this.#findings.add('SEGMENT_NAME', this.#due, text, path);
  }

  /** After the last run: what is still held back was the end. */
  finish(): Joined[] {
    const [first, ...more] = this.#held;
    const joined =
      first === undefined
        ? []
        : [this.#tear(first.run, first.result, this.#cleanPart(first.run, first.result))];
    for (const { run } of more) this.#alsoTorn(run);
    if (this.#torn !== undefined) {
      const { file, offset } = this.#torn;
      const text = `${this.tornBytes} bytes at offset ${offset} are not an entry: a write is in progress, or there was a crash; the next append records it`;
      this.#findings.add('TORN_TAIL', null, text, file);
    }
    return joined;
  }

  /** What precedes the first bad line, also counting a first line that does not follow the run before. */
  #cleanPart(run: Run, result: LinesResult): LinesResult['clean'] {
    const { first, clean } = result;
    const follows =
      first?.line !== 0 || (first.seq === this.#due && (this.#hash ?? first.hash) === first.hash);
    return follows || run.segment < run.lastSegment ? clean : { count: 0, bytes: 0, last: null };
  }

  #mayBeTorn(run: Run, clean: LinesResult['clean']): boolean {
    const { head, sealed } = this.#evidence;
    if (run.segment < run.lastSegment || this.lines + clean.count < sealed) return false;
    if (head.state !== 'good') return true;
    const order = compareSegments(this.#fileOf(run), head.position.segment);
    return order > 0 || (order === 0 && run.offset + clean.bytes >= head.position.offset);
  }

  #tear(run: Run, result: LinesResult, clean: LinesResult['clean']): Joined {
    this.#torn = { file: this.#fileOf(run).path, offset: run.offset + clean.bytes };
    this.tornBytes = run.bytes - clean.bytes;
    if (run.offset + clean.bytes === 0) this.tornSegment(run);
    const picked = result.picked.filter(({ offset }) => offset < clean.bytes);
    const leaves = result.leaves.subarray(0, clean.count * HASH_SIZE);
    const first = clean.count === 0 ? null : result.first;
    return this.#join(run, { ...result, ...clean, first, leaves, picked, findings: [], findingCount: 0 });
  }

  #alsoTorn(run: Run): void {
    this.tornBytes += run.bytes;
    if (run.offset === 0 && run.bytes > 0) this.tornSegment(run);
  }

  #join(run: Run, result: LinesResult): Joined {
    const begins = run.segment !== this.#segment && result.count > 0;
    if (begins) this.#segment = run.segment;
    const { first, last, count, findings } = result;
    const file = this.#fileOf(run).path;
    for (const { code, line, seq, message } of findings) {
      const where = seq ?? this.#due + line;
      this.#findings.add(
        code,
        where,
        seq === null ? `line ${this.lines + line + 1}: ${message}` : message,
        file,
      );
    }
    this.#findings.countMore(result.findingCount - findings.length);
    if (first !== null) this.#follow(run, first, begins && first.line === 0);
    this.lines += count;
    if (last === null) this.#due += count;
    else this.#due = last.seq + (count - last.line);
    if (count > 0) this.#hash = last?.line === count - 1 ? last.hash : undefined;
    return { leaves: result.leaves, sessions: result.sessions, picked: result.picked, run };
  }

  /** Does the run's first entry follow what came before? */
  #follow(run: Run, first: NonNullable<LinesResult['first']>, beginsSegment: boolean): void {
    const due = this.#due + first.line;
    const { seq, hash } = first;
    const segment = this.#fileOf(run);
    if (beginsSegment && seq !== segment.first) {
      this.#findings.add(
        'SEGMENT_NAME',
        seq,
        `named after entry ${segment.first}, but begins with ${seq}`,
        segment.path,
      );
    }
    if (beginsSegment && seq > due && seq === segment.first) {
      const what = due === seq - 1 ? `entry ${due} is` : `entries ${due}–${seq - 1} are`;
      this.#findings.add('SEGMENT_MISSING', due, `${what} missing before ${segment.name}`, segment.path);
      return;
    }
    if (seq !== due)
      this.#findings.add(
        'SEQ_MISMATCH',
        seq,
        `entry ${seq} is there, but entry ${due} was expected`,
        segment.path,
      );
    if (first.line > 0 || this.#hash === undefined || hash === this.#hash) return;
    if (this.lines === 0) {
      this.#findings.add(
        'GENESIS_MISMATCH',
        seq,
        'the first entry does not begin at the genesis hash',
        segment.path,
      );
    } else {
      const text = `prev_hash of entry ${seq} is not the hash of the entry before it`;
      this.#findings.add('CHAIN_BROKEN', seq, text, segment.path);
    }
  }

  #fileOf(run: Run): Evidence['segments'][number] {
    const file = this.#evidence.segments[run.segment];
    if (file === undefined) throw new RangeError('a run of no segment');
    return file;
  }
}

function isGood(result: LinesResult): boolean {
  return result.goodAfter || (result.clean.count > 0 && result.clean.last !== null);
}
