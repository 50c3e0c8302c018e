// One hook call, from the bytes a host sent to the answer it gets. Recording and answering are one: hosts run sibling
// hooks side by side and drop the slower. What can't be recorded is decided by the mode: observe lets it happen and
// leaves a note, from which the next entry tells of the gap; guard and locked refuse it in the form the host obeys.

import { CONFIG_FILE } from '../../config/index.ts';
import type { Mode } from '../../ledger/index.ts';
import { tellsWayPast, withoutWayPast } from '../../rules/index.ts';
import { workspacePath } from '../facts/paths.ts';
import {
  clearOff,
  countMissed,
  isOff,
  noteMissed,
  noteOff,
  notePassed,
  takeMissed,
} from '../missed/missed.ts';
import { refusalOf } from './defence.ts';
import type { HostEvent, Problem } from './host-event.ts';
import type { HostRecorder, Recorded } from './host-recorder.ts';
import { isTurnEnd } from './judge.ts';
import { decisiveEvent, type HookInput, readHookEvents } from './read-hook-events.ts';
import type { Adapter, Answer, Ruling } from './ruling.ts';

export interface HookCall extends HookInput {
  /** The least strict mode, as the command line pins it. */
  readonly pinned: Mode;
  /** Where a host that works in `cwd` is recorded. What it throws is a failure to record like any other. */
  readonly place: (cwd: string | null) => HookPlace;
  /** All of it must be over by then, in milliseconds: the host's patience is a little longer. */
  readonly deadline?: number;
  readonly now?: () => number;
  /** It came over HTTP, from a host that does not say what is in its environment. */
  readonly remote?: boolean;
  /** FOIL=off is set in the environment of the hook. */
  readonly off?: boolean;
  /** Somebody else was given the event and did not answer. It may be recorded, so it is not recorded again. */
  readonly unanswered?: Error | null;
}

export interface HookPlace {
  readonly mode: Mode;
  /** Nothing is recorded, nothing refused. */
  readonly paused: boolean;
  /** A person let through what can't be recorded: see release.ts. `end` takes that back. */
  readonly release: { end(): void } | null;
  /** Where notes about what was missed are kept: see runtime-directory.ts. */
  readonly runtime: string;
  /** What may be written of a text that failed to be recorded: the notes are files too. */
  readonly clean: (text: string) => string;
  /** What the person should know, told with their next prompt. */
  readonly warning: string | null;
  /** What is wrong with the project's configuration, where that refuses everything but its repair. */
  readonly broken: string | null;
  /** Further places where notes may have been left. */
  readonly elsewhere?: readonly string[];
  /** Why other hooks of this host may not reach us. In guard no prompt is let through then. */
  readonly diverted?: string | null;
  /** The workspace; null where the host tells no directory. */
  readonly root: string | null;
  readonly recorder: () => Promise<HostRecorder>;
}

export interface HookOutcome {
  readonly answer: Answer;
  readonly events: readonly HostEvent[];
  /** What went wrong, where something did. */
  readonly failure: Error | null;
}

/**
 * How long a hook tries, in milliseconds; hosts are told to wait for 30 s. Where an event may go unrecorded nobody
 * should have to wait for it; where that refuses it, a crowd of other hooks is no reason yet.
 */
export function hookDeadline(mode: Mode): number {
  return mode === 'observe' ? 8000 : 20_000;
}

