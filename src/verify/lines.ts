// The hot loop of verification: a run of lines, each proven to be the one encoding of an entry, with its hash, its
// place in the sequence, its link to the line before and its Merkle leaf. Synchronous and pure, so that it runs in a
// worker as well; the result is plain data. What lies outside the run (is this the seq that was due?) is for the one
// who joins the runs: see log-check.ts.

import { sha256Into, utf8Encode } from '#platform';
import { canonicalize, HASH_SIZE, LEAF_PREFIX, leafHashInto, ParseError } from '../core/index.ts';
import { type Entry, EntryScan, hashOfEntry, isKnownKind, parseEntry } from '../format/index.ts';
import { CODES, type Code } from './codes.ts';
import { shortened } from './findings.ts';
import type { RunSessions } from './session-sums.ts';

export interface LinesOptions {
  /** Lines of these kinds are handed out, and every line that refers to content or has a member `tree`. */
  readonly kinds: readonly string[];
  /** So are the lines with these seqs. */
  readonly seqs?: readonly number[];
  /** Findings kept; the rest are counted. */
  readonly maxFindings?: number;
}

export interface LineFinding {
  readonly code: Code;
  /** Index of the line in this run. */
  readonly line: number;
  /** Null before the first entry of the run: the joiner knows which seq was due. */
  readonly seq: number | null;
  readonly message: string;
}

export interface PickedLine {
  readonly seq: number;
  /** Index of the line in this run. */
  readonly index: number;
  /** Where the line begins, counted from the beginning of the run. */
  readonly offset: number;
  /** The bytes without `\n`. */
  readonly line: Uint8Array;
  /** False: its payload refers to no content. */
  readonly hasContent: boolean;
}

export interface Link {
  readonly line: number;
  readonly seq: number;
  readonly hash: string;
}

export interface LinesResult {
  readonly count: number;
  readonly bytes: number;
  /** The first line that is an entry and has its hash; `hash` is its prev_hash. */
  readonly first: Link | null;
  /** The last line that is an entry, from the first on; `hash` is its entry_hash. */
  readonly last: Link | null;
  /** One leaf hash of 32 bytes for each line, good or bad. */
  readonly leaves: Uint8Array;
  readonly sessions: RunSessions;
  readonly findings: readonly LineFinding[];
  /** How many there were, kept or not. */
  readonly findingCount: number;
  /** What came before the first finding. */
  readonly clean: { readonly count: number; readonly bytes: number; readonly last: Link | null };
  /** A whole entry that has its hash stands behind the first bad line, so the damage is not at the end. */
  readonly goodAfter: boolean;
  readonly picked: readonly PickedLine[];
  /** Kinds that were met, up to 1,024 of them. */
  readonly kinds: readonly string[];
  /** Kinds this version does not know, up to 32 of them. */
  readonly unknownKinds: readonly string[];
}

const MAX_FINDINGS = 10_000;
const MAX_UNKNOWN_KINDS = 32;
const MAX_KINDS = 1024;
const LINE_FEED = 0x0a;
/** Shorter than any entry, which has 274 bytes at least. */
const MIN_LINE = 256;
const scan = new EntryScan();

/**
 * Checks the lines in buffer[start, end), each ended by `\n`; a last one without is reported. Single bytes of the
 * buffer are borrowed and given back, so nobody else may use it meanwhile. Fastest with a spare byte before `start`.
 */
export function checkLines(
  buffer: Uint8Array,
  start: number,
  end: number,
  options: LinesOptions,
): LinesResult {
  return new Run(buffer, start, options).check(end);
}

type Found = Pick<
  EntryScan,
  | 'seq'
  | 'kind'
  | 'prevStart'
  | 'sessionStart'
  | 'hashStart'
  | 'hasContent'
  | 'hasTree'
  | 'hasMcp'
  | 'hashMatches'
>;

class Run {
  readonly #buffer: Uint8Array;
  readonly #start: number;
  readonly #kinds: ReadonlySet<string>;
  readonly #seqs: ReadonlySet<number>;
  readonly #maxFindings: number;
  readonly #findings: LineFinding[] = [];
  readonly #picked: PickedLine[] = [];
  readonly #metKinds = new Set<string>();
  readonly #unknownKinds = new Set<string>();
  /** Where the id of each session stood first, by its index, and where to look for that. */
  readonly #sessionPlaces: number[] = [];
  readonly #sessionIndexes = new Map<string, number>();
  readonly #nearSessions = new Map<number, number>();
  #lastSession = -1;
  #leaves: Uint8Array;
  #sessions: Int32Array;
  #findingCount = 0;
  #line = 0;
  #first: Link | null = null;
  /** The last entry: its line, its seq, and where its entry_hash stands in the buffer. */
  #lastLine = -1;
  #lastSeq = 0;
  #lastHash = 0;
  #clean: LinesResult['clean'] | undefined;
  #goodAfter = false;

