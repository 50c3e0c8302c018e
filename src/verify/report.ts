// The verdict: one word, how far the marks reach, a sentence a person can use, and the reasons. BROKEN means that the
// record can't be trusted; VIOLATION, that it can, and tells of something that should not have happened. INTACT needs a
// pass in integrity, and never says more than the evidence does.
import type { Network } from './block-judge.ts';
import { CODES, type Facet, type Finding } from './codes.ts';
import { counted } from './counted.ts';
import type { Findings, Status } from './findings.ts';
import type { StampProof } from './stamp-check.ts';
import type { Interval, KnownBlock } from './time-check.ts';
import { durationText, momentText } from './time-text.ts';

export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface FacetReport {
  readonly status: Status;
  /** What a pass does and does not mean. */
  readonly message: string;
  readonly findings: readonly Finding[];
}

export type Mark = 'signed' | 'anchored';

/** Nobody can have changed these since that block. */
export interface Anchored extends Range {
  readonly height: number;
  /** Of the block, by its miner's clock: good to two hours. */
  readonly time: string;
  readonly network: Network;
}

export interface Counts {
  readonly entries: number;
  readonly segments: number;
  readonly checkpoints: number;
  readonly tiles: number;
  /** Entries under no checkpoint yet. */
  readonly unsealed: number;
  readonly contentChecked: number;
  readonly contentAbsent: number;
  readonly contentUnsalted: number;
  /** Not here, or its salt is not, and a signed tombstone says so. */
  readonly contentErased: number;
  readonly tornBytes: number;
  readonly tornPackBytes: number;
  /** Turns that a gate looked at, claims they made, and those that a validation proves or should have. */
  readonly gates: number;
  readonly claims: number;
  readonly claimsProven: number;
  readonly claimsUnproven: number;
  readonly validations: number;
  /** Of models, and those of them that a gateway signed for. */
  readonly modelCalls: number;
  readonly receipts: number;
  /** Calls of tools with a host's id, and those of them that more than one place saw. */
  readonly callsSeen: number;
  readonly callsCompared: number;
  /** Calls that were held against what their sessions were granted, and those of them that were refused. */
  readonly callsJudged: number;
  readonly callsDenied: number;
  /** Runs of the runtime, and their events. */
  readonly runs: number;
  readonly runEvents: number;
  /** Patches that were proposed, and those of them that were applied. */
  readonly patches: number;
  readonly patchesApplied: number;
  /** Begun, and those of them that named no key; attempts without a valid one. */
  readonly sessions: number;
  readonly unauthenticated: number;
  readonly authFailures: number;
  readonly sessionsCut: number;
  readonly interactions: number;
  /** Entries that name a block which is one, and stamps that hold. */
  readonly anchors: number;
  readonly stamps: number;
  /** Findings, also those past the number that is listed. */
  readonly findings: number;
}

export interface Report {
  readonly verdict: 'INTACT' | 'BROKEN' | 'VIOLATION';
  readonly sentence: string;
  readonly origin: string | null;
  readonly marks: { readonly signed: Range | null; readonly anchored: Anchored | null };
  readonly facets: Readonly<Record<Facet, FacetReport>>;
  readonly counts: Counts;
  /** What a reader should know, and what changes no verdict: files and signatures that are not the ledger's. */
  readonly notes: readonly Finding[];
  /** Kinds that this verifier does not know: intact, but nothing is said about what they mean. */
  readonly unknownKinds: readonly string[];
  /** What was asked for with `require`, over which entries, and what of it does not hold. */
  readonly required: {
    readonly marks: readonly Mark[];
    readonly range: Range;
    readonly missing: readonly Mark[];
  };
  readonly valid: boolean;
  readonly status: 'VALID' | 'CORRUPTED' | 'EMPTY_LOG';
  readonly entries: number;
  readonly failures: readonly { readonly seq: number | null; readonly error: string }[];
}

