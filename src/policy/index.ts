// The room's door: what a project may decide.
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
export { judgeTool, needsArguments, type ToolJudgement } from './pack-tools.ts';
export type { NamedPaths } from './path-rules.ts';
