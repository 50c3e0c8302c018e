// Are sessions what they say? Their ids follow from key, block and place, branches from the block's height, each interaction
// from the one before, and what an end seals from all of it. Every hash is computed again. Ledgers of before sessions were
// bound have not these members: of what is not there nothing is said. A session without a key is no fault; it is counted.
// Where storage lost entries, and where a crash put a recorder's memory back, what is missing or comes twice is unknown.
import { ParseError } from '../core/index.ts';
import {
  type Entry,
  parseAuthFail,
  parseAuthOk,
  parseBranchCreate,
  parseBranchSwitch,
  parseEndSum,
  parseGap,
  parseInteraction,
  parseSessionCut,
  parseSessionEnd,
  parseSessionStart,
  parseSessionSum,
  type RecordedInteraction,
  type SessionSum,
} from '../format/index.ts';
import type { Findings } from './findings.ts';
import { type KnownSession, KnownSessions } from './known-sessions.ts';
import { oldestKeyOf } from './oldest-key.ts';
import type { SessionProblem } from './session-chain.ts';
import type { SessionSums } from './session-sums.ts';

/** What it must be shown. */
export const SESSION_KINDS = [
  'session.start',
  'session.end',
  'session.cut',
  'session.sum',
  'agent.start',
  'prompt',
  'response',
  'model.call',
  'model.result',
  'auth.ok',
  'auth.fail',
  'branch.create',
  'branch.switch',
  'gap',
];

const KINDS: ReadonlySet<string> = new Set(SESSION_KINDS);
/** Sessions that are remembered, the ended ones among them. */
const MOST_SESSIONS = 65_536;
/** Of a session, whose hashes are remembered; calls of models that have no answer yet. */
const MOST_PROMPTS = 16;
const MOST_CALLS = 65_536;
const MOST_BRANCHES = 64;

export interface SessionsCounts {
  readonly sessions: number;
  /** Begun without a key. */
  readonly unauthenticated: number;
  /** Attempts without a valid key. */
  readonly authFailures: number;
  readonly sessionsCut: number;
  readonly interactions: number;
}

export interface SessionsOptions {
  /** Sessions that are remembered. */
  readonly most?: number;
  /** Brought up to the line before each entry; absent: what an entry says of those before it is not looked at. */
  readonly sums?: SessionSums;
}

export class SessionsCheck {
  readonly #findings: Findings;
  readonly #sums: SessionSums | undefined;
  readonly #known: KnownSessions;
  readonly #counts = { sessions: 0, unauthenticated: 0, authFailures: 0, sessionsCut: 0, interactions: 0 };
  /** Hashes of what models were asked, by the call's seq. */
  readonly #calls = new Map<number, string | null>();
  readonly #oldestCall = oldestKeyOf(this.#calls);
  /** That sessions began on so far. */
  readonly #branches = new Set<string>();
  /** Storage lost entries before this place. */
  #isLossy = false;

  constructor(findings: Findings, { most = MOST_SESSIONS, sums }: SessionsOptions = {}) {
    this.#findings = findings;
    this.#sums = sums;
    this.#known = new KnownSessions(most);
  }

  get counts(): SessionsCounts {
    return this.#counts;
  }

  /** In the order of the ledger. */
  entry(entry: Entry): void {
    if (!KINDS.has(entry.kind)) return;
    try {
      if (entry.kind === 'auth.fail') this.#refused(entry);
      else if (entry.kind === 'gap') this.#isLossy ||= parseGap(entry.payload).reason === 'lost';
      else if (entry.session_id !== null) this.#take(entry, entry.session_id);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      if (entry.kind !== 'gap') this.#findings.add('SESSION_MALFORMED', entry.seq, error.message);
    }
  }

