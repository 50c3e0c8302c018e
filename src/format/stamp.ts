// What is stamped, and the block headers that complete a stamp. A stamp is of a checkpoint as the ledger itself signed it:
// lines that witnesses add later must not change it. The headers are a convenience for those who have no chain at hand:
// whoever reads them checks their work and their height, for anybody can write such a file. See spec/timestamps.md.
import { utf8Decode, utf8Encode } from '#platform';
import {
  canonicalize,
  encodeHex,
  openCheckpoint,
  ParseError,
  parseCanonicalJson,
  parseHex,
} from '../core/index.ts';
import { asObject, count, exactly, objects, text } from './members.ts';

/** A block's 80 bytes, and the height it is said to have. */
export interface StampHeader {
  readonly height: number;
  readonly header: Uint8Array;
}

const HEADER_BYTES = 80;
const MOST_HEADERS = 64;
/** A longer file is none. */
export const MAX_STAMP_HEADERS_BYTES = 16_384;
const VERSION = 1;

/**
 * The note of a checkpoint with the ledger's own signature line alone: the bytes whose SHA-256 a stamp is of. ParseError
 * where the ledger signed it not once.
 */
export function stampedNote(note: Uint8Array): Uint8Array {
  const { checkpoint, note: parsed } = openCheckpoint(note);
  const lines = utf8Decode(note)
    .slice(parsed.text.length + 1)
    .split('\n');
  const [own, ...more] = lines.filter((line) => line.startsWith(`— ${checkpoint.origin} `));
  if (own === undefined || more.length > 0)
    throw new ParseError('MALFORMED', 'a checkpoint that its ledger signed not once');
  return utf8Encode(`${parsed.text}\n${own}\n`);
}

/** Lowest first, each once. Throws RangeError for what parseStampHeaders would refuse. */
export function encodeStampHeaders(headers: readonly StampHeader[]): Uint8Array {
  const rows = new Map(
    headers.map(({ height, header }) => [`${height} ${encodeHex(header)}`, { height, header }]),
  );
  const sorted = [...rows.values()]
    .map(({ height, header }) => ({ header: encodeHex(header), height }))
    .sort((a, b) => a.height - b.height || (a.header < b.header ? -1 : 1));
  const bytes = utf8Encode(`${canonicalize({ headers: sorted, v: VERSION })}\n`);
  try {
    parseStampHeaders(bytes);
  } catch (cause) {
    throw new RangeError('headers that could not be read', { cause });
  }
  return bytes;
}

/** Nothing is checked but the form: neither work nor height. */
export function parseStampHeaders(bytes: Uint8Array): StampHeader[] {
  if (bytes.length > MAX_STAMP_HEADERS_BYTES)
    throw new ParseError('TOO_LONG', `headers of a stamp have at most ${MAX_STAMP_HEADERS_BYTES} bytes`);
  if (bytes.at(-1) !== 0x0a) throw new ParseError('MALFORMED', 'no newline at the end');
  const file = asObject(parseCanonicalJson(bytes.subarray(0, -1)), 'headers');
  exactly(file, ['headers', 'v'], 'headers');
  if (file.v !== VERSION) throw new ParseError('UNKNOWN_VERSION', 'headers of an unknown version');
  return objects(file, 'headers', MOST_HEADERS, 'headers').map((row, i) => {
    const path = `headers[${i}]`;
    exactly(row, ['header', 'height'], path);
    return {
      height: count(row, 'height', path),
      header: parseHex(text(row, 'header', path), HEADER_BYTES),
    };
  });
}
