// From what a host says to entries. Each event is joined to what came before it in its session: a result to its call,
// a denial to the permission that was asked, everything to the prompt it serves. The joins are made inside the store's
// exclusive section, because the events of one step come at once and from different processes.

import { type Config, redactionName } from '../../config/index.ts';
import type { JsonObject } from '../../core/index.ts';
import {
  type Binding,
  type CallAuthority,
  type Crash,
  encodeCrash,
  encodeGap,
  encodeGate,
  type Head,
  type ProcessFact,
  type RecordingGap,
  type SessionStart,
  UNBOUND,
  withTraces,
} from '../../format/index.ts';
import type { Mode } from '../../ledger/index.ts';
import {
  type Clock,
  encodeBlock,
  type NewEntry,
  POLICY_STATE,
  parsePolicyNote,
  type Store,
} from '../../ledger/index.ts';
import { policyHash } from '../../policy/index.ts';
import { type GateMemory, limitMet, rememberBlock } from '../../rules/index.ts';
import {
  type Auth,
  type Authenticated,
  type AuthFailure,
  appendWithSum,
  type Begun,
  type Blocks,
  type BuildWithSum,
  beginEntries,
  bindBlock,
  branchState,
  encodeEnding,
  encodeShared,
  NO_SUM,
  type OpenTally,
  parseShared,
  processFact,
  sharedState,
} from '../../session/index.ts';
import { type Authority, denialOf, verdictOf } from '../authority.ts';
import { type Intake, Traces } from '../intake.ts';
import { type Defence, suspectIn } from './defence.ts';
import { endOf, hostBlocks, isCapped, ungated } from './event-parts.ts';
import { type HooksSeen, stampOf } from './hook-files.ts';
import type { HostEvent } from './host-event.ts';
import { type Heard, isTurnEnd, type Judge } from './judge.ts';
import { newestWords, rememberTurn, withTurn } from './newest-words.ts';
import { ownWords, unlessOurs } from './own-words.ts';
import { type Prepared, type PrepareOptions, prepareEvent } from './prepare-event.ts';
import type { Ruling } from './ruling.ts';
import {
  encodeState,
  findCall,
  newState,
  parseState,
  type SessionState,
  seenAgain,
  stateName,
} from './session-state.ts';
import {
  type ReadLine,
  readTranscript,
  type ToldByHost,
  type TranscriptReader,
  transcriptEnd,
  untilWritten,
} from './transcript.ts';
import { encodeObservation, Turn } from './turn.ts';

export interface HostRecorderOptions {
  readonly store: Pick<Store, 'append' | 'readState'>;
  /** What counts a session's entries, loaded when one ends. */
  readonly tally: OpenTally;
  readonly intake: Intake;
  readonly config: Config;
  /** What the redactor's rules are called together. */
  readonly redaction: string;
  readonly mode: Mode;
  readonly now?: Clock;
  /** Longest wait for other writers: below the host's own patience. */
  readonly timeout?: number;
  /** The session that `foil run` began for us. */
  readonly run?: string | undefined;
  /** The auth keys, looked for when an event first needs them; undefined where nobody asks for any. */
  readonly auth?: (() => Auth) | undefined;
  /** Where the project is, from a host's working directory. */
  readonly workspaceRoot: (cwd: string | null) => string | null;
  /** The host's process, where we are its child. */
  readonly pid?: number | null;
  /** Where blocks come from; undefined where sessions are not bound to any. */
  readonly blocks?: Blocks | undefined;
  /** Asked about calls that may turn against their own recording; undefined where nobody does. */
  readonly defend?: Defence | undefined;
  /** What is known of our hooks in the host's settings; null where nothing is. */
  readonly hooksNow?:
    | ((host: { readonly agent: string; readonly cwd: string | null }) => HooksSeen | null)
    | undefined;
  /** What agents may do; undefined where nobody asks. */
  readonly authority?: Authority | undefined;
  /** Last parts of our own paths, by which such a call is known at a glance. */
  readonly ownNames?: readonly string[];
  /** Made when an event first needs it. */
  readonly judge?: (() => Judge) | undefined;
}

