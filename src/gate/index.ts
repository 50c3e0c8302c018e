// The room's door: does what an agent says rest on anything?
export { type HostJudgeOptions, makeHostJudge } from './host-judge.ts';
export { type Extraction, knowsCall, type LastMessage, lastMessage } from './last-message.ts';
export { projectCommands } from './project-commands.ts';
export { resultMatters, type ScannedClaim, type ScannedTurn, SessionScan } from './session-scan.ts';
export type { ValidationSigner } from './stop-gate.ts';
export { findWeakening } from './test-integrity.ts';
export {
  type Base,
  type Content,
  differences,
  encodeBase,
  encodeTree,
  fingerprint,
  parseBase,
  parseTree,
  type TreeState,
} from './tree-state.ts';
export { openBase, type TreeOptions, takeTree } from './work-tree.ts';
