// Times in which not everything could be seen, as far as entries tell of them: pauses, gaps, calls or a turn that a cut
// session left open, hooks that were taken away, and modes that became laxer while a session was open. Who did that can't be told
// from here, so each is unknown and none a violation; but what was claimed across such a time is not proven. A laxer
// mode alone takes nothing from a claim: what it let pass unrecorded is a gap. Order is that of the ledger; when a pause
// ended is by the writer's clock, which is all there is.
import { ParseError } from '../core/index.ts';
import { type Entry, PAUSED, parseGap, type RecordingGap } from '../format/index.ts';
import type { Findings } from './findings.ts';

/** What it must be shown, besides calls and results with a member `tree`, as hooks write them. */
export const BLIND_KINDS = [
  'gap',
  'config.change',
  'harness.change',
  'session.start',
  'session.end',
  'session.cut',
  'prompt',
  'response',
  'tool.result',
  'tool.denied',
  'gate',
];

const BOUNDS = { times: 4096, sessions: 65_536, calls: 1024 };
/** From the strictest on. */
const MODES = ['locked', 'guard', 'observe'];
/** The note of a pause comes before its entry, which may have to wait. */
const LATE = 60_000;
/** Later than every moment that an entry can name. */
const NEVER = '9999-12-31T23:59:59.999Z';
/** What `foil pause` leaves where it could not record itself. */
const UNRECORDED_PAUSE = /^that recording was paused until (\S+) could not be recorded/;

export interface BlindTime {
  readonly seq: number;
  readonly since: string;
  until: string;
  /** Of one session alone; null where it is everybody's. */
  readonly session: string | null;
}

export class BlindTimes {
  readonly #findings: Findings;
  readonly #bounds: typeof BOUNDS;
  readonly #times: BlindTime[] = [];
  /** Those that an entry told of when they began. */
  readonly #pauses: BlindTime[] = [];
  readonly #open = new Set<string>();
  /** Calls of the turn that runs, by their session and number: when each was made. */
  readonly #calls = new Map<string, Map<number, string>>();
  /** Prompts that hooks told of and that were not answered, by their session. */
  readonly #asked = new Map<string, { readonly seq: number; readonly ts: string }>();
  /** The newest answer of each session, and the block by which it was sent back, if it was. */
  readonly #answers = new Map<string, { readonly seq: number; block: Entry | null }>();
  /** Sessions that are open and whose hooks were taken away, and since when. */
  readonly #hookless = new Map<string, BlindTime>();
  /** As the newest entry by a command says. */
  #mode: string | null = null;
  /** A change that a command told of is not told again by each session that finds it. */
  #saidMode: string | null = null;
  #isFull = false;

