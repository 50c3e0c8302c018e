// foil audit run: answers the sixteen points of an audit for one run, with what they rest on. The ledger around it is
// verified first, with the keys and operators that the auditor trusts. The states are rebuilt in a sandbox if there
// is one.

import { openToRead } from '../app/index.ts';
import { type JsonObject, ParseError, StoreError, UsageError } from '../core/index.ts';
import { type ContentRef, type Entry, MAX_CONTENT, parseRunEvent, RUN_EVENT } from '../format/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import {
  type AuditedRun,
  contentReader,
  deniedCalls,
  parseLine,
  parseSessionPrefix,
  renderRunAudit,
  runAuditJson,
  type Section,
  scanLines,
  visitSession,
} from '../report/index.ts';
import { RunError } from '../runtime/index.ts';
import {
  type AuditBeside,
  auditPoints,
  CODES,
  type ReplayWord,
  type Report,
  type RunAudit,
  RunAuditor,
  readRunKey,
} from '../verify/index.ts';
import { type Context, EXIT, type Outcome } from './command.ts';
import { place } from './place.ts';
import { notDone, TIMEOUT_OPTION } from './run-place.ts';
import { replayHere } from './run-replay.ts';
import { chosenTrust } from './verifier-options.ts';
import { verifyHere } from './verify-ledger.ts';

/** Options of `foil audit run`, and the sections that each shows. */
export const RUN_AUDIT_OPTIONS = {
  'verify-hashes': {
    type: 'boolean',
    help: 'run: show every event, with its payload hash and its place in the chain',
  },
  'check-capabilities': { type: 'boolean', help: 'run: show calls without a grant, and each denial' },
  'trace-memory': {
    type: 'boolean',
    help: 'run: show which event wrote each key of memory, or only KEY if you add one',
  },
  at: { type: 'string', value: 'N', help: 'with --trace-memory: show memory as of event N' },
  'verify-patches': { type: 'boolean', help: 'run: show signatures, signers and gates of every patch' },
  'full-report': {
    type: 'boolean',
    help: 'run: show all of these, with policy decisions, resource usage and a replay',
  },
  ...TIMEOUT_OPTION,
} as const;

const SECTIONS: Readonly<Record<string, Section>> = {
  'verify-hashes': 'hashes',
  'check-capabilities': 'capabilities',
  'trace-memory': 'memory',
  'verify-patches': 'patches',
};
/** The points that each section answers. */
const POINTS_OF: Readonly<Record<Section, readonly number[]>> = {
  hashes: [1, 2, 3, 4, 5],
  capabilities: [6, 7],
  memory: [9],
  patches: [10, 11, 12, 13],
};

export async function auditRun(context: Context, given: string | undefined, key?: string): Promise<Outcome> {
  if (given === undefined)
    throw new UsageError("Which run? Use `foil audit run ID`. ID is the beginning of the run's id.");
  const { values } = context;
  const isFull = values.flag('full-report');
  const asked = Object.keys(SECTIONS).filter((name) => isFull || values.flag(name));
  const sections = asked.flatMap((name) => SECTIONS[name] ?? []);
  if (key !== undefined && !sections.includes('memory'))
    throw new UsageError(`Unexpected argument "${key}". Use --trace-memory KEY to name a key of memory.`);
  const at = eventNumber(values.text('at'));
  if (at !== undefined && !sections.includes('memory')) throw new UsageError('--at needs --trace-memory.');
  const isWhole = sections.length === 0 || isFull;
  const isListed = sections.includes('capabilities');
  const audited = await auditedRun(context, parseSessionPrefix(given), { isReplayed: isWhole, isListed });
  const last = lastEvent(audited.audit);
  if (at !== undefined && last !== null && at > last)
    return notDone(
      new RunError('NO_EVENT', `the run has no event ${at}: its last is event ${last}.`),
      'shown',
    );
  const shown = { sections, isWhole, isFull, key: key ?? null, at: at ?? null };
  const wanted = new Set(isWhole ? [] : sections.flatMap((name) => POINTS_OF[name]));
  const failed = audited.points.filter(
    ({ point, status }) => status === 'fail' && (isWhole || wanted.has(point)),
  );
  const exit = audited.broken !== null ? EXIT.BROKEN : failed.length > 0 ? EXIT.VIOLATION : EXIT.FINE;
  return { json: runAuditJson(audited, shown), text: renderRunAudit(audited, shown), exit };
}

async function auditedRun(
  context: Context,
  prefix: string,
  { isReplayed, isListed }: { readonly isReplayed: boolean; readonly isListed: boolean },
): Promise<AuditedRun> {
  const located = place(context);
  const { trust } = await chosenTrust(context);
  const ledger = openToRead(located);
  try {
    const { seq: to } = await ledger.store.head();
    const session = await visitSession(ledger.store, to, prefix, () => undefined);
    const { audit, seqs } = await readAudit(ledger, located, session.id, to, trust.operators ?? []);
    const report = await verifyHere(context, located.directory);
    const broken = brokenBy(report, seqs);
    const isRun = audit.counts.events > 0;
    const replay = isReplayed && isRun ? await replayed(context, ledger, located, session) : null;
    const beside: AuditBeside = { broken, policy: policyOf(report, seqs), replay };
    return {
      audit,
      agent: session.agent,
      state: session.state,
      broken,
      replay,
      points: auditPoints(audit, beside),
      denied: isListed ? await deniedCalls(ledger, located, audit) : [],
    };
  } finally {
    await ledger.close();
  }
}

