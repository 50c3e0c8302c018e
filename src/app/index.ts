export { anchorInForce, isLocked, ownAnchor } from './anchor/anchor-in-force.ts';
export { keepUp } from './anchor/git-keeper.ts';
export { ledgerBlocks } from './anchor/ledger-blocks.ts';
export { openStampPorts } from './anchor/stamp-ports.ts';
export { attestHere } from './attest/attest-work.ts';
export { type AttesterPlace, openAttesterPlace } from './attest/attester-place.ts';
export { type Fetched, unfetchable } from './attest/fetch-pack.ts';
export { BY_MODEL } from './attest/judge-apis.ts';
export { nextInFolder, sessionChanges } from './changes/session-changes.ts';
export { commitObject, commitsSince, treesOf } from './commit-object.ts';
export { endByHand } from './end-session.ts';
export { callNeeds, makeAuthority } from './hook/authority.ts';
export { makeDefence, wireDefence } from './hook/defence.ts';
export { divertedBy } from './hook/diverted.ts';
export { locateHook } from './hook/hook-ledger.ts';
export { type HookLine, isStrict, modeHere, parseHookLine } from './hook/hook-line.ts';
export { readInput, say } from './hook/hook-pipes.ts';
export { hooksOf } from './hook/hooks-seen.ts';
export { hostPlace } from './hook/host-place.ts';
export { type Inside, insideOf, isInsideRun } from './hook/inside-call.ts';
export { type JudgeMaker, judgeMaker } from './hook/judge-maker.ts';
export { modeInPlace } from './hook/mode-in-place.ts';
export { openSigner } from './hook/open-signer.ts';
export { hostSession } from './hook/session-ledger.ts';
export { wholeLedger } from './hook/whole-ledger.ts';
export { realOf } from './hook/work-place.ts';
export { type HostOverride, hostOverrides } from './hosts/host-overrides.ts';
export {
  AGENTS,
  agentsOf,
  gitState,
  gitTracks,
  placesOf,
  SCOPE_HELP,
  scopeOf,
  titleOf,
} from './hosts/hosts.ts';
export { findInstalledHooks, type InstalledHooks, localWiring, updateInstalled } from './hosts/installed.ts';
export { assertNotLedAway } from './hosts/led-away.ts';
export { modeInForce, pinnedText } from './hosts/mode-in-force.ts';
export { isFile, readBounded, readFile, readLines } from './input.ts';
export {
  makeOperator,
  newPassphrase,
  openOperator,
  operatorFile,
  readOperator,
} from './keys/operator-key.ts';
export { askSecrets } from './keys/terminal-secret.ts';
export { pin, pinOperator } from './keys/trust.ts';
export { type MadeBundle, makeBundle } from './make-bundle.ts';
export { makeLedger } from './make-ledger.ts';
export { ownProgram } from './own-program.ts';
export { type KnownPlan, knownPlans, planJson } from './plans.ts';
export { startProblem, unstarted } from './program.ts';
export { KEPT_KINDS, type KeptSession, readKeptSession, Unreplayable } from './replay/kept-session.ts';
export { replaySession, type SessionReplay } from './replay/replay-session.ts';
export { startingTree } from './replay/starting-tree.ts';
export {
  artifactsOfRun,
  bundleParts,
  DISCLOSURES,
  type Disclosure,
  keptArtifactsOf,
  packOfRun,
  sumUp,
} from './run-bundle.ts';
export { closeRun } from './service/close-run.ts';
export { executeHere } from './service/execute-here.ts';
export { freePort } from './service/free-port.ts';
export { openAccess, readPrivate } from './service/gateway-access.ts';
export { findReceipt } from './service/gateway-lookup.ts';
export { recordingOf } from './service/open-recording.ts';
export { ownBuild } from './service/own-build.ts';
export { BEGIN, type ServeAuthority, serveAuthority } from './service/serve-authority.ts';
export {
  askService,
  askServiceAt,
  type HookLatency,
  otherBuildText,
  type ServiceStatus,
} from './service/service-status.ts';
export { wireAuthority } from './service/wire-authority.ts';
export {
  commandsOf,
  currentPolicy,
  filePolicy,
  findSession,
  grantsFor,
  keptValue,
  sessionIntake,
  standingFor,
  textOf,
  treeNow,
} from './session-evidence.ts';
export { keepPlaces, withPlaces } from './settings-places.ts';
export { cutSessions } from './upkeep/cut-sessions.ts';
export { archivingOf, retentionOf } from './upkeep/retention.ts';
export { archivedBefore, tidyUp, type Upkeep } from './upkeep/upkeep.ts';
export { isUpkeepLate, noteUpkeepTried } from './upkeep/upkeep-late.ts';
export { isUpkeepDue, readUpkeepNote } from './upkeep/upkeep-note.ts';
export { openPlace, openToRead, reading, withLedger } from './with-ledger.ts';
export {
  openWorkspace,
  readWorkspaceFile,
  resolveInWorkspace,
  type Workspace,
  writeWorkspaceFile,
} from './workspace-files.ts';
export { endsInLine, isWritable } from './writable-log.ts';
