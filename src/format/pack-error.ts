// Why a set of files, an archive or a pack is refused, or could not be made. Each kind of fault has a code of its own.

export type PackCode =
  // The set of files.
  | 'BAD_PATH' // climbs out, is absolute, or can't be a file's name everywhere
  | 'DOUBLED_PATH' // twice, or differs in case or Unicode form alone, or is a file and a folder
  | 'TOO_MANY_FILES'
  | 'TOO_LARGE'
  // The archive.
  | 'NOT_GZIP'
  | 'BOMB'
  | 'NOT_TAR'
  | 'LINK' // symbolic or hard
  | 'DEVICE' // or a pipe
  | 'FOLDER'
  | 'ODD_HEADER' // mode, owner, time or anything else that the writer does not write
  | 'ORDER'
  | 'CUT_SHORT'
  | 'TRAILING'
  // The pack.
  | 'NO_MANIFEST'
  | 'BAD_MANIFEST'
  | 'ADDED_FILE'
  | 'MISSING_FILE'
  | 'CHANGED_FILE'
  | 'STRAY_FILE' // outside of the folders of a pack
  | 'BAD_CONFIG' // not canonical JSON
  | 'NO_TOOL_POLICY'
  | 'BAD_VARIABLES'
  | 'WRONG_HASH'
  // Making and opening one.
  | 'UNREADABLE'
  | 'CHANGING'
  | 'BAD_SETTINGS'
  | 'SECRET'
  | 'NOTHING_FOUND'
  | 'NOT_ENCRYPTED'
  | 'NOT_FOR_THIS_KEY'
  | 'BAD_KEY';

/** `path` is the file's, where it is about one. */
export class PackError extends Error {
  override readonly name = 'PackError';
  readonly code: PackCode;
  readonly path: string;

  constructor(code: PackCode, message: string, path = '') {
    super(path === '' ? message : `${path}: ${message}`);
    this.code = code;
    this.path = path;
  }
}
