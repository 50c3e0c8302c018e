// How a run continues after a crash: its events are judged, its state is rebuilt from the newest snapshot that holds,
// and what the crash left half done is finished. Nothing is guessed: different code, a state that does not come out
// as recorded, or somebody else who continues the run is refused.
import { type Blake3, type JsonObject, ParseError, plainBlake3, StoreError } from '../core/index.ts';
import {
  parseRunPayload,
  RUN_KEY,
  type RunAction,
  type RunEvent,
  type RunPayload,
  runEventId,
  type SnapshotReason,
} from '../format/index.ts';
import type { EntryLog } from '../ledger/index.ts';
import type { PatchEffect } from '../policy/index.ts';
import { rejoinSession } from '../record/index.ts';
import type { Agent } from './define.ts';
import { type DoubtfulCalls, doubtfulCalls, requestOf } from './doubtful-calls.ts';
import { lossText, lostEntries } from './lost-entries.ts';
import { Machine } from './machine.ts';
import { codeVersions, rootOf } from './patched-code.ts';
import { payloadOf, type ReadContent, readEvents, readSteps, startOf } from './read-run.ts';
import { readImpure } from './replay-record.ts';
import { countsOf, type Run } from './run.ts';
import { RunError } from './run-error.ts';
import { RunLog, unlessGoneOn } from './run-log.ts';
import type { Next } from './run-parts.ts';
import { assertCounts, firstStep, loadCode, openRun, type StartParts } from './start-run.ts';
import { REDUCED, type Surveyed, surveyRun } from './survey-run.ts';

export interface RecoverParts extends Omit<StartParts, 'granted' | 'limits' | 'parameters'> {
  readonly run: string;
  /** Content of the session of a run: this one, or those that it goes on from. */
  readonly readOf: (run: string) => ReadContent;
}

/** Null where the run had ended already. RunError says why it can't go on. */
export async function recoverRun(parts: RecoverParts): Promise<Run | null> {
  assertCounts('snapshots', parts.snapshots ?? {}, 1);
  for (let tries = 1; ; tries++) {
    try {
      return await tryToRecover(parts);
    } catch (error) {
      if (!(error instanceof RunError) || tries >= TRIES) throw error;
      // Events that were durable and not published yet when the log was read.
      if (error.code === 'NOT_LAST') continue;
      if (error.code !== 'NOT_A_RUN' || !(await takesIn(parts.recorder.store))) throw error;
    }
  }
}

