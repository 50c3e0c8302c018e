// The room's door: what is stored, and in which one form.
export { artifactRoot, encodeArtifacts, mayHoldOutput, PASSED_FOLDERS, parseArtifacts } from './artifacts.ts';
export {
  ATTESTATION_METHODS,
  ATTESTATION_SCHEMA,
  ATTESTATION_TYPE,
  type Attestation,
  type AttestedLimit,
  type AttestedSandbox,
  type AttestedTests,
  attestationText,
  encodeAttestation,
  encodeSignedAttestation,
  LONGEST_REASON,
  MOST_ATTESTATION_BYTES,
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
  BUNDLE_SCHEMA,
  BUNDLE_TYPE,
  type Bundle,
  type BundleHarness,
  type BundlePayload,
  type BundleProof,
  bundlePayloadText,
  encodeBundle,
  encodeBundleProof,
  linesOf,
  MOST_PROMPTS,
  parseBundle,
  parseBundleProof,
} from './bundle.ts';
export {
  type CallAuthority,
  encodeCallAuthority,
  parseCallAuthority,
} from './call-authority.ts';
export {
  type CallEvidence,
  encodeAttempts,
  encodeCallEvidence,
  encodeChecks,
  encodeResultEvidence,
  parseAttempts,
  parseCallEvidence,
  parseChecks,
  parseResultFacts,
  type ResultEvidence,
  type ResultFacts,
} from './check.ts';
export { encodeClaim, parseClaim, type RecordedClaim } from './claim.ts';
export { type ClientRun, parseClientRun } from './client-run.ts';
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
  encodeContentRef,
  MAX_CONTENT,
  NO_SESSION,
  parseContentRef,
  SALTED,
} from './content.ts';
export { encodeContract, parseContract, type Quoted, type RecordedContract } from './contract.ts';
export {
  type Draft,
  type Entry,
  encodeEntry,
  GENESIS,
  hashOfEntry,
  isTimestamp,
  LineWriter,
  MAX_DEPTH,
  MAX_LINE,
  parseEntry,
} from './entry.ts';
export { EntryScan } from './entry-scan.ts';
export {
  ERASE_REASONS,
  type Erase,
  type ErasedSession,
  type EraseReason,
  encodeErase,
  MOST_ERASED,
  parseErase,
  type SignedErase,
} from './erase.ts';
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
  type FileProof,
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
export {
  encodeGentlyLine,
  GENTLY_EVENTS,
  type GentlyDetails,
  type GentlyEvent,
  type GentlyFacts,
  type GentlyLine,
  hashOfGentlyLine,
  parseGentlyLine,
} from './gently.ts';
export { type EventExport, exportGently } from './gently-export.ts';
export {
  type CommitForm,
  encodeGitCommit,
  type GitCommitObjects,
  GitIds,
  type GitObject,
  gitCommitObjects,
  gitObject,
} from './git-objects.ts';
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
export {
  encodeHarnessChange,
  type HarnessChange,
  type PackChange,
  parseHarnessChange,
} from './harness-change.ts';
export {
  buildPack,
  type HarnessPack,
  LONGEST_TIMEOUT,
  MANIFEST_FILE,
  PACK_FOLDERS,
  type PackHashes,
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
export {
  encodeJudgeVote,
  type JudgeVote,
  parseJudgeVote,
  type VoteProblem,
} from './judge-vote.ts';
export {
  encodeKaizaEntry,
  hashOfKaizaEntry,
  KAIZA_GENESIS,
  type KaizaEntry,
  type KaizaFacts,
  parseKaizaEntry,
} from './kaiza.ts';
export { exportKaiza, type KaizaExport, uuidOf } from './kaiza-export.ts';
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
export { isGitHash } from './members.ts';
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
  encodeTokens,
  type KeptMessage,
  type Manifest,
  MODEL_OUTCOMES,
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
  parseTokens,
  type Tokens,
  type Understood,
} from './model.ts';
export {
  encodeOperatorChange,
  OPERATOR_KINDS,
  type OperatorChange,
  parseOperatorChange,
} from './operator-change.ts';
export { exportOtlp, type OtlpExport, type OtlpOptions } from './otlp-export.ts';
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
export { type Disclosure, discloseFile, openDisclosure } from './pack-disclosure.ts';
export { type PackCode, PackError } from './pack-error.ts';
export { manifestOf, NO_SETTINGS, type PackSettings, parsePackSettings } from './pack-settings.ts';
export {
  type Archive,
  encodeArchive,
  encodeGap,
  encodeKeyRotate,
  encodeLedgerOpen,
  FORMAT,
  type Gap,
  type KeyRotate,
  type LedgerOpen,
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
  type PlanApproval,
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
  type Approval,
  type Exit,
  type ExitOrigin,
  encodeApproval,
  encodeToolCall,
  encodeToolDenied,
  encodeToolResult,
  encodeTurn,
  type FileFact,
  type Kept,
  type TestCounts,
  type ToolDenied,
  type ToolFacts,
  type ToolResult,
  withTraces,
} from './recorded.ts';
export {
  encodeRunArtifacts,
  encodeRunBase,
  parseRunArtifacts,
  parseRunBase,
  type RunArtifacts,
  type RunBase,
} from './run-record.ts';
export {
  type AnchorStamp,
  AUTH_REASONS,
  type AuthFail,
  type AuthOk,
  type AuthReason,
  type AuthTime,
  type Binding,
  type BlockFact,
  type BranchSwitch,
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
  type SessionCut,
  type SessionEnd,
  type SessionStart,
  UNBOUND,
} from './session.ts';
export {
  encodeSessionSum,
  parseEndSum,
  parseSessionSum,
  type SessionSum,
  withSum,
} from './session-sum.ts';
export {
  encodeStampHeaders,
  MAX_STAMP_HEADERS_BYTES,
  parseStampHeaders,
  type StampHeader,
  stampedNote,
} from './stamp.ts';
export { encodeTar, parseTar } from './tar.ts';
export {
  type ArgumentRule,
  encodeToolPolicy,
  parseToolPolicy,
  type ToolPolicy,
} from './tool-policy.ts';
export {
  encodeValidation,
  parseValidation,
  type SignedValidation,
  type Validation,
  type Weakened,
} from './validation.ts';
export {
  encodePolicyRecord,
  encodeValidatorKey,
  operatorKey,
  type PolicyRecord,
  parsePolicyRecord,
  parseValidatorKey,
  type ValidatorKey,
} from './validator-key.ts';
export { exportWatchdog } from './watchdog-export.ts';
