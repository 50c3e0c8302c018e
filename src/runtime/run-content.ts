// The content of a run, wherever it is kept: beside its session, or as content of none, where its code outlives the session's.
import type { ContentRef } from '../format/index.ts';
import type { ReadContent } from './read-run.ts';

/** Undefined where it is not here, or can't be opened. */
export type ReadKept = (session: string | null, ref: ContentRef) => Promise<Uint8Array | undefined>;

export function contentOfRun(run: string, read: ReadKept): ReadContent {
  return async (ref) => {
    const own = await read(run, ref);
    // What is salted belongs to one session.
    return own === undefined && ref.algorithm === 'sha256' ? read(null, ref) : own;
  };
}
