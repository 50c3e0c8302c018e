// Files of a workspace, for an agent that may touch no others: a path is followed to where it really leads, and what leads
// out of the workspace, into the ledger or to its keys is INVALID_PATH.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { ToolFailure } from '../capture/mcp/index.ts';

export interface Workspace {
  /** As it really is. */
  readonly root: string;
  /** Directories within it that nobody may touch. */
  readonly closed: readonly string[];
}

const LARGEST = 8 * 1024 * 1024;

export function openWorkspace(root: string, closed: readonly string[]): Workspace {
  let real: string;
  try {
    real = realpathSync(root);
    if (!statSync(real).isDirectory()) throw new Error('no directory');
  } catch {
    throw new ToolFailure('INVALID_PATH', `${root} isn't a directory.`);
  }
  return { root: real, closed: closed.map((path) => realOf(path)) };
}

export function readWorkspaceFile(workspace: Workspace, path: string): Buffer {
  const fd = open(resolveInWorkspace(workspace, path), constants.O_RDONLY | constants.O_NONBLOCK, path);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new ToolFailure('INVALID_PATH', `${path} isn't a plain file.`);
    if (stat.size > LARGEST) throw new ToolFailure('TOO_LARGE', `${path} is larger than ${LARGEST} bytes.`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes the folders that are missing. Durable when it returns. */
export function writeWorkspaceFile(workspace: Workspace, path: string, content: string): number {
  const target = resolveInWorkspace(workspace, path);
  const bytes = Buffer.from(content);
  if (bytes.length > LARGEST) throw new ToolFailure('TOO_LARGE', `${path} is larger than ${LARGEST} bytes.`);
  mkdirSync(dirname(target), { recursive: true });
  // Somebody may have put a link there meanwhile.
  const again = resolveInWorkspace(workspace, path);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const fd = open(again, flags, path);
  try {
    writeFileSync(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return bytes.length;
}

/** Where it really is, which need not be there yet. */
export function resolveInWorkspace({ root, closed }: Workspace, path: string): string {
  if (path === '' || path.includes('\0')) throw new ToolFailure('INVALID_PATH', "that isn't a path.");
  const real = realOf(isAbsolute(path) ? path : resolve(root, path));
  if (!isWithin(root, real) || real === root || closed.some((each) => isWithin(each, real)))
    throw new ToolFailure('INVALID_PATH', `${path} is not in the workspace.`);
  return real;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realOf(folder), path.slice(folder === '/' ? 1 : folder.length + 1));
  }
}

export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith('../'));
}

function open(path: string, flags: number, name: string): number {
  try {
    return openSync(path, flags, 0o644);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new ToolFailure('NOT_FOUND', `there is no file ${name}.`);
    throw new ToolFailure('INVALID_PATH', `${name} can't be opened (${code}).`);
  }
}
