// The room's door: what a project may decide.

export { Acceptances } from './authority/acceptances.ts';
export { type Capability, encodeCapability, parseCapability } from './authority/capability.ts';
export {
  type FileAction,
  type FileView,
  fileNeed,
  mayBeAnyFile,
  resolved,
  UNSEEN,
} from './authority/files.ts';
export type { CallNeeds, ShellPlace } from './authority/found-needs.ts';
export { type Decision, Grants, parseGrants } from './authority/match-grants.ts';
export { mcpNeeds, unclearNeed } from './authority/named-tools.ts';
export { encodeNeed, type Need, parseNeed, parseToolNeed } from './authority/need.ts';
export {
  type Changed,
  firstOperators,
  isKnownOperator,
  type Operators,
  operatorsAfter,
  type Standing,
  standingOf,
} from './authority/operators.ts';
export { assertProposal, remarksOn } from './authority/proposed-grants.ts';
export { needsAt, startsOf } from './authority/shell-start.ts';
export { type SuggestedGrants, suggestGrants } from './authority/suggest-grants.ts';
export { namedCall, readingsOf, type ToolUse, toolNeeds, UNREAD } from './authority/tool-needs.ts';
export {
  type AddedPhrase,
  type Binding,
  CLAIM_TYPES,
  type ClaimPolicy,
  DEFAULT_POLICY,
  encodeClaimPolicy,
  type FinalBlock,
  type LeastArgs,
  parseClaimPolicy,
  policyHash,
  settles,
  VALIDATOR_IDS,
  type ValidatorId,
  validatorId,
} from './claim-policy.ts';
export { judgeTool, needsArguments, type RecordedCall, type ToolJudgement } from './pack-tools.ts';
export {
  type KnownPatch,
  type PatchCode,
  PatchCourse,
  type PatchProblem,
  type PatchStatus,
  type PatchStep,
  patchIdOf,
} from './patch-course.ts';
export {
  type JudgedStep,
  PATCH_KINDS,
  type PatchEffect,
  PatchJudge,
  type PatchStepCode,
  type PlacedStep,
} from './patch-judge.ts';
export type { NamedPaths } from './path-rules.ts';
export { isPowerShell } from './shell-tools.ts';