  constructor(findings: Findings, bounds: Partial<typeof BOUNDS> = {}) {
    this.#findings = findings;
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /** There were more than are remembered. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** In the order of the ledger. */
  entry(entry: Entry): void {
    const { kind, session_id: session, payload } = entry;
    if (kind === 'gap') this.#gap(entry);
    else if (kind === 'config.change' && payload.what === 'pause') this.#pause(entry);
    else if (kind === 'config.change' && payload.what === 'mode') this.#change(entry);
    else if (kind === 'config.change' && payload.what === 'hooks') this.#hooks(entry);
    else if (kind === 'harness.change') this.#harness(entry);
    else if (session === null) return;
    else if (kind === 'session.start') {
      if (this.#open.size < this.#bounds.sessions) this.#open.add(session);
      else this.#isFull = true;
      this.#found(entry, payload.mode);
    } else if (kind === 'session.end' || kind === 'session.cut') {
      this.#unanswered(entry, session);
      this.#open.delete(session);
      const hookless = this.#hookless.get(session);
      if (hookless !== undefined) hookless.until = entry.ts;
      this.#hookless.delete(session);
      if (kind === 'session.cut') this.#cut(entry, session);
      this.#calls.delete(session);
      this.#asked.delete(session);
    } else if (kind === 'tool.call' && entry.source.startsWith('hook:')) this.#called(entry, session);
    else if (kind === 'tool.result' || kind === 'tool.denied')
      this.#calls.get(session)?.delete(entry.cause ?? 0);
    // A host may drop the result of a call. Once the turn is over, nothing of it is under way.
    else if (kind === 'gate') this.#held(entry, session);
    else if (kind === 'prompt' || kind === 'response') {
      this.#calls.delete(session);
      if (kind === 'prompt') this.#unanswered(entry, session);
      else if (this.#answers.size < this.#bounds.sessions)
        this.#answers.set(session, { seq: entry.seq, block: null });
      else this.#isFull = true;
      this.#turn(entry, session);
    }
  }

  /** Pauses whose end was not on record when they began are told here. */
  finish(): void {
    for (const pause of this.#pauses) {
      const { seq, since, until } = pause;
      this.#findings.add(
        'BLIND_PAUSED',
        seq,
        `recording was paused from ${since} to ${until}, so nothing from that time was seen`,
      );
    }
  }

  /** The first time, known so far, that a session was blind between these moments. */
  within(session: string, since: string, until: string): BlindTime | undefined {
    return this.#times.find(
      (time) =>
        (time.session === null || time.session === session) && time.since <= until && since <= time.until,
    );
  }

  #gap(entry: Entry): void {
    const gap = parsed(entry);
    if (gap === undefined) return;
    const { seq, session_id: session } = entry;
    const { since, until, why, reason } = gap;
    const told = UNRECORDED_PAUSE.exec(why)?.[1];
    if (told !== undefined)
      this.#pauses.push(this.#note({ seq, since, until: momentOr(told, until), session: null }));
    this.#note({ seq, since, until, session: reason === 'off' ? null : session });
    if (why !== PAUSED) {
      const what = reason === 'off' ? 'recording was off' : 'not everything could be recorded';
      this.#findings.add('BLIND', seq, `from ${since} to ${until} ${what}: ${why}`);
    } else if (!this.#isTold(since)) {
      const text = `recording was paused from ${since} to ${until}, but no entry says that anyone paused it: somebody wrote the note without the command`;
      this.#findings.add('BLIND_UNTOLD', seq, text);
    }
  }

  #called({ seq, ts }: Entry, session: string): void {
    const calls = this.#calls.get(session) ?? new Map<number, string>();
    if (calls.size >= this.#bounds.calls || this.#calls.size >= this.#bounds.sessions) this.#isFull = true;
    else this.#calls.set(session, calls.set(seq, ts));
  }

  #turn({ kind, seq, ts, source }: Entry, session: string): void {
    if (kind === 'response') this.#asked.delete(session);
    else if (!source.startsWith('hook:')) return;
    else if (this.#asked.size < this.#bounds.sessions) this.#asked.set(session, { seq, ts });
    else this.#isFull = true;
  }

