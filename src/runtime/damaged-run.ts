// What is left of a run whose log is damaged: the last event up to which everything holds, the newest snapshot there, from
// where a continued run can begin, and which calls stand behind that and may have happened. Nothing is run here; whether the
// states hold as well, a replay up to that event tells.
import { ParseError, plainBlake3, StoreError } from '../core/index.ts';
import {
  hashOfEntry,
  parseRunPayload,
  type RunEvent,
  type RunPayload,
  runEventId,
  saltPath,
} from '../format/index.ts';
import { entriesOf } from '../ledger/index.ts';
import type { PatchEffect } from '../policy/index.ts';
import { RunJudge } from '../rules/index.ts';
import { callsLost, type LostEntries, lossText, lostEntries } from './lost-entries.ts';
import { payloadOf, readInit, readSteps } from './read-run.ts';
import { RunError } from './run-error.ts';
import { type RunPatches, readPatches } from './run-patches.ts';
import { type RunSource, stateText } from './run-steps.ts';

export interface DoubtfulCall {
  /** The id of its event. */
  readonly event: string;
  readonly tool: string | null;
}

export interface RunDamage {
  readonly run: string;
  /** What is wrong first; null where nothing is. */
  readonly flaw: string | null;
  /** What the ledger lost while the run was open. */
  readonly lost: readonly LostEntries[];
  /** How many calls may have stood there, behind `goOn`. */
  readonly lostCalls: number;
  /** The last event up to which everything holds; null where not even the first does. */
  readonly lastGood: number | null;
  readonly isClosed: boolean;
  /** The newest snapshot up to there that is here and has the hash of its state. */
  readonly snapshot: number | null;
  /** The event behind which a continued run can begin; null where there is none. */
  readonly goOn: number | null;
  /** Events behind the last good one that can still be read, though nothing rests on them. */
  readonly readable: number;
  /** Calls that stand behind `goOn`: a continued run may make them again. */
  readonly doubtful: readonly DoubtfulCall[];
}

/** `before` is an event that is known to be wrong, as a replay tells. RunError NOT_A_RUN where no event of it is here. */
export async function surveyDamage(source: RunSource, before = Number.POSITIVE_INFINITY): Promise<RunDamage> {
  const { log, run, first, key } = source;
  const begun = await orWhyNot(readInit(log, run, first));
  if (!('init' in begun)) return surveyHeadless(source, begun);
  const { init, seq } = begun;
  const hash = plainBlake3(init.hashes === 'blake3' ? undefined : (key ?? undefined));
  const survey = new Survey(run);
  const isKeyed = init.hashes !== 'blake3';
  if (isKeyed && key === null) survey.flawed(saltText(run, 'is missing'));
  const started = await startOfSession(log, run, first, seq);
  const places = await lostEntries(log, started ?? seq);
  const rewritten = places.find(({ how }) => how === 'rewritten');
  const bad = ({ message }: ParseError): void => survey.flawed(message);
  const { seq: end } = await log.head();
  const effects = await effectsOf(log, run, end);
  for await (const steps of readSteps(log, run, seq, end, bad))
    for (const step of steps) {
      if (rewritten !== undefined && step.seq >= rewritten.from) survey.flawed(lossText(rewritten));
      if ('patch' in step) {
        survey.patch(effects.get(step.seq));
        continue;
      }
      const { event, seq: at } = step;
      if (event.sequence >= before)
        survey.flawed(`event ${before} leads to a different state than the one on record`);
      const { payload, flaw } = await parsed(event, source, hash);
      // This entry holds its payload, the payload's hash and the entry's own: if only the first two disagree, the key is another.
      const isOtherKey = isKeyed && event.sequence === 0;
      if (flaw !== null) survey.flawed(isOtherKey ? saltText(run, 'is not the one it was') : flaw);
      survey.take(event, payload, at);
    }
  const lost = places.filter(({ at }) => survey.isOpenAt(at));
  const newest = lost.at(-1);
  // Once the run went on behind a loss, its events follow from one another again.
  if (newest !== undefined && newest.at > survey.lastSeq) survey.flawed(lossText(newest));
  if (started === null)
    survey.flawed(
      'the entry that begins the session of the run (session.start) is lost or altered, so recoverRun refuses this run',
    );
  const snapshot = await survey.newestSnapshot(source, hash);
  const { found } = survey;
  const from = found.goOn ?? found.lastGood;
  const lostCalls = from === null ? 0 : callsLost(lost, seq, survey.seqOf(from));
  return { run, lost, lostCalls, ...found, snapshot };
}

function saltText(run: string, what: string): string {
  return `the file ${saltPath(run)} in the directory of the ledger ${what}. It holds the salt of the run's session, and without that no hash of the run can be checked. If you have a copy of this file, put it back and run this command again`;
}

async function orWhyNot<T>(work: Promise<T>): Promise<T | ParseError | RunError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ParseError || error instanceof RunError) return error;
    throw error;
  }
}

/** Of a run whose first event can't be read. Throws why, where it has no others either. */
async function surveyHeadless(source: RunSource, why: ParseError | RunError): Promise<RunDamage> {
  const { log, run, first, key } = source;
  const survey = new Survey(run);
  const told = why instanceof ParseError ? ` (${why.message})` : '';
  survey.flawed(
    `event 0 of the run (AgentInit) is lost or altered${told}. It names the code, the tools and the grants of the run, so no state can be rebuilt without it`,
  );
  const hash = plainBlake3(key ?? undefined);
  const { seq: end } = await log.head();
  for await (const steps of readSteps(log, run, first, end, () => undefined))
    for (const step of steps)
      if ('event' in step)
        survey.take(step.event, (await parsed(step.event, source, hash)).payload, step.seq);
  const { found } = survey;
  if (found.readable === 0 && why instanceof RunError) throw why;
  return { run, lost: await lostEntries(log, first), lostCalls: 0, ...found, snapshot: null };
}

