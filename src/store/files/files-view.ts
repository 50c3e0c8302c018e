// A ledger's directory as the evidence a verifier reads. Opened file by file, never through the store's own state.
// Whoever made the directory may have put anything there: a pipe, device, directory or dangling link where a file belongs
// reads as an empty file, which is never right, and is not waited for.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { ParseError } from '../../core/index.ts';
import type { FileInfo, Files } from '../../verify/index.ts';
import { hasCode, storeError } from './failure.ts';

/** Files looked at together. */
const TOGETHER = 256;

export function openFiles(directory: string): Files {
  return {
    async list(path) {
      return attempt([] as FileInfo[], join(directory, path), async (full) => {
        const entries = await fs.promises.readdir(full, { withFileTypes: true });
        const infos: FileInfo[] = [];
        for (let at = 0; at < entries.length; at += TOGETHER) {
          const found = await Promise.all(entries.slice(at, at + TOGETHER).map((entry) => info(full, entry)));
          for (const one of found) if (one !== undefined) infos.push(one);
        }
        return infos.sort((a, b) => (a.name < b.name ? -1 : 1));
      });
    },
    async read(path, from = 0, to) {
      return attempt(undefined, join(directory, path), async (full) => {
        const handle = await open(full);
        if (handle === undefined) return new Uint8Array(0);
        try {
          const end = Math.min(to ?? Number.POSITIVE_INFINITY, (await handle.stat()).size);
          const bytes = new Uint8Array(Math.max(0, end - from));
          let done = 0;
          while (done < bytes.length) {
            const { bytesRead } = await handle.read(bytes, done, bytes.length - done, from + done);
            if (bytesRead === 0) break;
            done += bytesRead;
          }
          return bytes.subarray(0, done);
        } finally {
          await handle.close();
        }
      });
    },
    async *gunzip(path) {
      const handle = await open(join(directory, path)).catch((error: unknown) => {
        throw storeError(error, 'read', join(directory, path));
      });
      if (handle === undefined) throw new ParseError('MALFORMED', 'not a file', path);
      const stream = handle.createReadStream().on('error', (error) => inflated.destroy(error));
      const inflated = stream.pipe(createGunzip());
      try {
        yield* inflated as AsyncIterable<Uint8Array>;
      } catch (error) {
        if (hasCode(error, 'ENOENT', 'EACCES', 'EIO')) throw storeError(error, 'read', join(directory, path));
        throw new ParseError('MALFORMED', `broken gzip: ${(error as Error).message}`, path);
      } finally {
        stream.destroy();
      }
    },
  };
}

/** Opening a pipe must not wait for somebody to write to it. Undefined where it is no file. */
async function open(path: string): Promise<fs.promises.FileHandle | undefined> {
  let handle: fs.promises.FileHandle;
  try {
    handle = await fs.promises.open(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  } catch (error) {
    // A socket, a device that is not there, links that lead back to themselves.
    if (hasCode(error, 'ENXIO', 'ENODEV', 'EISDIR', 'ELOOP')) return undefined;
    if (hasCode(error, 'ENOENT') && isLink(path)) return undefined;
    throw error;
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  return undefined;
}

/** Undefined where the file went away between being listed and being looked at. */
async function info(directory: string, entry: fs.Dirent): Promise<FileInfo | undefined> {
  if (entry.isDirectory()) return { name: entry.name, size: 0, directory: true };
  try {
    const { size } = await fs.promises.stat(join(directory, entry.name));
    return { name: entry.name, size, directory: false };
  } catch (error) {
    const leadsNowhere = hasCode(error, 'ENOENT') && isLink(join(directory, entry.name));
    if (leadsNowhere || hasCode(error, 'ELOOP')) return { name: entry.name, size: 0, directory: false };
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** A link that leads nowhere is there all the same: what it leads to can be put there at any time. */
function isLink(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

async function attempt<T>(missing: T, path: string, work: (path: string) => Promise<T>): Promise<T> {
  try {
    return await work(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return missing;
    throw storeError(error, 'read', path);
  }
}