/** Where an event went: what is written about it later needs to know. */
export interface Recorded {
  /** As it was recorded: what is told of it may be less than the host told. */
  readonly event: HostEvent;
  readonly name: string;
  readonly session: string;
  /** Of the event's own entry; null where it has none. */
  readonly seq: number | null;
  /** What is wrong with the session's auth key, where that was looked at; null where nothing is. */
  readonly unauthenticated: AuthFailure | null;
  /** What the call would have done to its own recording; null where it is let through. */
  readonly attack: string | null;
  /** Why the call is outside of what the session was granted, where it is refused for that. */
  readonly denial: string | null;
  /** The events of hooks that are gone, or were changed, since they were last looked at. */
  readonly unhooked: readonly string[];
}

export interface RecordOptions {
  readonly gaps?: readonly RecordingGap[];
  /** Of hooks that failed while the ledger could not be written. */
  readonly crashes?: readonly Crash[];
  readonly lossy?: number;
  readonly transcript?: TranscriptReader | undefined;
  /** As in Adapter. */
  readonly cumulative?: true | undefined;
}

/** What goes into the ledger in one piece. */
interface Block {
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

interface Appended extends Pick<Recorded, 'unauthenticated' | 'unhooked'> {
  readonly turn: Turn;
}

/** The session that an event is of. */
interface FoundSession extends Found {
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

/** The session that an event is of. */
type Found = Pick<SessionState, 'session' | 'first' | 'joined' | 'unanchored'>;

/** Events that have a place in the chain of interactions. */
const CHAINED: ReadonlySet<string> = new Set(['prompt', 'stop']);

/** Events before which the session's auth key is looked at. */
const AUTHENTICATED: ReadonlySet<string> = new Set(['session.start', 'prompt', 'tool.call']);

/**
 * Events at which the hooks themselves are looked at: those for which the gate is loaded anyway, and the host's own word
 * that its settings changed, which may be the last that it says to us.
 */
/** The events that are held against the host's transcript. */
const HELD_AGAINST: ReadonlySet<string> = new Set(['prompt', 'stop', 'session.end']);
const HOOKS_SEEN: ReadonlySet<string> = new Set(['session.start', 'prompt', 'stop', 'config.change']);

/** As often as this a gate that fails blocks a turn. */
const MOST_BLOCKS = 2;

/** What is counted, and told to a person where it is too much. */
const WATCHED: ReadonlySet<string> = new Set(['override', 'crash']);

/** Between finding a session and writing to it, it may have been begun anew, by each host that resumes it just now. */
const TRIES = 64;

const LOST_STATE =
  "the state of the session could not be saved in the ledger's folder sessions/. Check its owner, its mode and the free space on its disk; `foil doctor` helps.";

export class HostRecorder {
  readonly #options: HostRecorderOptions;
  readonly #now: Clock;
  readonly #preparing: PrepareOptions;
  #checked: { readonly authKey: string | null; readonly failure: AuthFailure | null } | undefined;
  readonly #host: ProcessFact | null;

  constructor(options: HostRecorderOptions) {
    this.#options = options;
    const { pid = null } = options;
    this.#host = pid === null ? null : processFact(pid);
    this.#now = options.now ?? Date.now;
    const { intake, judge, workspaceRoot } = options;
    this.#preparing = { intake, judge, workspaceRoot, remembered: (event) => this.#remembered(event) };
  }

