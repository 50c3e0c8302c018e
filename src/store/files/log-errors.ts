// What is wrong with a log, in words that say what to do next.
import { StoreError } from '../../core/index.ts';
import { hasCode } from './failure.ts';

export function removedLog(directory: string): StoreError {
  return new StoreError(
    'REMOVED',
    `${directory} was removed while in use. Restore it, or run \`foil init\`.`,
    { fatal: true },
  );
}

export function shortLog(directory: string, detail: string): StoreError {
  return new StoreError(
    'SHORT_LOG',
    `the log in ${directory} ends too early: ${detail}. Entries were lost or cut. Run \`foil verify\`, then restore a copy; without one, see \`foil recover --help\`.`,
  );
}

export function damaged(what: string): StoreError {
  return new StoreError('DAMAGED', `${what}. Run \`foil verify\`, then \`foil recover\`.`);
}

export function isNoSpace(error: unknown): boolean {
  return hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG');
}
