// From what a host says to entries. Each event is joined to what came before it in its session: a result to its call,
// a denial to the permission that was asked, everything to the prompt it serves. What is expensive is done here, before
// the store's exclusive section; append-event.ts makes the joins inside it.
import {
  type CallAuthority,
  type Crash,
  encodeCrash,
  encodeGap,
  type ProcessFact,
  type RecordingGap,
  withTraces,
} from '../../format/index.ts';
import { type Clock, encodeBlock } from '../../ledger/index.ts';
import type { GateMemory } from '../../rules/index.ts';
import { type AuthFailure, processFact } from '../../session/index.ts';
import { denialOf, verdictOf } from '../authority.ts';
import { Traces } from '../intake.ts';
import { appendEvent, type EventBlock } from './append-event.ts';
import { type Defence, suspectIn } from './defence.ts';
import { type HooksSeen, stampOf } from './hook-files.ts';
import type { HostEvent } from './host-event.ts';
import { HostJudgement } from './host-judgement.ts';
import { type HostRecorderOptions, waitFor } from './host-recorder-options.ts';
import { HostSessions } from './host-session.ts';
import { isTurnEnd } from './judge.ts';
import { newestWords, withTurn } from './newest-words.ts';
import { unlessOurs } from './own-words.ts';
import { prepareEvent } from './prepare-event.ts';
import type { PrepareOptions } from './prepared.ts';
import type { Ruling } from './ruling.ts';
import { findCall, parseState, type SessionState, stateName } from './session-state.ts';
import {
  type ReadLine,
  readTranscript,
  type ToldByHost,
  type TranscriptReader,
  untilWritten,
} from './transcript.ts';
import { encodeObservation } from './turn.ts';

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

/** The events that are held against the host's transcript. */
const HELD_AGAINST: ReadonlySet<string> = new Set(['prompt', 'stop', 'session.end']);

/**
 * Events at which the hooks themselves are looked at: those for which the gate is loaded anyway, and the host's own word
 * that its settings changed, which may be the last that it says to us.
 */
const HOOKS_SEEN: ReadonlySet<string> = new Set(['session.start', 'prompt', 'stop', 'config.change']);

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
  readonly #host: ProcessFact | null;
  readonly #sessions: HostSessions;
  /** What is said after an event was recorded. */
  readonly judgement: HostJudgement;

  constructor(options: HostRecorderOptions) {
    this.#options = options;
    const { pid = null } = options;
    this.#host = pid === null ? null : processFact(pid);
    this.#now = options.now ?? Date.now;
    this.#sessions = new HostSessions(options, this.#host);
    this.judgement = new HostJudgement(options);
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
      if (crashes.length > 0) await this.judgement.watch(source);
      return undefined;
    }
    if (event.type === 'stop' && event.message === null && event.transcript !== null && reader?.endIn)
      await untilWritten(event.transcript, reader.endIn, before?.turnEnd ?? '');
    const at = { agent: event.agent, cwd: event.cwd, began: before?.cwd ?? event.cwd };
    const attack = this.#attack(event, at);
    let hooks: HooksSeen | null = null;
    this.#sessions.checkAgain();
    for (let tries = 0; tries < TRIES; tries++) {
      const { session, first, joined, unanchored, failure, begun } = await this.#sessions.find(
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
      const appended = await appendEvent(block, this.#options, {
        host: this.#host,
        check: (state) => this.#sessions.check(state),
      });
      if (appended === undefined) {
        // Begun again it would be lost again, and each time the ledger would tell of one more session.
        if (begun && (await this.#isLost(name))) throw new Error(LOST_STATE);
        continue;
      }
      const { turn, unauthenticated } = appended;
      if (event.type === 'session.end') this.#forget(session);
      if (turn.drafts.some(({ kind }) => WATCHED.has(kind))) await this.judgement.watch(source);
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
    return found && { ...found, files: found.files.filter((path) => this.#options.intake.isClean(path)) };
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
      return 'do something to the recording that foil could not make out';
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
      root: state.root ?? null,
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

  #forget(session: string): void {
    try {
      this.#options.judge?.().forget(session);
    } catch {
      // It is only in the way of nothing.
    }
  }

  async #remembered(event: HostEvent): Promise<GateMemory | null> {
    return parseState(await this.#options.store.readState(this.#nameOf(event)))?.gate ?? null;
  }

  #nameOf(event: HostEvent): string {
    return stateName(event.agent, event.session ?? `process ${this.#options.pid ?? 0}`);
  }

  /** What the store was given to remember of a session is not there, whether or not it said so. */
  async #isLost(name: string): Promise<boolean> {
    return parseState(await this.#options.store.readState(name)) === undefined;
  }

  /** What belongs to no session: input that could not be understood at all. */
  async #observe(
    event: HostEvent & { readonly type: 'observation' },
    source: string,
    { gaps, crashes }: Pick<EventBlock, 'gaps' | 'crashes'>,
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
      waitFor(this.#options),
    );
  }
}