  #held(entry: Entry, session: string): void {
    const answer = this.#answers.get(session);
    if (answer !== undefined && answer.seq === entry.cause)
      answer.block = entry.payload.verdict === 'block' ? entry : null;
  }

  /** A turn that was sent back goes on, and its next answer is judged. One that has none ended against the block. */
  #unanswered({ seq, ts }: Entry, session: string): void {
    const block = this.#answers.get(session)?.block ?? null;
    this.#answers.delete(session);
    if (block === null) return;
    this.#note({ seq, since: block.ts, until: ts, session });
    const text = `from ${block.ts} to ${ts} the turn that entry ${block.seq} sent back had to continue, but no further answer is on record: it is unknown how it ended`;
    this.#findings.add('BLIND', seq, text);
  }

  /**
   * The host is gone, and of a call or a turn that it had begun no end is on record: hooks that were switched off leave the
   * same trace. A cut between turns hides nothing.
   */
  #cut({ seq, ts, payload }: Entry, session: string): void {
    const calls = [...(this.#calls.get(session) ?? [])];
    const [first] = calls;
    const why = payload.reason === 'rebooted' ? 'the machine was restarted' : 'the host was gone';
    if (first === undefined) {
      const asked = this.#asked.get(session);
      if (asked === undefined) return;
      this.#note({ seq, since: asked.ts, until: ts, session });
      const text = `from ${asked.ts} to ${ts} the turn of entry ${asked.seq} was under way, and ${why}: how it ended is not on record`;
      this.#findings.add('BLIND', seq, text);
      return;
    }
    this.#note({ seq, since: first[1], until: ts, session });
    const which =
      calls.length === 1 ? `call ${first[0]} was` : `${calls.length} calls from ${first[0]} on were`;
    const text = `from ${first[1]} to ${ts} ${which} under way, and ${why}: what came of it is not on record`;
    this.#findings.add('BLIND', seq, text);
  }

  #isTold(since: string): boolean {
    const from = Date.parse(since);
    return this.#pauses.some(
      (pause) => Date.parse(pause.since) - LATE <= from && from <= Date.parse(pause.until) + LATE,
    );
  }

  #pause({ seq, ts, payload }: Entry): void {
    const running = this.#pauses.at(-1);
    // The next word on it ends the one before, unless that ended by itself.
    if (running !== undefined && running.until > ts) running.until = ts;
    if (typeof payload.until !== 'string') return;
    this.#pauses.push(this.#note({ seq, since: ts, until: momentOr(payload.until, ts), session: null }));
  }

  #note(time: BlindTime): BlindTime {
    if (this.#times.length < this.#bounds.times) this.#times.push(time);
    else this.#isFull = true;
    return time;
  }

  #change(entry: Entry): void {
    const { seq, payload, source, session_id: session } = entry;
    const { from, to } = payload;
    if (source !== 'cli' || session !== null) {
      this.#found(entry, to);
      return;
    }
    if (isLaxer(to, from) && this.#open.size > 0) {
      const text = `the mode went from ${String(from)} to ${String(to)} while ${this.#open.size === 1 ? 'a session was' : `${this.#open.size} sessions were`} open: from here on, less is blocked`;
      this.#findings.add('MODE_RELAXED', seq, text);
    }
    this.#mode = typeof to === 'string' ? to : null;
    this.#saidMode = null;
  }

  /** A session that is recorded less strictly than the entries say. */
  #found({ seq, source }: Entry, mode: unknown): void {
    if (!source.startsWith('hook:') || this.#mode === null || this.#saidMode === mode) return;
    if (!isLaxer(mode, this.#mode)) return;
    this.#saidMode = String(mode);
    const text = `a session is recorded in ${String(mode)}, but the newest entry that sets a mode says ${this.#mode}: somebody changed the settings without the command`;
    this.#findings.add('MODE_UNTOLD', seq, text);
  }

  /** They may be put back, and no entry would tell: until its session ends, nobody knows what they missed. */
  #hooks({ seq, ts, payload, session_id: session }: Entry): void {
    if (session !== null && !this.#hookless.has(session)) {
      if (this.#hookless.size < this.#bounds.sessions)
        this.#hookless.set(session, this.#note({ seq, since: ts, until: NEVER, session }));
      else this.#isFull = true;
    }
    const missing = Array.isArray(payload.missing) ? payload.missing.join(', ') : 'some';
    const text =
      payload.start === true
        ? `when the session began, hooks were missing from the host's settings, or had been changed so that they report less: ${missing}`
        : `hooks that were there when the session began have been removed from the host's settings or changed: ${missing}`;
    this.#findings.add('HOOKS_MISSING', seq, text);
  }

  /** It makes no blind time: what was done is on record, but not under what it was done. */
  #harness({ seq, payload }: Entry): void {
    const paths = Array.isArray(payload.changes)
      ? payload.changes.flatMap((each) => (isNamed(each) ? [each.path] : []))
      : [];
    const named =
      paths.length === 0 ? '' : `: ${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ' …' : ''}`;
    this.#findings.add('HARNESS_CHANGED', seq, `the harness no longer matches the session's pack${named}`);
  }
}

function isNamed(value: unknown): value is { readonly path: string } {
  return typeof (value as { path?: unknown } | null)?.path === 'string';
}

function parsed({ payload }: Entry): RecordingGap | undefined {
  try {
    const gap = parseGap(payload);
    return gap.reason === 'unrecorded' || gap.reason === 'off' ? gap : undefined;
  } catch (error) {
    // What is malformed is for the checks that read all of it.
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/** As entries write moments, so that they can be compared as text. */
function momentOr(text: string, otherwise: string): string {
  const time = Date.parse(text);
  return Number.isFinite(time) && Math.abs(time) < 8.64e15 ? new Date(time).toISOString() : otherwise;
}

function isLaxer(mode: unknown, than: unknown): boolean {
  const [a, b] = [MODES.indexOf(String(mode)), MODES.indexOf(String(than))];
  return a >= 0 && b >= 0 && a > b;
}