  finish(): void {
    if (!this.#known.overflowed) return;
    const text =
      "there are more sessions than this verifier remembers, so some that are far apart weren't compared";
    this.#findings.add('SESSIONS_TOO_MANY', null, text);
  }

  #take(entry: Entry, session: string): void {
    const { seq, kind, payload } = entry;
    if (kind === 'session.start') this.#start(entry, session);
    else if (kind === 'agent.start') {
      // Part of a session, or the first that is seen of one which has none of its own.
      if (this.#known.get(session) === undefined) this.#known.begin(session, null);
    } else if (kind === 'session.end') this.#end(entry, session);
    else if (kind === 'session.cut') this.#cut(entry, session);
    else if (kind === 'session.sum') {
      this.#of(session, seq);
      this.#compare(session, seq, parseSessionSum(payload));
    } else if (kind === 'prompt') this.#prompt(entry, session);
    else if (kind === 'model.call') this.#call(entry);
    else if (kind === 'response' || kind === 'model.result') {
      const interaction = parseInteraction(payload);
      if (interaction !== null) this.#interaction(entry, session, interaction);
    } else if (kind === 'auth.ok') {
      const { key } = parseAuthOk(payload);
      const { start } = this.#of(session, seq);
      if (start !== null && start.authKey !== key)
        this.#findings.add(
          'AUTH_MISMATCH',
          seq,
          `${named(session)} began with a different key than the one that was checked`,
        );
    } else if (kind === 'branch.create') this.#branch(session, seq, parseBranchCreate(payload));
    else if (kind === 'branch.switch') {
      const { from, to } = parseBranchSwitch(payload);
      this.#branch(session, seq, to);
      if (from === to || !(this.#branches.has(from) || this.#known.overflowed))
        this.#findings.add(
          'BRANCH_WRONG',
          seq,
          `${named(session)} is said to leave ${from}, where no session was`,
        );
    }
  }

  #start({ seq, payload, prev_hash: prevHash }: Entry, session: string): void {
    this.#counts.sessions++;
    this.#sums?.begin(session);
    const start = Object.hasOwn(payload, 'auth_key') ? parseSessionStart(payload) : null;
    if (start === null || start.authKey === null) this.#counts.unauthenticated++;
    const resumes = start?.resumes ?? null;
    if (resumes !== null && this.#known.get(resumes) === undefined && !this.#known.overflowed) {
      const text = `${named(session)} continues ${named(resumes)}, which is not here`;
      this.#findings.add('RESUMES_UNKNOWN', seq, text);
    }
    const { chain } = this.#known.begin(session, start);
    if (start === null) return;
    const { authKey, block, branch } = start;
    const [blockHash, height] = [block?.hash ?? null, block?.height ?? null];
    this.#report(session, seq, chain.start({ authKey, blockHash, height, branch, prevHash }));
    if (branch !== null && this.#branches.size < MOST_BRANCHES) this.#branches.add(branch);
  }

  /** Told of by an entry beside the start. */
  #branch(session: string, seq: number, branch: string): void {
    const { start } = this.#of(session, seq);
    if (start === null || start.branch === branch) return;
    const text = `${named(session)} began on ${start.branch ?? 'no branch'}, but is said to be on ${branch}`;
    this.#findings.add('BRANCH_WRONG', seq, text);
  }

