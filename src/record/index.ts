// The room's door: what a host or a program does becomes entries.
export {
  decryptContent,
  encryptContent,
  encryptedType,
  typeOfEncrypted,
} from './content-cipher.ts';
export { type Content, toContent } from './content-form.ts';
export { type ExitCode, exitCode, type Finished } from './exit-code.ts';
export { type Facts, factsOf, outputText, sizes } from './facts.ts';
export type { FileTouched, HostCall, HostEvent, Outcome, Problem } from './host-event.ts';
export { MAX_HOST_BYTES, type NotJson, parseHostJson } from './host-json.ts';
export { MAX_PATH, MAX_PATHS, pathsOf, workspacePath } from './paths.ts';
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
export { type TestCounts, testCounts } from './test-counts.ts';
export { escapeReferences, TIDY_DEPTH, type Tidied, type TidyLimits, tidy } from './tidy.ts';