/** The audit of a run, and which entries are its own. */
export async function readAudit(
  ledger: Ledger,
  located: Located,
  run: string,
  to: number,
  operators: ConstructorParameters<typeof RunAuditor>[1],
): Promise<{ audit: RunAudit; seqs: ReadonlySet<number> }> {
  const auditor = new RunAuditor(run, operators);
  const read = contentReader(ledger, located);
  const seqs = new Set<number>();
  for await (const lines of scanLines(ledger.store, 1, to))
    for (const line of lines) {
      if (line.session !== run && line.session !== null) continue;
      const entry = parseLine(line);
      if (entry === undefined) continue;
      if (line.session === run) seqs.add(line.seq);
      auditor.entry(entry, {
        key: auditor.wantsKey(entry) ? await readRunKey(ledger.store.files, run) : null,
        payload: await contentPayload(entry, async (ref) => {
          const content = await read(run, ref, MAX_CONTENT);
          return content.state === 'kept' ? content.bytes : undefined;
        }),
      });
    }
  return { audit: auditor.done(), seqs };
}

/** The payload of an event where it is content; null where it is not, or can't be had. */
async function contentPayload(
  { kind, payload }: Entry,
  read: (ref: ContentRef) => Promise<Uint8Array | undefined>,
): Promise<JsonObject | null> {
  if (kind !== RUN_EVENT) return null;
  try {
    const { content } = parseRunEvent(payload);
    const bytes = content === null ? undefined : await read(content);
    const value: unknown = bytes === undefined ? null : JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject | null) : null;
  } catch {
    return null; // The auditor says what is wrong with it.
  }
}

const OF_THE_LEDGER = ['integrity', 'truncation', 'identity'] as const;
const OF_POLICY = ['evidence', 'receipts', 'completeness'] as const;

/** Null where the ledger, and what its sessions say of this one, is in order. */
function brokenBy({ facets, entries }: Report, seqs: ReadonlySet<number>): string | null {
  if (entries === 0) return 'the ledger has no entries';
  const whole = OF_THE_LEDGER.flatMap((name) => facets[name].findings);
  const own = facets.sessions.findings.filter(({ seq }) => seq !== null && seqs.has(seq));
  const first = [...whole, ...own].find(({ code }) => CODES[code].level === 'fail');
  return first === undefined ? null : `${first.code}: ${first.message}`;
}

function policyOf({ facets }: Report, seqs: ReadonlySet<number>): AuditBeside['policy'] {
  return OF_POLICY.flatMap((name) => facets[name].findings).flatMap(({ code, seq, message }) => {
    const { level } = CODES[code];
    if (level === 'note' || seq === null || !seqs.has(seq)) return [];
    return [{ code, level, message: `entry ${seq}: ${message}` }];
  });
}

/** What a replay comes to; where it can't be tried, why. */
async function replayed(
  context: Context,
  ledger: Ledger,
  located: Located,
  { id, first_seq: first }: { readonly id: string; readonly first_seq: number },
): Promise<ReplayWord> {
  try {
    const report = await replayHere(context, ledger, located, { run: id, first });
    const { outcome, divergence, unknownAt, broke, finalStateHash, flaw } = report;
    if (divergence === null)
      return {
        outcome,
        finalStateHash,
        flaw,
        message:
          outcome === 'matches'
            ? `${report.events} events, ${report.sandbox}, Node ${report.node}`
            : (broke ?? `the payload of event ${unknownAt} is missing`),
      };
    const { event, what, expected, got, why } = divergence;
    return {
      outcome,
      flaw,
      finalStateHash: what === 'state_hash' ? got : null,
      message: `divergence at event ${event}: expected ${what} ${expected}, but got ${got}${why === null ? '' : `; ${why}`}`,
    };
  } catch (error) {
    // A log that can't be read fails the first point, and leaves open what a replay would have come to.
    const isUnread = error instanceof ParseError || error instanceof StoreError;
    if (!(error instanceof RunError || isUnread)) throw error;
    const isOther = error.code === 'DIVERGED';
    const outcome = isOther ? 'diverges' : 'unknown';
    return { outcome, finalStateHash: null, flaw: null, message: error.message };
  }
}

/** Null where it has none. */
function lastEvent({ counts, events }: RunAudit): number | null {
  return counts.events === 0 ? null : Math.max(counts.events - 1, events.at(-1)?.sequence ?? 0);
}

function eventNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^(?:0|[1-9][0-9]{0,14})$/.test(text)) return Number(text);
  throw new UsageError('--at takes the number of an event.');
}