export interface ReportInput {
  readonly findings: Findings;
  readonly origin: string | undefined;
  readonly counts: Omit<Counts, 'findings'>;
  /** Calls of tools that were told without an id. */
  readonly callsUnnamed: number;
  /** That runs made, and those of them that can't be read here. */
  readonly callsOfRuns: number;
  readonly callsUnread: number;
  /** Of sessions that began without grants. */
  readonly callsUngranted: number;
  readonly unknownKinds: readonly string[];
  /** Largest size that a believed key signed; 0 for none. */
  readonly signedTo: number;
  /** The stamp that reaches farthest. */
  readonly anchor: StampProof | undefined;
  readonly interval: Interval | null;
  readonly network: Network;
  /** Some key was pinned for this ledger. */
  readonly pinned: boolean;
  readonly kept: boolean;
  readonly requiredMarks: readonly Mark[];
  /** Last entry that `require` asks about. */
  readonly requireTo: number;
}

/** A fail in one of these breaks the record. */
const FACETS: readonly Facet[] = ['integrity', 'truncation', 'identity', 'time', 'sessions'];
/** A fail in one of these is a violation, soundly recorded. */
const JUDGED: readonly Facet[] = ['evidence', 'receipts', 'completeness', 'authority', 'replay', 'patches'];

export function makeReport(input: ReportInput): Report {
  const { findings, counts, requiredMarks, requireTo } = input;
  const { entries } = counts;
  const broken = entries === 0 || FACETS.some((facet) => findings.status(facet) === 'fail');
  const violated = JUDGED.some((name) => findings.status(name) === 'fail');
  const verdict = broken ? 'BROKEN' : violated ? 'VIOLATION' : 'INTACT';
  const signed = broken || input.signedTo === 0 ? null : { from: 1, to: input.signedTo };
  const marks = { signed, anchored: broken ? null : anchoredBy(input) };
  const missing = requiredMarks.filter((mark) => (marks[mark]?.to ?? 0) < requireTo);
  const facets = {
    integrity: facet(input, 'integrity'),
    truncation: facet(input, 'truncation'),
    identity: facet(input, 'identity'),
    time: facet(input, 'time'),
    sessions: facet(input, 'sessions'),
    evidence: facet(input, 'evidence'),
    receipts: facet(input, 'receipts'),
    completeness: facet(input, 'completeness'),
    authority: facet(input, 'authority'),
    replay: facet(input, 'replay'),
    patches: facet(input, 'patches'),
  };
  const failures = FACETS.flatMap((name) => facets[name].findings).filter(
    ({ code }) => CODES[code].level === 'fail',
  );
  return {
    verdict,
    sentence: sentence(input, broken, marks, failures),
    origin: input.origin ?? null,
    marks,
    facets,
    counts: { ...counts, findings: findings.total },
    notes: findings.notes,
    unknownKinds: input.unknownKinds,
    required: { marks: requiredMarks, range: { from: 1, to: requireTo }, missing },
    valid: !broken,
    status: entries === 0 ? 'EMPTY_LOG' : broken ? 'CORRUPTED' : 'VALID',
    entries,
    failures: failures.map(({ code, seq }) => ({ seq, error: code })),
  };
}

function anchoredBy({ anchor, network }: ReportInput): Anchored | null {
  if (anchor === undefined) return null;
  const { size, height, time } = anchor;
  return { from: 1, to: size, height, time: new Date(time * 1000).toISOString(), network };
}

function facet(input: ReportInput, name: Facet): FacetReport {
  const found = input.findings.status(name);
  const { callsSeen, callsCompared, anchors, stamps } = input.counts;
  // What one place alone saw is not known to be all; and without an anchor nothing is known of time.
  const calls = callsSeen + input.callsUnnamed + input.callsOfRuns;
  const isAlone = name === 'completeness' && calls > 0 && callsCompared === 0;
  const isAdrift = name === 'time' && anchors + stamps === 0;
  const isUnjudged = name === 'authority' && input.callsUngranted + input.callsUnread > 0;
  const status = found === 'pass' && (isAlone || isAdrift || isUnjudged) ? 'unknown' : found;
  return { status, message: MESSAGES[name](status, input), findings: input.findings.of(name) };
}