  /**
   * Durable when it resolves. `gaps` are written first, in the same block: what is known to be missing before this.
   * `lossy` is how much was lost before it got here. With `transcript`, prompts and ends of turns are held against the host's own.
   */
  async record(
    told: HostEvent,
    source: string,
    { gaps = [], crashes = [], lossy = 0, transcript: reader, cumulative }: RecordOptions = {},
  ): Promise<Recorded | undefined> {
    const name = this.#nameOf(told);
    const before = parseState(await this.#options.store.readState(name));
    const user = unlessOurs(told, before);
    const event = withTurn(cumulative === true ? newestWords(user, before) : user, before);
    if (event.session === null && event.type === 'observation') {
      await this.#observe(event, source, { gaps, crashes }, new Traces(lossy));
      if (crashes.length > 0) await this.#watch(source);
      return undefined;
    }
    if (event.type === 'stop' && event.message === null && event.transcript !== null && reader?.endIn)
      await untilWritten(event.transcript, reader.endIn, before?.turnEnd ?? '');
    const at = { agent: event.agent, cwd: event.cwd, began: before?.cwd ?? event.cwd };
    const attack = this.#attack(event, at);
    let hooks: HooksSeen | null = null;
    this.#checked = undefined;
    for (let tries = 0; tries < TRIES; tries++) {
      const { session, first, joined, unanchored, failure, begun } = await this.#session(
        event,
        name,
        source,
        tries > 0,
      );
      if (isTurnEnd(event)) this.#options.judge?.().expect(event, session);
      const prepared = await prepareEvent(
        {
          ...this.#preparing,
          reader,
          jobs: before?.jobs,
          open: (call) => before && findCall(before, { ...call, id: call.toolUseId }),
        },
        event,
        session,
        new Traces(lossy),
      );
      const transcript = await this.#transcript(event, name, reader?.readLine);
      // Here, and not before: at the end of a turn git looks at the work tree meanwhile.
      hooks ??= this.#mayHaveMoved(event, before) ? this.#hooksNow(at) : null;
      const authority = await this.#authority(event, name, begun ? undefined : before);
      const where = { name, source, session, first, joined, unanchored };
      const block = {
        ...where,
        gaps,
        crashes,
        event,
        prepared,
        transcript,
        failure,
        attack,
        authority,
        hooks,
      };
      const appended = await this.#append(block);
      if (appended === undefined) {
        // Begun again it would be lost again, and each time the ledger would tell of one more session.
        if (begun && (await this.#isLost(name))) throw new Error(LOST_STATE);
        continue;
      }
      const { turn, unauthenticated } = appended;
      if (event.type === 'session.end') this.#forget(session);
      if (turn.drafts.some(({ kind }) => WATCHED.has(kind))) await this.#watch(source);
      const denial = authority?.verdict === 'deny' ? denialOf(authority) : null;
      const { unhooked } = appended;
      return { event, name, session, seq: turn.own, unauthenticated, attack, denial, unhooked };
    }
    throw new Error(`the session of ${event.agent} changed during every attempt to record its event`);
  }

  /**
   * Are the hooks to be looked at? After a call, only where a file that they stand in is not what it was: what a patch, an
   * archive or a script did to it is told by nothing else.
   */
  #mayHaveMoved(event: HostEvent, state: SessionState | undefined): boolean {
    if (this.#options.hooksNow === undefined) return false;
    if (HOOKS_SEEN.has(event.type)) return true;
    if (event.type !== 'tool.result' && event.type !== 'tool.batch') return false;
    return Object.entries(state?.hookFiles ?? {}).some(([path, stamp]) => stampOf(path) !== stamp);
  }

  #hooksNow({ agent, began }: { readonly agent: string; readonly began: string | null }): HooksSeen | null {
    const found = this.#options.hooksNow?.({ agent, cwd: began }) ?? null;
    return found && { ...found, files: found.files.filter((path) => this.#isClean(path)) };
  }

  /** Nothing that is redacted is kept, in the state as little as in an entry. */
  #isClean(text: string): boolean {
    return this.#options.intake.word(text, new Traces()) === text;
  }

  /**
   * Outside of observe, a call may not turn against its own recording. One that may be such and can't be judged is one:
   * what can't be told apart is not let through.
   */
  #attack(event: HostEvent, at: Parameters<Defence>[1]): string | null {
    const { mode, defend, ownNames = [] } = this.#options;
    if (mode === 'observe' || defend === undefined || event.type !== 'tool.call') return null;
    const suspect = suspectIn(event, ownNames, event.cwd);
    if (suspect === null) return null;
    try {
      return defend(suspect, at);
    } catch {
      return 'do something to the recording that could not be told';
    }
  }

  /** What a call needs of what its session was granted; null where it was granted nothing in particular. */
  async #authority(
    event: HostEvent,
    name: string,
    known: SessionState | undefined,
  ): Promise<CallAuthority | null> {
    const { authority, mode, store, intake } = this.#options;
    if (authority === undefined || event.type !== 'tool.call') return null;
    const state = known ?? parseState(await store.readState(name));
    if (state?.grants === undefined) return null;
    const { root, needs, missing, unread, ambient, ...rest } = await authority.judge(event, {
      cwd: event.cwd,
      grants: state.grants,
    });
    const clean = (text: string): string => intake.word(text, new Traces());
    return {
      ...rest,
      root: clean(root),
      needs: needs.map(clean),
      missing: missing.map(clean),
      unread: unread === null ? null : clean(unread),
      ambient: ambient.map(clean),
      verdict: verdictOf(missing, mode !== 'observe'),
    };
  }

