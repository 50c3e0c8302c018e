// What happened today, from the end of the ledger: however long it is, only today's entries are read. A time is what
// the writer's clock said, so an entry from before midnight ends the search only where a whole piece begins with one.
import { type JsonObject, ParseError } from '../core/index.ts';
import { type ClaimEnd, claimEnd, type Entry, parseGate } from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';
import { type Line, parseLine, scanLines } from './entry-lines.ts';

/** Entries read at first, and at most, in one go. */
const FIRST = 256;
const MOST = 16_384;

export interface Today {
  readonly since: string;
  entries: number;
  sessions: number;
  /** Of those, the ones that have not ended. */
  open: number;
  prompts: number;
  calls: number;
  denied: number;
  /** Calls without a result, although their turn has ended. */
  endless: number;
  gaps: number;
  /** Claims, and what became of them, in the words of `foil verify`. Nothing is verified here. */
  claims: number;
  proven: number;
  unproven: number;
  excused: number;
  /** In turns that did not end on them. */
  sent_back: number;
  /** Turns that were sent back. */
  blocks: number;
  /** What only warned, and would have been refused in guard. */
  would_block: number;
}

export async function readToday(store: LogReader, last: number, since: string): Promise<Today> {
  const today: Today = {
    since,
    entries: 0,
    sessions: 0,
    open: 0,
    prompts: 0,
    calls: 0,
    denied: 0,
    endless: 0,
    gaps: 0,
    claims: 0,
    proven: 0,
    unproven: 0,
    excused: 0,
    sent_back: 0,
    blocks: 0,
    would_block: 0,
  };
  const seen = new Set<string>();
  const ended = new Set<string>();
  const claims = new Claims();
  const calls = new Calls();
  let length = FIRST;
  for (let to = last; to > 0; ) {
    const from = Math.max(1, to - length + 1);
    let oldest: string | undefined;
    for await (const lines of scanLines(store, from, to)) {
      for (const line of lines) {
        oldest ??= line.ts === '' ? undefined : line.ts;
        if (line.ts < since) continue;
        today.entries++;
        if (line.session !== null) seen.add(line.session);
        if (line.session !== null && (line.kind === 'session.end' || line.kind === 'session.cut'))
          ended.add(line.session);
        if (line.kind === 'prompt') today.prompts++;
        else if (line.kind === 'tool.call') today.calls++;
        else if (line.kind === 'tool.denied') today.denied++;
        else if (line.kind === 'gap') today.gaps++;
        calls.add(line);
        if (CLAIM_KINDS.has(line.kind)) claims.add(parseLine(line));
        if (line.kind === 'gate') countGate(today, parseLine(line)?.payload ?? {});
        else if (line.kind === 'tool.denied' && parseLine(line)?.payload.would_block === true)
          today.would_block++;
      }
    }
    if (oldest !== undefined && oldest < since) break;
    to = from - 1;
    length = Math.min(MOST, 4 * length);
  }
  claims.count(today);
  today.endless = calls.endless;
  today.sessions = seen.size;
  today.open = [...seen].filter((id) => !ended.has(id)).length;
  return today;
}

/** In observe a turn that guard would have sent back ends with a warning. */
function countGate(today: Today, { verdict, would_block }: JsonObject): void {
  if (verdict === 'warn' || would_block === true) today.would_block++;
  if (verdict === 'block') today.blocks++;
}

/** Lines come in any order: the newest part of the ledger is read first. */
class Calls {
  readonly #made = new Map<number, string | null>();
  readonly #ended = new Set<number>();
  /** The newest end of a turn, by session. */
  readonly #turnEnds = new Map<string | null, number>();

  add({ kind, seq, cause, session }: Line): void {
    if (kind === 'tool.call') this.#made.set(seq, session);
    else if (kind === 'tool.result' || kind === 'tool.denied') this.#ended.add(cause ?? 0);
    else if (kind === 'response')
      this.#turnEnds.set(session, Math.max(seq, this.#turnEnds.get(session) ?? 0));
  }

  get endless(): number {
    const isEndless = ([seq, session]: [number, string | null]): boolean =>
      !this.#ended.has(seq) && seq < (this.#turnEnds.get(session) ?? 0);
    return [...this.#made].filter(isEndless).length;
  }
}

const CLAIM_KINDS: ReadonlySet<string> = new Set(['claim', 'gate', 'validation']);

/** As `foil verify` counts them. A gate decides; where there was none, a validation that passed. */
class Claims {
  /** Each with its session. */
  readonly #made = new Map<number, string | null>();
  readonly #validated = new Set<number>();
  readonly #ends = new Map<number, ClaimEnd>();
  /** The last gate of each session that had nothing to ask: it names no claims. */
  readonly #silent = new Map<string | null, number>();

  add(entry: Entry | undefined): void {
    if (entry === undefined) return;
    const { kind, seq, payload, session_id } = entry;
    try {
      if (kind === 'claim') this.#made.set(seq, session_id);
      else if (kind === 'gate') {
        const { verdict, claims } = parseGate(payload);
        if (verdict === 'silent')
          this.#silent.set(session_id, Math.max(seq, this.#silent.get(session_id) ?? 0));
        for (const { claim, status } of claims) this.#ends.set(claim, claimEnd(verdict, status));
      } else if (payload.outcome === 'pass' && typeof payload.claim === 'number')
        this.#validated.add(payload.claim);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error; // `foil verify` says so
    }
  }

  count(today: Today): void {
    for (const [claim, session] of this.#made) {
      today.claims++;
      const isSilent = claim < (this.#silent.get(session) ?? 0);
      const end =
        this.#ends.get(claim) ??
        (this.#validated.has(claim) ? 'proven' : isSilent ? claimEnd('silent', 'unbacked') : 'unproven');
      today[end === 'sent-back' ? 'sent_back' : end]++;
    }
  }
}
