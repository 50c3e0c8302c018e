// The package's main module. Published names have a user today; more come with the recorder.
export { ParseError, StoreError } from '../core/index.ts';
export type { ContentRef, Entry, Head } from '../format/index.ts';
export {
  type Appended,
  type Ledger,
  type Located,
  locate,
  locateHere,
  type NewEntry,
  type Sealed,
  type WaitOptions,
} from '../ledger/index.ts';
export { createLedger, type OpenOptions, openLedger } from './open.ts';
export { type RecoverOptions, recoverLedger } from './recover.ts';
export { type VerifyDirectoryOptions, verifyDirectory } from './verify-directory.ts';
