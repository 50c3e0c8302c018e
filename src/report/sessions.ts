// The sessions of a ledger, as its entries tell of them: one pass over the lines, with memory for the sessions and
// not for their entries. Unverified, as everything that only reads.
import { isObject, StoreError, UsageError } from '../core/index.ts';
import { type Entry, RUN_EVENT } from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';
import { type Line, parseLine, scanLines } from './entry-lines.ts';

export interface Session {
  readonly id: string;
  readonly agent: string | null;
  /** The host's own id of it. */
  readonly agent_session: string | null;
  readonly workspace_root: string | null;
  readonly mode: string | null;
  /** The time of its first entry. */
  readonly start: string;
  /** Null while it is open. */
  readonly end: string | null;
  readonly state: 'open' | 'ended' | 'cut';
  readonly prompts: number;
  readonly calls: number;
  readonly denied: number;
  readonly entries: number;
  readonly first_seq: number;
  readonly last_seq: number;
  /** The time of its last entry. */
  readonly last: string;
}

type Counting = { -readonly [name in keyof Session]: Session[name] };

/** Of how many candidates an ambiguous prefix is told. */
const CANDIDATES = 8;

/** In the order in which they began. `progress` is told how far it is. */
export async function listSessions(
  store: LogReader,
  to: number,
  progress: (seq: number) => void = () => undefined,
): Promise<Session[]> {
  const count = new SessionCount();
  for await (const lines of scanLines(store, 1, to)) {
    for (const line of lines) if (line.session !== null) count.add(line.session, line);
    progress(lines.at(-1)?.seq ?? 0);
  }
  return count.sessions();
}

/** Counts sessions, line by line, in the order of the log. */
export class SessionCount {
  readonly #sessions: Map<string, Counting>;

  /** `known` are sessions that were counted before, in the order in which they began. */
  constructor(known: readonly Session[] = []) {
    this.#sessions = new Map(known.map((session) => [session.id, { ...session }]));
  }

  add(session: string, line: Line): void {
    count(this.#sessions, session, line);
  }

  session(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  /** In the order in which they began. */
  sessions(): Session[] {
    return [...this.#sessions.values()];
  }
}

/**
 * Every entry of the one session whose id begins so, and the ledger's own entries, is given to `visit`. Throws where
 * there is none, or more than one.
 */
export async function visitSession(
  store: LogReader,
  to: number,
  prefix: string,
  visit: (entry: Entry) => void,
): Promise<Session> {
  const found = new Map<string, Counting>();
  for await (const lines of scanLines(store, 1, to)) {
    for (const line of lines) {
      const isIt = line.session?.startsWith(prefix) === true;
      if (isIt && line.session !== null && (found.has(line.session) || found.size <= CANDIDATES))
        count(found, line.session, line);
      // Once there are two, nobody wants to know about either.
      if (found.size > 1 || !(isIt || (line.session === null && line.kind === 'gap'))) continue;
      const entry = parseLine(line);
      if (entry !== undefined) visit(entry);
    }
  }
  const [session, ...others] = found.values();
  if (session === undefined)
    throw new StoreError('NOT_FOUND', `no session begins with ${prefix}. See \`foil session list\`.`);
  if (others.length > 0) throw new UsageError(ambiguous(prefix, [...found.keys()]));
  return session;
}

/** The beginning of a session id as people write it. */
export function parseSessionPrefix(text: string): string {
  if (/^[0-9a-f]{1,64}$/.test(text)) return text;
  throw new UsageError(
    `${JSON.stringify(text)} isn't the beginning of a session id. Use lower-case hex digits.`,
  );
}

function ambiguous(prefix: string, ids: readonly string[]): string {
  const shown = ids.slice(0, CANDIDATES);
  const more = ids.length > CANDIDATES ? ' and more' : '';
  // As much of each as tells it from the others.
  let length = prefix.length;
  do length++;
  while (length < 64 && new Set(shown.map((id) => id.slice(0, length))).size < shown.length);
  return `${prefix} matches several sessions: ${shown.map((id) => id.slice(0, Math.max(8, length))).join(', ')}${more}. Write more of the id.`;
}

function count(sessions: Map<string, Counting>, id: string, line: Line): void {
  let session = sessions.get(id);
  if (session === undefined) {
    session = begin(id, line);
    sessions.set(id, session);
  }
  session.entries++;
  session.last_seq = line.seq;
  session.last = line.ts;
  if (line.kind === 'prompt') session.prompts++;
  else if (line.kind === 'tool.call') session.calls++;
  else if (line.kind === 'tool.denied') session.denied++;
  else if (line.kind === RUN_EVENT) countEvent(session, line);
  else if (line.kind === 'session.start') started(session, parseLine(line));
  else if (line.kind === 'session.end' || line.kind === 'session.cut') {
    session.end = line.ts;
    session.state = line.kind === 'session.end' ? 'ended' : 'cut';
  }
}

/** Calls and denials of a run are events of it. The line is looked at before it is taken apart: most are neither. */
function countEvent(session: Counting, line: Line): void {
  if (!line.bytes.includes('"kind":"ToolCall"') && !line.bytes.includes('"kind":"Denial"')) return;
  const kind = parseLine(line)?.payload.kind;
  if (kind === 'ToolCall') session.calls++;
  else if (kind === 'Denial') session.denied++;
}

function begin(id: string, line: Line): Counting {
  return {
    id,
    agent: null,
    agent_session: null,
    workspace_root: null,
    mode: null,
    start: line.ts,
    end: null,
    state: 'open',
    prompts: 0,
    calls: 0,
    denied: 0,
    entries: 0,
    first_seq: line.seq,
    last_seq: line.seq,
    last: line.ts,
  };
}

function started(session: Counting, entry: Entry | undefined): void {
  const payload = isObject(entry?.payload) ? entry.payload : {};
  const text = (name: string): string | null => {
    const value = payload[name];
    return typeof value === 'string' ? value : null;
  };
  session.agent = text('agent');
  session.agent_session = text('agent_session');
  session.workspace_root = text('workspace_root');
  session.mode = text('mode');
}
