// The bytes that an entry's one encoding is made of, and sets of bytes to look them up in.

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));
export const OPEN_CAUSE = bytesOf('{"cause":');
export const KIND = bytesOf(',"kind":"');
export const PAYLOAD = bytesOf('","payload":');
export const PREV = bytesOf(',"prev_hash":"');
export const SEQ = bytesOf('","seq":');
export const SESSION = bytesOf(',"session_id":');
export const SOURCE = bytesOf(',"source":"');
export const TS = bytesOf('","ts":"');
export const V1_HASH = bytesOf('","v":1,"entry_hash":"');
export const CLOSE = bytesOf('"}');
export const NULL = bytesOf('null');
export const TRUE = bytesOf('true');
export const FALSE = bytesOf('false');
export const CONTENT_KEY = bytesOf('$content');
export const TREE_KEY = bytesOf('tree');
export const MCP_KEY = bytesOf('mcp');

export const LINE_FEED = 0x0a;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACE = 0x7d;

/** Bytes that may stand in a string as they are, without a second look: ASCII but controls, quote and backslash. */
export const PLAIN = Uint8Array.from({ length: 256 }, (_, b) =>
  b >= 0x20 && b < 0x80 && b !== QUOTE && b !== BACKSLASH ? 1 : 0,
);
/** Lower-case hex digits. */
export const HEX = Uint8Array.from({ length: 256 }, (_, b) =>
  (b >= 0x30 && b <= 0x39) || (b >= 0x61 && b <= 0x66) ? 1 : 0,
);
/** The single-letter escapes canonical JSON uses, besides `\"` and `\\`: b f n r t. */
export const SHORT_ESCAPE = new Set(bytesOf('"\\bfnrt'));

/** Are the four bytes at `at` all in the set? One branch for four bytes makes the long loops twice as fast. */
export function fourOf(set: Uint8Array, buffer: Uint8Array, at: number): boolean {
  const a = set[buffer[at] ?? 0] ?? 0;
  const b = set[buffer[at + 1] ?? 0] ?? 0;
  const c = set[buffer[at + 2] ?? 0] ?? 0;
  const d = set[buffer[at + 3] ?? 0] ?? 0;
  return (a & b & c & d) === 1;
}

export function isDigit(b: number | undefined): boolean {
  return b !== undefined && b >= 0x30 && b <= 0x39;
}

export function isTail(b: number | undefined): boolean {
  return b !== undefined && (b & 0xc0) === 0x80;
}
