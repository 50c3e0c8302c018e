// The room's door: runs of agents whose state follows from their events, and their replay.

export { declarationsIn } from './agent-declarations.ts';
export type { CellCode } from './cell-form.ts';
export { type Divergence, NOTHING } from './compare-replay.ts';
export { type ContinuingRun, continuingRun, mayContinueText, unlessContinued } from './continuing-run.ts';
export { type DoubtfulCall, type RunDamage, surveyDamage } from './damaged-run.ts';
export { decidedAction } from './decided-action.ts';
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
export {
  DIFF_CAUSES,
  type DiffCall,
  diffRuns,
  type RunDiff,
  type StepDifference,
} from './diff-runs.ts';
export type { ForkAnswer, Forked, ForkOptions } from './fork-form.ts';
export { codeAt, type ForkPoint, readForkPoint } from './fork-point.ts';
export { type ForkParts, forkRun } from './fork-run.ts';
export { layCode, layDefine } from './lay-code.ts';
export { lossText } from './lost-entries.ts';
export { Machine, messageOf, writePayload } from './machine.ts';
export { type Exchange, type ModelRequest, type Models, RecordedModels, requestKey } from './models.ts';
export { type PastHead, pastHead } from './past-head.ts';
export { type AgentFacts, type AuditedPatch, auditPatch, toolViolations, wordsIn } from './patch-audit.ts';
export { PatchError, type PatchErrorCode } from './patch-error.ts';
export { describeAgent, type PatchedRun, runPatchTests, type TestOutcome } from './patch-tests.ts';
export { codeVersions, type KeptCode, moduleText } from './patched-code.ts';
export { changedState, operatedState } from './patched-state.ts';
export { applyPatch, dueFor, revertPatch } from './put-in-force.ts';
export { readExchanges } from './read-exchanges.ts';
export { type ReadContent, readEvents, readInit } from './read-run.ts';
export { recoverRun } from './recover-run.ts';
export {
  lateText,
  REPLAY_TIMEOUT,
  type ReplayCell,
  type ReplayParts,
  type ReplayReport,
  replayRun,
} from './replay.ts';
export {
  type CellInput,
  type CellLine,
  type CellPatch,
  type CellTools,
  REPLAY_FILES,
  toolsFile,
} from './replay-form.ts';
export { readImpure, readReplays, recordReplay } from './replay-record.ts';
export { isClean, type Run } from './run.ts';
export { contentOfRun } from './run-content.ts';
export { RunError, type RunErrorCode } from './run-error.ts';
export type { RunLimits, RunStatus, SnapshotPolicy } from './run-parts.ts';
export { type RecordedStep, type RunPatches, readPatches } from './run-patches.ts';
export { hashOfRun, stateOfRun } from './run-state.ts';
export { type RunSource, type RunStep, type RunSteps, readRunSteps } from './run-steps.ts';
export { type GrantedTo, loadCode, loadKept, startRun } from './start-run.ts';
export { REDUCED, type Surveyed, surveyRun } from './survey-run.ts';
export { type NewStep, type StepPlace, type TakenStep, takeStep } from './take-step.ts';
export { type CellFiles, ToolCells } from './tool-cells.ts';
export { WatchedGlobals } from './watched-globals.ts';
