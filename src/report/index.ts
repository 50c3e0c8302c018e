export {
  CONTENT_WORDS,
  type Content,
  contentReader,
  contentValue,
  type ReadContent,
  readSalt,
  refOf,
  refsByPath,
} from './content.ts';
export { deniedCalls } from './denied-calls.ts';
export { type DiskUse, diskUse } from './disk-use.ts';
export { entriesFrom, settledHead } from './entries-from.ts';
export { findEntries, type Line, parseLine, readEntry, scanLines } from './entry-lines.ts';
export { summarizeGap, summarizeTests } from './entry-summary.ts';
export { type Heard, heardFrom, unheardText } from './heard.ts';
export { HeldTextCount, type HeldTexts, heldTextWords } from './held-texts.ts';
export { type PendingGap, pendingGaps, pendingText } from './pending-gaps.ts';
export { policyChanges, policyLines } from './policy-words.ts';
export { readToday, type Today } from './recent.ts';
export { comparable, recordedMessage, wherePart } from './recorded-message.ts';
export {
  type AuditedSession,
  answerOf,
  type Integrity,
  type LedgerAudit,
  renderLedgerAudit,
  renderSessionAudit,
} from './render-audit.ts';
export { type Details, type Related, renderDetails } from './render-details.ts';
export { diffJson, diffText } from './render-diff.ts';
export { lineRenderer, tellingContent } from './render-entry.ts';
export { type Claimed, type Gated, renderGate } from './render-gate.ts';
export { listText, patchJson, patchName, showText, stepsOf } from './render-patch.ts';
export {
  firstUnproven,
  isFlawless,
  renderBriefly,
  renderLogReport,
  renderProofReport,
  renderReport,
  type UnprovenClaim,
} from './render-report.ts';
export { type AuditedRun, renderRunAudit, runAuditJson, type Section } from './render-run-audit.ts';
export { CLASS_WORDS, renderScan, scanJson } from './render-scan.ts';
export { renderSession, renderSessions } from './render-session.ts';
export { scanTranscripts } from './scan.ts';
export { findScannedClaim } from './scan-details.ts';
export {
  type FoundClaim,
  type FoundTurn,
  foundIn,
  type ListedClaim,
  redactedText,
  scanFile,
} from './scan-file.ts';
export type { PartAnswer, PartOrder } from './scan-threads.ts';
export { readAges } from './session-ages.ts';
export { type SessionSummary, summarizeSession } from './session-summary.ts';
export { listSessions, parseSessionPrefix, type Session, SessionCount, visitSession } from './sessions.ts';
export { suggest } from './suggest.ts';
export {
  bar,
  colourful,
  columns,
  counted,
  harmless,
  lasted,
  moment,
  type Paint,
  plain,
  progressBar,
  shorten,
  sized,
  table,
  thousands,
} from './text.ts';
export { findTranscripts } from './transcript-files.ts';
export { unifiedDiff } from './unified-diff.ts';
export { weakenedWords } from './weakened-words.ts';
