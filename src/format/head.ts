// The head file: where the log ended when it was last published. It is derived and may lag behind the log after a
// crash, but it is written only after the entries are durable, so it never leads: a log shorter than its head has
// lost entries. Fixed width, so that it is replaced by one small write in place; checksummed, so that a torn one is
// noticed and rebuilt. The sum guards against accidents, not against an attacker.

import { sha256Hex, utf8Decode, utf8Into } from '#platform';
import { headChecksumInput, isHash, ParseError } from '../core/index.ts';
import { encodeSegmentName, parseSegmentName, type Segment } from './layout.ts';

/** The last entry's place in the chain: seq 0 and the genesis hash before the first. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** A head and the segment it ends in: the next line goes to `offset`. */
export interface Position extends Head {
  readonly segment: Segment;
  readonly offset: number;
}

const FORM = /^(\d{16}) ([0-9a-f]{64}) (\S+) +(\d{16})\n([0-9a-f]{64})\n$/;
const NAME_WIDTH = 29; // 16 digits, a part of up to six, `.jsonl`
/** Bytes of a head file. */
export const HEAD_SIZE = 16 + 1 + 64 + 1 + NAME_WIDTH + 1 + 16 + 1 + 64 + 1;

export function encodeHead(position: Position): Uint8Array {
  const name = encodeSegmentName(position.segment).padEnd(NAME_WIDTH);
  const body = `${digits(position.seq)} ${position.hash} ${name} ${digits(position.offset)}\n`;
  const bytes = new Uint8Array(3 * HEAD_SIZE);
  return bytes.subarray(0, utf8Into(`${body}${sha256Hex(headChecksumInput(body))}\n`, bytes, 0));
}

export function parseHead(bytes: Uint8Array): Position {
  if (bytes.length !== HEAD_SIZE)
    throw new ParseError('MALFORMED', `a head has ${HEAD_SIZE} bytes, found ${bytes.length}`);
  const text = decode(bytes);
  const match = FORM.exec(text);
  if (match === null) throw new ParseError('MALFORMED', 'not a head');
  const [, seqText = '', hash = '', name = '', offsetText = '', sum] = match;
  const body = text.slice(0, text.indexOf('\n') + 1);
  if (sha256Hex(headChecksumInput(body)) !== sum)
    throw new ParseError('MALFORMED', 'checksum does not match');
  const segment = parseSegmentName(name);
  const seq = Number(seqText);
  const offset = Number(offsetText);
  if (segment.gzipped || !isHash(hash) || !Number.isSafeInteger(seq) || !Number.isSafeInteger(offset)) {
    throw new ParseError('MALFORMED', 'not a head');
  }
  return { seq, hash, segment: { first: segment.first, part: segment.part }, offset };
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8Decode(bytes);
  } catch {
    throw new ParseError('INVALID_UTF8', 'not UTF-8');
  }
}

function digits(value: number): string {
  return String(value).padStart(16, '0');
}
