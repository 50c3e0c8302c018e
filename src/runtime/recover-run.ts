// How a run goes on after a crash: its events are judged, its state is rebuilt from the newest snapshot that holds, and what
// the crash left half done is finished. Nothing is guessed: other code, a state that does not come out as recorded, or
// somebody else who goes on with the run is refused.
import { type Blake3, type Json, type JsonObject, openBlake3, ParseError } from '../core/index.ts';
import {
  type AgentInit,
  type ContentRef,
  parseRunPayload,
  parseSessionStart,
  RUN_KEY,
  type RunAction,
  type RunEvent,
  type RunEventKind,
  type RunPayload,
  runEventId,
} from '../format/index.ts';
import { entriesOf } from '../ledger/index.ts';
import { rejoinSession } from '../record/index.ts';
import { RunJudge } from '../rules/index.ts';
import { Machine } from './machine.ts';
import { payloadOf, type ReadContent, readEvents, startOf } from './read-run.ts';
import { countsOf, type Next, type Run, type RunUsage } from './run.ts';
import { RunError } from './run-error.ts';
import { RunLog } from './run-log.ts';
import { firstStep, loadCode, openRun, type StartParts } from './start-run.ts';

export interface RecoverParts extends Omit<StartParts, 'granted' | 'limits' | 'parameters'> {
  readonly run: string;
  readonly read: ReadContent;
}

interface Surveyed {
  readonly first: number;
  readonly authKey: string | null;
  readonly init: AgentInit;
  readonly initSeq: number;
  /** Newest last. */
  readonly snapshots: readonly {
    readonly sequence: number;
    readonly seq: number;
    readonly ref: ContentRef;
  }[];
  readonly to: number;
  /** A final event is there. */
  readonly isClosed: boolean;
  readonly sessionEnded: boolean;
  /** The newest event that was reduced. */
  readonly reduced: number | null;
  readonly usage: RunUsage;
}

/** Null where the run had ended already. RunError says why it can't go on. */
export async function recoverRun(parts: RecoverParts): Promise<Run | null> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryToRecover(parts);
    } catch (error) {
      // Events that were durable and not published yet when the log was read.
      if (!(error instanceof RunError && error.code === 'NOT_LAST') || tries >= TRIES) throw error;
    }
  }
}

const TRIES = 3;

async function tryToRecover(parts: RecoverParts): Promise<Run | null> {
  const { recorder, run: id, read } = parts;
  const { store, source, now } = recorder;
  const found = await survey(parts);
  const { init, initSeq, first, authKey, to, usage, reduced } = found;
  const session = rejoinSession({ ...recorder, pid: null }, { id, first, authKey });
  if (found.isClosed) {
    if (!found.sessionEnded) await session.end({ reason: 'recovered', counts: countsOf(usage) });
    return null;
  }
  if (found.sessionEnded) throw new RunError('CLOSED', 'the session of the run has ended.');
  const { code, agent } = await loadCode(parts);
  if (code.root !== init.code.root)
    throw new RunError(
      'CODE_CHANGED',
      'the run began with other code than is here. Recover it with the code that it began with.',
    );
  if (init.parent?.replay === 'evaluation')
    throw new RunError('CLOSED', 'the run is a fork, which is not gone on with. Fork its parent again.');
  const start = await startOf(init, read);
  const hash = await openBlake3(init.hashes === 'blake3' ? undefined : await store.deriveKey(id, RUN_KEY));
  const { capabilities, parameters } = init;
  const node = init.parent?.node;
  const machine = new Machine(agent, { run: id, capabilities, hash, parameters, start, node });
  const from = await restore(machine, found, read);
  const walk = new Walk(machine, hash, read, firstStep(init).next);
  for await (const events of readEvents(store, id, from.seq, to))
    for (const { event } of events) if (event.sequence > from.sequence) await walk.take(event);
  if (walk.last === undefined) throw new RunError('NOT_A_RUN', 'no event of the run can be read.');
  session.assertAuthenticated();
  const log = new RunLog(
    { store, source, run: id, now },
    { sequence: walk.last.sequence, stateHash: walk.last.stateAfter },
  );
  const run = openRun(
    parts,
    { session, agent, machine, log, init, initSeq, answers: null },
    { next: walk.next, reduced: reduced ?? firstStep(init).reduced, usage },
  );
  const inDoubt = walk.next.do === 'conclude' ? runEventId(id, walk.next.call) : null;
  await run.record('Recovery', { at: walk.last.sequence, in_doubt: inDoubt });
  await log.flush(to);
  await run.rememberPending();
  if (walk.last.sequence === 0) await run.snapshot('first');
  await log.flush();
  return run;
}