const MESSAGES: Record<Facet, (status: Status, input: ReportInput) => string> = {
  integrity: (status) =>
    status === 'pass'
      ? 'No entry was changed, removed, added or moved.'
      : 'Entries or files were changed after they were written.',
  truncation: (status, { kept, counts }) => {
    if (status === 'fail') return 'Something that was here is missing at the end.';
    if (status === 'unknown') return 'Nothing here shows whether something is missing at the end.';
    const all = counts.entries === 1 ? 'The one entry is' : `All ${counts.entries} entries are`;
    return kept
      ? `${all} under a checkpoint, in line with the checkpoint that you kept.`
      : `${all} under a checkpoint. Nothing inside the directory shows whether all of it was put back to an earlier checkpoint. To rule that out, keep a checkpoint elsewhere and give it to the verifier.`;
  },
  identity: (status, { signedTo }) => {
    if (status === 'fail') return "The signatures aren't from the right keys.";
    if (status === 'unknown') return 'It is unknown who signed.';
    return `${signedTo === 1 ? 'Entry 1 is' : `Entries 1–${signedTo} are`} signed by a key that you pinned, or that it handed over to.`;
  },
  time: (status, input) => {
    if (status === 'fail') return 'Blocks or stamps are wrong.';
    const { anchors, stamps } = input.counts;
    const test =
      input.network === 'regtest'
        ? ' All of this comes from a test network, which proves nothing about time.'
        : '';
    if (anchors + stamps === 0)
      return "No block or stamp here shows when anything happened. Times come from the writer's clock.";
    return `${intervalText(input.interval)}${test}`;
  },
  sessions: (status, { counts }) => {
    const { sessions, unauthenticated, authFailures, sessionsCut, interactions } = counts;
    if (status === 'fail') return 'Sessions were changed after they were recorded.';
    if (sessions === 0) return 'No session began here.';
    const cut = sessionsCut === 0 ? '' : `, ${sessionsCut} cut short`;
    const tries = authFailures === 0 ? '' : ` ${counted(authFailures, 'attempt')} without a valid key.`;
    const open =
      unauthenticated === 0
        ? ''
        : unauthenticated === sessions
          ? ', unauthenticated'
          : `, ${unauthenticated} of them unauthenticated`;
    const chain = interactions === 0 ? '' : `, ${counted(interactions, 'interaction')} in their chains`;
    const end = status === 'unknown' ? " Some of them can't be followed from beginning to end." : '';
    return `${counted(sessions, 'session')}${open}${cut}${chain}.${tries}${end}`;
  },
  evidence: (status, { counts }) => {
    const { gates, claims, claimsProven } = counts;
    if (status === 'fail') return "The entries don't prove something that was claimed.";
    if (status === 'unknown') return 'Nothing here shows whether each claim has evidence.';
    if (gates + claims === 0) return 'No turn ended here, so nothing was claimed.';
    const turns = `${gates} ${gates === 1 ? 'turn' : 'turns'} looked at`;
    if (claims === 0) return `Nothing was claimed (${turns}).`;
    return `${claims} ${claims === 1 ? 'claim' : 'claims'} (${turns}): ${claimsProven} proven by a signed validation that follows from the entries; the gate let none of the others pass as proven.`;
  },
  receipts: (status, { counts }) => {
    const { modelCalls, receipts } = counts;
    if (status === 'fail') return "A gateway's signed receipts don't match its model calls.";
    if (status === 'unknown') return 'Not every model call has a receipt.';
    if (modelCalls === 0) return 'No model call went through the gateway.';
    const calls = `${modelCalls} model ${modelCalls === 1 ? 'call' : 'calls'}`;
    if (receipts === 0) return `${calls}, by recorders that sign no receipts.`;
    return `${calls}, ${receipts} with a receipt that is bound to its run, its entries and its pack.`;
  },
  completeness: (status, { counts, findings, callsUnnamed, callsOfRuns }) => {
    const { callsSeen, callsCompared } = counts;
    if (status === 'fail') return 'Hooks, gateway and MCP proxy disagree on what happened.';
    if (findings.status('completeness') === 'unknown') {
      const times = blindTimes(findings).length;
      return times === 0
        ? 'Nothing here shows whether everything that happened was recorded.'
        : `There ${times === 1 ? 'is a time' : `are ${times} times`} in which not everything could be seen, so it is unknown whether everything that happened is here.`;
    }
    if (callsSeen + callsUnnamed + callsOfRuns === 0) return 'No tool was called here.';
    if (callsSeen + callsOfRuns === 0)
      return `${callsUnnamed === 1 ? 'One tool call was' : `${callsUnnamed} tool calls were`} recorded without an id, so nothing could be compared.`;
    if (callsCompared === 0)
      return 'Each tool call was seen from one place only, so it is unknown what that place missed.';
    const calls = `Of ${callsSeen} tool ${callsSeen === 1 ? 'call' : 'calls'}, ${callsCompared} ${callsCompared === 1 ? 'was' : 'were'}`;
    return `${calls} seen from more than one place (hooks, gateway, MCP proxy), and these agree.`;
  },
  authority: (status, { counts, callsUngranted, callsUnread }) => {
    const { callsJudged, callsDenied } = counts;
    if (status === 'fail') return "Agents did something that wasn't granted, or their grants aren't valid.";
    if (callsJudged + callsUngranted + callsUnread === 0) return 'No tool was called here.';
    if (callsJudged + callsUnread === 0)
      return 'No session began with grants, so nothing says what agents may do.';
    const denied = callsDenied === 0 ? '' : ` ${counted(callsDenied, 'call')} refused.`;
    if (status === 'unknown') return `Some of what the agents did may be outside their grants.${denied}`;
    return `${counted(callsJudged, 'call')} checked against the grants of their sessions, and everything that ran was within them.${denied}`;
  },
  replay: (status, { counts }) => {
    const { runs, runEvents } = counts;
    if (status === 'fail') return "The events of a run don't follow from one another.";
    if (runs === 0) return 'No run of an agent was recorded here.';
    const rebuilt =
      status === 'pass'
        ? 'The replays on record show that they rebuild every state.'
        : 'Run `foil replay` to see whether they rebuild every state.';
    return `${counted(runs, 'run')} with ${counted(runEvents, 'event')}, each in its place. ${rebuilt}`;
  },
  patches: (status, { counts }) => {
    const { patches, patchesApplied } = counts;
    if (status === 'fail') return 'A patch skipped a required step.';
    if (patches === 0) return 'No patch was proposed here.';
    const all = `${counted(patches, 'patch', 'patches')} proposed, ${patchesApplied} applied`;
    return status === 'unknown'
      ? `${all}. It is unknown whether those who approved were operators then.`
      : `${all}, each in the order and under the signatures that it needs.`;
  },
};

