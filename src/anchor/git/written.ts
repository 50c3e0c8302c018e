// How far the repository was written, kept beside its refs so that catching up need not begin at the first entry.
// Derived and disposable: one that is missing, torn or of another history counts as none. It is written after the refs
// are durable, so it never tells of more than was there; a ref that is behind it was moved by somebody.
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitEnd, type GitStoryState, isGitStoryRef } from '../../format/index.ts';
import { isGitId, readSmall } from './repository.ts';

const FILE = 'foil.json';
const MOST = 64 * 1024 * 1024;

export interface Written {
  readonly end: GitEnd;
  /** The last entry that it covers, and its hash. */
  readonly seq: number;
  readonly hash: string;
  readonly story: GitStoryState;
  /** The newest commit's id, by ref: where the ref is, unless it is among `stuck`. */
  readonly ids: Readonly<Record<string, string>>;
  /** Sessions in the archive. */
  readonly archived: number;
  /** Refs that contradict the ledger, and what they were found at. */
  readonly stuck: Readonly<Record<string, string>>;
}

export function readWritten(git: string): Written | undefined {
  try {
    const value = JSON.parse(readSmall(join(git, FILE), MOST) ?? 'null') as (Written & { v: number }) | null;
    if (value === null || value.v !== 1) return undefined;
    const { end, seq, hash, story, ids, archived, stuck } = value;
    const isSound =
      (end === 'merge' || end === 'archive') &&
      Number.isSafeInteger(seq) &&
      typeof hash === 'string' &&
      Number.isSafeInteger(story.count) &&
      Number.isSafeInteger(archived) &&
      Object.entries(story.tips).every(
        ([ref, index]) => isGitStoryRef(ref) && Number.isSafeInteger(index) && isGitId(ids[ref] ?? ''),
      ) &&
      story.sessions.every(([session, ref]) => /^[0-9a-f]{64}$/.test(session) && isGitStoryRef(ref)) &&
      Object.values(stuck).every((found) => typeof found === 'string');
    return isSound ? { end, seq, hash, story, ids, archived, stuck } : undefined;
  } catch {
    return undefined;
  }
}

export async function writeWritten(git: string, written: Written): Promise<void> {
  const path = join(git, FILE);
  const file = await open(`${path}.tmp`, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify({ v: 1, ...written }));
  } finally {
    await file.close();
  }
  await rename(`${path}.tmp`, path);
}
