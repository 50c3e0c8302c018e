// All files of a ledger that a check of it reads, for a page that checks it itself. Nothing private is among them: no key, no
// token, no state of a host.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../core/index.ts';
import {
  BLOB_DIR,
  CHECKPOINT_DIR,
  CHECKPOINT_FILE,
  encodeTar,
  PackError,
  SALT_DIR,
  SEGMENT_DIR,
  STAMP_DIR,
  type TreeFile,
} from '../format/index.ts';

/** What a page checks in seconds. */
export const MOST_VERIFIED = 100_000;
const MOST_BYTES = 250_000_000;
const MOST_FILES = 20_000;
const FOLDERS = [SEGMENT_DIR, 'tile', CHECKPOINT_DIR, STAMP_DIR, SALT_DIR, BLOB_DIR];
const FILES = [CHECKPOINT_FILE, 'head'];
const TOO_LARGE = 'This ledger is too large to check in a page. Run `foil verify`.';

/** Throws StoreError, with words for the reader, where it is too large. */
export async function wholeLedger(directory: string, entries: number): Promise<Uint8Array> {
  if (entries > MOST_VERIFIED) throw new StoreError('NOT_FOUND', TOO_LARGE);
  const files: TreeFile[] = [];
  let room = MOST_BYTES;
  const take = async (path: string): Promise<void> => {
    const { size } = await stat(join(directory, path));
    room -= size;
    if (room < 0 || files.length >= MOST_FILES) throw new StoreError('NOT_FOUND', TOO_LARGE);
    files.push({ path, bytes: await readFile(join(directory, path)) });
  };
  const waiting = [...FOLDERS];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop())
    for (const entry of await entriesIn(join(directory, folder))) {
      if (entry.isDirectory()) waiting.push(`${folder}/${entry.name}`);
      else if (entry.isFile()) await take(`${folder}/${entry.name}`);
    }
  for (const name of FILES) await take(name).catch(ignoreMissing);
  try {
    return encodeTar(files);
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    throw new StoreError(
      'NOT_FOUND',
      'A file of this ledger has a name that a page can’t take. Run `foil verify`.',
    );
  }
}

async function entriesIn(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    ignoreMissing(error);
    return [];
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && (error as { code?: unknown }).code === 'ENOENT')) throw error;
}
