// What must be known about a host's session to write its next entry: its id, the prompt it answers, the calls that are
// open. One small JSON document a session, handed in and out by the store inside the exclusive section. Derived from
// the entries and disposable: one that can't be read counts as none, and the session begins anew.
import { sha256Hex, utf8Decode, utf8Encode } from '#platform';
import { isHash } from '../../core/index.ts';
import type { ProcessFact, SessionCounts } from '../../format/index.ts';
import type { Mode } from '../../ledger/index.ts';
import { type GateMemory, isMemory, NO_MEMORY } from '../../rules/index.ts';
import { type Chain, isChain, newChain } from '../../session/index.ts';
import type { JobEnd, Told } from './host-event.ts';
import type { TranscriptMark } from './transcript.ts';

export interface OpenCall {
  readonly seq: number;
  readonly id: string | null;
  readonly tool: string;
  readonly argsHash: string;
  /** The fingerprint of the work tree before it, of a command that may be a check. */
  readonly tree?: string;
  /** Where the host was when it began: behind a `cd`, the result of a command tells another place. */
  readonly cwd?: string;
  /** It talks to our hooks: whatever is told meanwhile may be the agent's own word. */
  readonly feeds?: true;
  /** When permission for it was asked, and where that stands. */
  readonly asked?: { readonly seq: number; readonly at: number };
}

/** Ids, by who made the calls: a subagent that makes hundreds must not let those of the others be forgotten. */
export interface DoneCalls {
  readonly agent: string | null;
  readonly ids: readonly string[];
}

/** A check that was started, and whose exit code a later call reads. */
export interface Job {
  /** As the host calls it. */
  readonly name: string;
  /** The host's id of the call that started it. */
  readonly call: string | null;
  /** Cleaned. */
  readonly command: string;
  /** The fingerprint of the work tree when it was started. */
  readonly tree: string;
  /** The host told of its end, with this exit code; what it printed is still to be read, in this file. */
  readonly code?: number;
  readonly output?: string;
}

export interface SessionState {
  readonly v: 1;
  readonly session: string;
  readonly ended: boolean;
  /** It is part of a session that somebody else began and will end: a process under `foil run`. */
  readonly joined: boolean;
  /** Where it begins in the log. */
  readonly first?: number;
  /** The newest prompt's seq. */
  readonly prompt: number | null;
  /** Its hash, where there is one. */
  readonly promptHash?: string | null;
  /** Of its interactions; a session that it joined has its own elsewhere. */
  readonly chain?: Chain;
  /** It began when a block was to be had and could not. */
  readonly unanchored?: true;
  /** The id of the auth key that it began with; none where there is none. */
  readonly authKey?: string;
  /** The root of the harness pack that it began with; none where there is none. */
  readonly pack?: string;
  /** The hash of the grants that it began with; none where there were none. */
  readonly grants?: string;
  /** The work tree in which it began, or the hash of one that can't be kept: paths of its grants begin there, wherever the agent goes. */
  readonly root?: string;
  /** That it has no good key was the last thing told of that. */
  readonly authFailed?: true;
  /** The host's process, as the first event showed it; gone once another event shows another one. */
  readonly host?: HostSeen;
  readonly calls: readonly OpenCall[];
  /** The calls that came to an end last. A batch may tell of them after the next prompt. */
  readonly done: readonly DoneCalls[];
  /** How far the host's transcript was compared with what was recorded. */
  readonly transcriptOffset: number;
  /** What was started and has not ended. */
  readonly jobs?: readonly Job[];
  /** Where this turn begins in the host's transcript. */
  readonly mark?: TranscriptMark;
  /** The model's newest message of this turn, cleaned, where the host does not tell it again with the end of the turn. */
  readonly said?: string;
  /** What the host told of this turn, where it tells it again with every end of it. */
  readonly told?: Told;
  /** When the end of a turn last reached us, or the session began. */
  readonly turnEnd?: string;
  readonly counts: SessionCounts;
  readonly configHash: string | null;
  /** How strictly its newest event was recorded. */
  readonly mode?: Mode;
  /** Where the host was when the session began: it reads its settings there, wherever it works later. */
  readonly cwd?: string;
  /** Our hooks as they stood when they were last looked at: see HooksSeen. */
  readonly hooks?: readonly string[];
  /** The events of those that are missing, as it was told last. */
  readonly unhooked?: readonly string[];
  /** The files that they stood in, with what the system said of each. */
  readonly hookFiles?: Readonly<Record<string, string>>;
  /** What the gate needs at the end of the turn. */
  readonly gate: GateMemory;
  /** What was noticed in it already, and is not told again. */
  readonly noticed?: readonly string[];
}

