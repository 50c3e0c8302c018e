// A log in the KAIZA format, line by line as it comes: each line in its one encoding, with its hash, in sequence and
// linked to the line before. Bounded whatever is fed to it: a line too long is skipped and not held, and past a number
// findings are only counted. The format has no signature and no end, so a pass says that the log agrees with itself;
// whether lines are missing at its end, only a hash that was kept elsewhere can tell.
import { ParseError } from '../core/index.ts';
import { MAX_LINE } from '../format/index.ts';
import {
  CODES,
  type Code,
  describe,
  type Facet,
  type Finding,
  MAX_FINDINGS,
  type Status,
  shortened,
} from '../verify/index.ts';
import { hashOfKaizaEntry, KAIZA_GENESIS, type KaizaEntry, parseKaizaEntry } from './kaiza.ts';
import { type LogLine, readLogLines } from './log-lines.ts';

export interface KaizaOptions {
  /** An `entry_hash` that was kept: an entry of the log must have it. */
  readonly continues?: string;
  /** Told now and then how many lines were read. */
  readonly progress?: (lines: number) => void;
}

export interface KaizaFinding extends Omit<Finding, 'file'> {
  /** Counted from 1; null for what is about no line. */
  readonly line: number | null;
}

interface KaizaFacet {
  readonly status: Status;
  readonly message: string;
  readonly findings: readonly KaizaFinding[];
}

export interface KaizaReport {
  readonly format: 'kaiza';
  readonly verdict: 'INTACT' | 'BROKEN';
  readonly sentence: string;
  readonly facets: { readonly integrity: KaizaFacet; readonly truncation: KaizaFacet };
  /** Findings, also those past the number that is listed. */
  readonly counts: { readonly lines: number; readonly entries: number; readonly findings: number };
  /** Of the last entry: what to keep, for `continues`. */
  readonly lastHash: string | null;
  readonly valid: boolean;
  readonly status: 'VALID' | 'CORRUPTED' | 'EMPTY_LOG';
  readonly entries: number;
  readonly failures: readonly {
    readonly line: number | null;
    readonly seq: number | null;
    readonly error: Code;
  }[];
}

const PROGRESS_EVERY = 65_536;

/** Never rejects for what is in the log; only where reading it does. */
export async function verifyKaizaLog(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: KaizaOptions = {},
): Promise<KaizaReport> {
  const check = new LogCheck(options);
  await readLogLines(pieces, (line) => check.line(line));
  return check.report();
}

class LogCheck {
  readonly #options: KaizaOptions;
  readonly #findings: KaizaFinding[] = [];
  readonly #worst = new Map<Facet, Status>();
  #total = 0;
  #lines = 0;
  #entries = 0;
  /** The last line that was an entry, and what the next is measured by. */
  #last = { line: 0, seq: 0, hash: KAIZA_GENESIS };
  /** The line that has the hash which was kept. */
  #keptAt: number | undefined;

  constructor(options: KaizaOptions) {
    this.#options = options;
  }

  line({ bytes, length, whole }: LogLine): void {
    this.#lines++;
    if (this.#lines % PROGRESS_EVERY === 0) this.#options.progress?.(this.#lines);
    const due = this.#last.seq + (this.#lines - this.#last.line);
    if (length === 0) this.#fail('BLANK_LINE', due, () => 'is empty');
    else if (bytes === undefined)
      this.#fail('TOO_LONG', due, () => `has ${length} bytes, but the limit is ${MAX_LINE}`);
    else this.#check(bytes, due);
    if (!whole)
      this.#fail(
        'MISSING_NEWLINE',
        due,
        () => "doesn't end in a newline: it was cut off, or is still being written",
      );
  }

