// What is read of a session's lines without taking them apart: whose a line is, where a session began, and where a piece of
// the log ends. Lines are as the store gives them, unverified.
import { type JsonObject, sessionIdOf } from '../core/index.ts';
import { EntryScan, type Head, parseSessionStart } from '../format/index.ts';

export const LINE_FEED = 0x0a;
/**
 * What follows the session of an entry is at most so long: `,"source":"…","ts":"…","v":1,"entry_hash":"…"}` with a source of 97
 * bytes. What stands in a payload is farther from the end: `prev_hash` and all the rest come behind it.
 */
export const MOST_AFTER = 228;

const NEEDLE = Buffer.from('"session_id":"');
const ID_LENGTH = 64;
/** Reading is synchronous, so one scan serves everybody. */
const scan = new EntryScan();

/** The session of the line from `start` to `end`, which is that of its newline. Undefined where it is of none. */
export function sessionOfLine(piece: Buffer, start: number, end: number): string | undefined {
  const from = Math.max(start, end - MOST_AFTER - ID_LENGTH - 1 - NEEDLE.length);
  const at = piece.subarray(from, end).lastIndexOf(NEEDLE);
  if (at < 0) return undefined;
  const id = from + at + NEEDLE.length;
  return piece.toString('latin1', id, id + ID_LENGTH);
}

/**
 * A session's id follows from the hash of the entry before its start, so nothing of it can stand before that: where this is
 * such a start, what stands before it. Undefined where it is none.
 */
export function headBeforeSession(piece: Buffer, start: number, session: string): Head | undefined {
  const end = piece.indexOf(LINE_FEED, start);
  if (end < 0 || !scan.scan(piece, start, end) || scan.kind !== 'session.start') return undefined;
  try {
    const { payload } = JSON.parse(piece.toString('utf8', start, end)) as { readonly payload: JsonObject };
    const { authKey, block } = parseSessionStart(payload);
    const prevHash = scan.text(scan.prevStart, 64);
    const id = sessionIdOf({ authKey, blockHash: block?.hash ?? null, prevHash });
    return id === session ? { seq: scan.seq - 1, hash: prevHash } : undefined;
  } catch {
    return undefined;
  }
}

/** The head that whole lines lead to. Undefined where the last one is no entry. */
export function headOfLines(bytes: Uint8Array): Head | undefined {
  const start = bytes.length < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, bytes.length - 2) + 1;
  if (!scan.scan(bytes, start, bytes.length - 1)) return undefined;
  return { seq: scan.seq, hash: scan.text(scan.hashStart, 64) };
}

export function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
