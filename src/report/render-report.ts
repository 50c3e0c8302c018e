// A verdict for a person: the sentence first, then how far the marks reach, then each question with its answer and
// everything that was found. Messages quote what lies in the files, so all of it is made harmless.

import type { GentlyFinding, GentlyReport, KaizaFinding, KaizaReport } from '../exports/index.ts';
import type { Anchored, Finding, ProofReport, Report } from '../verify/index.ts';
import type { Paint } from './text.ts';
import { counted, harmless, shorten } from './text.ts';

const WIDTH = 12;
const LONGEST_QUOTE = 160;

/** The first claim that is not proven, in the words of the message, where they are kept here. */
export interface UnprovenClaim {
  readonly seq: number;
  readonly quote: string | null;
}

export function firstUnproven({ facets }: Report): number | null {
  return facets.evidence.findings.find(({ code }) => code === 'CLAIM_UNPROVEN')?.seq ?? null;
}

/** Nothing was found that a person should look at. Facets may still be unknown. */
export function isFlawless({ verdict, facets, counts, required, notes, unknownKinds }: Report): boolean {
  return (
    verdict === 'INTACT' &&
    counts.findings === 0 &&
    required.missing.length === 0 &&
    notes.length === 0 &&
    unknownKinds.length === 0 &&
    Object.values(facets).every(({ status }) => status !== 'fail')
  );
}

/** One line: the verdict, how far the marks reach, and what nobody knows. */
export function renderBriefly({ sentence, marks, facets, verdict }: Report, paint: Paint): string {
  const { anchored } = marks;
  const unknown = Object.keys(facets).filter(
    (name) => facets[name as keyof typeof facets].status === 'unknown',
  );
  return `${[
    `${paint.green(paint.bold(verdict))}: ${harmless(sentence)}`,
    ...(anchored === null ? [] : [`ANCHORED ${range(anchored)} (${anchoredAt(anchored)}).`]),
    ...(unknown.length === 0 ? [] : [`Unknown: ${unknown.join(', ')} (-v says why).`]),
  ].join(' ')}\n`;
}

export function renderReport(
  report: Report,
  directory: string,
  paint: Paint,
  unproven: UnprovenClaim | null = null,
): string {
  const { verdict, sentence, marks, facets, counts, required } = report;
  const colour = verdict === 'INTACT' ? paint.green : paint.red;
  const { signed, anchored } = marks;
  const reach = [
    ...(signed === null ? [] : [`SIGNED ${range(signed)}`]),
    ...(anchored === null ? [] : [`ANCHORED ${range(anchored)} (${anchoredAt(anchored)})`]),
  ];
  const lines = [
    `${colour(paint.bold(verdict))}: ${harmless(sentence)}`,
    ...(unproven === null ? [] : [unprovenLine(unproven)]),
    ...(reach.length === 0 ? [] : [reach.join(' · ')]),
    ...required.missing.map((mark) =>
      paint.yellow(
        `${mark.toUpperCase()} was required for ${range(required.range)}, but doesn't hold there.`,
      ),
    ),
    '',
  ];
  lines.push(...renderFacets(facets, counts.findings, paint, withoutAnything(report)));
  for (const note of report.notes)
    lines.push(`${'noted'.padEnd(WIDTH)} ${' '.repeat(8)}${renderFinding(note, paint)}`);
  const content =
    counts.contentChecked + counts.contentAbsent + counts.contentUnsalted + counts.contentErased;
  lines.push(
    '',
    [
      counted(counts.entries, 'entry', 'entries'),
      ...(counts.unsealed === 0 ? [] : [`${counts.unsealed} unsealed`]),
      counted(counts.segments, 'segment'),
      counted(counts.checkpoints, 'checkpoint'),
      counted(counts.tiles, 'tile'),
      ...(counts.sessions === 0 ? [] : [counted(counts.sessions, 'session')]),
      ...(counts.stamps === 0 ? [] : [counted(counts.stamps, 'stamp')]),
      ...(content === 0
        ? []
        : [
            `content: ${counts.contentChecked} checked, ${counts.contentAbsent} not here${counts.contentUnsalted === 0 ? '' : `, ${counts.contentUnsalted} here but not checkable`}${counts.contentErased === 0 ? '' : `, ${counts.contentErased} erased`}`,
          ]),
    ].join(' · '),
    ...(report.unknownKinds.length === 0
      ? []
      : [`kinds this version does not know: ${harmless(report.unknownKinds.join(', '))}`]),
    `${harmless(report.origin ?? 'no origin')} in ${harmless(directory)}`,
  );
  return `${lines.join('\n')}\n`;
}

