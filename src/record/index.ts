// The room's door: what a host or a program does becomes entries.

export {
  ANCHOR_NOT_ACCEPTED,
  acceptedAnchor,
  anchorHash,
  isAnchorAccepted,
  isPublicAnchor,
} from './anchor-accepted.ts';
export type { AskedCall } from './asked-calls.ts';
export { type AuthGuard, isAuthEnforced } from './auth-guard.ts';
export { type Authority, denialOf, type WireAuthority } from './authority.ts';
export { beginSession, rejoinSession } from './begin-session.ts';
export { ClientRuns, RunClosed } from './client-runs.ts';
export {
  CONFIG_FILE,
  type Config,
  DEFAULT_CONFIG,
  parseConfig,
  parseConfigText,
  readConfig,
} from './config.ts';
export { DEFAULT_CALENDARS, DEFAULT_ESPLORA } from './config-anchor.ts';
export { parseYaml } from './config-yaml.ts';
export {
  type Cipher,
  decryptContent,
  encryptContent,
  encryptedType,
  openCipher,
  typeOfEncrypted,
} from './content-cipher.ts';
export { type Content, toContent } from './content-form.ts';
export { type Defence, refusalOf, type Suspect, suspectIn } from './defence.ts';
export { attemptOf, CHANGED_MEANWHILE, endOf, hostBlocks, httpStatus, isCapped } from './event-parts.ts';
export { exitCode, type Finished } from './exit-code.ts';
export { type Facts, factsOf, outputText, shellLine, sizes } from './facts.ts';
export {
  answerHook,
  type HookCall,
  type HookOutcome,
  type HookPlace,
  hookDeadline,
  refuseHook,
} from './hook.ts';
export type { HooksSeen } from './hook-files.ts';
export type { FileTouched, HostCall, HostEvent, JobEnd, Outcome, Problem } from './host-event.ts';
export { MAX_HOST_BYTES, parseHostJson } from './host-json.ts';
export { HostRecorder, type Recorded } from './host-recorder.ts';
export { type Digest, Intake, Traces } from './intake.ts';
export type { CommandSeen, Concluded, Heard, Judge, TurnEnd, Where } from './judge.ts';
export { MessageMemory } from './message-memory.ts';
export { noteMissed, noteOff, peekCrashes, peekFailed, peekPending } from './missed.ts';
export { type Missed, missedBoth, missedOne } from './missed-time.ts';
export {
  ModelRecorder,
  type ModelSession,
  type OpenModelCall,
  type Received,
  type RecordedAt,
  type Sent,
} from './model-call.ts';
export type { ModelAnswer, ModelMessage, ModelRequest, ToolOutput, ToolUse } from './model-facts.ts';
export { type NamedValues, queryValues, toldProtocols, toldValues } from './named-values.ts';
export { leaveMissed, type Notes, openNotes } from './notes.ts';
export { FROM_GATE, ownWords } from './own-words.ts';
export type { PassedBy } from './passed-by.ts';
export { MAX_PATH, MAX_PATHS, pathsOf } from './paths.ts';
export { LONGEST_PAUSE, readPause, writePause } from './pause.ts';
export {
  makeReceipt,
  NextWrite,
  NonceError,
  Nonces,
  readNonces,
  receiptPurpose,
  type Wire,
} from './receipts.ts';
export { type RecordCode, RecordError } from './record-error.ts';
export { Recorder } from './recorder.ts';
export { LONGEST_RELEASE, readRelease, writeRelease } from './release.ts';
export { type RawExchange, ReplayKeeping, unpackKept } from './replay-keeping.ts';
export type { Adapter, Answer, Ruling } from './ruling.ts';
export {
  isForeignDirectory,
  makeRuntimeDirectory,
  noteDirectories,
  runtimeBase,
  runtimeDirectory,
} from './runtime-directory.ts';
export type { EndOptions, RecorderOptions, Session, SessionOptions } from './session.ts';
export { encodeState, parseState, type SessionState, stateName } from './session-state.ts';
export { isPlain, type TestCounts, testCounts } from './test-counts.ts';
export { escapeReferences, TIDY_DEPTH, tidy, unescapeReferences } from './tidy.ts';
export type { Tool } from './tool-attempt.ts';
export type { FileOption, ToolOptions } from './tool-call.ts';
export type { ToldLine, TranscriptMark, TranscriptReader } from './transcript.ts';
export {
  type CallEnd,
  type OpenToolCall,
  type WireCall,
  type WireObservation,
  type WireOpenCall,
  type WireRecorder,
  WireSession,
} from './wire.ts';
export {
  type FoundSession,
  type JoinedSession,
  UnknownSession,
  type WireCaller,
  type WirePlace,
  WireSessions,
  type WireSessionsOptions,
} from './wire-sessions.ts';
