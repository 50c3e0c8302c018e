// The room's door: what a host or a program does becomes entries.
export {
  CONFIG_FILE,
  type Config,
  type ContentPolicy,
  DEFAULT_CONFIG,
  parseConfig,
  readConfig,
} from './config.ts';
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
export { type ExitCode, exitCode, type Finished } from './exit-code.ts';
export { type Facts, factsOf, outputText, sizes } from './facts.ts';
export {
  answerHook,
  type HookCall,
  type HookOutcome,
  type HookPlace,
  hookDeadline,
  refuseHook,
} from './hook.ts';
export type { FileTouched, HostCall, HostEvent, Outcome, Problem } from './host-event.ts';
export { MAX_HOST_BYTES, type NotJson, parseHostJson } from './host-json.ts';
export { HostRecorder, type HostRecorderOptions } from './host-recorder.ts';
export { Intake, Traces } from './intake.ts';
export { noteMissed, peekFailed } from './missed.ts';
export { MAX_PATH, MAX_PATHS, pathsOf, workspacePath } from './paths.ts';
export { LONGEST_PAUSE, type PauseOptions, readPause, writePause } from './pause.ts';
export { type RecordCode, RecordError } from './record-error.ts';
export { Recorder } from './recorder.ts';
export type { Adapter, Answer, Ruling } from './ruling.ts';
export { makeRuntimeDirectory, runtimeDirectory } from './runtime-directory.ts';
export type { EndOptions, RecorderOptions, Session, SessionOptions } from './session.ts';
export { parseState, type SessionState } from './session-state.ts';
export {
  DEFAULT_SETTINGS,
  isFoilOff,
  isMode,
  MODES,
  type Mode,
  parseSettings,
  readSettings,
  type Settings,
  strictest,
  writeSettings,
} from './settings.ts';
export { type TestCounts, testCounts } from './test-counts.ts';
export { escapeReferences, TIDY_DEPTH, type Tidied, type TidyLimits, tidy } from './tidy.ts';
export type { Tool } from './tool-attempt.ts';
export type { FileOption, ToolOptions } from './tool-call.ts';
