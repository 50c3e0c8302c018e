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
  return name.length <= 4 && PRIVATE_MEMBERS.has(name) && typeof object.kty === 'string';
}

/** A probe for `ty`: takes every private member of the object that `"kty"` stands in. */
export function jsonWebKeyProbe(scan: Scan, at: number): void {
  const { text } = scan;
  if (text.charCodeAt(at - 2) !== 107 || at < scan.objectEnd) return;
  if (!/^["'\\]/.test(text[at + 1] ?? '') || !/["']/.test(text[at - 3] ?? '')) return;
  const lowest = Math.max(scan.floor, at - FURTHEST_BACK);
  let open = at;
  while (open > lowest && text.charCodeAt(open) !== 123) open--;
  const limit = Math.min(text.length, at + LONGEST);
  let close = at;
  while (close < limit && text.charCodeAt(close) !== 125) close++;
  // Nothing up to here is looked at again: a text full of `"kty"` costs one walk.
  scan.objectEnd = close;
  if (close === limit && limit < text.length) return;
  MEMBER.lastIndex = 0;
  const object = text.slice(open, close);
  for (let found = MEMBER.exec(object); found !== null; found = MEMBER.exec(object)) {
    const value = found[4] ?? '';
    const start = open + found.index + found[0].length - value.length;
    if (start >= scan.floor) take(scan, start, start + value.length, ID);
  }
}
