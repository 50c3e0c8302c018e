// What stands of a session before a place in the log: how many entries, and the Merkle root (RFC 6962) over their lines
// without the newline, in the order of the log. The end of a session says it, and so does `session.sum` once more over what
// came later. Whoever is shown a session's entries can tell by it that none was left out. spec/session.md.
import { type JsonObject, ParseError } from '../core/index.ts';
import { count, exactly, hash } from './members.ts';

export interface SessionSum {
  readonly entries: number;
  /** 64 hex digits. */
  readonly root: string;
}

/** The payload of a `session.end` or `session.cut` with its sum; as it is where that is not known. */
export function withSum(payload: JsonObject, sum: SessionSum | null): JsonObject {
  return sum === null ? payload : { ...payload, entries: sum.entries, entries_root: sum.root };
}

/** Of a `session.end` or `session.cut`. Null for one that has none, as all of before there were sums. */
export function parseEndSum(payload: JsonObject): SessionSum | null {
  const has = (name: string): boolean => Object.hasOwn(payload, name);
  if (!has('entries') && !has('entries_root')) return null;
  for (const name of ['entries', 'entries_root'])
    if (!has(name)) throw new ParseError('BAD_MEMBER', 'missing', `payload.${name}`);
  return { entries: count(payload, 'entries'), root: hash(payload, 'entries_root') };
}

/** The payload of a `session.sum`. */
export function encodeSessionSum({ entries, root }: SessionSum): JsonObject {
  return { entries, root };
}

export function parseSessionSum(payload: JsonObject): SessionSum {
  exactly(payload, ['entries', 'root']);
  return { entries: count(payload, 'entries'), root: hash(payload, 'root') };
}
