// Acknowledged entries that a ledger lost while a run was open: a log that ends before its head says, and losses that somebody
// accepted, which a gap tells of. Events of the run may be among them, and calls that really happened.
import { ParseError } from '../core/index.ts';
import { parseGap } from '../format/index.ts';
import { entriesOf, type Store } from '../ledger/index.ts';

export interface LostEntries {
  readonly from: number;
  readonly to: number;
  /** The entry that tells of it; the first of those that are lost where none does. */
  readonly at: number;
  /** Whether a gap tells of it: somebody accepted the loss. */
  readonly isOnRecord: boolean;
}

const LINE_FEED = 0x0a;

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
  const last = since - 1 + (await linesIn(log, since, to));
  return last < to ? [...lost, { from: last + 1, to, at: last + 1, isOnRecord: false }] : lost;
}

export function lossText({ from, to }: LostEntries): string {
  const which = from === to ? `entry ${from} of the ledger is` : `entries ${from} to ${to} of the ledger are`;
  return `${which} lost, and events of the run may be among them`;
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

async function linesIn(log: Pick<Store, 'read'>, from: number, to: number): Promise<number> {
  let lines = 0;
  if (from <= to)
    for await (const piece of log.read(from, to))
      for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) lines++;
  return lines;
}
