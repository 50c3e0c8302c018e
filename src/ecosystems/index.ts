// The room's door: what is known of others' tools.
export { alternatives, checkersOf, configWords, isConfigName } from './configs.ts';
export {
  isCache,
  isCode,
  isData,
  isDocument,
  isGenerated,
  isLeftBehind,
  isManifest,
  isPersonal,
  isPipeline,
  isPlain,
  isTestConfig,
  isTestFile,
  isTrackedCode,
} from './file-kinds.ts';
export { PLAIN_TAP } from './formats.ts';
export { interpreters } from './js/node-test.ts';
export { languageOf } from './languages.ts';
export {
  belongsTo,
  holds,
  isEmptyName,
  isFileOf,
  nameWords,
  samePath,
  segments,
  selects,
  stemWords,
} from './path-match.ts';
export { shadowsPython } from './python/modules.ts';
export { pythonTests } from './python/pytest.ts';
export { readPython } from './python/python.ts';
export { add, type Output, plainText, type Report } from './report.ts';
export type { Checker, Language, Mark, OneOf, Syntax, Traits } from './runner.ts';
export {
  checkers,
  complaintOf,
  configs,
  ends,
  isBinary,
  kindOf,
  outputs,
  toolOf,
  traitsOf,
  traitsOfCommand,
} from './runners.ts';
export { isEveryCheck, projectScript, standsIn } from './tasks/project-script.ts';
export { passedOn, scriptKind } from './tasks/scripts.ts';
export { runsTests, testProgram, VIEWS } from './test-programs.ts';
export {
  each,
  type Found,
  firstBare,
  found,
  MAX_WORDS,
  own,
  type Reader,
  readOptions,
  readTool,
  type Table,
  type Tool,
} from './tool.ts';
