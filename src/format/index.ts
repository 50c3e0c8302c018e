// The room's door: what is stored, and in which one form.

export {
  type AgentInit,
  encodeAgentInit,
  encodeToolFact,
  LONGEST_TOOL,
  MOST_NEEDS,
  type RunCellFact,
  type RunHashes,
  type RunToolFact,
} from './agent-init.ts';
export { artifactRoot, encodeArtifacts, mayHoldOutput, PASSED_FOLDERS, parseArtifacts } from './artifacts.ts';
export {
  ATTESTATION_TYPE,
  type Attestation,
  type AttestedSandbox,
  type AttestedTests,
  attestationText,
  encodeAttestation,
  encodeSignedAttestation,
  LONGEST_REASON,
  parseAttestation,
  parseSignedAttestation,
  type SignedAttestation,
} from './attestation.ts';
export {
  type AttestedRubric,
  type AttestedVote,
  areEnoughVotes,
  HIGHEST_SCORE,
  rubricScore,
  type VoteLedger,
} from './attested-rubric.ts';
export {
  BUNDLE_PARTS,
  BUNDLE_TYPE,
  type Bundle,
  type BundleHarness,
  type BundlePayload,
  bundlePayloadText,
  ENVELOPE_FILE,
  encodeBundle,
  encodeBundleProof,
  linesOf,
  MOST_PROMPTS,
  parseBundle,
  parseBundleFiles,
  parseBundlePayload,
  parseBundleProof,
} from './bundle.ts';
export { type CallAuthority, encodeCallAuthority, parseCallAuthority } from './call-authority.ts';
export {
  CHANGES_FILE,
  type Changes,
  encodeChanges,
  type FileChange,
  LONGEST_CHANGED,
  MOST_CHANGED,
  type NamedCommit,
  parseChanges,
  wronglyNamed,
} from './changes.ts';
export {
  type CallEvidence,
  encodeCallEvidence,
  encodeResultEvidence,
  parseCallEvidence,
  parseResultFacts,
  type ResultEvidence,
  type ResultFacts,
} from './check.ts';
export { encodeClaim, parseClaim, type RecordedClaim } from './claim.ts';
export type { ClientCall, ClientRun } from './client-run.ts';
export { commandText } from './command-text.ts';
export {
  type CommitProof,
  encodeCommitProof,
  MOST_COMMIT_BYTES,
  parseCommitProof,
  readCommit,
} from './commit-proof.ts';
export {
  asContentRef,
  assertContentRefs,
  type ContentRef,
  contentRefs,
  contentSession,
  ENCRYPTED_HEADER,
  encodeContentRef,
  encryptedType,
  MAX_CONTENT,
  NO_SESSION,
  parseContentRef,
  SALTED,
  startsEncrypted,
  typeOfEncrypted,
} from './content.ts';
export { encodeContract, parseContract, type Quoted, type RecordedContract } from './contract.ts';
export { CUSTODY, type Custody, encodeCustody, parseCustody } from './custody.ts';
export {
  type Draft,
  decode,
  type EncodedDraft,
  type Entry,
  encodeEntry,
  GENESIS,
  hashOfEntry,
  isTimestamp,
  LineWriter,
  MAX_LINE,
  PayloadText,
  parseEntry,
  parseJson,
  readAcceptedEntry,
} from './entry.ts';
export { EntryScan } from './entry-scan.ts';
export { type ErasedSession, type EraseReason, encodeErase, MOST_ERASED, parseErase } from './erase.ts';
export {
  type AttemptFact,
  type Check,
  type CheckKind,
  type Claim,
  type ClaimStatus,
  type ClaimType,
  type Contract,
  type Flaw,
  type FlawCode,
  type GateVerdict,
  GRADES,
  type Grade,
  isOwn,
  type LadderHop,
  leastGrade,
  type TargetFields,
} from './evidence.ts';
export {
  assertPath,
  type FileHash,
  fileHashes,
  filesRoot,
  isFileOf,
  MOST_BYTES,
  MOST_FILES,
  proveFile,
  sortedFiles,
  type TreeFile,
} from './file-tree.ts';
export {
  type BlockLimit,
  type ClaimEnd,
  claimEnd,
  encodeGate,
  type Gate,
  type GatedClaim,
  type HostBlocks,
  parseGate,
} from './gate.ts';
export { type GatewayReceipt, parseGatewayReceipt } from './gateway-receipt.ts';
export { encodeGitCommit, GitIds, type GitObject, gitCommitObjects, gitObject } from './git-objects.ts';
export {
  GIT_KINDS,
  GIT_MAIN,
  type GitCommit,
  type GitEnd,
  GitStory,
  type GitStoryState,
  isGitStoryRef,
} from './git-story.ts';
export { gitObjectHash, MOST_TREE_BYTES, readTree } from './git-tree.ts';
export {
  encodeGrants,
  encodeGrantsRecord,
  type GrantsRecord,
  type GrantTexts,
  LONGEST_CAPABILITY,
  parseGrantsRecord,
  parseGrantTexts,
} from './grants-record.ts';
export { encodeHarnessChange, type HarnessChange, type PackChange } from './harness-change.ts';
export {
  buildPack,
  type HarnessPack,
  MANIFEST_FILE,
  type PackManifest,
  type RubricVerification,
  readPackFiles,
  type TestReport,
  type TestVerification,
  TOOL_POLICY_FILE,
  toolPolicyOf,
  VARIABLES_FILE,
  type Verification,
} from './harness-pack.ts';
export { encodeHead, HEAD_SIZE, type Head, type Position, parseHead } from './head.ts';
export {
  encodeSigstoreBundle,
  IN_TOTO_TYPE,
  MOST_SUBJECTS,
  TEST_RESULT,
  testResultStatement,
  VERIFICATION_SUMMARY,
  verificationSummary,
} from './in-toto.ts';
export { encodeJudgeVote, type JudgeVote, parseJudgeVote, type VoteProblem } from './judge-vote.ts';
export {
  encodeKeptAnswer,
  encodeKeptCommand,
  encodeKeptTree,
  type KeptAnswer,
  type KeptCommand,
  type KeptFile,
  MOST_ANSWER_BYTES,
  MOST_KEPT_BYTES,
  MOST_KEPT_FILES,
  parseKeptAnswer,
  parseKeptCommand,
  parseKeptTree,
} from './kept-replay.ts';
export { isKind, isKnownKind, isUserKind } from './kinds.ts';
export {
  AUTH_DIR,
  BLOB_DIR,
  CHECKPOINT_DIR,
  CHECKPOINT_FILE,
  compareSegments,
  encodeCheckpointName,
  encodeSegmentName,
  encodeStampName,
  GIT_DIR,
  HEAD_FILE,
  KEY_DIR,
  LOCK_FILE,
  PACK_FILE,
  parseCheckpointName,
  parseSegmentName,
  parseStampName,
  SALT_DIR,
  SEGMENT_DIR,
  SERVICE_DIR,
  SETTINGS_FILE,
  type Segment,
  STAMP_DIR,
  STATE_DIR,
  type StampPart,
  statePath,
  TILE_DIR,
  UPKEEP_FILE,
} from './layout.ts';
export { LineSum } from './line-sum.ts';
export { count, cut, hash, isGitHash, orNull } from './members.ts';
export {
  type Crash,
  encodeCrash,
  encodeNotice,
  encodeOverride,
  type FoilNotice,
  type Override,
  parseCrash,
  parseNotice,
  parseOverride,
} from './mishap.ts';
export {
  encodeMessage,
  encodeModelCall,
  encodeModelResult,
  encodeModelToolResult,
  encodeModelToolUse,
  type KeptMessage,
  type Manifest,
  type ModelCall,
  type ModelOutcome,
  type ModelResult,
  type ModelToolResult,
  type ModelToolUse,
  NO_TOKENS,
  parseModelCall,
  parseModelResult,
  parseModelToolResult,
  parseModelToolUse,
  type Tokens,
  type Understood,
} from './model.ts';
export {
  encodeOperatorChange,
  OPERATOR_KINDS,
  type OperatorChange,
  parseOperatorChange,
} from './operator-change.ts';
export {
  blobPath,
  type Commitment,
  encodeBlobName,
  encodePackRecord,
  encodeSalt,
  isPackHeaderStart,
  MAX_PACK_HEADER,
  MAX_PACKED,
  type PackHeader,
  packPath,
  parseBlobName,
  parseSalt,
  saltPath,
  scanPackHeader,
} from './pack.ts';
export { discloseFile, openDisclosure } from './pack-disclosure.ts';
export { type PackCode, PackError } from './pack-error.ts';
export { manifestOf, NO_SETTINGS, type PackSettings, parsePackSettings } from './pack-settings.ts';
export {
  type GateResult,
  type PatchApplied,
  type PatchAudited,
  type PatchChange,
  type PatchId,
  type PatchProposal,
  type PatchRejected,
  type PatchTest,
  type PatchTested,
  type PatchWord,
  parsePatchApplied,
  parsePatchAudited,
  parsePatchProposal,
  parsePatchRejected,
  parsePatchTested,
  parsePatchWord,
  type SignedBy,
} from './patch.ts';
export {
  type Archive,
  encodeArchive,
  encodeGap,
  encodeKeyRotate,
  encodeLedgerOpen,
  type Gap,
  originOf,
  PAUSED,
  parseArchive,
  parseGap,
  parseKeyRotate,
  parseLedgerOpen,
  type RecordingGap,
} from './payloads.ts';
export {
  encodePlanApproval,
  encodePlanProposal,
  type PlanProposal,
  parsePlanApproval,
  parsePlanProposal,
} from './plan.ts';
export {
  type Bound,
  encodeReceipt,
  isNonce,
  parseReceipt,
  parseReceiptId,
  type Receipt,
  receiptParameters,
  type SignedReceipt,
  type WireCommitment,
} from './receipt.ts';
export {
  type Exit,
  encodeApproval,
  encodeToolCall,
  encodeToolDenied,
  encodeToolResult,
  encodeTurn,
  type FileFact,
  type Kept,
  type TestCounts,
  type ToolFacts,
  type ToolResult,
  withTraces,
} from './recorded.ts';
export {
  encodeRelease,
  LONGEST_RELEASED,
  MOST_RELEASED,
  parseRelease,
  RELEASE,
  type Release,
  type ReleasedFile,
} from './release.ts';
export {
  type AnswerProblem,
  type AskedRequest,
  encodeReplayAnswer,
  encodeReplayPolicy,
  encodeReplayStart,
  parseReplayAnswer,
  parseReplayPolicy,
  parseReplayStart,
  REPLAY_KEY,
  REPLAY_WORDS,
  type ReplayAnswer,
  type ReplayPlaces,
  type ReplayPolicy,
  type ReplayStart,
  type ReplayWord,
  type RequestPart,
  requestDigest,
} from './replay-record.ts';
export {
  encodeReport,
  judgeReportPage,
  MOST_REPORT,
  type PageMark,
  parseReport,
  partBytes,
  REPORT_PART_TYPE,
  REPORT_SLOT,
  type ReportFile,
  reportVersion,
} from './report-file.ts';
export {
  type Determinism,
  encodeCertificate,
  parseCertificate,
  type RunCertificate,
  replayIdText,
} from './run-certificate.ts';
export {
  encodeRunClosing,
  type GatewayClosing,
  parseGatewayClosing,
  type RunClosing,
} from './run-closing.ts';
export {
  EVENT_CANONICAL,
  encodeRunEvent,
  encodeRunEventText,
  parseRunEvent,
  parseRunEventId,
  payloadTextOf,
  RUN_EVENT,
  RUN_EVENT_KINDS,
  RUN_KEY,
  type RunEvent,
  type RunEventKind,
  runEventId,
} from './run-event.ts';
export {
  encodeRunParent,
  type ForkChange,
  type ForkReplay,
  parseRunParent,
  type RunParent,
} from './run-parent.ts';
export {
  type DenialCode,
  encodeRequest,
  type FinalOutcome,
  type FinalUsage,
  LONGEST_KEY,
  type MemoryVersion,
  parseRunAction,
  parseRunPayload,
  type ResultOutcome,
  type RunAction,
  type RunPayload,
  type SnapshotFact,
  type SnapshotReason,
  type ToolRequest,
} from './run-payloads.ts';
export {
  encodeRunArtifacts,
  encodeRunBase,
  parseRunArtifacts,
  parseRunBase,
  type RunArtifacts,
  type RunBase,
} from './run-record.ts';
export {
  encodeRunReplay,
  parseRunReplay,
  type RecordedDivergence,
  RUN_REPLAY,
  type RunReplay,
} from './run-replay.ts';
export { isCutWord, isWordOf } from './run-word.ts';
export {
  type AnchorStamp,
  AUTH_REASONS,
  type AuthReason,
  type AuthTime,
  type Binding,
  type BlockFact,
  branchOf,
  type Closing,
  encodeAnchorStamp,
  encodeAuthFail,
  encodeAuthOk,
  encodeBlockFact,
  encodeBranchCreate,
  encodeBranchSwitch,
  encodeInteraction,
  encodeSessionCut,
  encodeSessionEnd,
  encodeSessionStart,
  type Interaction,
  type InteractionKind,
  NO_KEY,
  type ProcessFact,
  parseAnchorStamp,
  parseAuthFail,
  parseAuthOk,
  parseBlockFact,
  parseBranchCreate,
  parseBranchSwitch,
  parseInteraction,
  parseSessionCut,
  parseSessionEnd,
  parseSessionStart,
  type RecordedInteraction,
  type RecordedStart,
  type SessionCounts,
  type SessionStart,
  UNBOUND,
} from './session.ts';
export { encodeSessionSum, parseEndSum, parseSessionSum, type SessionSum, withSum } from './session-sum.ts';
export {
  encodeStampHeaders,
  MAX_STAMP_HEADERS_BYTES,
  parseStampHeaders,
  type StampHeader,
  stampedNote,
} from './stamp.ts';
export { encodeTar, parseTar } from './tar.ts';
export { type ArgumentRule, encodeToolPolicy, parseToolPolicy, type ToolPolicy } from './tool-policy.ts';
export { encodeValidation, parseValidation, type SignedValidation, type Validation } from './validation.ts';
export {
  encodePolicyRecord,
  encodeValidatorKey,
  operatorKey,
  type PolicyRecord,
  parsePolicyRecord,
  parseValidatorKey,
} from './validator-key.ts';