/** Never rejects. */
export async function answerHook(call: HookCall): Promise<HookOutcome> {
  const { adapter, now = Date.now } = call;
  const { events, problem, lossy } = readHookEvents(call);
  const main = decisiveEvent(events);
  if (main === undefined) return { answer: SILENT, events, failure: null };
  let place: HookPlace | undefined;
  let ruling = PASS;
  try {
    place = call.place(main.cwd);
    // Whoever may write a file of the repository can set a variable for hooks, so outside of observe it is nobody's word.
    const mayBeOff = place.mode === 'observe';
    if (mayBeOff && call.off === true) {
      noteOff(place.runtime, main.session, now());
      return { answer: SILENT, events, failure: null };
    }
    const off = mayBeOff && call.remote === true && isOff(place.runtime, main.session);
    // In locked mode a pause is the ledger's owner's.
    if (place.paused) {
      const { clean, runtime } = place;
      const id = 'id' in main && main.id !== null ? clean(main.id) : null;
      notePassed(runtime, { at: now(), agent: adapter.agent, event: clean(main.name), call: id });
    }
    if (place.paused || off) return { answer: adapter.answer(main, PASS), events, failure: null };
    const { broken } = place;
    // Prompts and ends of turns are recorded all the same: our own count for a prompt says how often its turn may be refused.
    if (broken !== null && main.type !== 'prompt' && !isTurnEnd(main) && !isRepair(main, place.root))
      throw new Error(`${broken}. ${REPAIR}`);
    if (call.unanswered) throw call.unanswered;
    const work = recordAll(place, adapter, events, lossy, main);
    const mode = place.release === null ? place.mode : 'observe';
    ruling = await withDeadline(work, call.deadline ?? hookDeadline(mode));
    // What can be recorded is guarded again.
    place.release?.end();
    if (call.remote !== true) clearOff(place.runtime, main.session);
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    let times: number | null = null;
    if (place !== undefined) {
      const { clean, runtime } = place;
      const missed = {
        at: now(),
        agent: adapter.agent,
        event: clean(main.name),
        call: 'id' in main && main.id !== null ? clean(main.id) : null,
        why: clean(failure.message),
        session: main.session === null ? null : clean(main.session),
        ...(main.type === 'prompt' ? { prompt: true } : {}),
      };
      times = noteMissed(runtime, missed) && isTurnEnd(main) ? countMissed(runtime, missed) : null;
    }
    const released = place !== undefined && place.release !== null;
    const mode = released ? 'observe' : (place?.mode ?? call.pinned);
    if (call.off === true && mode === 'observe') return { answer: SILENT, events, failure: null };
    const isUnanswered = failure === call.unanswered;
    return {
      answer: refusal(adapter, mode, main, problem, { failure, isUnanswered, times }),
      events,
      failure,
    };
  }
  // What could not be understood is recorded, but nobody can say which call it was about to let through.
  if (problem !== null && place.mode !== 'observe') {
    const reason = `Counterfoil could not understand this hook's input (${problem}), so it let nothing through. ${NOT_UNDERSTOOD}`;
    return { answer: adapter.denyBlind(withoutWayPast(reason)), events, failure: null };
  }
  const ignored = call.off === true ? `FOIL=off is set here, but ${place.mode} mode ignores it.` : null;
  const warning = isLoud(main) ? (place.warning ?? ignored) : null;
  const told =
    ruling.verdict === 'pass' ? [warning, ruling.message ?? null].filter((text) => text !== null) : [];
  return {
    answer: say(adapter, main, told.length > 0 ? { verdict: 'pass', message: told.join('\n') } : ruling),
    events,
    failure: null,
  };
}

/** The refusal of a call that somebody else was to record and could not be reached for. */
export function refuseHook(
  call: Pick<HookCall, 'adapter' | 'body' | 'event' | 'pinned'>,
  failure: Error,
): Answer {
  const { events, problem } = readHookEvents(call);
  const main = decisiveEvent(events);
  return main === undefined
    ? call.adapter.denyBlind(withoutWayPast(failure.message))
    : refusal(call.adapter, call.pinned, main, problem, { failure, isUnanswered: false, times: null });
}

const NOT_UNDERSTOOD =
  'Try once more. If this happens again, tell the user: `foil log --kind observation` shows the input, and the agent may be newer than this version of Counterfoil.';
const PASS: Ruling = { verdict: 'pass' };
/** Ends of a turn that can't be recorded; as often as the gate blocks one. */
const MOST_REFUSED = 2;
const SILENT: Answer = { exit: 0, stdout: '', stderr: '' };
/** What can still be refused, or stopped after. */
const REFUSABLE: ReadonlySet<string> = new Set(['tool.call', 'prompt', 'tool.result', 'approval']);

async function recordAll(
  place: HookPlace,
  { source, transcript, cumulative }: Adapter,
  events: readonly HostEvent[],
  lossy: number,
  main: HostEvent,
): Promise<Ruling> {
  const recorder = await place.recorder();
  const [first, ...rest] = events;
  if (first === undefined) return PASS;
  const missed = takeMissed(place.runtime, ...(place.elsewhere ?? []));
  const { gaps, crashes } = missed;
  const recorded = new Map<HostEvent, Recorded | undefined>();
  try {
    recorded.set(
      first,
      await recorder.record(first, source, { gaps, crashes, lossy, transcript, cumulative }),
    );
  } catch (error) {
    missed.putBack();
    throw error;
  }
  missed.told();
  for (const event of rest)
    recorded.set(event, await recorder.record(event, source, { transcript, cumulative }));
  const where = recorded.get(main);
  if (where === undefined) return PASS;
  const auth = recorder.authRuling(main, where);
  if (auth?.verdict === 'deny') return auth;
  if (where.attack !== null) return { verdict: 'deny', ...refusalOf(where.attack) };
  if (where.denial !== null) return { verdict: 'deny', reason: `Counterfoil refuses this: ${where.denial}.` };
  if (main.type === 'prompt' && place.mode !== 'observe' && (place.diverted ?? null) !== null)
    return { verdict: 'deny', reason: `${place.diverted}. In ${place.mode} mode nothing runs unrecorded.` };
  if (main.type === 'prompt' && place.broken !== null) {
    const reason = `Counterfoil refuses this prompt: ${place.broken}. ${REPAIR}`;
    return {
      verdict: 'deny',
      reason,
      ...(place.mode === 'guard' ? { person: `${reason} ${WAYS_OUT}` } : {}),
    };
  }
  // The host asks before the new settings count, and keeps the old ones.
  if (main.type === 'config.change' && place.mode !== 'observe' && where.unhooked.length > 0)
    return {
      verdict: 'deny',
      reason: `Counterfoil keeps its hooks: ${UNHOOKED} ${where.unhooked.join(', ')}.`,
    };
  const ruling =
    place.broken === null
      ? await recorder.judgement.conclude(where.event, source, where)
      : await recorder.judgement.leaveUnjudged(main, source, where, `${place.broken}. ${REPAIR}`);
  if (auth?.message === undefined || ruling.verdict === 'deny' || !isLoud(main)) return ruling;
  return { verdict: 'pass', message: [auth.message, ruling.message].filter((text) => text).join('\n') };
}

