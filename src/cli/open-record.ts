// The log and content alone, for what must start fast: see start.ts and append.ts.
import { openRecordStore, type RecordStore, Unsettled } from '../store/files/index.ts';
import type { Pieces } from './pieces.ts';

/** foil.ts gives it: runs a script beside this one. */
declare const load: (name: string) => unknown;

/** What is seldom needed. */
export const more = (): Pieces['hook-more'] => (load('cli/hook-more') as Pieces)['hook-more'];

/** Where it turns out that a crash left something, the whole store takes over. */
export function openRecord(directory: string): RecordStore {
  let store = openRecordStore(directory);
  return {
    async append(build, options) {
      try {
        return await store.append(build, options);
      } catch (error) {
        if (!(error instanceof Unsettled)) throw error;
        await store.close();
        store = more().openFileStore(directory);
        return store.append(build, options);
      }
    },
    readState: (name) => store.readState(name),
    putContent: (...args) => store.putContent(...args),
    commitContent: (...args) => store.commitContent(...args),
    close: () => store.close(),
  };
}
