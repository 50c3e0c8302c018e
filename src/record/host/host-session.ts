// Which session an event of a host is of. One begins where there is none, where the host says so, and at the prompt that
// brings a good auth key; the event of a `foil run` joins the session of that run.

import { sha256Hex } from '#platform';
import { redactionName } from '../../config/index.ts';
import type { JsonObject } from '../../core/index.ts';
import {
  type Binding,
  type Head,
  type ProcessFact,
  type SessionStart,
  UNBOUND,
  withTraces,
} from '../../format/index.ts';
import { type Clock, encodeBlock, type NewEntry } from '../../ledger/index.ts';
import {
  type Authenticated,
  type AuthFailure,
  type Begun,
  beginEntries,
  bindBlock,
  branchState,
  parseShared,
  sharedState,
} from '../../session/index.ts';
import { Traces } from '../intake.ts';
import type { HostEvent } from './host-event.ts';
import { type HostRecorderOptions, waitFor } from './host-recorder-options.ts';
import type { Judge } from './judge.ts';
import { encodeState, newState, parseState, type SessionState } from './session-state.ts';
import { transcriptEnd } from './transcript.ts';

/** The session that an event is of. */
export interface FoundSession extends Pick<SessionState, 'session' | 'first' | 'joined' | 'unanchored'> {
  /** Why what is presented just now is no good key, where that was tried. */
  readonly failure: AuthFailure | null;
  /** It was begun for this event. */
  readonly begun: boolean;
}

/** What a session begins with. */
interface Beginning {
  readonly event: HostEvent;
  readonly source: string;
  readonly head: Head;
  readonly before: SessionState | undefined;
  /** The commit that the work tree is at. */
  readonly base: string | null;
  readonly bound: Omit<Binding, 'authKey'>;
  /** The state of branches. */
  readonly shared: Uint8Array | undefined;
  readonly auth: Authenticated | undefined;
  /** The key of the session that it joins. */
  readonly joinedKey: string | null;
  /** The hash of the grants in force. */
  readonly grants: string | null;
}

export class HostSessions {
  readonly #options: HostRecorderOptions;
  readonly #now: Clock;
  readonly #host: ProcessFact | null;
  #checked: { readonly authKey: string | null; readonly failure: AuthFailure | null } | undefined;

