// The kinds of error this project throws. Verification failure is data (a finding), never one of these.
// A caller's bug is a plain TypeError or RangeError.

/** What is wrong with input that must be in one exact form. */
export type ParseCode =
  | 'INVALID_UTF8'
  | 'INVALID_JSON'
  | 'NOT_CANONICAL'
  | 'BLANK_LINE'
  | 'TOO_LONG'
  | 'TOO_DEEP'
  | 'BAD_NUMBER'
  | 'BAD_MEMBER'
  | 'UNKNOWN_VERSION'
  | 'BAD_BASE64'
  | 'BAD_HEX'
  | 'MALFORMED';

/** Malformed input. `path` says where: a member path such as `payload.files[2]`, or a line number. */
export class ParseError extends Error {
  override readonly name = 'ParseError';
  readonly code: ParseCode;
  readonly path: string;

  constructor(code: ParseCode, message: string, path = '') {
    super(path === '' ? message : `${path}: ${message}`);
    this.code = code;
    this.path = path;
  }
}

/** Why a store could not do it. */
export type StoreCode =
  | 'NOT_FOUND' // no ledger there
  | 'EXISTS' // a ledger is there already
  | 'LOCK_TIMEOUT' // another process held the lock until the deadline
  | 'NO_SPACE'
  | 'DENIED' // permission, or a read-only file system
  | 'REMOVED' // the directory was removed under an open ledger
  | 'NETWORK_FS' // locks and syncs can't be relied on there
  | 'SHORT_LOG' // the log ends before its head or checkpoint says: entries were lost or cut
  | 'DAMAGED' // bytes that were acknowledged no longer read back as written
  | 'POISONED' // an earlier write or sync failed; reopen to go on
  | 'CLOSED'
  | 'KEY' // the signing key is missing, unreadable or not this ledger's
  | 'TOO_LARGE'
  | 'IO'; // any other failure of the system

/** A store that could not do what it was asked. The message says what to do next. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreCode;
  /** True when trying again on this handle can't help. */
  readonly fatal: boolean;

  constructor(code: StoreCode, message: string, options: { fatal?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fatal = options.fatal ?? false;
  }
}

/** A request that isn't understood. The message says how to write it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
