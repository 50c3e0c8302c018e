// The room's door: judgements that need no machine.

export { heldAct } from './act-evidence.ts';
export { mayTellAct } from './act-words.ts';
export { speaksOf } from './attempt-match.ts';
export { askByNames, namesIn, quoteOf } from './claim-names.ts';
export { readContract, tellsFault } from './contract.ts';
export { scopeOf } from './coverage.ts';
export {
  type Attempt,
  type Change,
  type Evidence,
  isBornSkipped,
  type Run,
  type Stub,
  type Weakening,
} from './evidence.ts';
export { type Excuse, mayExcuse, RULES_VERSION } from './excuse-kinds.ts';
export { excuseOf } from './excuses.ts';
export { commandOf, gateMessage, gateWarning, wayOut } from './gate-message.ts';
export { lastingChanges } from './held.ts';
export { untriedHindrance } from './hindrances.ts';
export { absentNames } from './integrity/absent-names.ts';
export { addWords } from './integrity/added-words.ts';
export { changedExpectations, toldExpectations } from './integrity/changed-expectations.ts';
export { besides } from './integrity/config-changes.ts';
export { defeated } from './integrity/defeated-tests.ts';
export { declaresAsMany, fewerRan, type Ran } from './integrity/fewer-ran.ts';
export { goneWords, withGone } from './integrity/gone-words.ts';
export { idleTests } from './integrity/idle-tests.ts';
export { isInert } from './integrity/inert-changes.ts';
export { stubsIn } from './integrity/stubs.ts';
export { readConfig } from './integrity/test-config.ts';
export { noMarks, readMarks } from './integrity/test-marks.ts';
export {
  bearsByText,
  bearsOnTests,
  type Profile,
  parseProfile,
  profileOf,
  Readings,
} from './integrity/test-profile.ts';
export { Subjects } from './integrity/test-subjects.ts';
export { turnedAway } from './integrity/turned-away.ts';
export { untoldStubs } from './integrity/untold-stubs.ts';
export { jointClaims } from './joint-checks.ts';
export {
  isSettled,
  type JudgedClaim,
  type Judgement,
  judge,
  leadingClaim,
} from './judge.ts';
export { isOfNoCommand, type JudgeInput, mayBeHeld } from './judge-input.ts';
export {
  evidenceIn,
  forgetBackground,
  type GateMemory,
  isMemory,
  isShownWhole,
  limitMet,
  NO_MEMORY,
  type ResultSeen,
  rememberBlock,
  rememberChange,
  rememberPrompt,
  rememberResult,
  rememberStop,
  rememberTree,
  treeOf,
  unconsented,
  withConsent,
} from './memory.ts';
export { actsIn, missingAct } from './named-acts.ts';
export { findOverrides } from './overrides.ts';
export { capabilitiesOf, grantTextsOf } from './run/capabilities.ts';
export {
  denialReason,
  LONG_PATH,
  MANY_NEEDS,
  notGranted,
  unsaidNeeds,
} from './run/denial-reason.ts';
export { RunJudge } from './run/judge-run.ts';
export type { RunFlaw, RunFlawCode } from './run/run-flaw.ts';
export { attackByCommand, attackByFile } from './self-defence/attack.ts';
export { looksLikeAttack } from './self-defence/looks-like-attack.ts';
export type { GitView, HostProcess, Ours } from './self-defence/ours.ts';
export { OWN_COMMANDS, ownAct } from './self-defence/own-command.ts';
export { SessionEvidence } from './session-evidence.ts';
export { keptTests } from './state-evidence.ts';
export { type ProjectCommands, type Suggestion, suggest } from './suggestion.ts';
export { type Before, compareTests } from './test-integrity.ts';
export { testsToLeaveOut } from './tests-to-leave-out.ts';
export { type ToldAct, type ToldClaim, type ToldClaims, toldActs } from './told-acts.ts';
export { undoneForPrompt, unmadeDeed } from './unmade-deeds.ts';
export { askValidator, unknownLeast, VALIDATORS } from './validators/index.ts';
export type {
  Fail,
  Outcome,
  Refused,
  ValidatorContext,
} from './validators/validator.ts';
export { isCorroborated } from './vantage.ts';
export { tellsWayPast, withoutAdvice, withoutWayPast } from './way-past.ts';
