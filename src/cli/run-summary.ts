// The screen at the end of `foil run`: what was recorded of this session, its verdict, and the claims that nothing proves.
// The verdict is the session's own. What breaks the ledger breaks every session in it; what is wrong with another session
// is told beside it, and is not held against this one.

import { reading, textOf, withLedger } from '../app/index.ts';
import { verifyDirectory } from '../entry/index.ts';
import { claimEnd } from '../format/index.ts';
import { readSessionRecord } from '../gate/index.ts';
import type { Located } from '../ledger/index.ts';
import {
  contentReader,
  counted,
  entriesFrom,
  harmless,
  type SessionSummary,
  settledHead,
  shorten,
  summarizeSession,
} from '../report/index.ts';
import { CODES, type Facet, type Report } from '../verify/index.ts';
import type { Context, Outcome } from './command.ts';

/** A ledger longer than this is verified by whoever asks for it. */
const VERIFIED_UP_TO = 200_000;
const LONGEST_QUOTE = 80;

export interface RunEnd {
  readonly session: string;
  /** Its first entry. */
  readonly first: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** As a shell tells it. */
  readonly exit: number;
  /** False where the agent has hooks of ours, or should have, and none of them told of anything. */
  readonly recorded: boolean;
  readonly notes: readonly string[];
}

interface OpenClaim {
  readonly claim: number;
  readonly quote: string | null;
}

export async function summarizeRun(context: Context, located: Located, end: RunEnd): Promise<Outcome> {
  const { session, first, notes } = end;
  const { seen, head, sealed, seqs } = await withLedger(located, async (ledger) => {
    const summarized = summarizeSession();
    const own = new Set<number>();
    for await (const entry of entriesFrom(ledger.store, first)) {
      if (entry.session_id === session) summarized.add(entry);
      // What is of no session, such as a gap, was told while this one went on.
      if (entry.session_id === session || entry.session_id === null) own.add(entry.seq);
    }
    return {
      seen: summarized.done(),
      head: await settledHead(ledger.store),
      sealed: (await ledger.sealed())?.checkpoint.size ?? 0,
      seqs: own,
    };
  });
  const report =
    head.seq <= VERIFIED_UP_TO ? await verifyDirectory(located.directory, { content: false }) : undefined;
  const verdict = report === undefined ? null : sessionVerdict(report, seqs);
  const claims = await openClaims(located, session);
  const entries = Object.values(seen.kinds).reduce((sum, count) => sum + count, 0);
  const lines = [
    `session   ${session.slice(0, 16)} · ${counted(entries, 'entry', 'entries')} in ${first}–${head.seq}`,
    `command   exit ${end.exit}${end.signal === null ? '' : ` (${end.signal})`}`,
    ...toolLines(seen),
    ...claimLines(claims, session),
    `record    ${verdictText(verdict, report)}, sealed up to entry ${sealed}`,
    `proof     ${located.directory}: foil session show ${session.slice(0, 12)}, foil verify`,
    ...notes.map((note) => `note      ${note}`),
  ];
  return {
    exit: end.exit,
    json: {
      session,
      exit_code: end.code,
      signal: end.signal,
      recorded: end.recorded,
      entries,
      first_seq: first,
      last_seq: head.seq,
      sealed,
      kinds: seen.kinds,
      tools: seen.tools,
      claims: { made: seen.kinds.claim ?? 0, not_proven: claims },
      verdict,
      ledger_verdict: report?.verdict ?? null,
      ledger: located.directory,
      notes,
    },
    aside: `\n${headline(end, seen, context)}\n${lines.map((line) => `  ${harmless(line)}\n`).join('')}`,
  };
}

function headline({ recorded }: RunEnd, { kinds }: SessionSummary, { paint }: Context): string {
  if (recorded) return paint.bold('recorded by foil');
  const only = kinds['model.call'] === undefined ? '' : ' except for its model calls';
  return paint.red(`NOT recorded by foil${only}`);
}

function toolLines({ tools, kinds }: SessionSummary): string[] {
  const used = Object.entries(tools)
    .filter(([name]) => name !== 'run')
    .map(([name, { calls, failed }]) => `${name} ${calls}${failed > 0 ? ` (${failed} failed)` : ''}`);
  const models = kinds['model.call'];
  return [
    `tools     ${used.length === 0 ? 'none were recorded' : used.join(', ')}`,
    ...(models === undefined
      ? []
      : [`models    ${counted(models, 'call')}, ${counted(kinds.receipt ?? 0, 'receipt')}`]),
    `denied    ${kinds['tool.denied'] ?? 0}`,
  ];
}

function claimLines(claims: readonly OpenClaim[], session: string): string[] {
  const [first, ...more] = claims;
  if (first === undefined) return [];
  const quote = first.quote === null ? '' : ` "${shorten(harmless(first.quote), LONGEST_QUOTE)}"`;
  const others = more.length === 0 ? '' : `, and ${more.length} more: foil evidence ${session.slice(0, 12)}`;
  return [`claims    ${claims.length} not proven:${quote} (foil why ${first.claim})${others}`];
}

/** Those that a turn of the session ended on, and that nothing on record proves. */
async function openClaims(located: Located, session: string): Promise<OpenClaim[]> {
  return reading(located, async (ledger) => {
    const record = await readSessionRecord(ledger.store, session);
    const read = contentReader(ledger, located);
    const open: OpenClaim[] = [];
    for (const { entry } of record.claims.values()) {
      const gate = record.gateOf(entry.seq)?.value;
      const status = gate?.claims.find(({ claim }) => claim === entry.seq)?.status;
      if (gate === undefined || status === undefined) continue;
      if (claimEnd(gate.verdict, status) === 'unproven')
        open.push({ claim: entry.seq, quote: await textOf(read, entry, 'quote') });
    }
    return open;
  });
}

/** Facets that break every session of the ledger, whatever they find. */
const OF_THE_LEDGER: readonly Facet[] = ['integrity', 'truncation', 'identity'];
/** Those whose findings are each about one session. A fail breaks its record, or is a violation that is on record. */
const BREAKING: readonly Facet[] = ['sessions', 'time'];
const JUDGED: readonly Facet[] = ['evidence', 'receipts', 'completeness'];

/** `seqs` are the entries that are the session's. */
export function sessionVerdict(report: Report, seqs: ReadonlySet<number>): Report['verdict'] {
  const { facets, counts, verdict } = report;
  const listed = Object.values(facets).reduce((sum, { findings }) => sum + findings.length, 0);
  // Where not all findings are listed, one of those that are missing may be about this session.
  if (verdict === 'INTACT' || listed < counts.findings) return verdict;
  const fails = (name: Facet): boolean =>
    facets[name].findings.some(
      ({ code, seq }) => CODES[code].level === 'fail' && seq !== null && seqs.has(seq),
    );
  if (OF_THE_LEDGER.some((name) => facets[name].status === 'fail') || BREAKING.some(fails)) return 'BROKEN';
  return JUDGED.some(fails) ? 'VIOLATION' : 'INTACT';
}

function verdictText(own: Report['verdict'] | null, report: Report | undefined): string {
  if (own === null || report === undefined)
    return 'not verified here, because the ledger is long. Run foil verify';
  return report.verdict === own ? own : `${own} for this session, ${report.verdict} for the whole ledger`;
}
