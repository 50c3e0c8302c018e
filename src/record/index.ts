// The room's door: what a host or a program does becomes entries.
export type { FileTouched, HostCall, HostEvent, Outcome, Problem } from './host-event.ts';
export { LONGEST_PAUSE, type PauseOptions, readPause, writePause } from './pause.ts';
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
