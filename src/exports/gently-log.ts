// A pipe-separated log, line by line as it comes: each line in its one encoding, with the hash that follows from the line
// before; then what the lines say, made again: session ids, branches, heights, interactions and their chain, what an end
// seals. Bounded whatever is fed to it. The format has no signature and no end, so a pass says that the log agrees with
// itself; whether whole sessions are missing behind it, only a hash that was kept elsewhere can tell.
import { ParseError } from '../core/index.ts';
import { GENESIS, MAX_LINE } from '../format/index.ts';
import { CODES, describe, type Level, MAX_FINDINGS, type Status, shortened } from '../verify/index.ts';
import { type GentlyDetails, type GentlyLine, hashOfGentlyLine, parseGentlyLine } from './gently.ts';
import { type LogLine, readLogLines } from './log-lines.ts';
import { MOST_SESSIONS, OpenSessions, type SessionLogProblem } from './open-sessions.ts';

export interface GentlyOptions {
  /** A hash that was kept: a line of the log must have it. */
  readonly continues?: string;
  /** Told now and then how many lines were read. */
  readonly progress?: (lines: number) => void;
}

type GentlyFacet = 'integrity' | 'sessions' | 'truncation';
interface Meaning {
  readonly facet: GentlyFacet;
  readonly level: Level;
}

/** As for a ledger. */
const SHARED_CODES = [
  'EMPTY_LOG',
  'INVALID_UTF8',
  'NOT_CANONICAL',
  'BLANK_LINE',
  'TOO_LONG',
  'BAD_MEMBER',
  'MISSING_NEWLINE',
  'HASH_MISMATCH',
  'GENESIS_MISMATCH',
  'KEPT_CHECKPOINT_MISMATCH',
  'UNSEALED',
  'SESSION_ID_WRONG',
  'BRANCH_WRONG',
  'INTERACTION_MISSING',
  'INTERACTION_CHAIN_BROKEN',
  'FINAL_HASH_WRONG',
  'INTERACTION_REPEATED',
  'SESSION_LATE',
  'SESSIONS_TOO_MANY',
] as const satisfies readonly (keyof typeof CODES)[];

const OWN_CODES = {
  HEIGHT_MISMATCH: 'fail',
  BEGINNING_MISSING: 'unknown',
  SESSION_OPEN: 'unknown',
} as const satisfies Record<string, Level>;

export type GentlyCode = (typeof SHARED_CODES)[number] | keyof typeof OWN_CODES;

export const GENTLY_CODES = Object.fromEntries([
  ...SHARED_CODES.map((code) => [code, CODES[code]]),
  ...Object.entries(OWN_CODES).map(([code, level]) => [code, { facet: 'sessions', level }]),
]) as Readonly<Record<GentlyCode, Meaning>>;

export interface GentlyFinding {
  readonly code: GentlyCode;
  /** Counted from 1; null for what is about no line. */
  readonly line: number | null;
  readonly message: string;
}

interface FacetOfLog {
  readonly status: Status;
  readonly message: string;
  readonly findings: readonly GentlyFinding[];
}

export interface GentlyReport {
  readonly format: 'gently';
  readonly verdict: 'INTACT' | 'BROKEN';
  readonly sentence: string;
  readonly facets: Readonly<Record<GentlyFacet, FacetOfLog>>;
  readonly counts: {
    readonly lines: number;
    readonly entries: number;
    /** That began, that are not over yet, and the interactions in all of them. */
    readonly sessions: number;
    readonly open: number;
    readonly interactions: number;
    /** Lines that name a block. */
    readonly anchors: number;
    /** Also those past the number that is listed. */
    readonly findings: number;
  };
  /** Of the last line: what to keep, for `continues`. */
  readonly lastHash: string | null;
  readonly valid: boolean;
  readonly status: 'VALID' | 'CORRUPTED' | 'EMPTY_LOG';
  readonly entries: number;
  readonly failures: readonly { readonly line: number | null; readonly error: GentlyCode }[];
}

const PROGRESS_EVERY = 65_536;
const NAMED = 4;

/** Never rejects for what is in the log; only where reading it does. */
export async function verifyGentlyLog(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: GentlyOptions = {},
): Promise<GentlyReport> {
  const check = new LogCheck(options);
  await readLogLines(pieces, (line) => check.line(line));
  return check.report();
}

class LogCheck {
  readonly #options: GentlyOptions;
  readonly #findings: GentlyFinding[] = [];
  readonly #worst = new Map<GentlyFacet, Status>();
  #total = 0;
  #lines = 0;
  #entries = 0;
  #begun = 0;
  #interactions = 0;
  #anchors = 0;
  /** The line before, if it was one. */
  #prev: string | undefined = GENESIS;
  #lastHash: string | null = null;
  /** Undefined where it can't be known: a line before could not be read. */
  #height: number | null | undefined = null;
  readonly #sessions = new OpenSessions();
  #keptAt: number | undefined;

  constructor(options: GentlyOptions) {
    this.#options = options;
  }

