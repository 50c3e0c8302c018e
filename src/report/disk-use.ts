// How much room a ledger takes: the record itself, and the content beside it.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BLOB_DIR } from '../format/index.ts';

/** Files looked at: beyond that the sum is a least. */
const MOST_FILES = 100_000;

export interface DiskUse {
  readonly ledger_bytes: number;
  readonly content_bytes: number;
  /** False where there are more files than were looked at. */
  readonly complete: boolean;
}

export function diskUse(directory: string): DiskUse {
  const left = { files: MOST_FILES };
  const content = sum(join(directory, BLOB_DIR), left);
  const all = sum(directory, left, BLOB_DIR);
  return { ledger_bytes: all, content_bytes: content, complete: left.files > 0 };
}

function sum(directory: string, left: { files: number }, except?: string): number {
  let bytes = 0;
  const folders = [directory];
  for (let folder = folders.pop(); folder !== undefined && left.files > 0; folder = folders.pop()) {
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (left.files-- <= 0) break;
        const path = join(folder, entry.name);
        if (entry.isDirectory()) {
          if (folder !== directory || entry.name !== except) folders.push(path);
        } else if (entry.isFile()) bytes += sizeOf(path);
      }
    } catch {
      // It went away, or is not ours to look into.
    }
  }
  return bytes;
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
