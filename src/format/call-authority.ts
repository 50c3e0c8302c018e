// The member `authority` of a `tool.call`: what the call needs, by how the machine was at that moment, and what of it the
// session was not granted. It stands only in sessions that began with grants.
import type { JsonObject } from '../core/index.ts';
import { count, cut, exactly, hash, object, oneOf, orNull, shortText, shortTexts } from './members.ts';

export interface CallAuthority {
  /** The hash of the grants that it was judged by. */
  readonly grants: string;
  /** The work tree, with its links resolved: relative scopes begin there. */
  readonly root: string;
  /** Each as `domain:action:scope`, with absolute paths. */
  readonly needs: readonly string[];
  /** Those of the needs that no grant covers, or that a denial touches. */
  readonly missing: readonly string[];
  /** How many more needs there were than are listed. */
  readonly more: number;
  /** Why the call needs leave to run anything; null where it does not. */
  readonly unread: string | null;
  /** Programs whose own deeds are not known. */
  readonly ambient: readonly string[];
  /** `would-deny` where nothing is refused, because the session is only observed. */
  readonly verdict: 'allow' | 'deny' | 'would-deny';
}

const MOST_NEEDS = 48;
const LONGEST_NEED = 512;
const LONGEST_WHY = 200;
const LONGEST_ROOT = 1024;
const MOST_AMBIENT = 16;

export function encodeCallAuthority(authority: CallAuthority): JsonObject {
  const { needs, missing, ambient, unread } = authority;
  const short = (texts: readonly string[], most: number): string[] =>
    texts.slice(0, most).map((text) => cut(text, LONGEST_NEED));
  return {
    grants: authority.grants,
    root: cut(authority.root, LONGEST_ROOT),
    needs: short(needs, MOST_NEEDS),
    missing: short(missing, MOST_NEEDS),
    more: authority.more + Math.max(0, needs.length - MOST_NEEDS),
    unread: unread === null ? null : cut(unread, LONGEST_WHY),
    ambient: short(ambient, MOST_AMBIENT),
    verdict: authority.verdict,
  };
}

/** Null where the call has none. Throws ParseError. */
export function parseCallAuthority(payload: JsonObject): CallAuthority | null {
  if (!Object.hasOwn(payload, 'authority')) return null;
  const path = 'payload.authority';
  const value = object(payload, 'authority');
  exactly(value, ['grants', 'root', 'needs', 'missing', 'more', 'unread', 'ambient', 'verdict'], path);
  return {
    grants: hash(value, 'grants', path),
    root: shortText(value, 'root', LONGEST_ROOT, path),
    needs: shortTexts(value, 'needs', MOST_NEEDS, LONGEST_NEED, path),
    missing: shortTexts(value, 'missing', MOST_NEEDS, LONGEST_NEED, path),
    more: count(value, 'more', path),
    unread: orNull(value, 'unread', () => shortText(value, 'unread', LONGEST_WHY, path)),
    ambient: shortTexts(value, 'ambient', MOST_AMBIENT, LONGEST_NEED, path),
    verdict: oneOf(value, 'verdict', ['allow', 'deny', 'would-deny'], path),
  };
}
