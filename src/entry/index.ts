// The package's main module: the recorder for programs, and the ledger it writes to.
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
export {
  type EndOptions,
  type FileOption,
  type RecordCode,
  RecordError,
  type Recorder,
  type Session,
  type SessionOptions,
  type Tool,
  type ToolOptions,
} from '../record/index.ts';
export { createLedger, type OpenOptions, openLedger } from './open.ts';
export { openRecorder, openRecording, type RecorderPlace, type Recording } from './recorder.ts';
export { type RecoverOptions, recoverLedger } from './recover.ts';
export { type VerifyDirectoryOptions, verifyDirectory } from './verify-directory.ts';