  report(): KaizaReport {
    if (this.#lines === 0) this.#add('EMPTY_LOG', null, null, 'there are no entries here');
    this.#checkEnd();
    const failures = this.#findings.filter(({ code }) => CODES[code].level === 'fail');
    const broken = failures.length > 0;
    const facet = (name: 'integrity' | 'truncation'): KaizaFacet => {
      const status = this.#worst.get(name) ?? 'pass';
      const findings = this.#findings.filter(({ code }) => CODES[code].facet === name);
      return { status, message: MESSAGES[name][status], findings };
    };
    return {
      format: 'kaiza',
      verdict: broken ? 'BROKEN' : 'INTACT',
      sentence: this.#sentence(failures),
      facets: { integrity: facet('integrity'), truncation: facet('truncation') },
      counts: { lines: this.#lines, entries: this.#entries, findings: this.#total },
      lastHash: this.#entries === 0 ? null : this.#last.hash,
      valid: !broken,
      status: this.#lines === 0 ? 'EMPTY_LOG' : broken ? 'CORRUPTED' : 'VALID',
      entries: this.#entries,
      failures: failures.map(({ line, seq, code }) => ({ line, seq, error: code })),
    };
  }

  #check(bytes: Uint8Array, due: number): void {
    try {
      this.#entry(parseKaizaEntry(bytes), due);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      const code = error.code in CODES ? (error.code as Code) : 'INVALID_JSON';
      this.#fail(code, due, () => `is not an entry: ${describe(bytes)}${error.message}`);
    }
  }

  #entry(entry: KaizaEntry, due: number): void {
    const { seq, prev_hash, entry_hash } = entry;
    const hasItsHash = hashOfKaizaEntry(entry) === entry_hash;
    // What was changed does not say which entry it is: its place does.
    const at = hasItsHash ? seq : due;
    if (seq !== due) this.#fail('SEQ_MISMATCH', at, () => `has seq ${seq}, but ${due} was expected`);
    if (this.#last.line === this.#lines - 1 && prev_hash !== this.#last.hash) {
      if (this.#lines === 1)
        this.#fail('GENESIS_MISMATCH', at, () => `is the first line but doesn't follow ${KAIZA_GENESIS}`);
      else
        this.#fail('CHAIN_BROKEN', at, () => 'has a prev_hash that is not the hash of the entry before it');
    }
    if (!hasItsHash)
      this.#fail('HASH_MISMATCH', at, () => "was changed: its members don't match its entry_hash");
    this.#entries++;
    this.#last = { line: this.#lines, seq: at, hash: entry_hash };
    if (hasItsHash && entry_hash === this.#options.continues) this.#keptAt = this.#lines;
  }

  #checkEnd(): void {
    const { continues } = this.#options;
    if (continues === undefined)
      this.#add(
        'UNSEALED',
        null,
        null,
        "lines may have been cut off at the end: the format doesn't show that",
      );
    else if (this.#keptAt === undefined)
      this.#add('KEPT_CHECKPOINT_MISMATCH', null, null, `no entry has the hash that you kept, ${continues}`);
    else if (this.#keptAt < this.#lines)
      this.#add(
        'UNSEALED',
        null,
        null,
        `the hash that you kept belongs to line ${this.#keptAt}; it doesn't show whether everything after that line is here`,
      );
  }

  /** Saying why costs more than reading on, and past a number nobody will be told. */
  #fail(code: Code, seq: number, what: () => string): void {
    this.#add(
      code,
      this.#lines,
      seq,
      this.#findings.length < MAX_FINDINGS ? `line ${this.#lines} ${what()}` : '',
    );
  }

  #add(code: Code, line: number | null, seq: number | null, message: string): void {
    const { facet, level } = CODES[code];
    if (level !== 'note' && this.#worst.get(facet) !== 'fail') this.#worst.set(facet, level);
    this.#total++;
    if (this.#findings.length < MAX_FINDINGS)
      this.#findings.push({ code, line, seq, message: shortened(message) });
  }

  #sentence([first]: readonly KaizaFinding[]): string {
    if (this.#lines === 0) return 'There are no entries here, so nothing is proven.';
    if (first !== undefined)
      return `This log can't be trusted (${this.#total} ${this.#total === 1 ? 'finding' : 'findings'}): ${first.message}.`;
    const entries = this.#entries === 1 ? 'The one entry agrees' : `The ${this.#entries} entries agree`;
    const kept =
      this.#keptAt === undefined
        ? 'The log is not signed: anyone who could write it could have rewritten all of it.'
        : `Line ${this.#keptAt} has the hash that you kept, so nothing before it has changed since.`;
    return `${entries} with ${this.#entries === 1 ? 'itself' : 'each other'}. ${kept}`;
  }
}

const MESSAGES: Readonly<Record<'integrity' | 'truncation', Readonly<Record<Status, string>>>> = {
  integrity: {
    pass: `Every line is in the one accepted encoding, matches its hash, and is chained to the line before, starting at ${KAIZA_GENESIS}.`,
    fail: 'Lines were changed after they were written, or were never lines of such a log.',
    unknown: 'It is unknown whether the lines were changed.',
  },
  truncation: {
    pass: 'The log ends with the entry whose hash you kept.',
    fail: 'An entry that was here is missing.',
    unknown: 'Nothing here shows whether something is missing at the end.',
  },
};