export function renderProofReport(report: ProofReport, paint: Paint): string {
  const { verdict, sentence, findings, checkpoint, signers, entry } = report;
  const colour = report.valid ? paint.green : verdict === 'BROKEN' ? paint.red : paint.yellow;
  const lines = [`${colour(paint.bold(verdict))}: ${harmless(sentence)}`];
  for (const finding of findings) lines.push(`  ${renderFinding(finding, paint)}`);
  if (entry !== null) lines.push(`entry       ${entry.seq} ${entry.kind} ${entry.ts} ${entry.entry_hash}`);
  if (checkpoint !== null)
    lines.push(`checkpoint  ${harmless(checkpoint.origin)}, ${counted(checkpoint.size, 'entry', 'entries')}`);
  for (const signer of signers) lines.push(`signed by   ${harmless(signer)}`);
  return `${lines.join('\n')}\n`;
}

/** A log of another format. */
export function renderLogReport(report: KaizaReport | GentlyReport, name: string, paint: Paint): string {
  const { verdict, sentence, facets, counts, lastHash } = report;
  const colour = verdict === 'INTACT' ? paint.green : paint.red;
  const lines = [
    `${colour(paint.bold(verdict))}: ${harmless(sentence)}`,
    '',
    ...renderFacets(facets, counts.findings, paint),
    '',
    `${summaryOf(report)} in ${harmless(name)}`,
    ...(lastHash === null || !report.valid
      ? []
      : [`last ${report.format === 'kaiza' ? 'entry_hash' : 'hash'} ${lastHash}: keep it, for --continues`]),
  ];
  return `${lines.join('\n')}\n`;
}

function summaryOf(report: KaizaReport | GentlyReport): string {
  const { lines } = report.counts;
  if (report.format === 'kaiza')
    return `${counted(report.counts.entries, 'entry', 'entries')} · ${counted(lines, 'line')}`;
  const { sessions, interactions, anchors } = report.counts;
  return [
    counted(lines, 'line'),
    counted(sessions, 'session'),
    counted(interactions, 'interaction'),
    counted(anchors, 'block'),
  ].join(' · ');
}

type AnyFinding = Finding | KaizaFinding | GentlyFinding;

type Facets = Readonly<
  Record<
    string,
    {
      readonly status: 'pass' | 'fail' | 'unknown';
      readonly message: string;
      readonly findings: readonly AnyFinding[];
    }
  >
>;

/** Facets with nothing to check: to a person, a pass would say more than that. */
function withoutAnything({ counts, facets }: Report): ReadonlySet<string> {
  const { sessions, gates, claims, modelCalls, callsSeen } = counts;
  const amounts = {
    sessions,
    evidence: gates + claims,
    receipts: modelCalls,
    completeness: callsSeen,
  } as const;
  const names = Object.keys(amounts) as (keyof typeof amounts)[];
  return new Set(names.filter((name) => amounts[name] === 0 && facets[name].status === 'pass'));
}

function renderFacets(
  facets: Facets,
  total: number,
  paint: Paint,
  empty: ReadonlySet<string> = new Set(),
): string[] {
  const lines: string[] = [];
  let listed = 0;
  for (const [name, { status, message, findings }] of Object.entries(facets)) {
    const paintStatus = { pass: paint.green, fail: paint.red, unknown: paint.yellow }[status];
    const shown = empty.has(name) ? '–'.padEnd(8) : paintStatus(status.padEnd(8));
    lines.push(`${name.padEnd(WIDTH)} ${shown}${harmless(message)}`);
    for (const finding of findings) lines.push(`${' '.repeat(WIDTH + 1)}${renderFinding(finding, paint)}`);
    listed += findings.length;
  }
  return total > listed ? [...lines, `${' '.repeat(WIDTH + 1)}and ${total - listed} more.`] : lines;
}

function unprovenLine({ seq, quote }: UnprovenClaim): string {
  const words = quote === null ? '' : `"${shorten(harmless(quote.trim()), LONGEST_QUOTE)}": `;
  return `${words}foil why ${seq}`;
}

function renderFinding(finding: AnyFinding, paint: Paint): string {
  const { code, message } = finding;
  const where = [
    ...('seq' in finding && finding.seq !== null ? [`entry ${finding.seq}`] : []),
    ...('file' in finding && finding.file !== undefined ? [harmless(finding.file)] : []),
  ].join(', ');
  return `${paint.bold(code)}${where === '' ? '' : ` (${where})`}: ${harmless(message)}`;
}

function anchoredAt({ height, time, network }: Anchored): string {
  const chain = network === 'main' ? 'Bitcoin block' : `${network} block`;
  return `${chain} ${height}, ${time.slice(0, 16).replace('T', ' ')} UTC`;
}

function range({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? `${from}` : `${from}–${to}`;
}
