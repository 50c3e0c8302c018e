// The room's door: runs of agents whose state follows from their events, and their replay.

export type { CellCode } from './cell-form.ts';
export type { Divergence } from './compare-replay.ts';
export {
  type Action,
  type Agent,
  type AgentEvent,
  type AgentOptions,
  asAgent,
  type CallContext,
  defineAgent,
  defineTool,
  type Memory,
  type ModelPlace,
  type ModelToolOptions,
  modelTool,
  type StandardSchema,
  type Tool,
  type ToolLimits,
  type ToolOptions,
} from './define.ts';
export { Machine, messageOf } from './machine.ts';
export { type Exchange, type ModelRequest, type Models, RecordedModels, requestKey } from './models.ts';
export { readExchanges } from './read-exchanges.ts';
export { type ReadContent, readInit } from './read-run.ts';
export { recoverRun } from './recover-run.ts';
export { type ReplayCell, type ReplayParts, type ReplayReport, replayRun } from './replay.ts';
export { type CellInput, type CellLine, type CellTools, REPLAY_FILES } from './replay-form.ts';
export type { Run, RunLimits, RunStatus, SnapshotPolicy } from './run.ts';
export { RunError, type RunErrorCode } from './run-error.ts';
export { type GrantedTo, startRun } from './start-run.ts';
export { type CellFiles, ToolCells } from './tool-cells.ts';
export { WatchedGlobals } from './watched-globals.ts';