/** When the newest session was, as far as blocks tell. */
function intervalText(interval: Interval | null): string {
  if (interval === null) return 'No session began here, so there is no interval.';
  const { session, ended, notBefore, notAfter } = interval;
  const at = ({ height, time }: KnownBlock): string => `block ${height} (${momentText(time)})`;
  const what = `The newest session${ended ? ' that ended' : ''}, ${session.slice(0, 16)}, was`;
  if (notBefore === null && notAfter === null) return `${what} at a time that no block or stamp shows.`;
  if (notAfter === null)
    return `${what} not before ${at(notBefore as KnownBlock)}; the latest possible block is unknown, because it is not stamped yet.`;
  if (notBefore === null) return `${what} not after ${at(notAfter)}; the earliest possible block is unknown.`;
  return `${what} not before ${at(notBefore)} and not after ${at(notAfter)}: ${durationText(notAfter.time - notBefore.time)}, ± 2 h.`;
}

function sentence(
  input: ReportInput,
  broken: boolean,
  { signed, anchored }: Report['marks'],
  failures: readonly Finding[],
): string {
  const { entries } = input.counts;
  if (entries === 0) return 'There are no entries here, so nothing is proven.';
  if (broken) {
    const [first] = failures;
    const { total } = input.findings;
    const what =
      first === undefined ? '' : `: ${first.file === undefined ? '' : `${first.file}: `}${first.message}`;
    return `This record can't be trusted (${total} ${total === 1 ? 'finding' : 'findings'})${what}${what.endsWith('?') ? '' : '.'}`;
  }
  const violations = JUDGED.flatMap((name) => input.findings.of(name)).filter(
    ({ code }) => CODES[code].level === 'fail',
  );
  const unproven = violations.find(({ code }) => code === 'CLAIM_UNPROVEN');
  const violation = unproven ?? violations[0];
  if (violation !== undefined) {
    const { claims, claimsUnproven } = input.counts;
    const many = `${claimsUnproven} of ${claims} ${claims === 1 ? 'claim' : 'claims'} not proven, first `;
    const at = violation.seq === null ? '' : `entry ${violation.seq}: `;
    return `The record is intact, and shows something that shouldn't have happened: ${unproven === undefined ? '' : many}${at}${violation.message}.`;
  }
  return `${anchoredText(anchored)}${intactText(input, signed)}${blindText(input.findings)}`;
}

