// The room's door: what a host or a program does becomes entries.

export { type AuthGuard, isAuthEnforced } from './auth-guard.ts';
export { type Authority, denialOf, type WireAuthority } from './authority.ts';
export {
  type Cipher,
  decryptContent,
  encryptContent,
  openCipher,
} from './content-cipher.ts';
export { type Content, toContent } from './content-form.ts';
export { exitCode, type Finished } from './facts/exit-code.ts';
export { type Facts, factsOf, outputText, runsLine, shellLine, sizes } from './facts/facts.ts';
export { MAX_PATH, MAX_PATHS, pathsOf } from './facts/paths.ts';
export { isPlain, type TestCounts, testCounts } from './facts/test-counts.ts';
export { type Defence, refusalOf, type Suspect, suspectIn } from './host/defence.ts';
export { attemptOf, CHANGED_MEANWHILE, endOf, hostBlocks, httpStatus, isCapped } from './host/event-parts.ts';
export {
  answerHook,
  type HookCall,
  type HookOutcome,
  type HookPlace,
  hookDeadline,
  refuseHook,
} from './host/hook.ts';
export type { HooksSeen } from './host/hook-files.ts';
export type { FileTouched, HostCall, HostEvent, JobEnd, Outcome, Problem } from './host/host-event.ts';
export { MAX_HOST_BYTES, parseHostJson } from './host/host-json.ts';
export { HostRecorder, type Recorded } from './host/host-recorder.ts';
export type { CommandSeen, Concluded, Heard, Judge, TurnEnd, Where } from './host/judge.ts';
export { FROM_GATE, ownWords } from './host/own-words.ts';
export { decisiveEvent, readHookEvents } from './host/read-hook-events.ts';
export type { Adapter, Answer, Ruling } from './host/ruling.ts';
export { encodeState, parseState, type SessionState, stateName } from './host/session-state.ts';
export type { ToldLine, TranscriptMark, TranscriptReader } from './host/transcript.ts';
export { type Digest, Intake, Traces } from './intake.ts';
export { noteMissed, noteOff, peekCrashes, peekFailed, peekPending } from './missed/missed.ts';
export { type Missed, missedBoth, missedOne } from './missed/missed-time.ts';
export { LONGEST_PAUSE, readPause, writePause } from './missed/pause.ts';
export { LONGEST_RELEASE, readRelease, writeRelease } from './missed/release.ts';
export {
  isForeignDirectory,
  makeRuntimeDirectory,
  noteDirectories,
  runtimeBase,
  runtimeDirectory,
} from './missed/runtime-directory.ts';
export type { AskedCall } from './model/asked-calls.ts';
export { MessageMemory } from './model/message-memory.ts';
export {
  ModelRecorder,
  type ModelSession,
  type OpenModelCall,
  type Received,
  type RecordedAt,
  type Sent,
} from './model/model-call.ts';
export type { ModelAnswer, ModelMessage, ModelRequest, ToolOutput, ToolUse } from './model/model-facts.ts';
export { type NamedValues, queryValues, toldProtocols, toldValues } from './model/named-values.ts';
export type { PassedBy } from './model/passed-by.ts';
export { type RawExchange, ReplayKeeping, unpackKept } from './model/replay-keeping.ts';
export { beginSession, rejoinSession } from './program/begin-session.ts';
export { leaveMissed, type Notes, openNotes } from './program/notes.ts';
export { Recorder } from './program/recorder.ts';
export type { EndOptions, RecorderOptions, Session, SessionOptions } from './program/session.ts';
export type { Tool } from './program/tool-attempt.ts';
export type { FileOption, ToolOptions } from './program/tool-call.ts';
export { type RecordCode, RecordError } from './record-error.ts';
export { escapeReferences, TIDY_DEPTH, tidy, unescapeReferences } from './tidy.ts';
export { ClientRuns, RunClosed } from './wire/client-runs.ts';
export {
  makeReceipt,
  NextWrite,
  NonceError,
  Nonces,
  readNonces,
  receiptPurpose,
  type Wire,
} from './wire/receipts.ts';
export {
  type CallEnd,
  type OpenToolCall,
  type WireCall,
  type WireObservation,
  type WireOpenCall,
  type WireRecorder,
  WireSession,
} from './wire/wire.ts';
export {
  type FoundSession,
  type JoinedSession,
  UnknownSession,
  type WireCaller,
  type WirePlace,
  type WireSessionsOptions,
} from './wire/wire-session.ts';
export { WireSessions } from './wire/wire-sessions.ts';
