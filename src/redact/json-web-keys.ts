// The private members of a JSON web key (RFC 7518, section 6): `d`, the primes and their kin, `k` of a symmetric key.
// Their names are single letters, so only an object that says `kty` is looked at; its public members stay.
import type { JsonObject } from '../core/index.ts';
import { type Scan, take } from './scan.ts';

const ID = 'private-key';
const PRIVATE_MEMBERS: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'priv']);
const MEMBER =
  /(\\{0,8}["'])(d|p|q|dp|dq|qi|k|priv)\1\s{0,8}:\s{0,8}(\\{0,8}["'])([A-Za-z0-9_+/=-]{16,4096})/g;
const FURTHEST_BACK = 4096;
const LONGEST = 16_384;

/** Is the member of this name a private one of a JSON web key? */
export function isKeyMember(object: JsonObject, name: string): boolean {
  return isPrivateName(name) && typeof object.kty === 'string';
}

export function isPrivateName(name: string): boolean {
  return name.length <= 4 && PRIVATE_MEMBERS.has(name);
}

/**
 * A probe for `kty`: takes the private members that stand before it in its object, and says how far the object goes, so
 * that those behind it are taken when they are met.
 */
export function jsonWebKeyProbe(scan: Scan, at: number): void {
  const { text } = scan;
  if (at < scan.searched || !/^["'\\]/.test(text[at + 1] ?? '') || !/["']/.test(text[at - 3] ?? '')) return;
  const limit = Math.min(text.length, at + LONGEST);
  let close = at;
  while (close < limit && text.charCodeAt(close) !== 125 && text.charCodeAt(close) !== 123) close++;
  // Nothing up to here is looked at again: a text full of `"kty"` costs one walk.
  scan.searched = close;
  if (text.charCodeAt(close) === 123 || (close === limit && limit < text.length)) return;
  const lowest = Math.max(scan.floor, at - FURTHEST_BACK);
  let open = at;
  while (open > lowest && text.charCodeAt(open) !== 123 && text.charCodeAt(open) !== 125) open--;
  // Something in the object may have been taken already: then what is left of it begins at the floor.
  if (text.charCodeAt(open) !== 123 && (open !== scan.floor || open === 0)) return;
  scan.keyEnd = close;
  MEMBER.lastIndex = 0;
  const before = text.slice(open, at);
  for (let found = MEMBER.exec(before); found !== null; found = MEMBER.exec(before)) {
    const value = found[4] ?? '';
    const start = open + found.index + found[0].length - value.length;
    take(scan, start, start + value.length, ID);
  }
}
