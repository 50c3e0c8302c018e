// One pass over a run before anybody acts on it: the judge's word on every event and patch, where its snapshots are, which
// code is in force, and whether it has ended. Whoever goes on with a run, or patches it, begins here.
import { type Json, ParseError, type VerifierKey } from '../core/index.ts';
import {
  type AgentInit,
  type ContentRef,
  hashOfEntry,
  parseRunPayload,
  parseSessionStart,
  type RunEvent,
  type RunEventKind,
  type RunPayload,
} from '../format/index.ts';
import { entriesOf, type LogReader } from '../ledger/index.ts';
import { RunJudge } from '../rules/index.ts';
import { readSteps } from './read-run.ts';
import { RunError } from './run-error.ts';
import type { RunUsage } from './run-parts.ts';
import { type RunPatches, readPatches } from './run-patches.ts';

export interface Surveyed {
  /** The entry that its session begins at. */
  readonly first: number;
  readonly authKey: string | null;
  readonly init: AgentInit;
  readonly initSeq: number;
  /** Newest last. */
  readonly snapshots: readonly {
    readonly sequence: number;
    readonly seq: number;
    readonly ref: ContentRef;
    /** That of its event: content may lie. */
    readonly stateHash: string;
    /** The decision or call before it that was not carried out yet; only behind a patch there can be one. */
    readonly open: RunEvent | null;
  }[];
  /** The entry up to which it was read. */
  readonly to: number;
  readonly last: RunEvent;
  /** The entry of its last event. */
  readonly lastSeq: number;
  /** At its last event. */
  readonly judge: RunJudge;
  readonly patches: RunPatches;
  /** A final event is there. */
  readonly isClosed: boolean;
  readonly sessionEnded: boolean;
  /** The newest event that was reduced. */
  readonly reduced: number | null;
  readonly usage: RunUsage;
}

/** RunError where it is no run, or its events do not follow from one another. */
export async function surveyRun(
  store: LogReader,
  run: string,
  pinned: readonly VerifierKey[] = [],
): Promise<Surveyed> {
  const { seq: to } = await store.head();
  const judge = new RunJudge(run);
  const snapshots: Surveyed['snapshots'][number][] = [];
  let open: RunEvent | null = null;
  const { first, authKey, sessionEnded } = await sessionOf(store, run, to);
  let init: { init: AgentInit; seq: number } | undefined;
  let last: RunEvent | undefined;
  let lastSeq = 0;
  let patches: RunPatches | undefined;
  let reduced: number | null = null;
  const usage: RunUsage = { calls: 0, denials: 0, ms: 0, outputBytes: 0 };
  for await (const steps of readSteps(store, run, first, to))
    for (const step of steps) {
      if ('patch' in step) {
        patches ??= await readPatches(store, run, to, pinned);
        const effect = patches.effects.get(step.seq);
        if (effect !== undefined) assertFlawless(judge.patch(effect));
        continue;
      }
      const { event, seq } = step;
      const payload = parsedPayload(event);
      assertFlawless(judge.event(event, payload, seq));
      if (payload?.kind === 'AgentInit') init = { init: payload.init, seq };
      else if (
        payload?.kind === 'Snapshot' &&
        payload.fact.snapshot !== null &&
        payload.fact.reason !== 'last'
      )
        snapshots.push({
          sequence: event.sequence,
          seq,
          ref: payload.fact.snapshot,
          stateHash: event.stateAfter,
          open: payload.fact.reason === 'patch' ? open : null,
        });
      if (REDUCED.has(event.kind)) [reduced, open] = [event.sequence, null];
      else if (event.kind === 'Decision' || event.kind === 'ToolCall') open = event;
      count(usage, event);
      [last, lastSeq] = [event, seq];
    }
  if (init === undefined || last === undefined)
    throw new RunError('NOT_A_RUN', `session ${run.slice(0, 16)} is not a run, or its first event was lost.`);
  if (judge.isPatched)
    throw new RunError('DIVERGED', 'the snapshot after the newest patch is missing (RUN_SNAPSHOT).');
  return {
    first,
    authKey,
    sessionEnded,
    init: init.init,
    initSeq: init.seq,
    snapshots,
    to,
    last,
    lastSeq,
    judge,
    patches: patches ?? (await readPatches(store, run, to, pinned)),
    isClosed: judge.isClosed,
    reduced,
    usage,
  };
}

async function sessionOf(
  store: Pick<LogReader, 'read'>,
  run: string,
  to: number,
): Promise<Pick<Surveyed, 'first' | 'authKey' | 'sessionEnded'>> {
  let begun: { first: number; authKey: string | null } | undefined;
  let sessionEnded = false;
  for await (const entry of entriesOf(store, 1, to, ['session.start', 'session.end'])) {
    if (entry.session_id !== run) continue;
    if (entry.kind === 'session.end') sessionEnded = true;
    else if (hashOfEntry(entry) === entry.entry_hash)
      begun = { first: entry.seq, authKey: parseSessionStart(entry.payload).authKey };
  }
  if (begun === undefined)
    throw new RunError(
      'NOT_A_RUN',
      `there is no session ${run.slice(0, 16)} here, or the entry that begins it is altered. Run \`foil recover ${run.slice(0, 16)}\` to see what can be saved.`,
    );
  return { ...begun, sessionEnded };
}

function parsedPayload({ sequence, kind, payload, run }: RunEvent): RunPayload | null {
  try {
    return payload === null ? null : parseRunPayload(kind, payload);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new RunError(
      'DIVERGED',
      `event ${sequence} is malformed: ${error.message}. Run \`foil recover ${run.slice(0, 16)}\` to see what can be saved.`,
    );
  }
}

function assertFlawless([flaw]: ReturnType<RunJudge['event']>): void {
  if (flaw !== undefined) throw new RunError('DIVERGED', `${flaw.message} (${flaw.code}).`);
}

/** Kinds whose events the agent reduces. */
export const REDUCED: ReadonlySet<RunEventKind> = new Set(['Observation', 'ToolResult', 'Denial']);

function count(usage: RunUsage, { kind, payload }: RunEvent): void {
  if (kind === 'Denial') usage.denials++;
  if (kind !== 'ToolResult') return;
  usage.calls++;
  // In content it is not looked for: what a run used is a sum for people.
  const told = (payload?.usage ?? {}) as Record<string, Json>;
  usage.ms += Number(told.ms ?? 0);
  usage.outputBytes += Number(told.output_bytes ?? 0);
}
