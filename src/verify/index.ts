// The room's door: checks over evidence that is not trusted, and the verdict.

export {
  type AttestationCheck,
  type AttestationCode,
  type AttestationOf,
  type AttesterTrust,
  checkAttestation,
} from './attestation.ts';
export {
  type AuditBeside,
  type AuditedPoint,
  auditPoints,
  type ReplayWord,
} from './audit-points.ts';
export { INVARIANTS, type Invariant, POINT } from './audit-table.ts';
export type { AuditedDenial } from './audited-denials.ts';
export type { Network } from './block-judge.ts';
export {
  type BundleOptions,
  type BundleReport,
  verifyBundle,
  verifyBundledReceipts,
  verifyRun,
} from './bundle.ts';
export type { BundledCommit } from './bundle-commits.ts';
export { NO_ARGS_HASH, wrongContent } from './bundle-content.ts';
export { rawLines, seqSaid } from './bundle-damage.ts';
export { type BundledLine, LEDGER_KINDS, MEANWHILE_KINDS } from './bundle-entries.ts';
export { factsOf } from './bundle-facts.ts';
export { BUNDLE_CODES, type BundleCode, type BundleFinding } from './bundle-findings.ts';
export type { BundleTrust, Judged, Tier } from './bundle-tier.ts';
export { CODES, type Code, type Facet, type Finding, type Level } from './codes.ts';
export { leadsTo, type RunMade, whyNotHeld } from './commit-holds.ts';
export { type ContentPresence, contentPresence } from './content-presence.ts';
export type { FileInfo, Files } from './files.ts';
export { Findings, MAX_FINDINGS, type Status, shortened } from './findings.ts';
export { verifyGatewayRun } from './gateway-closing.ts';
export {
  GATEWAY_CODES,
  type GatewayCode,
  type GatewayVerdict,
  type TrustedGateway,
  verifyGatewayReceipts,
} from './gateway-receipts.ts';
export { compareWithGit, type GitAgreement } from './git-agreement.ts';
export type { GitEvidence, GitEvidenceCommit } from './git-check.ts';
export {
  checkLines,
  describe,
  type LineFinding,
  type LinesOptions,
  type LinesResult,
  type PickedLine,
} from './lines.ts';
export { filesFromMap } from './memory-files.ts';
export { type PackVisitor, scanPack } from './pack-scan.ts';
export { type LineChecker, verifyInParallel } from './parallel-verify.ts';
export type { AuditedPatch } from './patch-audit.ts';
export { type ProofInput, type ProofReport, verifyProof } from './proof.ts';
export { isCertified, isSigned, misbound, mismatch } from './receipt.ts';
export type { Anchored, Counts, FacetReport, Mark, Range, Report } from './report.ts';
export { type MemoryTrace, type RunAudit, RunAuditor } from './run-audit.ts';
export { type BesideRun, certificateOf } from './run-certificate.ts';
export { readRunKey } from './run-check.ts';
export { RUN_BYTES, type Run, type SegmentEnding } from './runs.ts';
export {
  type AuditedContent,
  type AuditFinding,
  type AuditPorts,
  auditSession,
  type SessionAudit,
  type Turn,
} from './session-audit.ts';
export { SessionChain, type SessionCode } from './session-chain.ts';
export {
  type StampBlock,
  type StampCode,
  type StampInput,
  type StampVerdict,
  verifyStamp,
} from './stamp.ts';
export type { BlockAt } from './stamp-check.ts';
export { Verification, type VerifyOptions } from './verification.ts';
export { verifyLedger } from './verify-ledger.ts';
