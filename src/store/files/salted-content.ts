// Whether content lies here that needs its session's salt to be checked: in a file of its own, or in the session's pack.
import { join } from 'node:path';
import { BLOB_DIR, PACK_FILE } from '../../format/index.ts';
import type { Fs } from './fs.ts';
import { walkPack } from './pack-file.ts';
import { exists } from './whole-file.ts';

export function isSaltedContentHere(fs: Fs, directory: string, session: string): boolean {
  const folder = join(directory, BLOB_DIR, session);
  if (!exists(fs, folder)) return false;
  const names = fs.list(folder).map(({ name }) => name);
  if (names.some((name) => /^(?:keyed|hmac)-sha256-/.test(name))) return true;
  if (!names.includes(PACK_FILE)) return false;
  const fd = fs.open(join(folder, PACK_FILE), 'r');
  try {
    for (const { header } of walkPack(fs, fd, 0, fs.stat(fd).size))
      if (header.algorithm !== 'sha256') return true;
    return false;
  } finally {
    fs.close(fd);
  }
}
