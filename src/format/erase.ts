// `erase`: the tombstone of content that was removed. It stands in the chain before anything is removed, carries the
// ledger's checkpoint over every entry before it, and is signed by the ledger's key of its place: whoever can merely
// append to a ledger can't excuse what is missing.
import type { JsonObject } from '../core/index.ts';
import { count, exactly, hash, objects, oneOf, shortText, signature } from './members.ts';

/** What of a session was removed: the files under blobs/ and their length, as they were. */
export interface ErasedSession {
  readonly session: string;
  readonly files: number;
  readonly bytes: number;
}

export const ERASE_REASONS = ['retention', 'request'] as const;
export type EraseReason = (typeof ERASE_REASONS)[number];

export interface Erase {
  readonly reason: EraseReason;
  /** The ledger's signed note over everything before this entry. */
  readonly checkpoint: string;
  readonly sessions: readonly ErasedSession[];
}

export interface SignedErase extends Erase {
  /** By the ledger's key, over eraseMessage; base64. */
  readonly signature: string;
}

/** One entry names no more: a line is limited. */
export const MOST_ERASED = 200;
const LONGEST_NOTE = 4096;

/** What is signed: a payload without its signature. */
export function encodeErase({ reason, checkpoint, sessions }: Erase): JsonObject {
  return {
    reason,
    checkpoint,
    sessions: sessions.map(({ session, files, bytes }) => ({ session, files, bytes })),
  };
}

export function parseErase(payload: JsonObject): SignedErase {
  exactly(payload, ['reason', 'checkpoint', 'sessions', 'signature']);
  return {
    reason: oneOf(payload, 'reason', ERASE_REASONS),
    checkpoint: shortText(payload, 'checkpoint', LONGEST_NOTE),
    sessions: objects(payload, 'sessions', MOST_ERASED).map((each, i) => {
      const path = `payload.sessions[${i}]`;
      exactly(each, ['session', 'files', 'bytes'], path);
      return {
        session: hash(each, 'session', path),
        files: count(each, 'files', path),
        bytes: count(each, 'bytes', path),
      };
    }),
    signature: signature(payload, 'signature'),
  };
}
