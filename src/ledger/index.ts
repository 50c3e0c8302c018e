// The room's door: the ledger, and the ports its adapters implement.
export { encodeBlock, type NewEntry, type NewRunEvent } from './block.ts';
export { entriesOf, type Identity, nextKey, readEpochs, readIdentity } from './epochs.ts';
export { buriedBy, type ErasePlan, type Tombstone } from './erase.ts';
export { gatewayName, openReceiptSigner, type ReceiptSigner } from './gateway-key.ts';
export {
  acceptGrants,
  GRANTS_STATE,
  type GrantsStanding,
  grantsHashOf,
  grantsStanding,
  noteGrants,
  parseGrantsNote,
  type RecordedGrants,
} from './grants-record.ts';
export {
  assertUnprepared,
  type Environment,
  HERE,
  homeBase,
  isHere,
  keepOutOfGit,
  prepareRegistry,
  REGISTRY,
  realOf,
  registeredHere,
  registerHere,
  STATE_NAME,
  standingOf,
  stateDirectory,
} from './here.ts';
export { stateToPin } from './kept-mode.ts';
export { LastingLedger } from './lasting-ledger.ts';
export { type Appended, createLedger, Ledger, type LedgerOptions, SEAL_EVERY } from './ledger.ts';
export {
  configDirectory,
  isRootOf,
  type Located,
  type LocateOptions,
  locate,
  locateHere,
  mainWorkTree,
  projectDirectory,
  projectId,
  workspaceRoot,
} from './locate.ts';
export { isMode, MODES, type Mode, strictest } from './mode.ts';
export { assertNotRevoked, changeOperator, operatorsBehind, readOperators } from './operator-record.ts';
export {
  isBeforeEnrolment,
  type KnownOperators,
  type OperatorTrail,
  readOperatorTrail,
} from './operator-trail.ts';
export { approvePlan, type Plan, proposePlan, readPlans } from './plan-record.ts';
export {
  acceptPolicy,
  firstPolicy,
  POLICY_STATE,
  type PolicyInForce,
  type PolicyOptions,
  type PolicyStanding,
  parsePolicyNote,
  policyStanding,
  type RecordedPolicy,
  recordFirstPolicy,
} from './policy-record.ts';
export type {
  AppendOptions,
  Block,
  Build,
  Clock,
  ContentStore,
  EntryLog,
  EraseOptions,
  HashTree,
  Keyring,
  LogReader,
  Random,
  Store,
  WaitOptions,
} from './ports.ts';
export { MOST_BEHIND } from './ports.ts';
export { rebuildTree, type TreeRepair } from './rebuild-tree.ts';
export {
  acceptReplayPolicy,
  isReplayKept,
  type RecordedReplayPolicy,
  readReplayPolicy,
} from './replay-policy.ts';
export {
  type Archiving,
  DAY,
  DEFAULT_ARCHIVING,
  DEFAULT_RETENTION,
  type Due,
  dueSessions,
  HOUR,
  KEEP_ALL,
  type KeptSession,
  longest,
  type Retention,
  slowest,
} from './retention.ts';
export { type Rotated, rotate } from './rotate.ts';
export { type Sealed, seal } from './seal.ts';
export {
  ADOPT,
  DEFAULT_SETTINGS,
  hasSettings,
  isFoilOff,
  type KnownGateway,
  modeOrGuard,
  readSettings,
  type Settings,
  writeSettings,
} from './settings.ts';
export {
  openNotedValidator,
  openValidator,
  readValidatorKeys,
  rotateValidator,
  type ValidatorEpoch,
  type ValidatorOptions,
  type ValidatorRotated,
  type ValidatorSigner,
  validatorName,
} from './validator-key.ts';