/** A hook's parent may be a shell that lives no longer than the hook. One that several events show is the host. */
export interface HostSeen extends ProcessFact {
  readonly again: boolean;
}

/** What falls out is the oldest: a call that never had a result. */
const MOST = 1024;
const MOST_JOBS = 8;
/** These are written with every event, so fewer. */
const MOST_DONE = 256;
const MOST_AT_ONCE = 32;
const NO_COUNTS: SessionCounts = { prompts: 0, responses: 0, calls: 0, results: 0, denied: 0, redacted: 0 };

/** The name under which the store keeps it. A host's id may be anything; ours are short and harmless. */
export function stateName(agent: string, session: string): string {
  const harmless = /^[a-z0-9][a-z0-9-]{0,63}$/.test(session);
  return `${agent}.${harmless ? session : sha256Hex(session).slice(0, 32)}`;
}

export function newState(
  session: string,
  {
    joined = false,
    first = undefined as number | undefined,
    configHash = null as string | null,
    unanchored = false,
    authKey = null as string | null,
    pack = null as string | null,
    authFailed = false,
    grants = null as string | null,
    root = null as string | null,
    host = null as ProcessFact | null,
  } = {},
): SessionState {
  return {
    v: 1,
    session,
    ended: false,
    joined,
    ...(first === undefined ? {} : { first }),
    prompt: null,
    ...(joined ? {} : { chain: newChain(session) }),
    ...(unanchored ? { unanchored } : {}),
    ...(authKey === null ? {} : { authKey }),
    ...(pack === null ? {} : { pack }),
    ...(authFailed ? { authFailed } : {}),
    ...(grants === null ? {} : { grants }),
    ...(grants === null || root === null ? {} : { root }),
    ...(host === null ? {} : { host: { ...host, again: false } }),
    calls: [],
    done: [],
    transcriptOffset: 0,
    counts: NO_COUNTS,
    configHash,
    gate: NO_MEMORY,
  };
}

/** What was last written or read, by session: most events find the state as the one before left it. */
const known = new Map<string, { readonly text: string; readonly state: SessionState }>();
const MOST_KNOWN = 64;

function remember(text: string, state: SessionState): void {
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(state.session, { text, state });
}

export function encodeState(state: SessionState): Uint8Array {
  const calls = state.calls.length > MOST ? state.calls.slice(-MOST) : state.calls;
  const done = newestDone(state.done);
  // The session comes first, so that parseState finds it without reading the rest.
  const { session, ...rest } = { ...state, calls, done };
  const text = JSON.stringify({ session, ...rest });
  remember(text, { session, ...rest });
  return utf8Encode(text);
}

const START = '{"session":"';

/** Undefined where there is none, or none of ours. What it gives is shared: nobody may change it. */
export function parseState(bytes: Uint8Array | undefined): SessionState | undefined {
  if (bytes === undefined) return undefined;
  try {
    const text = utf8Decode(bytes);
    const session = text.slice(START.length, START.length + 64);
    const seen = text.startsWith(START) ? known.get(session) : undefined;
    if (seen?.text === text) return seen.state;
    const state = JSON.parse(text) as SessionState;
    const sound =
      state.v === 1 &&
      isHash(state.session) &&
      Array.isArray(state.calls) &&
      Array.isArray(state.done) &&
      state.done.every(({ ids }) => Array.isArray(ids)) &&
      typeof state.counts.prompts === 'number' &&
      (state.chain === undefined || isChain(state.chain));
    if (!sound) return undefined;
    // One that was written before there was a gate.
    const whole = isMemory(state.gate) ? state : { ...state, gate: NO_MEMORY };
    remember(text, whole);
    return whole;
  } catch {
    return undefined;
  }
}

/** A log that lost its end, or was put back, has not what a state of before names: that is nobody's cause. */
export function upTo(state: SessionState, seq: number): SessionState {
  const { prompt, calls } = state;
  if ((prompt ?? 0) <= seq && calls.every((call) => call.seq <= seq)) return state;
  return {
    ...state,
    prompt: (prompt ?? 0) <= seq ? prompt : null,
    calls: calls.filter((call) => call.seq <= seq),
  };
}

