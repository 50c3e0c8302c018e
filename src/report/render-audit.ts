// What foil audit prints: the lines that auditors know, in their order, each with one answer. What is not known, and
// what is wrong, stands below them. Messages quote what lies in the files, so all of it is made harmless.
import type { AuditFinding, Finding, GitAgreement, Report, SessionAudit } from '../verify/index.ts';
import { counted, harmless } from './text.ts';

export type Integrity = 'VALID' | 'BROKEN';

export interface LedgerAudit {
  /** What the first entry follows; null where none can be read. */
  readonly genesis: string | null;
  readonly isGenesis: boolean;
  readonly integrity: Integrity;
  readonly report: Report;
}

/** Facets whose answer makes the chain what it is. */
const CHAINED = ['integrity', 'truncation', 'identity', 'time', 'sessions'] as const;

export function renderLedgerAudit({ genesis, isGenesis, integrity, report }: LedgerAudit): string {
  const { counts, facets, verdict, sentence } = report;
  const lines = [
    `Genesis: ${genesis === null ? 'not known' : `${genesis}${isGenesis ? '' : ' (another one)'}`}`,
    `Entries: ${counts.entries}`,
    `Chain integrity: ${integrity}`,
    `BTC anchors: ${counts.anchors}`,
    `Sessions: ${counts.sessions}`,
  ];
  const failed = CHAINED.flatMap((name) => (facets[name].status === 'fail' ? facets[name].findings : []));
  const unknown = CHAINED.filter((name) => facets[name].status === 'unknown');
  return `${[
    ...lines,
    ...unknown.map((name) => `Not known: ${name}: ${harmless(facets[name].message)}`),
    ...(verdict === 'VIOLATION' ? [`Violation: ${harmless(sentence)}`] : []),
    ...failed.slice(0, SHOWN).map((finding) => `Wrong: ${findingText(finding)}`),
    ...more(failed.length),
  ].join('\n')}\n`;
}

/** How many findings are listed; with --json all of them are. */
const SHOWN = 20;

export interface AuditedSession {
  readonly audit: SessionAudit;
  readonly integrity: Integrity;
  /** Of the audit, and of the ledger's verification about this session. */
  readonly findings: readonly (AuditFinding | Finding)[];
  /** Null where there is no repository. */
  readonly git: GitAgreement | null;
  /** What is wrong with the ledger in places that are not this session's; null where nothing is. */
  readonly elsewhere: string | null;
}

export type Answer = 'YES' | 'NO' | 'PARTLY';

/** Nothing wrong and nothing left out; something wrong; or something that could not be made again. */
export function answerOf({ wrong, notKept, erased, sealed, unfounded }: SessionAudit['hashes']): Answer {
  if (wrong > 0) return 'NO';
  return notKept + erased + sealed + unfounded > 0 ? 'PARTLY' : 'YES';
}

export function renderSessionAudit(audited: AuditedSession): string {
  const { audit, integrity, findings, git, elsewhere } = audited;
  const { session, interactions, branch } = audit;
  const lines = [
    `Session: ${session}`,
    `Start BTC: ${startText(audit)}`,
    `End BTC: ${endText(audit)}`,
    `Interactions: ${interactions}`,
    `Branch: ${branch === null ? 'none' : harmless(branch)}`,
    `Chain integrity: ${integrity}`,
    `All hashes verified: ${hashesText(audit.hashes)}`,
  ];
  return `${[
    ...lines,
    ...(git === null ? [] : [`Git: ${gitText(git)}`]),
    ...findings
      .slice(0, SHOWN)
      .map((finding) => `${isUnknown(finding) ? 'Not known' : 'Wrong'}: ${findingText(finding)}`),
    ...more(findings.length),
    ...(elsewhere === null ? [] : [`Elsewhere in this ledger: ${harmless(elsewhere)}`]),
  ].join('\n')}\n`;
}

function startText({ startBlock, lateBlock }: SessionAudit): string {
  if (startBlock !== null) return String(startBlock.height);
  return lateBlock === null ? 'none' : `none (${lateBlock.height} later)`;
}

function endText({ closing, state }: SessionAudit): string {
  if (closing !== null && closing.block !== null) return String(closing.block.height);
  return { open: 'none (the session is open)', cut: 'none (the session was cut off)', ended: 'none' }[state];
}

function hashesText(hashes: SessionAudit['hashes']): string {
  const { verified, wrong, notKept, erased, sealed, unfounded } = hashes;
  const all = verified + wrong + notKept + erased + sealed + unfounded;
  const left = [
    ...(notKept === 0 ? [] : [`content of ${notKept} not kept`]),
    ...(erased === 0 ? [] : [`content of ${erased} erased`]),
    ...(sealed === 0
      ? []
      : [`content of ${sealed} can't be checked, because its key or its salt isn't here`]),
    ...(unfounded === 0
      ? []
      : [`${counted(unfounded, 'chain hash', 'chain hashes')} without the one before`]),
  ];
  const answer = answerOf(hashes);
  if (answer === 'YES') return 'YES';
  const why = [...(wrong === 0 ? [] : [`${wrong} wrong`]), ...left].join(', ');
  return answer === 'NO' ? `NO (${why}; ${verified} of ${all} verified)` : `${verified} of ${all} (${why})`;
}

function gitText({ status, commits, missing, extra }: GitAgreement): string {
  if (status === 'agrees') return `agrees (${counted(commits, 'commit')})`;
  if (status === 'lags') return `lags behind (${counted(missing, 'commit')} not there yet: foil anchor git)`;
  if (status === 'unreadable') return `unknown (${counted(commits, 'commit')} found, not all can be read)`;
  return `DISAGREES (commits: ${commits} matching, ${missing} missing, ${extra} unknown to the ledger)`;
}

function isUnknown(finding: AuditFinding | Finding): boolean {
  return 'level' in finding && finding.level === 'unknown';
}

function findingText({ code, message }: { readonly code: string; readonly message: string }): string {
  return `${code}: ${harmless(message)}`;
}

function more(count: number): string[] {
  return count > SHOWN ? [`… and ${count - SHOWN} more: see --json`] : [];
}