const BLIND: ReadonlySet<string> = new Set([
  'BLIND',
  'BLIND_PAUSED',
  'BLIND_UNTOLD',
  'MODE_RELAXED',
  'MODE_UNTOLD',
  'HOOKS_MISSING',
]);

function blindTimes(findings: Findings): readonly Finding[] {
  return findings.of('completeness').filter(({ code }) => BLIND.has(code));
}

/** That the record is intact says nothing of the times that are not in it. */
function blindText(findings: Findings): string {
  const times = blindTimes(findings);
  const [first] = times;
  if (first === undefined) return '';
  const more = times.length === 1 ? '' : ` (and ${times.length - 1} more)`;
  const where = first.seq === null ? '' : `, entry ${first.seq}`;
  return ` BLIND: ${first.message.replace(/\.$/, '')}${where}${more}.`;
}

function anchoredText(anchored: Anchored | null): string {
  if (anchored === null) return '';
  const { to, time, network } = anchored;
  const by =
    network === 'regtest' ? 'If the test network (regtest) that you chose proved anything, nobody' : 'Nobody';
  const what = to === 1 ? 'entry 1' : `entries 1–${to}`;
  return `${by} can have changed ${what} since ${momentText(Date.parse(time) / 1000)} ± 2 h. `;
}

function intactText(input: ReportInput, signed: Range | null): string {
  const { entries, unsealed } = input.counts;
  const range = entries === 1 ? 'Entry 1 is' : `Entries 1–${entries} are`;
  const lost = input.findings.of('truncation').some(({ code }) => code === 'ENTRIES_LOST');
  const loss = lost ? ' Storage lost others after they were acknowledged, and that is on record.' : '';
  const tail =
    unsealed === 0
      ? loss
      : ` ${unsealed === 1 ? 'The last one is' : `The last ${unsealed} are`} not sealed yet.${loss}`;
  if (signed !== null && signed.to >= entries)
    return `${range} intact and signed by a key that you pinned.${loss}`;
  if (signed !== null) {
    const reach = signed.to === 1 ? 'entry 1 is' : `1–${signed.to} are`;
    return `${range} intact; ${reach} signed by a key that you pinned.${tail}`;
  }
  const why = input.pinned
    ? 'nothing is signed by a key that you pinned'
    : 'you pinned no key, so anyone who could write here could have rewritten everything';
  return `${range} intact in ${entries === 1 ? 'itself' : 'themselves'}, but ${why}.${tail}`;
}