/** One more event of the session came, from a child of that process. */
export function seenAgain(state: SessionState, { pid, started, boot }: ProcessFact): SessionState {
  const { host, ...rest } = state;
  if (host === undefined || host.again) return state;
  const same = host.pid === pid && host.started === started && host.boot === boot;
  return same ? { ...rest, host: { ...host, again: true } } : rest;
}

/** One of that name that was there before is forgotten: hosts use names again. */
export function withJob(state: SessionState, job: Job): SessionState {
  return { ...state, jobs: [...withoutJob(state, job.name), job].slice(-MOST_JOBS) };
}

/** The host told how it ended, and not what it printed. */
export function withJobEnd(state: SessionState, { job, code, output }: JobEnd): SessionState {
  const jobs = (state.jobs ?? []).map((each) =>
    each.name === job && output !== undefined ? { ...each, code, output } : each,
  );
  return { ...state, jobs };
}

export function withoutJob({ jobs = [] }: SessionState, name: string): readonly Job[] {
  return jobs.filter((each) => each.name !== name);
}

export function isDone({ done }: SessionState, id: string): boolean {
  return done.some(({ ids }) => ids.includes(id));
}

/**
 * Of calls in the order in which they were made, those that can be told to be done or not: what ended before the oldest
 * that is remembered may have been recorded and forgotten. Calls made together end in any order.
 */
export function judgeable(state: SessionState, calls: readonly string[]): readonly string[] {
  if (state.done.reduce((sum, { ids }) => sum + ids.length, 0) < MOST_DONE) return calls;
  const oldest = state.done.flatMap(({ ids }) => ids.slice(0, MOST_AT_ONCE));
  return calls.slice(1 + Math.max(...oldest.map((id) => calls.indexOf(id))));
}

export function withDone(state: SessionState, agent: string | null, more: readonly string[]): SessionState {
  const before = state.done.find((each) => each.agent === agent)?.ids ?? [];
  const others = state.done.filter((each) => each.agent !== agent);
  return { ...state, done: [...others, { agent, ids: [...before, ...more] }] };
}

/** Who has most loses its oldest first. */
function newestDone(done: readonly DoneCalls[]): readonly DoneCalls[] {
  let total = done.reduce((sum, { ids }) => sum + ids.length, 0);
  if (total <= MOST_DONE) return done;
  const kept = done.map(({ agent, ids }) => ({ agent, ids: ids.slice(-MOST_DONE) }));
  total = kept.reduce((sum, { ids }) => sum + ids.length, 0);
  for (; total > MOST_DONE; total--)
    kept.reduce((most, each) => (each.ids.length > most.ids.length ? each : most)).ids.shift();
  return kept.filter(({ ids }) => ids.length > 0);
}

/**
 * The open call that an event is about: by its id, or the oldest one of the same tool and arguments. One of this turn
 * comes first: a call that was refused in silence stays open. Of several with one id, one with these arguments.
 */
export function findCall(
  state: SessionState,
  {
    id,
    tool,
    argsHash,
  }: { readonly id: string | null; readonly tool: string; readonly argsHash: string | null },
): OpenCall | undefined {
  if (id !== null) {
    const named = state.calls.filter((call) => call.id === id);
    const [first] = named;
    if (first !== undefined)
      return named.find((call) => call.tool === tool && call.argsHash === argsHash) ?? first;
  }
  const alike = state.calls.filter(
    (call) => (id === null || call.id === null) && call.tool === tool && call.argsHash === argsHash,
  );
  return alike.find(({ seq }) => seq > (state.prompt ?? 0)) ?? alike[0];
}

export function countOn(state: SessionState, more: Partial<SessionCounts>): SessionState {
  const { counts } = state;
  return {
    ...state,
    counts: {
      prompts: counts.prompts + (more.prompts ?? 0),
      responses: counts.responses + (more.responses ?? 0),
      calls: counts.calls + (more.calls ?? 0),
      results: counts.results + (more.results ?? 0),
      denied: counts.denied + (more.denied ?? 0),
      redacted: counts.redacted + (more.redacted ?? 0),
    },
  };
}
