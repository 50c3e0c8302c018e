// One ledger that somebody looks at: its rows, its search, its health. It may grow, be archived, be replaced or go away
// meanwhile; what was counted of another ledger, or of lines that have changed since, is dropped and said to be.
import { nextInFolder, openToRead } from '../app/index.ts';
import { StoreError } from '../core/index.ts';
import type { Head } from '../format/index.ts';
import type { Environment, Ledger, Located } from '../ledger/index.ts';
import { readEntry } from '../report/index.ts';
import type { Found, Health, Prompts, Pulse, Sessions, ToolsUsed } from './answers.ts';
import type { Download } from './downloads.ts';
import { firstPrompts } from './first-prompts.ts';
import { type LedgerHealth, ledgerHealth } from './ledger-health.ts';
import { type IndexOptions, LedgerIndex } from './ledger-index.ts';
import { LedgerWatch } from './ledger-watch.ts';
import { expectedEntries, missingEntries, sealedEntries } from './missing-entries.ts';
import { runBeginning } from './run-archive.ts';
import { search } from './search.ts';
import { SessionAnswers } from './session-answers.ts';
import { type CountedSession, SessionRows } from './session-rows.ts';
import { toolsUsed } from './tools-used.ts';
import { wholeLedger } from './whole-ledger.ts';

/** So many entries are read while somebody waits. */
const NEAR = 50_000;
/** Whose sessions are shown while the others are counted. */
const NEWEST = 6000;
/** So many entries of a session are checked while somebody waits. */
const SHORT = 1000;
/** So many of a longer one are shown at once. */
const EARLY = 500;
const GONE: ReadonlySet<string> = new Set(['NOT_FOUND', 'REMOVED']);
/** Between two looks at its files, in milliseconds. */
const WATCH_PAUSE = 1000;

export class ViewedLedger {
  /** What people call it: the project's folder. */
  readonly name: string;
  readonly located: Located;
  readonly #env: Environment;
  readonly #index: LedgerIndex | undefined;
  readonly #watch: LedgerWatch;
  readonly #answers: SessionAnswers;
  #watched = Number.NEGATIVE_INFINITY;
  #ledger: Ledger | undefined;
  /** The head that was seen last. */
  #seen: Head | undefined;
  #whole: SessionRows | undefined;
  /** Being counted here, because no index will be. */
  #counting: SessionRows | undefined;
  #newest: SessionRows | undefined;
  /** As they were answered last, up to which entry. */
  #newestAnswer: { readonly read: number; readonly sessions: Sessions['sessions'] } | undefined;
  /** What was answered last, while nothing changes: it may be long. */
  #answer: Sessions | undefined;
  readonly #notices = new Set<string>();

  constructor(
    name: string,
    located: Located,
    index?: IndexOptions,
    env: Environment = process.env,
    answers: SessionAnswers = new SessionAnswers(null),
  ) {
    this.name = name;
    this.located = located;
    this.#env = env;
    this.#index = index === undefined ? undefined : new LedgerIndex(located, index);
    this.#watch = new LedgerWatch(located.directory);
    this.#answers = answers;
  }

