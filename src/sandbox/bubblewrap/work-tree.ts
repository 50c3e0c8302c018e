// What a program is run in: a folder that lies on the machine, and a file for its report. The report is a file of ours, open
// before anything runs: it can't be swapped for a link, and what is read is what was opened.
import { closeSync, fchownSync, fstatSync, openSync, readSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FolderRun, ReadReport } from '../../gate/index.ts';
import { giveTree } from '../give-tree.ts';
import { makeDirectory, makeEmptyFile } from './folder-paths.ts';
import type { Around } from './process.ts';
import type { RunUser } from './user.ts';

export interface WorkTree {
  /** Where bubblewrap finds it, and the file that takes the report. */
  readonly folder: string;
  readonly reportFile: string;
  /** What bubblewrap has to be started in to find it. */
  readonly around?: Around;
  /** Once nothing runs any more. */
  readReport(most: number): ReadReport;
  close(): Promise<void>;
}

export async function folderTree(
  folder: string,
  { report, writable = [] }: FolderRun,
  user: RunUser,
  temporary = tmpdir(),
): Promise<WorkTree> {
  const place = await mkdtemp(join(temporary, 'foil-report-'));
  const reportFile = join(place, 'report');
  const fd = openSync(reportFile, 'wx+', 0o600);
  const close = async (): Promise<void> => {
    closeSync(fd);
    await rm(place, { recursive: true, force: true });
  };
  try {
    if (user.isOther) {
      fchownSync(fd, user.uid, user.uid);
      await giveTree(folder, user.uid);
    }
    // Also where it is not mounted on this: a report that lay there already would be copied into ours.
    if (report !== undefined) makeEmptyFile(folder, report.path);
    if (!writable.includes('.')) for (const path of writable) makeDirectory(folder, path);
  } catch (error) {
    await close();
    throw error;
  }
  return { folder, reportFile, readReport: (most) => readReport(fd, most), close };
}

function readReport(fd: number, most: number): ReadReport {
  const { size } = fstatSync(fd);
  if (size === 0) return { state: 'empty' };
  if (size > most) return { state: 'too-large' };
  const bytes = new Uint8Array(size);
  let at = 0;
  for (let read = 1; at < size && read > 0; at += read) read = readSync(fd, bytes, at, size - at, at);
  return { state: 'read', bytes: bytes.subarray(0, at) };
}