const UNHOOKED = 'these settings remove or change the hooks for';
const REPAIR = `Only reading and editing ${CONFIG_FILE} is allowed until the file is valid; run \`foil policy check\` to see what is wrong.`;

/** Does it do nothing but read or write the configuration? */
function isRepair(event: HostEvent, root: string | null): boolean {
  const calls = event.type === 'tool.batch' ? event.calls : 'tool' in event ? [event] : [];
  return (
    calls.length > 0 &&
    calls.every(
      ({ files = [] }) =>
        files.length > 0 && files.every(({ path }) => workspacePath(path, event.cwd, root) === CONFIG_FILE),
    )
  );
}

interface Failed {
  readonly failure: Error;
  /** Somebody else has the event. */
  readonly isUnanswered: boolean;
  /** How often this end of a turn was refused, this time included; null where that is not known. */
  readonly times: number | null;
}

function refusal(
  adapter: Adapter,
  mode: Mode,
  main: HostEvent,
  problem: Problem | null,
  { failure, isUnanswered, times }: Failed,
): Answer {
  const deed = isUnanswered ? 'judge this turn' : 'record this';
  const why = `Counterfoil could not ${deed}: ${failure.message.replace(/[^.!?]$/, '$&.')}`;
  if (mode === 'observe') {
    return say(adapter, main, isLoud(main) ? { verdict: 'pass', message: why } : PASS);
  }
  const wayOn = mode === 'guard' ? 'A person has to put this right.' : 'Tell whoever runs the service.';
  const reason = isUnanswered
    ? `${why} In ${mode} mode no turn ends unjudged. ${END_AGAIN}`
    : `${why} In ${mode} mode nothing runs unrecorded. ${wayOn}`;
  const person = mode === 'guard' ? `${why} ${isUnanswered ? `${SERVICE} ` : ''}${WAYS_OUT}` : undefined;
  if (problem !== null) return adapter.denyBlind(withoutWayPast(reason));
  // A turn may not end unjudged, but nobody must be kept in it. Our notes say how often it was refused; where there are
  // none the host's word has to do, which another hook may be the reason of.
  const isFirst = main.type === 'stop' && main.active === false;
  const again = isTurnEnd(main) && (times === null ? isFirst : times <= MOST_REFUSED);
  const refuses = REFUSABLE.has(main.type) || again;
  if (!refuses) return say(adapter, main, { verdict: 'pass', message: person ?? reason });
  return say(adapter, main, { verdict: 'deny', reason, ...(person === undefined ? {} : { person }) });
}

const END_AGAIN =
  'Wait a moment, then end your turn again with the same message. If that is refused too, tell the user.';
const SERVICE =
  'Counterfoil replaces a service that hangs for 30 seconds at the next prompt. If you started the service yourself, stop it.';
/** For a person: how work goes on. A model that reads this would go that way itself. */
const WAYS_OUT =
  'Fix that, or run `foil pause 30m` or `foil mode observe` in your own terminal to continue without a record.';

/** What a model reads never names a way past us; what is taken out of it, the person still gets. */
function say(adapter: Adapter, event: HostEvent, ruling: Ruling): Answer {
  if (ruling.verdict === 'pass' || !tellsWayPast(ruling.reason)) return adapter.answer(event, ruling);
  const { reason, person = reason } = ruling;
  return adapter.answer(event, { verdict: 'deny', reason: withoutWayPast(reason), person });
}

/** A person is looking, and once is enough. */
function isLoud({ type }: HostEvent): boolean {
  return type === 'prompt' || type === 'session.start';
}

function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new Error(
            `it took longer than ${milliseconds / 1000} s. Another process may hold the ledger's lock.`,
          ),
        ),
      milliseconds,
    );
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
