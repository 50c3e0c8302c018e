// What happened today, from the end of the ledger: however long it is, only today's entries are read. A time is what
// the writer's clock said, so an entry from before midnight ends the search only where a whole piece begins with one.
import type { JsonObject } from '../core/index.ts';
import type { Store } from '../ledger/index.ts';
import { isObject } from './content.ts';
import { parseLine, scanLines } from './entry-lines.ts';

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
  gaps: number;
  /** Claims that a gate judged, and those of them that were backed or excused, and not. */
  claims: number;
  backed: number;
  excused: number;
  unbacked: number;
  /** Turns that were sent back. */
  blocks: number;
  /** What only warned, and would have been refused in guard. */
  would_block: number;
}

export async function readToday(store: Store, last: number, since: string): Promise<Today> {
  const today: Today = {
    since,
    entries: 0,
    sessions: 0,
    open: 0,
    prompts: 0,
    calls: 0,
    denied: 0,
    gaps: 0,
    claims: 0,
    backed: 0,
    excused: 0,
    unbacked: 0,
    blocks: 0,
    would_block: 0,
  };
  const seen = new Set<string>();
  const ended = new Set<string>();
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
        if (line.kind === 'gate') countGate(today, parseLine(line)?.payload ?? {});
        else if (line.kind === 'tool.denied' && parseLine(line)?.payload.would_block === true)
          today.would_block++;
      }
    }
    if (oldest !== undefined && oldest < since) break;
    to = from - 1;
    length = Math.min(MOST, 4 * length);
  }
  today.sessions = seen.size;
  today.open = [...seen].filter((id) => !ended.has(id)).length;
  return today;
}

/** In observe a turn that guard would have sent back ends with a warning. */
function countGate(today: Today, { verdict, claims, would_block }: JsonObject): void {
  if (verdict === 'warn' || would_block === true) today.would_block++;
  if (verdict === 'block') today.blocks++;
  for (const claim of Array.isArray(claims) ? claims.filter(isObject) : []) {
    today.claims++;
    if (claim.status === 'backed') today.backed++;
    else if (claim.status === 'excused') today.excused++;
    else today.unbacked++;
  }
}
