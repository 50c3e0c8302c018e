// What a recorder needs of a store and no more: the log, states and content, without the tree, so that a process that
// records one event and ends loads nothing else. FileStore does the same and the rest.
import type { ContentRef, Head } from '../../format/index.ts';
import type { AppendOptions, Build, Store } from '../../ledger/index.ts';
import { ContentFiles } from './content.ts';
import { DEFAULT_TIMEOUT, type FileLog, openFileLog } from './file-log.ts';
import { blockingFs } from './fs.ts';

export type RecordStore = Pick<Store, 'append' | 'readState' | 'putContent' | 'commitContent' | 'close'>;

/** NOT_FOUND where there is no ledger. Every call blocks the process: it has nothing else to do. */
export function openRecordStore(directory: string): RecordStore {
  const log: FileLog = openFileLog(directory, { fs: blockingFs, alone: true });
  const random = (length: number): Uint8Array => process.getBuiltinModule('node:crypto').randomBytes(length);
  const content = new ContentFiles(directory, blockingFs, log.lock, random);
  return {
    append: (build: Build, options?: AppendOptions): Promise<Head | undefined> => log.append(build, options),
    readState: async (name) => log.readState(name),
    putContent: (session, bytes, options = {}): Promise<ContentRef> =>
      content.put(session, bytes, options, DEFAULT_TIMEOUT),
    commitContent: (session, bytes) => content.commit(session, bytes, DEFAULT_TIMEOUT),
    async close() {
      await log.close();
      content.close();
    },
  };
}
