// How much content is kept, session by session, and when it was last added to. Only asks the file system, and reads no
// content; what it says may be out of date the moment it is said. The times are the file system's word.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isHash } from '../../core/index.ts';
import { BLOB_DIR, saltPath } from '../../format/index.ts';
import { hasCode } from './failure.ts';

export interface ContentUse {
  readonly session: string;
  readonly files: number;
  readonly bytes: number;
  /** Milliseconds since 1970; 0 where there is no file. */
  readonly modified: number;
  /** Its salt is here, if only as zeros: so there may be content to erase. */
  readonly salted: boolean;
}

/** Undefined where the session has no folder, or its name is none. */
export function contentUse(directory: string, session: string): ContentUse | undefined {
  const folder = join(directory, BLOB_DIR, session);
  let files = 0;
  let bytes = 0;
  let modified = 0;
  try {
    for (const { name } of readdirSync(folder, { withFileTypes: true })) {
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      if (found === undefined || !found.isFile()) continue;
      files++;
      bytes += found.size;
      modified = Math.max(modified, found.mtimeMs);
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
  const salted = statSync(join(directory, saltPath(session)), { throwIfNoEntry: false }) !== undefined;
  return { session, files, bytes, modified, salted };
}

/** Of every session that has content. */
export function contentUses(directory: string): ContentUse[] {
  let names: string[];
  try {
    names = readdirSync(join(directory, BLOB_DIR));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
  return names.filter(isHash).flatMap((session) => contentUse(directory, session) ?? []);
}