  /**
   * What has no good auth key is refused in guard, whatever else may be said of it; in observe the person is told. Null
   * where there is nothing to say.
   */
  authRuling({ type }: HostEvent, { unauthenticated }: Recorded): Ruling | null {
    if (unauthenticated === null) return null;
    const { message } = unauthenticated;
    if (this.#options.mode === 'observe')
      return { verdict: 'pass', message: `Counterfoil records this session as unauthenticated: ${message}` };
    const reason = `Counterfoil refuses this: ${message}`;
    return type === 'session.start' ? { verdict: 'pass', message: reason } : { verdict: 'deny', reason };
  }

  /**
   * At the end of a turn, after it was recorded: may it end so? A gate that fails is a reason to say no, in guard, as
   * often as the gate itself could have; then the turn ends, and the ledger says that nobody judged it. At a prompt and at
   * the beginning of a session: what the person should know.
   */
  async conclude(event: HostEvent, source: string, { name, session, seq }: Recorded): Promise<Ruling> {
    const { judge } = this.#options;
    if (event.type === 'prompt' || event.type === 'session.start')
      return this.#news({ type: event.type, source, name, session });
    if (judge === undefined || seq === null || !isTurnEnd(event)) return { verdict: 'pass' };
    try {
      return await judge().conclude({ event, source, name, session, seq });
    } catch (error) {
      return this.#ungated(event, source, name, seq, error);
    }
  }

  /** After an event was recorded that nobody can judge: the end of a turn is refused as often as by a gate that fails. */
  async leaveUnjudged(
    event: HostEvent,
    source: string,
    { name, seq }: Recorded,
    why: string,
  ): Promise<Ruling> {
    if (!isTurnEnd(event) || seq === null) return { verdict: 'pass' };
    return this.#ungated(event, source, name, seq, new Error(why));
  }

  async #news(heard: Heard): Promise<Ruling> {
    try {
      const message = (await this.#options.judge?.().news(heard)) ?? null;
      return message === null ? { verdict: 'pass' } : { verdict: 'pass', message };
    } catch (error) {
      await this.#crashed('news', heard.type, heard.source, error);
      return { verdict: 'pass' };
    }
  }

  async #watch(source: string): Promise<void> {
    try {
      await this.#options.judge?.().watch(source);
    } catch (error) {
      await this.#crashed('watch', null, source, error);
    }
  }

  /** A mistake of ours beside an event that is recorded: written down, and the event goes on. */
  async #crashed(hook: string, event: string | null, source: string, error: unknown): Promise<void> {
    const now = this.#now();
    const why = this.#options.intake.word(String(error), new Traces());
    const at = new Date(now).toISOString();
    const payload = encodeCrash({ hook, event, error: why, at, from: 'ledger' });
    await this.#options.store.append(
      (head) => encodeBlock([{ kind: 'crash', source, payload }], head, now),
      this.#wait(),
    );
  }

