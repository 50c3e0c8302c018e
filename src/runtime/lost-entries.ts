// Acknowledged entries that a ledger lost while a run was open: a log that ends before its head says, lines that are not the
// entries that they were, entries that do not follow from one another, and losses that somebody accepted, which a gap tells of.
// Events of the run may be among them, and calls that really happened. spec/run.md.
import { ParseError } from '../core/index.ts';
import { EntryScan, parseGap } from '../format/index.ts';
import { entriesOf, type LogReader } from '../ledger/index.ts';

export interface LostEntries {
  readonly from: number;
  readonly to: number;
  /** The entry that tells of it; the first of those that are lost where none does. */
  readonly at: number;
  /**
   * `gap`: somebody accepted the loss. `cut`: nobody did so far. `altered`: lines stand there that are no entries with their hash
   * and place. `rewritten`: entries stand there that do not follow from one another, which no accident brings about.
   */
  readonly how: 'gap' | 'cut' | 'altered' | 'rewritten';
}

const LINE_FEED = 0x0a;
/** Past so many places, what is found makes the last of them longer. */
const MOST_PLACES = 1000;

/** What was lost from the entry `since` on, in order. */
export async function lostEntries(log: LogReader, since: number): Promise<readonly LostEntries[]> {
  const head = await log.head();
  const { seq: to } = head;
  const lost: LostEntries[] = [];
  for await (const { seq, payload } of entriesOf(log, since, to, ['gap'])) {
    const gap = asGap(payload);
    if (gap?.reason === 'lost') lost.push({ from: gap.from, to: gap.to, at: seq, how: 'gap' });
  }
  const lines = new Lines(since);
  if (since <= to) for await (const bytes of log.read(since, to)) lines.take(bytes);
  if (lines.next <= to) lost.push({ from: lines.next, to, at: lines.next, how: 'cut' });
  else lines.end(head.hash);
  return [...lost, ...lines.wrong].sort((a, b) => a.at - b.at);
}

export function lossText({ from, to }: Pick<LostEntries, 'from' | 'to'>): string {
  const which = from === to ? `entry ${from} of the ledger is` : `entries ${from} to ${to} of the ledger are`;
  return `${which} lost or altered, and events of the run may be among them`;
}

/**
 * How many calls of a run may have stood in what is lost behind its event at entry `since`; its first is at entry `first`. No line
 * before the loss is proven by what stands behind it, so those count as well. Behind a call come its result and a decision.
 */
export function callsLost(lost: readonly LostEntries[], first: number, since: number): number {
  const behind = lost.filter(({ at, how }) => at > since || how === 'rewritten');
  const from = behind.some(({ how }) => how === 'rewritten') ? first : since;
  let last = from;
  let gone = 0;
  for (const { at, from: oldest, to, how } of behind) {
    const isGone = how === 'gap' || how === 'cut';
    last = Math.max(last, isGone ? at - 1 : to);
    if (isGone) gone += to - oldest + 1;
  }
  return Math.ceil((last - from + gone) / 3);
}

function asGap(payload: Parameters<typeof parseGap>[0]): ReturnType<typeof parseGap> | undefined {
  try {
    return parseGap(payload);
  } catch (error) {
    if (error instanceof ParseError) return undefined; // `foil verify` says so.
    throw error;
  }
}

/** Lines in order, the first of which is taken as it is. */
class Lines {
  /** The place of the line that is due. */
  next: number;
  readonly wrong: LostEntries[] = [];
  readonly #scan = new EntryScan();
  /** The hash of the entry before; null where there is none with its hash. */
  #hash: string | null = null;

  constructor(first: number) {
    this.next = first;
  }

  take(bytes: Uint8Array): void {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let start = 0, end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
      this.#line(piece, start, end);
      start = end + 1;
    }
  }

  /** `hash` is that of the last entry, as the head says. */
  end(hash: string): void {
    if (this.#hash !== null && this.#hash !== hash) this.#add(this.next - 1, this.next - 1, 'rewritten');
  }

  #line(piece: Buffer, start: number, end: number): void {
    const scan = this.#scan;
    const at = this.next++;
    if (!scan.scan(piece, start, end) || scan.seq !== at || !scan.hashMatches(start)) {
      this.#add(at, at, 'altered');
      this.#hash = null;
      return;
    }
    if (this.#hash !== null && !scan.sameText(scan.prevStart, this.#hash)) this.#add(at - 1, at, 'rewritten');
    this.#hash = scan.text(scan.hashStart, 64);
  }

  #add(from: number, to: number, how: LostEntries['how']): void {
    const last = this.wrong.at(-1);
    const isNext = last?.how === how && last.to + 1 >= from;
    if (last !== undefined && (isNext || this.wrong.length >= MOST_PLACES))
      this.wrong[this.wrong.length - 1] = { ...last, to, how: worse(last.how, how) };
    else this.wrong.push({ from, to, at: from, how });
  }
}

function worse(a: LostEntries['how'], b: LostEntries['how']): LostEntries['how'] {
  return a === 'rewritten' ? a : b;
}
