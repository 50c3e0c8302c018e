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
      return new StoreError('DENIED', `${failed}: permission denied. Check who owns it and its mode.`, more);
    case 'EROFS':
      return new StoreError('DENIED', `${failed}: the file system is read-only.`, more);
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ESTALE':
      return new StoreError(
        'REMOVED',
        `${failed}: it is not there any more. Restore the directory, then try again.`,
        more,
      );
    case 'EMFILE':
    case 'ENFILE':
      return new StoreError('IO', `${failed}: too many open files. Raise ulimit -n.`, more);
    default:
      return new StoreError('IO', `${failed}: ${error.message}. Run \`foil doctor\`.`, more);
  }
}