  /** The number of the last entry. Rejects where the ledger can't be read. */
  async head(): Promise<number> {
    return (await this.#opened().store.head()).seq;
  }

  /** Changes with every entry, and with whatever else happens to the ledger. */
  async pulse(): Promise<Pulse> {
    try {
      const { store } = await this.#current();
      return { head: await this.head(), notices: this.#notices.size, sealed: await sealedEntries(store) };
    } catch {
      return { head: 0, notices: this.#notices.size + 1, sealed: 0 };
    }
  }

  async sessions(): Promise<Sessions> {
    const { store } = await this.#current();
    this.#index?.start();
    const expected = await expectedEntries(store);
    const whole = await this.#wholeRows(store);
    const told = (read: number): string[] => [...this.#notices, ...missingEntries(expected, read)];
    if (whole !== undefined) {
      const notices = told(whole.read);
      const isSame = this.#answer?.head === whole.read && this.#answer.notices.length === notices.length;
      if (!isSame || this.#answer === undefined)
        this.#answer = { head: whole.read, sessions: whole.rows(), counting: null, notices };
      return this.#answer;
    }
    const { seq: of } = await store.head();
    const newest = await this.#newestRows(store, of);
    const read = this.#counting?.read ?? (await this.#index?.state(store))?.seq ?? 0;
    const from = Math.max(1, newest.first);
    const { read: head } = newest.rows;
    if (this.#newestAnswer?.read !== head) this.#newestAnswer = { read: head, sessions: newest.rows.rows() };
    return {
      head,
      sessions: this.#newestAnswer.sessions,
      counting: { from, read, of },
      notices: told(head),
    };
  }

  async search(query: string, before?: number): Promise<Found> {
    const ledger = await this.#current();
    this.#index?.start();
    return search({ ledger, located: this.located, index: this.#index }, query, before);
  }

  /** Its entries and proofs, for the page to check. Undefined where there is no such session. */
  async run(id: string, now: number): Promise<Download | undefined> {
    const ledger = await this.#current();
    const expected = await expectedEntries(ledger.store);
    const session = await this.#session(ledger.store, id);
    if (session === undefined) return this.#unknown();
    const [missing = null] = missingEntries(expected, (this.#whole ?? this.#newest)?.read ?? 0);
    const places = this.#whole?.placesOf(session);
    return this.#answers.ask({ what: 'run', located: this.located, session, now, missing, places });
  }

  /** It may have been in what is gone. */
  #unknown(): undefined {
    const notice = [...this.#notices].at(-1);
    if (notice !== undefined) throw new StoreError('NOT_FOUND', `This session can't be read. ${notice}`);
  }

  /** What can be shown of it at once: all of it, unless it is long. Then its beginning, and what is around `entry`. */
  async beginning(id: string, now: number, entry: number): Promise<Download | undefined> {
    const ledger = await this.#current();
    const session = await this.#session(ledger.store, id);
    // Where not all sessions are counted, all of the log is read for one.
    const isQuick = this.#whole !== undefined && (session?.entries ?? 0) <= SHORT;
    if (session === undefined || isQuick) return this.run(id, now);
    return {
      type: 'application/x-tar',
      body: await runBeginning(ledger, this.located, session, EARLY, entry),
    };
  }

  async prompts(ids: readonly string[]): Promise<Prompts> {
    const ledger = await this.#current();
    const rows = this.#whole ?? this.#newest;
    return firstPrompts(
      ledger,
      this.located,
      ids.flatMap((id) => rows?.row(id) ?? []),
    );
  }

  async tools(): Promise<ToolsUsed> {
    const { store } = await this.#current();
    const whole = await this.#wholeRows(store);
    return whole === undefined ? toolsUsed(store) : { from: 1, sessions: whole.tools() };
  }

  /** Undefined where there is no such session. */
  async download(
    what: string,
    id: string,
    now: number,
    page: Uint8Array | undefined,
  ): Promise<Download | undefined> {
    const ledger = await this.#current();
    const session = await this.#session(ledger.store, id);
    if (session === undefined) return undefined;
    return this.#answers.ask({ what: 'download', download: what, located: this.located, session, now, page });
  }

  /** What it did to files, as far as their bytes are still here. Undefined where there is no such session. */
  async changes(id: string, now: number): Promise<Download | undefined> {
    const ledger = await this.#current();
    const session = await this.#session(ledger.store, id);
    if (session === undefined) return undefined;
    const next = nextInFolder(this.#whole?.rows() ?? [], session);
    return this.#answers.ask({ what: 'changes', located: this.located, session, now, next });
  }

  /** All of it, for the page to check. Throws StoreError where it is too large for that. */
  async whole(): Promise<Download> {
    const { seq } = await (await this.#current()).store.head();
    return { type: 'application/x-tar', body: await wholeLedger(this.located.directory, seq) };
  }

  async health(): Promise<Health> {
    const ledger = await this.#current();
    this.#index?.start();
    const expected = await expectedEntries(ledger.store);
    const whole = await this.#wholeRows(ledger.store);
    const rows = whole?.rows();
    const health = await this.#healthOf(ledger, whole?.gaps());
    return {
      name: this.name,
      notices: [...this.#notices, ...(whole === undefined ? [] : missingEntries(expected, whole.read))],
      ...health,
      // The head may speak of entries that are gone.
      entries: Math.min(health.entries, whole?.read ?? health.entries),
      sessions: rows?.length ?? null,
      open: rows?.filter(({ state }) => state === 'open').length ?? null,
      index: (await this.#index?.info(ledger.store)) ?? null,
    };
  }

  /** Where something happened to the ledger, its own advice is for another one: to create it, for example. */
  async #healthOf(ledger: Ledger, gaps: readonly number[] | undefined): Promise<LedgerHealth> {
    try {
      return await ledgerHealth(ledger, this.located, this.#env, gaps);
    } catch (error) {
      const notice = [...this.#notices].at(-1);
      if (notice === undefined || !(error instanceof StoreError)) throw error;
      throw new StoreError(error.code, notice, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#index?.close();
    await this.#ledger?.close();
  }

  #opened(): Ledger {
    this.#ledger ??= openToRead(this.located);
    return this.#ledger;
  }

  /** The ledger as it is now. Where one that was read is not here any more, what to do is to bring it back. */
  async #current(): Promise<Ledger> {
    try {
      return await this.#asItIs();
    } catch (error) {
      const isGone = error instanceof StoreError && GONE.has(error.code) && this.#seen !== undefined;
      if (!isGone) throw error;
      const why = `The ledger in ${this.located.directory} was removed while the viewer was open. Restore it, and this page shows it again.`;
      throw new StoreError('NOT_FOUND', [...this.#notices].at(-1) ?? why, { cause: error });
    }
  }

  /** Where what was read of it stands no longer, everything begins anew. */
  async #asItIs(): Promise<Ledger> {
    const head = await this.#opened().store.head();
    const seen = this.#seen;
    const told = this.#lookAtFiles();
    if (seen !== undefined && !(await isStill(this.#opened(), seen, head)))
      told.push(
        `Entry ${seen.seq} of this ledger was changed or removed while the viewer was open. Run \`foil verify\`.`,
      );
    for (const notice of told) this.#notices.add(notice);
    if (told.length > 0) await this.#beginAnew();
    this.#seen = head;
    return this.#opened();
  }

  #lookAtFiles(): string[] {
    const now = performance.now();
    if (now - this.#watched < WATCH_PAUSE) return [];
    const told = this.#watch.look();
    // Where that fails, it is tried again whenever somebody asks.
    this.#watched = now;
    return told;
  }

  async #beginAnew(): Promise<void> {
    await this.#ledger?.close();
    this.#ledger = undefined;
    this.#whole = undefined;
    this.#answer = undefined;
    this.#counting = undefined;
    this.#newest = undefined;
    this.#newestAnswer = undefined;
  }

  /** Undefined while they can't be told without making somebody wait. */
  async #wholeRows(store: Ledger['store']): Promise<SessionRows | undefined> {
    const { seq: head } = await store.head();
    if (this.#whole === undefined && head <= NEAR) this.#whole = new SessionRows(store);
    if (this.#whole === undefined) this.#whole = await this.#indexedRows(store, head);
    if (this.#whole === undefined && this.#index?.isComing !== true) void this.#countAll(store);
    await this.#whole?.refresh();
    return this.#whole;
  }

  async #indexedRows(store: Ledger['store'], head: number): Promise<SessionRows | undefined> {
    const state = await this.#index?.state(store);
    if (state === undefined || head - state.seq > NEAR) return undefined;
    const saved = this.#index?.saved();
    return saved === undefined || saved.state.origin !== state.origin
      ? undefined
      : new SessionRows(store, saved.state.seq, saved.rows);
  }

  async #countAll(store: Ledger['store']): Promise<SessionRows> {
    this.#counting ??= new SessionRows(store);
    const counting = this.#counting;
    await counting.refresh();
    if (this.#counting === counting) this.#whole ??= counting;
    return counting;
  }

  async #newestRows(store: Ledger['store'], head: number): Promise<{ rows: SessionRows; first: number }> {
    if (this.#newest === undefined || head - this.#newest.read > NEWEST)
      this.#newest = new SessionRows(store, Math.max(0, head - NEWEST));
    await this.#newest.refresh();
    return { rows: this.#newest, first: this.#newest.first };
  }

  /** While not all are counted, one of the newest will do if its beginning was seen. Else they are counted now. */
  async #session(store: Ledger['store'], id: string): Promise<CountedSession | undefined> {
    const whole = await this.#wholeRows(store);
    if (whole !== undefined) return whole.row(id);
    const { seq: head } = await store.head();
    const { rows } = await this.#newestRows(store, head);
    const row = rows.row(id);
    if (row !== undefined && row.agent !== null) return row;
    return (await this.#countAll(store)).row(id);
  }
}

/** Does the entry that was the last one still stand where it stood? */
async function isStill({ store }: Ledger, seen: Head, head: Head): Promise<boolean> {
  if (seen.seq === 0 || (seen.seq === head.seq && seen.hash === head.hash)) return true;
  if (head.seq < seen.seq) return false;
  try {
    return (await readEntry(store, seen.seq))?.entry_hash === seen.hash;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}
