// Hex and base64, each in exactly one form: lower-case hex, standard padded base64 with zero trailing bits.
import { ParseError } from './errors.ts';

const HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

export function encodeHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** Lower-case hex of exactly `length` bytes (any even count when not given). */
export function parseHex(text: string, length?: number): Uint8Array {
  if (text.length % 2 !== 0 || /[^0-9a-f]/.test(text)) throw new ParseError('BAD_HEX', 'not lower-case hex');
  if (length !== undefined && text.length !== 2 * length) {
    throw new ParseError('BAD_HEX', `expected ${2 * length} hex digits, found ${text.length}`);
  }
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

export function isHash(text: unknown): text is string {
  if (typeof text !== 'string' || text.length !== 64) return false;
  for (let i = 0; i < 64; i++) {
    const c = text.charCodeAt(i);
    if (!((c >= 0x30 && c <= 0x39) || (c >= 0x61 && c <= 0x66))) return false;
  }
  return true;
}

export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** RFC 4648 section 4, padded; white space, URL-safe letters and stray trailing bits are refused. */
export function parseBase64(text: string): Uint8Array {
  const bytes = decodeBase64(text);
  if (bytes === undefined || encodeBase64(bytes) !== text)
    throw new ParseError('BAD_BASE64', 'not standard base64');
  return bytes;
}

/** Lenient where atob is; the caller compares. A pattern for the whole text would run out of stack on a long one. */
function decodeBase64(text: string): Uint8Array | undefined {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** RFC 4648 section 5 without padding, as JOSE and the harness formats write it. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** One form only: no padding, no stray trailing bits. */
export function parseBase64Url(text: string): Uint8Array {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  const bytes = decodeBase64(standard.padEnd(Math.ceil(text.length / 4) * 4, '='));
  if (bytes === undefined || encodeBase64Url(bytes) !== text)
    throw new ParseError('BAD_BASE64', 'not base64url without padding');
  return bytes;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
