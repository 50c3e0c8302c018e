// The run that goes on with a damaged one. A second one would make calls again that the first one made, so there is one at most:
// a run of which nobody can tell any more how it began counts as one that may go on with it.
import { isObject, ParseError } from '../core/index.ts';
import {
  type Entry,
  EntryScan,
  hashOfEntry,
  parseEntry,
  parseRunEventId,
  RUN_EVENT,
} from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';
import { RunError } from './run-error.ts';
import type { Unless } from './run-log.ts';

export interface ContinuingRun {
  readonly run: string;
  /** False where its first event can't be read: it may as well be another run. */
  readonly isSure: boolean;
}

const LINE_FEED = 0x0a;
const ID = 64;

/** The newest one in entries `from` to `to`; null where there is none. */
export async function continuingRun(
  log: Pick<LogReader, 'read'>,
  run: string,
  from: number,
  to: number,
): Promise<ContinuingRun | null> {
  return (await searched(log, run, from, to)).found;
}

/** What the first event of a run that goes on with this one is written by. RunError CONTINUED where another one does. */
export async function unlessContinued(log: LogReader, run: string): Promise<Unless> {
  const { seq: since } = await log.head();
  const search = await searched(log, run, 1, since);
  if (search.found !== null) throw continued(search.found);
  return {
    since,
    refusal: (lines) => {
      search.take(lines);
      return search.found === null ? null : continued(search.found);
    },
  };
}

/** In words that need to be told what to do. */
export function mayContinueText(by: string): string {
  return `run ${by} may already continue it. The first event of that run is lost or altered, so nobody can tell, and a second run would make its calls again`;
}

function continued({ run, isSure }: ContinuingRun): RunError {
  return new RunError(
    'CONTINUED',
    isSure ? `run ${run} already continues it.` : `${mayContinueText(run)}. Restore a copy of the ledger.`,
  );
}

async function searched(
  log: Pick<LogReader, 'read'>,
  run: string,
  from: number,
  to: number,
): Promise<Search> {
  const search = new Search(run);
  if (from <= to) for await (const lines of log.read(from, to)) search.take(lines);
  return search;
}

/** Takes lines in their order. */
class Search {
  readonly #run: string;
  readonly #scan = new EntryScan();
  #sure: string | null = null;
  /** An altered line names both as if the one began from the other. */
  #altered: string | null = null;
  /** Entries of the parent were met. A run that is older does not go on with it. */
  #isBehind = false;
  /** Runs whose first event is here, that are older, or that did not begin as a fork. */
  readonly #others = new Set<string>();
  /** Runs that left an event, or that another one goes on from. */
  readonly #traced = new Set<string>();

  constructor(run: string) {
    this.#run = run;
    this.#others.add(run);
  }

  get found(): ContinuingRun | null {
    if (this.#sure !== null) return { run: this.#sure, isSure: true };
    const headless = [...this.#traced].findLast((each) => !this.#others.has(each));
    const run = headless ?? this.#altered;
    return run === null ? null : { run, isSure: false };
  }

  take(lines: Uint8Array): void {
    const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
    for (let start = 0; start < bytes.length; ) {
      const feed = bytes.indexOf(LINE_FEED, start);
      const end = feed < 0 ? bytes.length : feed;
      this.#line(bytes, start, end);
      start = end + 1;
    }
  }

  #line(bytes: Buffer, start: number, end: number): void {
    const scan = this.#scan;
    if (!scan.scan(bytes, start, end) || scan.sessionStart < 0) return;
    const session = scan.text(scan.sessionStart, ID);
    if (session === this.#run) this.#isBehind = true;
    else if (scan.kind === 'session.start') this.#started(session, genuine(bytes.subarray(start, end)));
    else if (scan.kind === RUN_EVENT && !this.#others.has(session))
      this.#event(session, bytes.subarray(start, end));
  }

  #started(session: string, entry: Entry | undefined): void {
    if (entry !== undefined && entry.payload.trigger !== 'fork') this.#others.add(session);
  }

  #event(session: string, line: Buffer): void {
    const isFirst = line.includes('"kind":"AgentInit"');
    if (!isFirst && this.#traced.has(session)) return;
    const entry = genuine(line);
    // Whatever it says of its parent: somebody may go on with what it began.
    if (entry === undefined && isFirst && line.includes(`"event":"${this.#run}:`)) this.#altered = session;
    if (entry === undefined) return;
    if (entry.payload.kind === 'AgentInit') this.#begun(session, entry);
    else if (this.#isBehind) this.#traced.add(session);
    else this.#others.add(session);
  }

  #begun(session: string, { payload: { payload } }: Entry): void {
    this.#others.add(session);
    const parent = isObject(payload) ? payload.parent : null;
    if (!isObject(parent) || parent.replay !== 'recovery') return;
    const from = parseRunEventId(String(parent.event))?.run;
    if (from === this.#run) this.#sure = session;
    else if (from !== undefined && this.#isBehind) this.#traced.add(from);
  }
}

function genuine(line: Buffer): Entry | undefined {
  try {
    const entry = parseEntry(line);
    return hashOfEntry(entry) === entry.entry_hash ? entry : undefined;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}