  line({ bytes, length, whole }: LogLine): void {
    this.#lines++;
    if (this.#lines % PROGRESS_EVERY === 0) this.#options.progress?.(this.#lines);
    if (length === 0) this.#unread('BLANK_LINE', () => 'is empty');
    else if (bytes === undefined)
      this.#unread('TOO_LONG', () => `has ${length} bytes, but the limit is ${MAX_LINE}`);
    else this.#parse(bytes);
    if (!whole)
      this.#found(
        'MISSING_NEWLINE',
        () => "doesn't end in a newline: it was cut off, or is still being written",
      );
  }

  #parse(bytes: Uint8Array): void {
    let line: ReturnType<typeof parseGentlyLine>;
    try {
      line = parseGentlyLine(bytes);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      const code = SHARED_CODES.find((known) => known === error.code) ?? 'BAD_MEMBER';
      this.#unread(code, () => `is not a line of such a log: ${describe(bytes)}${error.message}`);
      return;
    }
    this.#entries++;
    this.#linked(line);
    this.#measured(line);
    for (const { code, message } of this.#judged(line)) this.#found(code, () => message);
  }

  #linked({ hash, said }: ReturnType<typeof parseGentlyLine>): void {
    if (this.#prev !== undefined && hashOfGentlyLine(said, this.#prev) !== hash) {
      if (this.#lines === 1 && this.#prev === GENESIS)
        this.#found(
          'GENESIS_MISMATCH',
          () => "was changed, or is not the first line of a log: its hash doesn't follow",
        );
      else
        this.#found(
          'HASH_MISMATCH',
          () => "was changed, or doesn't follow the line before: its hash is different",
        );
    } else if (hash === this.#options.continues) this.#keptAt = this.#lines;
    this.#prev = hash;
    this.#lastHash = hash;
  }

  #measured({ height, details }: GentlyLine): void {
    const { btc, size } = details;
    if (typeof btc === 'number') this.#anchors++;
    // A stamp's block says how old something is at most: it is no newer block.
    const due = typeof btc === 'number' && size === undefined ? btc : this.#height;
    if (due !== undefined && height !== due)
      this.#found(
        'HEIGHT_MISMATCH',
        () => `has the height ${height ?? 'none'}, but the newest block is ${due ?? 'none'}`,
      );
    // Told once; what follows is held against what the line says.
    this.#height = due === undefined ? undefined : height;
  }

  #judged(line: GentlyLine): readonly SessionLogProblem[] {
    const { event, session, details } = line;
    if (session === null) return [];
    if (event === 'session_start') return this.#starts(session, details);
    // What is about a session's key or block may come before it, or when it is over.
    if (event === 'auth_validate' || event === 'auth_fail' || event === 'btc_anchor') return [];
    const { hash = null, seq = null, prompt = null, chain: chainHash = null } = details;
    if ((event === 'prompt' || event === 'response') && seq === null) return [];
    const { chain, problems } = this.#sessions.get(session);
    if (event === 'prompt') return [...problems, ...chain.prompt(seq ?? 0)];
    if (event === 'response') {
      this.#interactions++;
      const facts = {
        sequence: seq ?? 0,
        promptHash: prompt,
        responseHash: hash,
        chainHash: chainHash ?? '',
      };
      return [...problems, ...chain.interaction(facts)];
    }
    if (event === 'session_end') {
      const { block = null, interactions = null, final = null } = details;
      const found = chain.end({ blockHash: block, interactions, chainHash, finalHash: final });
      this.#sessions.ended(session);
      return [...problems, ...found];
    }
    const named = details.branch ?? details.to ?? null;
    if (chain.branch === undefined || named === chain.branch) return problems;
    const began = chain.branch ?? 'no branch';
    return [
      ...problems,
      { code: 'BRANCH_WRONG', message: `names ${named}, but its session began on ${began}` },
    ];
  }

  #starts(session: string, details: GentlyDetails): readonly SessionLogProblem[] {
    this.#begun++;
    const { auth = null, block = null, btc = null, branch = null, prev = GENESIS } = details;
    const { chain, isTwice } = this.#sessions.begin(session);
    const problems = chain.start({
      authKey: auth,
      blockHash: block,
      height: btc,
      branch,
      prevHash: prev,
    });
    // No two entries of a ledger follow the same one, so no two sessions have one id.
    if (isTwice)
      problems.push({ code: 'SESSION_ID_WRONG', message: 'begins a session that was here before' });
    return problems;
  }

  report(): GentlyReport {
    if (this.#lines === 0) this.#add('EMPTY_LOG', null, 'there are no lines here');
    this.#checkEnd();
    const { open, forgotten } = this.#sessions;
    if (open.length > 0) {
      const named = open.slice(0, NAMED).map((session) => session.slice(0, 16));
      const more = open.length > NAMED ? ` and ${open.length - NAMED} more` : '';
      const are = open.length === 1 ? 'one session is' : `${open.length} sessions are`;
      this.#add('SESSION_OPEN', null, `${are} without an end here: ${named.join(', ')}${more}`);
    }
    if (forgotten > 0)
      this.#add(
        'SESSIONS_TOO_MANY',
        null,
        `${forgotten} more sessions were open than the ${MOST_SESSIONS} that this verifier remembers`,
      );
    const broken = [...this.#worst.values()].includes('fail');
    const failures = this.#findings.filter(({ code }) => GENTLY_CODES[code].level === 'fail');
    const facet = (name: GentlyFacet): FacetOfLog => {
      const found = this.#worst.get(name) ?? 'pass';
      const status = found === 'pass' && name === 'sessions' && !this.#isRead() ? 'unknown' : found;
      const findings = this.#findings.filter(({ code }) => GENTLY_CODES[code].facet === name);
      return { status, message: MESSAGES[name][status], findings };
    };
    return {
      format: 'gently',
      verdict: broken ? 'BROKEN' : 'INTACT',
      sentence: this.#sentence(broken, failures[0]),
      facets: {
        integrity: facet('integrity'),
        sessions: facet('sessions'),
        truncation: facet('truncation'),
      },
      counts: {
        lines: this.#lines,
        entries: this.#entries,
        sessions: this.#begun,
        open: open.length + forgotten,
        interactions: this.#interactions,
        anchors: this.#anchors,
        findings: this.#total,
      },
      lastHash: this.#lastHash,
      valid: !broken,
      status: this.#lines === 0 ? 'EMPTY_LOG' : broken ? 'CORRUPTED' : 'VALID',
      entries: this.#entries,
      failures: failures.map(({ line, code }) => ({ line, error: code })),
    };
  }

  /** Is every line one? What another said of sessions is not known. */
  #isRead(): boolean {
    return this.#entries > 0 && this.#entries === this.#lines;
  }

  #checkEnd(): void {
    const { continues } = this.#options;
    if (continues === undefined)
      this.#add('UNSEALED', null, "lines may have been cut off at the end: the format doesn't show that");
    else if (this.#keptAt === undefined)
      this.#add('KEPT_CHECKPOINT_MISMATCH', null, `no line has the hash that you kept, ${continues}`);
    else if (this.#keptAt < this.#lines)
      this.#add(
        'UNSEALED',
        null,
        `the hash that you kept belongs to line ${this.#keptAt}; it doesn't show whether everything after that line is here`,
      );
  }

  /** A line that says nothing: what follows it can't be held against all that was before. */
  #unread(code: GentlyCode, what: () => string): void {
    this.#found(code, what);
    this.#prev = undefined;
    this.#height = undefined;
    this.#sessions.lost();
  }

  /** Saying why costs more than reading on, and past a number nobody will be told. */
  #found(code: GentlyCode, what: () => string): void {
    const isTold = this.#findings.length < MAX_FINDINGS;
    this.#add(code, this.#lines, isTold ? `line ${this.#lines} ${what()}` : '');
  }

  #add(code: GentlyCode, line: number | null, message: string): void {
    const { facet, level } = GENTLY_CODES[code];
    if (level !== 'note' && this.#worst.get(facet) !== 'fail') this.#worst.set(facet, level);
    this.#total++;
    if (this.#findings.length < MAX_FINDINGS)
      this.#findings.push({ code, line, message: shortened(message) });
  }

  #sentence(broken: boolean, first: GentlyFinding | undefined): string {
    if (this.#lines === 0) return 'There are no lines here, so nothing is proven.';
    if (broken) {
      const findings = `${this.#total} ${this.#total === 1 ? 'finding' : 'findings'}`;
      return `This log can't be trusted (${findings})${first === undefined ? '' : `: ${first.message}`}.`;
    }
    const lines =
      this.#entries === 1
        ? 'The one line agrees with itself'
        : `The ${this.#entries} lines agree with each other`;
    const kept =
      this.#keptAt === undefined
        ? 'The log is not signed: anyone who could write it could have rewritten all of it.'
        : `Line ${this.#keptAt} has the hash that you kept, so nothing before it has changed since.`;
    return `${lines}. ${kept}`;
  }
}

const MESSAGES: Readonly<Record<GentlyFacet, Readonly<Record<Status, string>>>> = {
  integrity: {
    pass: 'Every line is in the one accepted encoding, and its hash follows from the line before, starting at the genesis hash.',
    fail: 'Lines were changed after they were written, or were never lines of such a log.',
    unknown: 'It is unknown whether the lines were changed.',
  },
  sessions: {
    pass: 'Session ids, branches, heights, chain hashes and final hashes follow from what the lines name. Each session begins and ends here, and has the interactions that it counts.',
    fail: 'What the lines say about sessions is inconsistent.',
    unknown:
      'Everything that can be recomputed is right, but not every session is here from beginning to end.',
  },
  truncation: {
    pass: 'The log ends with the line whose hash you kept.',
    fail: 'A line that was here is missing.',
    unknown: 'Nothing here shows whether something is missing at the end.',
  },
};
