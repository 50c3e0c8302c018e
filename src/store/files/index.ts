// The door of the file store.
export type { ArchivedFile } from './archive.ts';
export { monotonic } from './clock.ts';
export { openContentKey } from './content-key.ts';
export type { ContentUse } from './content-use.ts';
export { hasCode, plainly } from './failure.ts';
export { DEFAULT_TIMEOUT, FileLog, openFileLog, Unsettled } from './file-log.ts';
export { createFileStore, FileStore, type FileStoreOptions, openFileStore } from './file-store.ts';
export { openFiles } from './files-view.ts';
export { blockingFs, type Fs, nodeFs } from './fs.ts';
export { gitLock } from './git-lock.ts';
export { openKeyring } from './keyring.ts';
export { removeLeftovers } from './leftovers.ts';
export { fileSystemName } from './network.ts';
export { after, OsLock, SECTION } from './os-lock.ts';
export { readRange } from './read-range.ts';
export { openRecordStore, type RecordStore } from './record-store.ts';
export { makeDirectories, writeDurably } from './whole-file.ts';