/** What a crash left behind the head is taken in: the beginning of the run may stand there. False where nothing was. */
async function takesIn(store: Pick<EntryLog, 'append' | 'head'>): Promise<boolean> {
  const before = (await store.head()).seq;
  try {
    await store.append(() => undefined);
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
  return (await store.head()).seq > before;
}

const TRIES = 3;

async function tryToRecover(parts: RecoverParts): Promise<Run | null> {
  const { recorder, run: id, readOf } = parts;
  const read = readOf(id);
  const { store, source, now } = recorder;
  const found = await surveyRun(store, id).catch((error: unknown) => {
    if (!(error instanceof ParseError)) throw error;
    const message = `${error.message}. \`foil recover ${id.slice(0, 16)}\` says what can be saved.`;
    throw new RunError('LOST', message, { cause: error });
  });
  const { init, initSeq, first, authKey, to, usage, reduced } = found;
  const session = rejoinSession({ ...recorder, pid: null }, { id, first, authKey });
  if (found.isClosed) {
    if (!found.sessionEnded) await session.end({ reason: 'recovered', counts: countsOf(usage) });
    return null;
  }
  // Behind a loss that came earlier, the events of the run follow from one another again.
  const lost = (await lostEntries(store, first)).findLast(
    ({ at, how }) => at > found.lastSeq || how === 'rewritten',
  );
  if (lost !== undefined)
    throw new RunError(
      'LOST',
      `${lossText(lost)}, with calls that really happened. \`foil recover ${id.slice(0, 16)} --continue\` begins a run that continues from what is left.`,
    );
  if (found.sessionEnded) throw new RunError('CLOSED', 'the session of the run has ended.');
  const { code, agent, cellCodes } = await loadCode(parts);
  if (code.root !== (await rootInForce(found, read)))
    throw new RunError(
      'CODE_CHANGED',
      'the run began with different code than this, and no patch replaced it. Recover it with the code that is in force.',
    );
  if (init.parent?.replay === 'evaluation')
    throw new RunError('CLOSED', "the run is a fork, and a fork can't be continued. Fork its parent again.");
  const start = await startOf(init, read);
  const hash = plainBlake3(init.hashes === 'blake3' ? undefined : await store.deriveKey(id, RUN_KEY));
  const { capabilities, parameters } = init;
  const node = init.parent?.node;
  const machine = new Machine(agent, { run: id, capabilities, hash, parameters, start, node });
  const from = await restore(machine, found, read);
  const doubts =
    init.parent?.replay === 'recovery'
      ? await doubtfulCalls(init.parent, initSeq, { log: store, readOf })
      : null;
  const impure = doubts?.impure ?? new Set<string>();
  for (const tool of (await readImpure(store, init.code.root)).keys()) impure.add(tool);
  const walk = new Walk(machine, {
    hash,
    read,
    first: firstStep(init).next,
    hasObserved: reduced !== null,
  });
  if (from.open !== null) await walk.begin(from.open);
  for await (const steps of readSteps(store, id, from.seq, to))
    for (const step of steps) {
      if ('event' in step) {
        if (step.event.sequence > from.sequence) await walk.take(step.event);
      } else walk.patch(found.patches.effects.get(step.seq));
    }
  const key = doubts === null ? undefined : await takenBefore(doubts, parts, found, hash);
  if (walk.last === undefined) throw new RunError('NOT_A_RUN', 'no event of the run can be read.');
  session.assertAuthenticated();
  const log = new RunLog(
    { store, source, run: id, now },
    { sequence: walk.last.sequence, stateHash: walk.last.stateAfter },
  );
  const run = openRun(
    parts,
    {
      session,
      agent: withoutImpure(agent, impure),
      machine,
      log,
      init,
      cellCodes,
      models: parts.models(session),
      initSeq,
      answers: doubts,
    },
    { next: keyed(walk.next, key), reduced: reduced ?? firstStep(init).reduced, usage },
  );
  const inDoubt = walk.next.do === 'conclude' ? runEventId(id, walk.next.call) : null;
  await run.record('Recovery', { at: walk.last.sequence, in_doubt: inDoubt });
  await log.flush(unlessGoneOn(id, walk.last.sequence, to));
  await run.rememberPending();
  if (walk.last.sequence === 0) await run.snapshot('first');
  await log.flush();
  return run;
}

/** A tool that a replay found impure is not run again, whatever it says of itself. */
function withoutImpure(agent: Agent, impure: ReadonlySet<string>): Agent {
  const tools = agent.tools.map((tool) =>
    tool.pure && impure.has(tool.name) ? { ...tool, pure: false, idempotent: false } : tool,
  );
  return { ...agent, tools };
}

/** The calls that the run made are in doubt no more. Gives the key that the newest of them ran under, where it was not its own. */
async function takenBefore(
  doubts: DoubtfulCalls,
  { recorder: { store }, run, readOf }: RecoverParts,
  { init, initSeq, to }: Surveyed,
  hash: Blake3,
): Promise<string | undefined> {
  let key: string | undefined;
  for await (const events of readEvents(store, run, initSeq, to))
    for (const { event } of events)
      if (event.kind === 'ToolCall')
        key = doubts.taken(init.tools, await requestOf(event, readOf(run), hash));
  return key;
}

function keyed(next: Next, key: string | undefined): Next {
  return next.do === 'conclude' ? { ...next, key } : next;
}

/** The root of the code that the run began with, or that its patches made of it. */
async function rootInForce({ init, patches }: Surveyed, read: ReadContent): Promise<string> {
  const effects = [...patches.effects.values()];
  if (!effects.some(({ change }) => change.target === 'module')) return init.code.root;
  const newest = (await codeVersions(init, effects, read)).at(-1);
  return newest === undefined ? init.code.root : rootOf(newest.code);
}

/** From the newest snapshot that is here and has its hash, else from nothing. */
export async function restore(
  machine: Machine,
  { snapshots, initSeq }: Pick<Surveyed, 'snapshots' | 'initSeq'>,
  read: ReadContent,
): Promise<{ sequence: number; seq: number; open: RunEvent | null }> {
  for (const { sequence, seq, ref, stateHash, open } of snapshots.toReversed()) {
    const bytes = await read(ref);
    if (bytes === undefined) continue;
    const document = JSON.parse(new TextDecoder().decode(bytes)) as JsonObject;
    try {
      machine.restore(document);
    } catch (error) {
      if (error instanceof ParseError || error instanceof TypeError) continue;
      throw error;
    }
    if (machine.hash === stateHash) return { sequence: sequence - 1, seq, open };
  }
  return { sequence: -1, seq: initSeq, open: null };
}

/** Follows the events of the run and finds out what comes next. */
class Walk {
  readonly #machine: Machine;
  readonly #hash: Blake3;
  readonly #read: ReadContent;
  readonly #hasObserved: boolean;
  next: Next;
  last: RunEvent | undefined;

  constructor(
    machine: Machine,
    parts: {
      readonly hash: Blake3;
      readonly read: ReadContent;
      /** What comes behind the first two events. */
      readonly first: Next;
      readonly hasObserved: boolean;
    },
  ) {
    this.#machine = machine;
    this.#hash = parts.hash;
    this.#read = parts.read;
    this.#hasObserved = parts.hasObserved;
    this.next = parts.first;
  }

  /** At a snapshot that stands behind this event, a decision or a call that was not carried out yet. */
  async begin(event: RunEvent): Promise<void> {
    this.#follow(event, parseRunPayload(event.kind, await this.#payloadOf(event)));
  }

  async take(event: RunEvent): Promise<void> {
    const { sequence, kind, stateAfter } = event;
    const payload = await this.#payloadOf(event);
    this.#machine.apply({ sequence, kind, payload });
    if (this.#machine.hash !== stateAfter)
      throw new RunError(
        'DIVERGED',
        `event ${sequence} leads to a different state than the one on record. Run \`foil replay\` for details.`,
      );
    this.#follow(event, parseRunPayload(kind, payload));
    this.last = event;
  }

  async #payloadOf(event: RunEvent): Promise<JsonObject> {
    const payload = await payloadOf(event, this.#read, this.#hash);
    if (payload === null)
      throw new RunError(
        'CONTENT_GONE',
        `the payload of event ${event.sequence} is missing, so the state can't be rebuilt.`,
      );
    return payload;
  }

  /** Undefined for a step that did nothing to the run. */
  patch(effect: PatchEffect | undefined): void {
    if (effect === undefined) return;
    const name = `patch ${effect.id.number}`;
    if (effect.change.target === 'module')
      throw new RunError(
        'CONTENT_GONE',
        `the snapshot after ${name} is missing, and the events before it ran with different code.`,
      );
    try {
      this.#machine.patch(effect);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      throw new RunError('DIVERGED', `${name} can't be carried out: ${error.message}.`);
    }
    if (this.#machine.hash !== effect.after)
      throw new RunError(
        'DIVERGED',
        `${name} leads to a different state than it says. Run \`foil replay\` for details.`,
      );
  }

  #follow({ sequence, kind }: RunEvent, parsed: RunPayload): void {
    if (REDUCED.has(kind)) this.next = { do: 'decide' };
    if (parsed.kind === 'Denial' && parsed.code === 'STOPPED') this.next = STOPPED;
    else if (parsed.kind === 'Decision') this.next = nextOf(sequence, parsed.action);
    else if (parsed.kind === 'ToolCall')
      this.next = { do: 'conclude', call: sequence, request: parsed.request };
    else if (parsed.kind === 'Snapshot' && parsed.fact.reason === 'last') this.next = finalOf(this.next);
    // Behind a patch, an agent that waits thinks again.
    else if (parsed.kind === 'Snapshot' && parsed.fact.reason === 'patch') {
      if (this.next.do === 'wait' && this.#hasObserved) this.next = { do: 'decide' };
    }
    // One in between is taken right before a decision.
    else if (parsed.kind === 'Snapshot' && BEFORE_DECISION.has(parsed.fact.reason))
      this.next = { do: 'decide' };
  }
}

const STOPPED: Next = {
  do: 'close',
  outcome: 'stopped',
  reason: 'the run was being stopped when a crash came',
  result: null,
};

const BEFORE_DECISION: ReadonlySet<SnapshotReason> = new Set(['count', 'bytes']);

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