  #prompt({ seq, payload }: Entry, session: string): void {
    const { sequence = null, prompt_hash: hash = null } = payload;
    // One of before sessions were bound, or whose place in them nobody counts.
    const known = sequence === null ? this.#known.get(session) : this.#of(session, seq);
    if (sequence !== null) this.#noteLate(session, seq, 'a prompt');
    if (known === undefined || typeof hash !== 'string') return;
    known.prompts.push(hash);
    if (known.prompts.length <= MOST_PROMPTS) return;
    known.prompts.shift();
    known.hasMorePrompts = true;
  }

  #call({ seq, payload }: Entry): void {
    const { prompt_hash: hash = null } = payload;
    this.#calls.set(seq, typeof hash === 'string' ? hash : null);
    if (this.#calls.size > MOST_CALLS) this.#calls.delete(this.#oldestCall() ?? 0);
  }

  /** Is this a prompt that stands before it? Several agents in one session may each have theirs. */
  #isAsked({ kind, cause }: Entry, known: KnownSession, promptHash: string | null): boolean {
    if (kind === 'model.result') {
      const asked = this.#calls.get(cause ?? 0);
      this.#calls.delete(cause ?? 0);
      return asked === undefined || asked === promptHash;
    }
    return promptHash === null || known.hasMorePrompts || known.prompts.includes(promptHash);
  }

  #interaction(entry: Entry, session: string, interaction: RecordedInteraction): void {
    const { seq } = entry;
    const { sequence, promptHash } = interaction;
    this.#counts.interactions++;
    const known = this.#of(session, seq);
    const problems = known.chain.interaction(interaction);
    this.#report(session, seq, problems);
    const isAsked = this.#isAsked(entry, known, promptHash);
    if (isAsked || problems.some(({ code }) => code === 'INTERACTION_CHAIN_BROKEN')) return;
    const text = `interaction ${sequence} of ${named(session)} names a prompt that doesn't come before it`;
    this.#findings.add(this.#isLossy ? 'SESSION_INCOMPLETE' : 'PROMPT_MISSING', seq, text);
  }

  #end({ seq, payload }: Entry, session: string): void {
    this.#compare(session, seq, parseEndSum(payload));
    const closing = parseSessionEnd(payload);
    if (closing !== null) {
      const { block, interactions, chainHash, finalHash } = closing;
      const { chain } = this.#of(session, seq);
      const end = { blockHash: block?.hash ?? null, interactions, chainHash, finalHash };
      this.#report(session, seq, chain.end(end));
    }
    this.#known.end(session);
    this.#sums?.end(session);
  }

  #cut({ seq, payload }: Entry, session: string): void {
    this.#counts.sessionsCut++;
    this.#compare(session, seq, parseEndSum(payload));
    const { interactions, chainHash, hostProcess } = parseSessionCut(payload);
    const { start, chain } = this.#of(session, seq);
    this.#report(session, seq, chain.end({ blockHash: null, interactions, chainHash, finalHash: null }));
    const own = start?.hostProcess ?? null;
    const { pid, started, boot } = hostProcess;
    if (own !== null && !(own.pid === pid && own.started === started && own.boot === boot)) {
      const text = `${named(session)} is said to be cut because a process is gone, but that process is not its own`;
      this.#findings.add('SESSION_CUT_WRONG', seq, text);
    }
    this.#known.end(session);
    this.#sums?.end(session);
  }

  /** Is what an entry says of those before it so? Null where it says nothing. */
  #compare(session: string, seq: number, told: SessionSum | null): void {
    if (told === null || this.#sums === undefined) return;
    const found = this.#sums.sumOf(session);
    if (found === undefined) {
      const text = `it is unknown whether ${named(session)} is complete up to entry ${seq}: there are more sessions than this verifier counts`;
      this.#findings.add('SESSIONS_TOO_MANY', seq, text);
      return;
    }
    if (found.entries === told.entries && found.root === told.root) return;
    const what =
      found.entries === told.entries
        ? `they are not the ${told.entries} that are there`
        : `${told.entries} of them, but there are ${found.entries}`;
    const text = `entry ${seq} says which entries of ${named(session)} come before it: ${what}`;
    this.#findings.add(this.#isLossy ? 'SESSION_INCOMPLETE' : 'SESSION_SUM_WRONG', seq, text);
  }

  #report(session: string, seq: number, problems: readonly SessionProblem[]): void {
    for (const { code, message } of problems) {
      const isLost = this.#isLossy && code === 'INTERACTION_MISSING';
      const text = `${named(session)}: entry ${seq} ${message}`;
      this.#findings.add(isLost ? 'SESSION_INCOMPLETE' : code, seq, text);
    }
  }

  #noteLate(session: string, seq: number, what: string): void {
    if (!this.#known.hasEnded(session)) return;
    this.#findings.add('SESSION_LATE', seq, `${what} comes after the end of ${named(session)}`);
  }

  /** The session, begun in silence where its beginning is not here; that is said once. */
  #of(session: string, seq: number): KnownSession {
    const known = this.#known.get(session);
    if (known !== undefined) return known;
    const isForgotten = this.#known.overflowed;
    if (!isForgotten) {
      const text = `${named(session)} never began here`;
      this.#findings.add(this.#isLossy ? 'SESSION_INCOMPLETE' : 'SESSION_UNSTARTED', seq, text);
    }
    return this.#known.begin(session, null, false);
  }

  #refused({ payload }: Entry): void {
    this.#counts.authFailures++;
    parseAuthFail(payload);
  }
}

/** As commands take it: a prefix that tells it from others. */
function named(session: string): string {
  return `session ${session.slice(0, 16)}`;
}
