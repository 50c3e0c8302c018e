// From what the operating system said to what a person can do about it.
import { StoreError } from '../../core/index.ts';

interface SystemError extends Error {
  readonly code: string;
}

export function hasCode(error: unknown, ...codes: readonly string[]): error is SystemError {
  return error instanceof Error && codes.includes((error as { code?: unknown }).code as string);
}

/** A StoreError for whatever was thrown while doing `what` at `path`. StoreErrors pass through. */
export function storeError(
  error: unknown,
  what: string,
  path: string,
  options: { fatal?: boolean } = {},
): Error {
  if (error instanceof StoreError || !(error instanceof Error) || !('code' in error)) return error as Error;
  const more = { ...options, cause: error };
  const failed = `could not ${what} ${path}`;
  switch (error.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new StoreError(
        'NO_SPACE',
        `${failed}: the disk or quota is full. Free some space and try again.`,
        more,
      );
    case 'EFBIG':
      return new StoreError(
        'NO_SPACE',
        `${failed}: the file size limit (ulimit -f) is reached. Raise it and try again.`,
        more,
      );
    case 'EACCES':
    case 'EPERM':
      return new StoreError('DENIED', `${failed}: permission denied. Check its owner and its mode.`, more);
    case 'EROFS':
      return new StoreError('DENIED', `${failed}: the file system is read-only.`, more);
    case 'ENOTDIR':
      return new StoreError(
        'REMOVED',
        `${failed}: something else has replaced a directory in this path. Restore the directory, then try again.`,
        more,
      );
    case 'EISDIR':
      return new StoreError(
        'REMOVED',
        `${failed}: there is a directory in place of the file. Restore the file, then try again.`,
        more,
      );
    case 'ELOOP':
      return new StoreError(
        'REMOVED',
        `${failed}: there is a symbolic link, and foil doesn't follow links here. Restore the original, then try again.`,
        more,
      );
    case 'ENOENT':
    case 'ESTALE':
      return new StoreError(
        'REMOVED',
        `${failed}: it no longer exists. Restore the directory, then try again.`,
        more,
      );
    case 'EMFILE':
    case 'ENFILE':
      return new StoreError('IO', `${failed}: too many open files. Raise ulimit -n.`, more);
    default:
      return new StoreError('IO', `${failed}: ${error.message}. Run \`foil doctor\`.`, more);
  }
}

/** For people: whatever was thrown, with no raw word of the system's. Errors of our own pass through. */
export function plainly(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { code, syscall, path } = error as { code?: unknown; syscall?: unknown; path?: unknown };
  if (typeof code !== 'string' || typeof syscall !== 'string' || !/^E[A-Z0-9]+$/.test(code)) return error;
  const what = ['open', 'read', 'scandir', 'stat', 'lstat', 'readlink'].includes(syscall) ? 'read' : 'use';
  return storeError(error, what, typeof path === 'string' ? path : 'a file');
}
