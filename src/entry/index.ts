// The package's main module: the recorder for programs, and the ledger it writes to.

export { createLedger, type OpenOptions, openLedger } from './open.ts';
export { openRecorder, openRecording, type RecorderPlace, type Recording } from './recorder.ts';
export { type RecoverOptions, recoverLedger } from './recover.ts';
export { type VerifyDirectoryOptions, verifyDirectory } from './verify-directory.ts';