  constructor(options: HostRecorderOptions, host: ProcessFact | null) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#host = host;
  }

  /** Another event comes: keys are looked at again. */
  checkAgain(): void {
    this.#checked = undefined;
  }

  /** Which session it is. Begins one where there is none, or where the event says that a new one begins. */
  async find(event: HostEvent, name: string, source: string, again: boolean): Promise<FoundSession> {
    // Of hosts that resume one session at once each begins it once; else they would take it from one another for ever.
    const known = parseState(await this.#options.store.readState(name));
    const renewed = this.#renewed(event, known);
    const goesOn = (state: SessionState): boolean =>
      !this.#isOfAnotherRun(state) &&
      (!begins(event, state) || (again && !state.ended)) &&
      (renewed === undefined || renewed.key === null || state.session !== known?.session);
    const tried = renewed?.failure ?? null;
    if (known !== undefined && goesOn(known)) return { ...known, failure: tried, begun: false };
    let found: FoundSession = { session: '', joined: false, failure: null, begun: false };
    // What is in it by now was before us.
    const transcriptOffset = transcriptEnd(event.transcript);
    const turnEnd = new Date(this.#now()).toISOString();
    const { run, store } = this.#options;
    const joined = known === undefined || this.#isOfAnotherRun(known) ? run : undefined;
    const auth = renewed ?? (joined === undefined ? this.#options.auth?.().begin() : undefined);
    const grants = (await this.#options.authority?.inForce()) ?? null;
    const joinedKey =
      joined === undefined ? null : parseShared(await store.readState(sharedState(joined)), joined).authKey;
    const [base, bound] = await Promise.all([this.#base(event), this.#bound()]);
    const begun = await this.#options.store.append(
      (head, bytes, shared) => {
        const state = parseState(bytes);
        if (state !== undefined && goesOn(state)) {
          found = { ...state, failure: tried, begun: false };
          return undefined;
        }
        const { drafts, next, states } = this.#begin({
          event,
          source,
          head,
          before: state,
          base: base?.commit ?? null,
          bound,
          shared,
          auth,
          joinedKey,
          grants,
        });
        found = { ...next, failure: auth?.failure ?? null, begun: true };
        return {
          ...encodeBlock(drafts, head, this.#now()),
          state: encodeState({
            ...next,
            transcriptOffset,
            turnEnd,
            ...(event.cwd !== null && this.#options.intake.isClean(event.cwd) ? { cwd: event.cwd } : {}),
          }),
          ...states,
        };
      },
      { ...waitFor(this.#options, name), ...branchState(bound), mustKeep: true },
    );
    if (begun !== undefined) base?.keep(found.session);
    return found;
  }

  /** The host goes on with what it began under an earlier run: what it does now is of this one. */
  #isOfAnotherRun(state: SessionState): boolean {
    const { run } = this.#options;
    return run !== undefined && state.joined && state.session !== run;
  }

  /**
   * A session that has no good key any more, or never had, begins anew at the prompt at which one is presented. Undefined
   * where it need not.
   */
  #renewed(event: HostEvent, state: SessionState | undefined): Authenticated | undefined {
    if (event.type !== 'prompt' || state === undefined || state.joined) return undefined;
    return this.check(state) === null ? undefined : this.#options.auth?.().begin();
  }

  /** Once for an event and a key: it is a file to be read. */
  check(state: SessionState): AuthFailure | null {
    const authKey = state.authKey ?? null;
    if (this.#checked?.authKey !== authKey)
      this.#checked = { authKey, failure: this.#options.auth?.().check(authKey) ?? null };
    return this.#checked.failure;
  }

  /** How the work tree is before anything is done in it. */
  async #base(event: HostEvent): Promise<Awaited<ReturnType<Judge['begin']>> | undefined> {
    try {
      return await this.#options.judge?.().begin(this.#options.workspaceRoot(event.cwd));
    } catch {
      // Then nothing is known of it, and what later rests on it says so.
      return undefined;
    }
  }

  async #bound(): Promise<Omit<Binding, 'authKey'>> {
    const { blocks, run } = this.#options;
    if (blocks === undefined || run !== undefined) return UNBOUND;
    return bindBlock(await blocks.newest(), true);
  }

  #cleanRoot({ cwd }: HostEvent): string | null {
    const root = this.#options.workspaceRoot(cwd);
    if (root === null || this.#options.intake.isClean(root)) return root;
    return `sha256:${sha256Hex(root)}`;
  }

  #begin({ event, source, head, before, base, bound, shared, auth, joinedKey, grants }: Beginning): {
    readonly drafts: readonly NewEntry[];
    readonly next: SessionState;
    readonly states: Begun['states'];
  } {
    const { run, config, mode, redaction } = this.#options;
    const configHash = config.hash;
    const root = before?.root ?? this.#cleanRoot(event);
    const traces = new Traces();
    const clean = (text: string | null): string | null =>
      text === null ? null : this.#options.intake.word(text, traces);
    const trigger = clean(event.type === 'session.start' ? event.trigger : event.name) ?? '';
    if (run !== undefined && (before === undefined || this.#isOfAnotherRun(before))) {
      const payload = {
        agent: event.agent,
        agent_id: null,
        agent_type: null,
        agent_session: clean(event.session),
        trigger,
      };
      const draft: NewEntry = {
        kind: 'agent.start',
        source,
        session_id: run,
        payload: withTraces(payload, traces),
      };
      return {
        drafts: [draft],
        next: newState(run, { joined: true, configHash, authKey: joinedKey, host: this.#host, grants, root }),
        states: {},
      };
    }
    const start: SessionStart = {
      agent: event.agent,
      agentSession: clean(event.session),
      workspaceRoot: clean(this.#options.workspaceRoot(event.cwd)),
      trigger,
      resumes: before?.session ?? null,
      pack: null,
      capabilities: grants,
      interaction: source,
      interactionKind: 'response',
      mode,
      content: config.content,
      hashes: config.hashes,
      redaction: redactionName(redaction),
      configHash,
      transcript: clean(event.transcript),
      hostProcess: this.#host,
    };
    const finish = (payload: JsonObject): JsonObject => withTraces({ ...payload, base }, traces);
    const begun = beginEntries(head, { source, start, bound, shared, finish, auth });
    const unanchored = bound.branch !== null && bound.block === null;
    const authKey = auth?.key?.id ?? null;
    const authFailed = (auth?.failure ?? null) !== null;
    const first = head.seq + 1;
    const next = newState(begun.session, {
      first,
      configHash,
      unanchored,
      host: this.#host,
      authKey,
      authFailed,
      grants,
      root,
    });
    return { ...begun, next };
  }
}

/** Does the event begin a session, where there is one already? */
function begins(event: HostEvent, state: SessionState): boolean {
  if (state.joined) return false;
  if (event.type === 'session.start') {
    // Two hooks of ours that tell of one start are still one start; so is one that the first prompt overtook.
    const { prompts, calls, responses } = state.counts;
    return state.ended || event.trigger === 'resume' || prompts > 1 || calls + responses > 0;
  }
  return state.ended && event.type === 'prompt';
}
