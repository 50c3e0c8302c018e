// The room's door: what a host or a program does becomes entries.
export {
  CONFIG_FILE,
  type Config,
  type ContentPolicy,
  DEFAULT_CONFIG,
  parseConfig,
  readConfig,
} from './config.ts';
export { answerHook, HOOK_DEADLINE, type HookCall, type HookOutcome, type HookPlace } from './hook.ts';
export { HostRecorder, type HostRecorderOptions } from './host-recorder.ts';
export { type Cipher, Intake, Traces } from './intake.ts';
export { readPause } from './pause.ts';
export type { FileTouched, HostCall, HostEvent, Outcome, Problem } from './host-event.ts';
export type { Adapter, Answer, Ruling } from './ruling.ts';
export { makeRuntimeDirectory, runtimeDirectory } from './runtime-directory.ts';
export {
  DEFAULT_SETTINGS,
  isMode,
  MODES,
  type Mode,
  parseSettings,
  readSettings,
  type Settings,
  strictest,
  writeSettings,
} from './settings.ts';
export { Recorder } from './recorder.ts';
export {
  type RecordCode,
  type RecorderOptions,
  RecordError,
  type Session,
  type SessionOptions,
  type Tool,
  type ToolOptions,
} from './session.ts';
