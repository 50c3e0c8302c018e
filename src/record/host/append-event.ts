// One event of a host as one block of entries, joined to its session as that is then: inside the store's exclusive
// section, because the events of one step come at once and from different processes.
import {
  type CallAuthority,
  type Crash,
  encodeCrash,
  encodeGap,
  type ProcessFact,
  type RecordingGap,
} from '../../format/index.ts';
import {
  type AuthFailure,
  appendWithSum,
  type BuildWithSum,
  encodeEnding,
  encodeShared,
  NO_SUM,
  parseShared,
  sharedState,
} from '../../session/index.ts';
import { denialOf } from '../authority.ts';
import { Traces } from '../intake.ts';
import type { HooksSeen } from './hook-files.ts';
import type { HostEvent } from './host-event.ts';
import { type HostRecorderOptions, waitFor } from './host-recorder-options.ts';
import { rememberTurn } from './newest-words.ts';
import type { Prepared } from './prepared.ts';
import { encodeState, parseState, type SessionState, seenAgain } from './session-state.ts';
import type { ToldByHost } from './transcript.ts';
import { Turn } from './turn.ts';

/** What goes into the ledger in one piece. */
export interface EventBlock {
  readonly name: string;
  readonly gaps: readonly RecordingGap[];
  readonly crashes: readonly Crash[];
  readonly source: string;
  readonly session: string;
  /** Where it begins, as it is remembered. */
  readonly first: number | undefined;
  /** Others write to it as well. */
  readonly joined: boolean;
  readonly unanchored: true | undefined;
  readonly event: HostEvent;
  readonly prepared: Prepared;
  readonly transcript: ToldByHost | null;
  readonly failure: AuthFailure | null;
  /** What the call would do to its own recording. */
  readonly attack: string | null;
  readonly authority: CallAuthority | null;
  readonly hooks: HooksSeen | null;
}

export interface Appended {
  /** What is wrong with the session's auth key, where that was looked at; null where nothing is. */
  readonly unauthenticated: AuthFailure | null;
  /** The events of hooks that are gone, or were changed, since they were last looked at. */
  readonly unhooked: readonly string[];
  readonly turn: Turn;
}

/** Events that have a place in the chain of interactions. */
const CHAINED: ReadonlySet<string> = new Set(['prompt', 'stop']);

/** Events before which the session's auth key is looked at. */
const AUTHENTICATED: ReadonlySet<string> = new Set(['session.start', 'prompt', 'tool.call']);

/**
 * Undefined where the session is another by now. Durable when it resolves. `check` says what is wrong with the auth key of
 * a session.
 */
export async function appendEvent(
  block: EventBlock,
  options: HostRecorderOptions,
  { host, check }: { readonly host: ProcessFact | null; check(state: SessionState): AuthFailure | null },
): Promise<Appended | undefined> {
  const {
    name,
    gaps,
    crashes,
    source,
    session,
    joined,
    unanchored,
    event,
    prepared,
    transcript,
    failure,
    attack,
    authority,
  } = block;
  const { hooks } = block;
  const { blocks, mode, now: clock = Date.now } = options;
  let unauthenticated: AuthFailure | null = null;
  let unhooked: readonly string[] = [];
  const isShared = joined && CHAINED.has(event.type);
  const newest =
    event.type === 'session.end' ? await blocks?.latest() : unanchored === true ? blocks?.known() : null;
  let turn: Turn | undefined;
  const build: BuildWithSum = (head, bytes, chain, sum) => {
    const state = parseState(bytes);
    if (state?.session !== session) return undefined;
    const now = clock();
    const shared = isShared ? parseShared(chain, session) : null;
    turn = new Turn({ state, source, seq: head.seq, now, shared, block: newest ?? null });
    if (host !== null) turn.state = seenAgain(turn.state, host);
    turn.anchor();
    for (const gap of gaps) turn.push('gap', encodeGap(gap), null);
    for (const crash of crashes) turn.push('crash', encodeCrash(crash), null);
    turn.useConfig(options.config.hash);
    turn.useMode(mode);
    unhooked = hooks === null ? [] : turn.useHooks(hooks);
    if (transcript !== null) turn.compare(transcript, event.type);
    turn.take(event, prepared, authority);
    turn.state = rememberTurn(
      turn.state,
      event,
      (text) => options.intake.clean(text, new Traces()) as string,
    );
    if (AUTHENTICATED.has(event.type)) {
      unauthenticated = check(state);
      // Of a session that never had one it says more why what was presented is none.
      if (unauthenticated !== null && state.authKey === undefined)
        unauthenticated = failure ?? unauthenticated;
      turn.authenticate(unauthenticated, event, prepared, mode !== 'observe');
    }
    if (attack !== null && unauthenticated === null) turn.refuse(event, prepared, `it would ${attack}`);
    else if (authority?.verdict === 'deny' && unauthenticated === null)
      turn.refuse(event, prepared, denialOf(authority));
    return {
      ...encodeEnding(turn.drafts, head, now, sum),
      state: encodeState(turn.state),
      ...(turn.shared === null ? {} : { shared: encodeShared(turn.shared) }),
    };
  };
  const waiting = {
    ...waitFor(options, name),
    ...(isShared ? { shared: sharedState(session) } : {}),
  };
  const { store, tally } = options;
  // Whoever fails closed says of a session all that it can be held to, or nothing.
  const counting = { tally: () => tally(session, block.first), required: mode !== 'observe' };
  const head =
    event.type === 'session.end' && !joined
      ? await appendWithSum(store, { ...waiting, ...counting }, build)
      : await store.append((at, state, shared) => build(at, state, shared, NO_SUM), waiting);
  return head === undefined || turn === undefined ? undefined : { turn, unauthenticated, unhooked };
}
