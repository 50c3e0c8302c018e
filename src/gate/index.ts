// The room's door: does what an agent says rest on anything?

export type { ClaimClass } from './claim-class.ts';
export type { AskedIn } from './corroborate.ts';
export { DEFAULT_TIMEOUT_MS, execute } from './execute.ts';
export type { Executed, ExecuteOptions, ExecuteRequest } from './execute-options.ts';
export { ExecutionQueue } from './execution-queue.ts';
export { type ExplainedClaim, explainClaim, judgeRecord } from './explain-claim.ts';
export { withFinal } from './final-claims.ts';
export { finalProblem } from './final-end.ts';
export { hasReferences, objectProblem, referenceProblem } from './final-references.ts';
export { findWeakening } from './find-weakening.ts';
export { askGit, findGit, safeEnvironment, spawnGit } from './git-door.ts';
export { keepGitShell, runGit, splitZero } from './git-process.ts';
export { type HostJudgeOptions, makeHostJudge } from './host-judge.ts';
export { type Extraction, knowsCall, lastMessage, transcriptEnd } from './last-message.ts';
export { type Placed, readSessionRecord, SessionRecord } from './ledger-evidence.ts';
export { MachineFiles } from './machine-files.ts';
export { acknowledge, noticeText } from './notices.ts';
export { type Policy, settledPolicy } from './policy-in-force.ts';
export { projectCommands } from './project-commands.ts';
export type { QuietDeed } from './quiet-deeds.ts';
export { readClaims } from './read-claims.ts';
export { recentEntries } from './recent-entries.ts';
export { type ClaimWanted, type RecordedSession, readSessionOf } from './recorded-session.ts';
export { type RefusedRun, refuse } from './repeatable-command.ts';
export { findRepository } from './repository.ts';
export {
  type AgentRun,
  type AgentSandbox,
  type AttestingSandbox,
  type FolderOutcome,
  type FolderRun,
  type HeldBy,
  type HeldLimit,
  type HeldLimits,
  isAttesting,
  type LimitName,
  type ReadReport,
  type RunEnd,
  type Sandbox,
  type SandboxLimits,
  type SandboxOutcome,
  type SandboxRun,
} from './sandbox.ts';
export { resultMatters } from './scan-commands.ts';
export { restingOn, type ScannedClaim, type ScannedTurn, type SeenClaim } from './scanned-turn.ts';
export { SessionScan } from './session-scan.ts';
export { type Copied, type CopyOptions, copyTree } from './tree-copy.ts';
export { type TreeMoment, Trees } from './tree-moment.ts';
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
export {
  type Validated,
  type ValidateOptions,
  type ValidateQuestion,
  validate,
} from './validate.ts';
export { signatureProblem } from './validation-signature.ts';
export type { ValidationSigner } from './validation-signer.ts';
export { due, openCrashes, openOverrides, watch } from './watch.ts';
export { openBase, type TreeOptions, takeTree } from './work-tree.ts';