/** One pass over all events: the judge's word, where snapshots are, and whether it has ended. */
async function survey({ recorder: { store }, run }: RecoverParts): Promise<Surveyed> {
  const { seq: to } = await store.head();
  const judge = new RunJudge(run);
  const snapshots: { sequence: number; seq: number; ref: ContentRef }[] = [];
  let begun: { first: number; authKey: string | null } | undefined;
  let init: { init: AgentInit; seq: number } | undefined;
  let reduced: number | null = null;
  let sessionEnded = false;
  const usage: RunUsage = { calls: 0, denials: 0, ms: 0, outputBytes: 0 };
  for await (const entry of entriesOf(store, 1, to, ['session.start', 'session.end'])) {
    if (entry.session_id !== run) continue;
    if (entry.kind === 'session.end') sessionEnded = true;
    else begun = { first: entry.seq, authKey: parseSessionStart(entry.payload).authKey };
  }
  if (begun === undefined) throw new RunError('NOT_A_RUN', `there is no session ${run.slice(0, 16)} here.`);
  for await (const events of readEvents(store, run, begun.first, to))
    for (const { event, seq } of events) {
      const payload = event.payload === null ? null : parseRunPayload(event.kind, event.payload);
      const [flaw] = judge.event(event, payload, seq);
      if (flaw !== undefined) throw new RunError('DIVERGED', `${flaw.message} (${flaw.code}).`);
      if (payload?.kind === 'AgentInit') init = { init: payload.init, seq };
      else if (
        payload?.kind === 'Snapshot' &&
        payload.fact.snapshot !== null &&
        payload.fact.reason !== 'last'
      )
        snapshots.push({ sequence: event.sequence, seq, ref: payload.fact.snapshot });
      if (REDUCED.has(event.kind)) reduced = event.sequence;
      count(usage, event);
    }
  if (init === undefined)
    throw new RunError('NOT_A_RUN', `session ${run.slice(0, 16)} is no run, or its first event was lost.`);
  return {
    ...begun,
    init: init.init,
    initSeq: init.seq,
    snapshots,
    to,
    isClosed: judge.isClosed,
    sessionEnded,
    reduced,
    usage,
  };
}

const REDUCED: ReadonlySet<RunEventKind> = new Set(['Observation', 'ToolResult', 'Denial']);

function count(usage: RunUsage, { kind, payload }: RunEvent): void {
  if (kind === 'Denial') usage.denials++;
  if (kind !== 'ToolResult') return;
  usage.calls++;
  // In content it is not looked for: what a run used is a sum for people.
  const told = (payload?.usage ?? {}) as Record<string, Json>;
  usage.ms += Number(told.ms ?? 0);
  usage.outputBytes += Number(told.output_bytes ?? 0);
}

/** From the newest snapshot that is here and has its hash, else from nothing. */
export async function restore(
  machine: Machine,
  { snapshots, initSeq }: Pick<Surveyed, 'snapshots' | 'initSeq'>,
  read: ReadContent,
): Promise<{ sequence: number; seq: number }> {
  for (const { sequence, seq, ref } of snapshots.toReversed()) {
    const bytes = await read(ref);
    if (bytes === undefined) continue;
    const document = JSON.parse(new TextDecoder().decode(bytes)) as JsonObject;
    try {
      machine.restore(document);
    } catch (error) {
      if (error instanceof ParseError || error instanceof TypeError) continue;
      throw error;
    }
    // The walk begins with the snapshot's own event, which names the state that it must be.
    if (machine.hash === document.state_hash) return { sequence: sequence - 1, seq };
  }
  return { sequence: -1, seq: initSeq };
}

/** Follows the events of the run and finds out what comes next. */
class Walk {
  readonly #machine: Machine;
  readonly #hash: Blake3;
  readonly #read: ReadContent;
  next: Next;
  last: RunEvent | undefined;

  constructor(machine: Machine, hash: Blake3, read: ReadContent, first: Next) {
    this.next = first;
    this.#machine = machine;
    this.#hash = hash;
    this.#read = read;
  }

  async take(event: RunEvent): Promise<void> {
    const { sequence, kind, stateAfter } = event;
    const payload = await payloadOf(event, this.#read, this.#hash);
    if (payload === null)
      throw new RunError(
        'CONTENT_GONE',
        `the payload of event ${sequence} is not here, so the state can't be rebuilt.`,
      );
    this.#machine.apply({ sequence, kind, payload });
    if (this.#machine.hash !== stateAfter)
      throw new RunError(
        'DIVERGED',
        `event ${sequence} leads to another state than is on record. \`foil replay\` says more.`,
      );
    this.#follow(event, parseRunPayload(kind, payload));
    this.last = event;
  }

  #follow({ sequence, kind }: RunEvent, parsed: RunPayload): void {
    if (REDUCED.has(kind)) this.next = { do: 'decide' };
    else if (parsed.kind === 'Decision') this.next = nextOf(sequence, parsed.action);
    else if (parsed.kind === 'ToolCall')
      this.next = { do: 'conclude', call: sequence, request: parsed.request };
    else if (parsed.kind === 'Snapshot' && parsed.fact.reason === 'last') this.next = finalOf(this.next);
    // One in between is taken right before a decision.
    else if (parsed.kind === 'Snapshot' && parsed.fact.reason !== 'first') this.next = { do: 'decide' };
  }
}

function nextOf(decision: number, action: RunAction): Next {
  if (action.type === 'wait') return { do: 'wait' };
  if (action.type === 'finish')
    return { do: 'close', outcome: 'finished', reason: null, result: action.result };
  if (action.type === 'fail') return { do: 'close', outcome: 'failed', reason: action.reason, result: null };
  return { do: 'act', decision, action };
}

/** The last snapshot is there, and the final event is not. */
function finalOf(next: Next): Next {
  if (next.do === 'close') return { ...next, do: 'final' };
  return { do: 'final', outcome: 'stopped', reason: 'the run was ending when a crash came', result: null };
}
