// The room's door: runs of agents whose state follows from their events, and their replay.

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
  type StandardSchema,
  type Tool,
  type ToolLimits,
  type ToolOptions,
} from './define.ts';
export {
  DIFF_CAUSES,
  type DiffCall,
  diffRuns,
  type RunDiff,
  type StepDifference,
} from './diff-runs.ts';
export type { ForkAnswer, Forked, ForkOptions } from './fork-form.ts';
export { type ForkPoint, readForkPoint } from './fork-point.ts';
export { type ForkParts, forkRun } from './fork-run.ts';
export { layCode, readBundle } from './lay-code.ts';
export { Machine, messageOf } from './machine.ts';
export { type ReadContent, readEvents, readInit } from './read-run.ts';
export { recoverRun } from './recover-run.ts';
export { type ReplayParts, type ReplayReport, replayRun } from './replay.ts';
export type { CellInput, CellLine } from './replay-form.ts';
export { readImpure, readReplays, recordReplay } from './replay-record.ts';
export type { Run, RunLimits, RunStatus, SnapshotPolicy } from './run.ts';
export { RunError, type RunErrorCode } from './run-error.ts';
export { type RunSource, type RunStep, type RunSteps, readSteps } from './run-steps.ts';
export { type GrantedTo, loadCode, startRun } from './start-run.ts';
export { type DoubtfulCall, type RunSurvey, surveyRun } from './survey-run.ts';
export { WatchedGlobals } from './watched-globals.ts';
