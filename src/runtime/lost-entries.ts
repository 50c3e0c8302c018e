// Acknowledged entries that a ledger lost while a run was open: a log that ends before its head says, lines that are not the
// entries that they were, and losses that somebody accepted, which a gap tells of. Events of the run may be among them, and calls that really happened.
import { ParseError } from '../core/index.ts';
import { EntryScan, parseGap } from '../format/index.ts';
import { entriesOf, type Store } from '../ledger/index.ts';

export interface LostEntries {
  readonly from: number;
  readonly to: number;
  /** The entry that tells of it; the first of those that are lost where none does. */
  readonly at: number;
  /** Nobody has to accept it any more: a gap tells of it, or a line stands where the entry was. */
  readonly isOnRecord: boolean;
}

const LINE_FEED = 0x0a;
const MOST_ALTERED = 1000;

/** What was lost from the entry `since` on, in order. */
export async function lostEntries(
  log: Pick<Store, 'head' | 'read'>,
  since: number,
): Promise<readonly LostEntries[]> {
  const { seq: to } = await log.head();
  const lost: LostEntries[] = [];
  for await (const { seq, payload } of entriesOf(log, since, to, ['gap'])) {
    const gap = asGap(payload);
    if (gap?.reason === 'lost') lost.push({ from: gap.from, to: gap.to, at: seq, isOnRecord: true });
  }
  const { lines, altered } = await linesIn(log, since, to);
  for (const seq of altered) lost.push({ from: seq, to: seq, at: seq, isOnRecord: true });
  const last = since - 1 + lines;
  if (last < to) lost.push({ from: last + 1, to, at: last + 1, isOnRecord: false });
  return lost.sort((a, b) => a.at - b.at);
}

export function lossText({ from, to }: LostEntries): string {
  const which = from === to ? `entry ${from} of the ledger is` : `entries ${from} to ${to} of the ledger are`;
  return `${which} lost or altered, and events of the run may be among them`;
}

/** How many calls may have stood there: behind a call come its result and a decision, before the next one. */
export function callsIn({ from, to }: Pick<LostEntries, 'from' | 'to'>): number {
  return Math.ceil((to - from + 1) / 3);
}

function asGap(payload: Parameters<typeof parseGap>[0]): ReturnType<typeof parseGap> | undefined {
  try {
    return parseGap(payload);
  } catch (error) {
    if (error instanceof ParseError) return undefined; // `foil verify` says so.
    throw error;
  }
}

/** How many lines there are, and the places of those that are no entries with their hash. */
async function linesIn(
  log: Pick<Store, 'read'>,
  from: number,
  to: number,
): Promise<{ lines: number; altered: readonly number[] }> {
  const scan = new EntryScan();
  const altered: number[] = [];
  let lines = 0;
  if (from <= to)
    for await (const bytes of log.read(from, to)) {
      const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let start = 0, end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
        const isEntry = scan.scan(piece, start, end) && scan.hashMatches(start);
        if (!isEntry && altered.length < MOST_ALTERED) altered.push(from + lines);
        lines++;
        start = end + 1;
      }
    }
  return { lines, altered };
}
