// The ledger's lines for commands that read: quickly, as they stand, unverified. Every line goes through the scanner,
// so that what is taken for an entry is one; only the wanted ones are parsed.
import { type Entry, EntryScan } from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';

const LINE_FEED = 0x0a;
const TS_LENGTH = 24;
/** From the end of `ts` to the comma before `entry_hash`: `","v":1`. */
const AFTER_TS = 7;

/** What can be told of a line without parsing it. */
export interface Line {
  readonly seq: number;
  /** Empty where the line is no entry. */
  readonly kind: string;
  readonly cause: number | null;
  readonly session: string | null;
  readonly ts: string;
  /** Without its `\n`. Shared with others of the same piece. */
  readonly bytes: Buffer;
}

/** Lines `from` to `to`, a piece of the log at a time. */
export async function* scanLines(store: LogReader, from: number, to: number): AsyncGenerator<Line[]> {
  if (from > to) return;
  const scan = new EntryScan();
  let next = Math.max(1, from);
  for await (const bytes of store.read(from, to)) {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const lines: Line[] = [];
    for (
      let start = 0, end = piece.indexOf(LINE_FEED);
      end >= 0;
      start = end + 1, end = piece.indexOf(LINE_FEED, start), next++
    )
      lines.push(lineAt(scan, piece, start, end, next));
    yield lines;
  }
}

/** The entries among lines `from` to `to` in whose bytes an ASCII text occurs, which is a quick look at each. */
export async function* findEntries(
  store: LogReader,
  from: number,
  to: number,
  needle: string,
): AsyncGenerator<Entry> {
  if (from > to) return;
  const scan = new EntryScan();
  for await (const bytes of store.read(from, to)) {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = piece.indexOf(needle, 0, 'latin1'); at >= 0; ) {
      const start = at === 0 ? 0 : piece.lastIndexOf(LINE_FEED, at - 1) + 1;
      const end = piece.indexOf(LINE_FEED, at);
      const entry = parseLine(lineAt(scan, piece, start, end < 0 ? piece.length : end, 0));
      if (entry !== undefined) yield entry;
      at = end < 0 ? -1 : piece.indexOf(needle, end + 1, 'latin1');
    }
  }
}

/** Undefined where there is no such line, or it is no entry. */
export async function readEntry(store: LogReader, seq: number): Promise<Entry | undefined> {
  for await (const [line] of scanLines(store, seq, seq))
    return line === undefined ? undefined : parseLine(line);
  return undefined;
}

/** Undefined for a line that is no entry. */
export function parseLine({ kind, bytes }: Line): Entry | undefined {
  // The scanner has proved the form of it already.
  return kind === '' ? undefined : (JSON.parse(bytes.toString('utf8')) as Entry);
}

function lineAt(scan: EntryScan, piece: Buffer, start: number, end: number, place: number): Line {
  const bytes = piece.subarray(start, end);
  if (!scan.scan(piece, start, end))
    return { seq: place, kind: '', cause: null, session: null, ts: '', bytes };
  const { seq, kind, cause, sessionStart, bodyEnd } = scan;
  const endOfTs = bodyEnd - AFTER_TS;
  return {
    seq,
    kind,
    cause: cause === 0 ? null : cause,
    session: sessionStart < 0 ? null : piece.toString('latin1', sessionStart, sessionStart + 64),
    ts: piece.toString('latin1', endOfTs - TS_LENGTH, endOfTs),
    bytes,
  };
}