  constructor(buffer: Uint8Array, start: number, options: LinesOptions) {
    this.#buffer = buffer;
    this.#start = start;
    this.#kinds = new Set(options.kinds);
    this.#seqs = new Set(options.seqs);
    this.#maxFindings = options.maxFindings ?? MAX_FINDINGS;
    const lines = Math.max(16, Math.ceil((buffer.length - start) / 400));
    this.#leaves = new Uint8Array(HASH_SIZE * lines);
    this.#sessions = new Int32Array(lines);
  }

  check(end: number): LinesResult {
    const buffer = this.#buffer;
    let at = this.#start;
    while (at < end) {
      let lineEnd = scan.scanLine(buffer, at, end);
      if (lineEnd >= 0) {
        this.#leaf(at, lineEnd);
        this.#entry(at, lineEnd, true, scan);
      } else {
        const newline = buffer.indexOf(LINE_FEED, at);
        const whole = newline >= 0 && newline < end;
        lineEnd = whole ? newline : end;
        this.#leaf(at, lineEnd);
        this.#refused(at, lineEnd, whole);
      }
      this.#line++;
      at = lineEnd + 1;
    }
    const last = this.#last();
    return {
      count: this.#line,
      bytes: end - this.#start,
      first: this.#first,
      last,
      leaves: this.#leaves.slice(0, this.#line * HASH_SIZE),
      sessions: { ids: [...this.#sessionIndexes.keys()], of: this.#sessions.slice(0, this.#line) },
      findings: this.#findings,
      findingCount: this.#findingCount,
      clean: this.#clean ?? { count: this.#line, bytes: end - this.#start, last },
      goodAfter: this.#goodAfter,
      picked: this.#picked,
      kinds: [...this.#metKinds],
      unknownKinds: [...this.#unknownKinds],
    };
  }

  #leaf(start: number, end: number): void {
    const offset = this.#line * HASH_SIZE;
    if (offset === this.#leaves.length) {
      const grown = new Uint8Array(2 * offset);
      grown.set(this.#leaves);
      this.#leaves = grown;
      const sessions = new Int32Array(2 * this.#line);
      sessions.set(this.#sessions);
      this.#sessions = sessions;
    }
    this.#sessions[this.#line] = -1;
    const buffer = this.#buffer;
    if (start === 0) {
      leafHashInto(buffer.subarray(start, end), this.#leaves, offset);
      return;
    }
    const borrowed = buffer[start - 1] ?? 0;
    buffer[start - 1] = LEAF_PREFIX;
    sha256Into(buffer.subarray(start - 1, end), this.#leaves, offset);
    buffer[start - 1] = borrowed;
  }

  /** A line that is an entry; whether it is the right one is looked at here. */
  #entry(start: number, end: number, whole: boolean, entry: Found): void {
    const { kind } = entry;
    this.#sessions[this.#line] = this.#sessionAt(entry.sessionStart);
    const due = this.#lastLine < 0 ? null : this.#lastSeq + (this.#line - this.#lastLine);
    const hasItsHash = entry.hashMatches(start);
    // What was changed does not say which entry it is: its place does.
    const seq = hasItsHash ? entry.seq : due;
    if (due !== null) {
      if (entry.seq !== due) {
        this.#add('SEQ_MISMATCH', start, seq, `entry ${entry.seq} is there, but entry ${due} was expected`);
      }
      if (this.#lastLine === this.#line - 1 && !this.#sameHash(entry.prevStart, this.#lastHash)) {
        this.#add(
          'CHAIN_BROKEN',
          start,
          seq,
          `prev_hash of entry ${seq} is not the hash of the entry before it`,
        );
      }
    }
    if (!hasItsHash) {
      this.#add(
        'HASH_MISMATCH',
        start,
        seq,
        `entry ${seq ?? entry.seq} was changed: its bytes don't match its entry_hash`,
      );
    } else if (whole && this.#clean !== undefined && this.#clean.count < this.#line) this.#goodAfter = true;
    if (!whole)
      this.#add('MISSING_NEWLINE', start, seq, `entry ${seq ?? entry.seq} does not end in a newline`);
    if (hasItsHash) this.#first ??= { line: this.#line, seq: entry.seq, hash: this.#hashAt(entry.prevStart) };
    if (seq !== null) {
      this.#lastLine = this.#line;
      this.#lastSeq = seq;
      this.#lastHash = entry.hashStart;
    }
    if (
      entry.hasContent ||
      entry.hasTree ||
      entry.hasMcp ||
      this.#kinds.has(kind) ||
      this.#seqs.has(entry.seq)
    )
      this.#pick(start, end, seq ?? entry.seq, entry.hasContent);
    if (!this.#metKinds.has(kind)) this.#meet(kind);
  }

  /** A line that the scanner refused: parseEntry says why. It is the definition, so it also has the last word. */
  #refused(start: number, end: number, whole: boolean): void {
    // Saying why costs far more than reading on, and of so many lines nobody will be told.
    if (end - start < MIN_LINE && this.#findings.length >= this.#maxFindings) {
      this.#findingCount++;
      return;
    }
    const line = this.#buffer.subarray(start, end);
    try {
      this.#entry(start, end, whole, found(parseEntry(line), start, end));
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      const due = this.#lastLine < 0 ? null : this.#lastSeq + (this.#line - this.#lastLine);
      const code = error.code in CODES ? (error.code as Code) : 'INVALID_JSON';
      this.#add(code, start, due, `${describe(line)}${error.message}`);
    }
  }

  #add(code: Code, start: number, seq: number | null, message: string): void {
    this.#clean ??= { count: this.#line, bytes: start - this.#start, last: this.#last() };
    this.#findingCount++;
    if (this.#findings.length < this.#maxFindings)
      this.#findings.push({ code, line: this.#line, seq, message: shortened(message) });
  }

  #pick(start: number, end: number, seq: number, hasContent: boolean): void {
    this.#picked.push({
      seq,
      index: this.#line,
      offset: start - this.#start,
      line: new Uint8Array(this.#buffer.subarray(start, end)),
      hasContent,
    });
  }

  /** The index of the session whose id stands there. Mostly it is that of the line before. */
  #sessionAt(at: number): number {
    if (at < 0) return -1;
    const isAt = (index: number): boolean => this.#sameHash(at, this.#sessionPlaces[index] ?? -1);
    if (this.#lastSession >= 0 && isAt(this.#lastSession)) return this.#lastSession;
    // To make a string of each id would take longer than to compare it.
    let near = 0;
    for (let i = at; i < at + 6; i++) near = near * 256 + (this.#buffer[i] ?? 0);
    let index = this.#nearSessions.get(near);
    if (index === undefined || !isAt(index)) {
      const id = this.#hashAt(at);
      index = this.#sessionIndexes.get(id) ?? this.#sessionPlaces.push(at) - 1;
      this.#sessionIndexes.set(id, index);
      this.#nearSessions.set(near, index);
    }
    this.#lastSession = index;
    return index;
  }

  #meet(kind: string): void {
    if (this.#metKinds.size < MAX_KINDS) this.#metKinds.add(kind);
    if (!isKnownKind(kind) && this.#unknownKinds.size < MAX_UNKNOWN_KINDS) this.#unknownKinds.add(kind);
  }

  #last(): Link | null {
    if (this.#lastLine < 0) return null;
    return { line: this.#lastLine, seq: this.#lastSeq, hash: this.#hashAt(this.#lastHash) };
  }

  #hashAt(at: number): string {
    return String.fromCharCode(...this.#buffer.subarray(at, at + 64));
  }

  #sameHash(a: number, b: number): boolean {
    const buffer = this.#buffer;
    for (let i = 0; i < 64; i++) if (buffer[a + i] !== buffer[b + i]) return false;
    return true;
  }
}

/** What the scanner would have found, had it taken the line. */
function found(entry: Entry, start: number, end: number): Found {
  const { cause, kind, payload, seq, prev_hash: prev, session_id: session } = entry;
  const head = `{"cause":${cause},"kind":"${kind}","payload":${canonicalize(payload)},"prev_hash":"`;
  const prevStart = start + utf8Encode(head).length;
  return {
    seq,
    kind,
    prevStart,
    sessionStart: session === null ? -1 : prevStart + `${prev}","seq":${seq},"session_id":"`.length,
    hashStart: end - 66,
    hasContent: true,
    hasTree: true,
    hasMcp: true,
    hashMatches: () => hashOfEntry(entry) === entry.entry_hash,
  };
}

/** What editors and transfers do to lines, by name. */
export function describe(line: Uint8Array): string {
  if (line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf) return 'begins with a byte order mark: ';
  return line[line.length - 1] === 0x0d ? 'ends in CR LF: ' : '';
}