/** The entry that begins its session; null where it is not here as it was written. */
async function startOfSession(
  log: RunSource['log'],
  run: string,
  from: number,
  to: number,
): Promise<number | null> {
  for await (const entry of entriesOf(log, from, to, ['session.start']))
    if (entry.session_id === run && hashOfEntry(entry) === entry.entry_hash) return entry.seq;
  return null;
}

/** None where the ledger can't be read whole: then the run is taken to be damaged where it was patched. */
async function effectsOf(log: RunSource['log'], run: string, to: number): Promise<RunPatches['effects']> {
  try {
    return (await readPatches(log, run, to)).effects;
  } catch (error) {
    if (error instanceof ParseError || error instanceof StoreError) return new Map();
    throw error;
  }
}

async function parsed(
  event: RunEvent,
  { read }: RunSource,
  hash: Parameters<typeof payloadOf>[2],
): Promise<{ payload: RunPayload | null; flaw: string | null }> {
  try {
    const payload = await payloadOf(event, read, hash);
    return { payload: payload === null ? null : parseRunPayload(event.kind, payload), flaw: null };
  } catch (error) {
    if (error instanceof ParseError || error instanceof RunError || error instanceof SyntaxError)
      return { payload: null, flaw: `event ${event.sequence}: ${error.message}` };
    throw error;
  }
}

interface Taken {
  readonly seq: number;
  readonly event: RunEvent;
  readonly payload: RunPayload | null;
}

class Survey {
  readonly #judge: RunJudge;
  #flaw: string | null = null;
  readonly #good: Taken[] = [];
  readonly #behind: Taken[] = [];
  #isClosed = false;
  #closedAt = Number.POSITIVE_INFINITY;
  /** The entry of the newest event, whether it is good or not. */
  lastSeq = 0;

  constructor(run: string) {
    this.#judge = new RunJudge(run);
  }

  /** The entry of a good event. */
  seqOf(sequence: number): number {
    return this.#good.find(({ event }) => event.sequence === sequence)?.seq ?? 0;
  }

  get found(): Omit<RunDamage, 'run' | 'lost' | 'lostCalls' | 'snapshot'> {
    const last = this.#good.at(-1)?.event;
    const goOn = this.#flaw === null || this.#isClosed ? null : this.#settled();
    const unsure = goOn === null ? [] : this.#unsure(goOn);
    return {
      flaw: this.#flaw,
      lastGood: last?.sequence ?? null,
      isClosed: this.#isClosed,
      goOn,
      readable: this.#behind.length,
      doubtful: [...unsure, ...this.#behind]
        .filter(({ event }) => event.kind === 'ToolCall')
        .map(({ event, payload }) => ({
          event: runEventId(event.run, event.sequence),
          tool: payload?.kind === 'ToolCall' ? payload.request.tool : null,
        })),
    };
  }

  /** Everything from here on is behind the damage. */
  flawed(why: string): void {
    this.#flaw ??= why;
  }

  isOpenAt(seq: number): boolean {
    return seq < this.#closedAt;
  }

  take(event: RunEvent, payload: RunPayload | null, seq: number): void {
    this.lastSeq = seq;
    if (this.#flaw === null) {
      const [flaw] = this.#judge.event(event, payload, seq);
      if (flaw !== undefined) this.flawed(`${flaw.message} (${flaw.code})`);
    }
    (this.#flaw === null ? this.#good : this.#behind).push({ seq, event, payload });
    if (this.#flaw === null && this.#judge.isClosed && !this.#isClosed)
      [this.#isClosed, this.#closedAt] = [true, seq];
  }

  /** Undefined for a step that did nothing to the run. */
  patch(effect: PatchEffect | undefined): void {
    if (effect === undefined || this.#flaw !== null) return;
    const [flaw] = this.#judge.patch(effect);
    if (flaw !== undefined) this.flawed(`${flaw.message} (${flaw.code})`);
  }

  async newestSnapshot({ read }: RunSource, hash: Parameters<typeof payloadOf>[2]): Promise<number | null> {
    for (const { event, payload } of this.#good.toReversed()) {
      const ref = payload?.kind === 'Snapshot' ? payload.fact.snapshot : null;
      const bytes = ref === null ? undefined : await read(ref);
      if (bytes === undefined) continue;
      const text = stateText(bytes);
      if (text !== null && hash(text) === event.stateAfter) return event.sequence;
    }
    return null;
  }

  /** Good events that a continued run begins before, and the newest before that if it is a call without a result. */
  #unsure(goOn: number): readonly Taken[] {
    const open = this.#good.findLastIndex(
      ({ event: { kind, sequence } }) => sequence <= goOn && CALLING.has(kind),
    );
    const isOpen = this.#good[open]?.event.kind === 'ToolCall';
    return this.#good.filter(({ event }, at) => event.sequence > goOn || (isOpen && at === open));
  }

  /** What an event led to may stand in memory writes behind it: the last of them must be known to be there. */
  #settled(): number | null {
    for (let at = this.#good.length - 1; at >= 0; at--) {
      const event = this.#good[at]?.event;
      const next = this.#good[at + 1]?.event.kind;
      if (event === undefined) continue;
      const isSettled = next === undefined ? !LEADS_TO_WRITES.has(event.kind) : next !== 'MemoryWrite';
      if (isSettled) return event.sequence;
    }
    return null;
  }
}

const CALLING: ReadonlySet<string> = new Set(['ToolCall', 'ToolResult']);
const LEADS_TO_WRITES: ReadonlySet<string> = new Set(['Observation', 'ToolResult', 'Denial', 'MemoryWrite']);