  async #ungated(
    event: HostEvent,
    source: string,
    name: string,
    response: number,
    error: unknown,
  ): Promise<Ruling> {
    const { intake, mode, store, config } = this.#options;
    const why = intake.word(error instanceof Error ? error.message : String(error), new Traces());
    const recorded = parsePolicyNote(await store.readState(POLICY_STATE))?.policyHash;
    const hash = recorded ?? policyHash(config.gate);
    const told = `Counterfoil could not judge this turn: ${why.replace(/[^.!?]$/, '$&.')}`;
    const reason = `${told} Say what isn't verified, or try again. See \`foil crashes\`.`;
    let blocked = false;
    await store.append((head, bytes) => {
      const state = parseState(bytes);
      if (state === undefined) return undefined;
      const now = this.#now();
      const host = hostBlocks(event, state.gate);
      const limit = limitMet(state.gate, MOST_BLOCKS, now);
      const isLast = event.type === 'stop' && event.last === true;
      blocked = mode !== 'observe' && limit === null && !isLast && !isCapped(host);
      const memory = blocked ? rememberBlock(state.gate, ownWords(reason), now) : state.gate;
      const { blocks } = memory;
      const turn = new Turn({ state, source, seq: head.seq, now });
      const at = new Date(now).toISOString();
      turn.push(
        'crash',
        encodeCrash({ hook: 'gate', event: 'stop', error: why, at, from: 'ledger' }),
        response,
      );
      const gate = ungated(event, {
        verdict: blocked ? 'block' : 'ungated',
        blocks,
        mode,
        policyHash: hash,
        ...(blocked || mode === 'observe' ? {} : endOf(limit)),
        ...(host === undefined ? {} : { host }),
      });
      turn.push('gate', encodeGate(gate), response);
      return {
        ...encodeBlock(turn.drafts, head, now),
        state: encodeState({ ...turn.state, gate: memory }),
      };
    }, this.#wait(name));
    await this.#watch(source);
    return blocked ? { verdict: 'deny', reason } : { verdict: 'pass', message: told };
  }

  /** Where a turn is over: what the host's transcript tells of since the last. */
  async #transcript(
    event: HostEvent,
    name: string,
    readLine: ReadLine | undefined,
  ): Promise<ToldByHost | null> {
    if (readLine === undefined) return null;
    if (!HELD_AGAINST.has(event.type) || event.transcript === null) return null;
    const state = parseState(await this.#options.store.readState(name));
    const part = state && readTranscript(event.transcript, state.transcriptOffset, readLine);
    if (!part) return null;
    const again = new Traces();
    return { ...part, calls: part.calls.map((id) => this.#options.intake.word(id, again)) };
  }

  /** Which session it is. Begins one where there is none, or where the event says that a new one begins. */
  async #session(event: HostEvent, name: string, source: string, again: boolean): Promise<FoundSession> {
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
            ...(event.cwd !== null && this.#isClean(event.cwd) ? { cwd: event.cwd } : {}),
          }),
          ...states,
        };
      },
      { ...this.#wait(name), ...branchState(bound), mustKeep: true },
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
    return this.#check(state) === null ? undefined : this.#options.auth?.().begin();
  }

  /** Once for an event and a key: it is a file to be read. */
  #check(state: SessionState): AuthFailure | null {
    const authKey = state.authKey ?? null;
    if (this.#checked?.authKey !== authKey)
      this.#checked = { authKey, failure: this.#options.auth?.().check(authKey) ?? null };
    return this.#checked.failure;
  }

  #forget(session: string): void {
    try {
      this.#options.judge?.().forget(session);
    } catch {
      // It is only in the way of nothing.
    }
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

  #begin({ event, source, head, before, base, bound, shared, auth, joinedKey, grants }: Beginning): {
    readonly drafts: readonly NewEntry[];
    readonly next: SessionState;
    readonly states: Begun['states'];
  } {
    const { run, config, mode, redaction } = this.#options;
    const configHash = config.hash;
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
        next: newState(run, { joined: true, configHash, authKey: joinedKey, host: this.#host, grants }),
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
    });
    return { ...begun, next };
  }

  async #remembered(event: HostEvent): Promise<GateMemory | null> {
    return parseState(await this.#options.store.readState(this.#nameOf(event)))?.gate ?? null;
  }

  #nameOf(event: HostEvent): string {
    return stateName(event.agent, event.session ?? `process ${this.#options.pid ?? 0}`);
  }

  async #append(block: Block): Promise<Appended | undefined> {
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
    const { blocks, mode } = this.#options;
    let unauthenticated: AuthFailure | null = null;
    let unhooked: readonly string[] = [];
    const isShared = joined && CHAINED.has(event.type);
    const newest =
      event.type === 'session.end' ? await blocks?.latest() : unanchored === true ? blocks?.known() : null;
    let turn: Turn | undefined;
    const build: BuildWithSum = (head, bytes, chain, sum) => {
      const state = parseState(bytes);
      if (state?.session !== session) return undefined;
      const now = this.#now();
      const shared = isShared ? parseShared(chain, session) : null;
      turn = new Turn({ state, source, seq: head.seq, now, shared, block: newest ?? null });
      if (this.#host !== null) turn.state = seenAgain(turn.state, this.#host);
      turn.anchor();
      for (const gap of gaps) turn.push('gap', encodeGap(gap), null);
      for (const crash of crashes) turn.push('crash', encodeCrash(crash), null);
      turn.useConfig(this.#options.config.hash);
      turn.useMode(mode);
      unhooked = hooks === null ? [] : turn.useHooks(hooks);
      if (transcript !== null) turn.compare(transcript, event.type);
      turn.take(event, prepared, authority);
      turn.state = rememberTurn(
        turn.state,
        event,
        (text) => this.#options.intake.clean(text, new Traces()) as string,
      );
      if (AUTHENTICATED.has(event.type)) {
        unauthenticated = this.#check(state);
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
    const options = { ...this.#wait(name), ...(isShared ? { shared: sharedState(session) } : {}) };
    const { store, tally } = this.#options;
    // Whoever fails closed says of a session all that it can be held to, or nothing.
    const counting = { tally: () => tally(session, block.first), required: mode !== 'observe' };
    const head =
      event.type === 'session.end' && !joined
        ? await appendWithSum(store, { ...options, ...counting }, build)
        : await store.append((at, state, shared) => build(at, state, shared, NO_SUM), options);
    return head === undefined || turn === undefined ? undefined : { turn, unauthenticated, unhooked };
  }

  /** What the store was given to remember of a session is not there, whether or not it said so. */
  async #isLost(name: string): Promise<boolean> {
    return parseState(await this.#options.store.readState(name)) === undefined;
  }

  /** What belongs to no session: input that could not be understood at all. */
  async #observe(
    event: HostEvent & { readonly type: 'observation' },
    source: string,
    { gaps, crashes }: Pick<Block, 'gaps' | 'crashes'>,
    traces: Traces,
  ): Promise<void> {
    const { intake, store } = this.#options;
    const content = await intake.keep(null, intake.clean(event.content, traces));
    const payload = withTraces(
      encodeObservation(intake.word(event.name, traces), event.problem, content),
      traces,
    );
    await store.append(
      (head) =>
        encodeBlock(
          [
            ...gaps.map((gap) => ({ kind: 'gap', source, payload: encodeGap(gap) })),
            ...crashes.map((crash) => ({ kind: 'crash', source, payload: encodeCrash(crash) })),
            { kind: 'observation', source, payload },
          ],
          head,
          this.#now(),
        ),
      this.#wait(),
    );
  }

  #wait(state?: string): { timeout?: number; state?: string } {
    const { timeout } = this.#options;
    return { ...(timeout === undefined ? {} : { timeout }), ...(state === undefined ? {} : { state }) };
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
