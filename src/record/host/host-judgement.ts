// What is said after an event of a host was recorded: the judge's word on a turn that ends, and news for the person. Where
// the judge itself fails that is an entry, and in guard a reason to say no.
import { encodeCrash, encodeGate } from '../../format/index.ts';
import { type Clock, encodeBlock, POLICY_STATE, parsePolicyNote } from '../../ledger/index.ts';
import { policyHash } from '../../policy/index.ts';
import { limitMet, rememberBlock } from '../../rules/index.ts';
import { Traces } from '../intake.ts';
import { endOf, hostBlocks, isCapped, ungated } from './event-parts.ts';
import type { HostEvent } from './host-event.ts';
import { type HostRecorderOptions, waitFor } from './host-recorder-options.ts';
import { type Heard, isTurnEnd } from './judge.ts';
import { ownWords } from './own-words.ts';
import type { Ruling } from './ruling.ts';
import { encodeState, parseState } from './session-state.ts';
import { Turn } from './turn.ts';

/** Where the event went. */
interface Place {
  readonly name: string;
  readonly session: string;
  /** Of the event's own entry; null where it has none. */
  readonly seq: number | null;
}

/** As often as this a gate that fails blocks a turn. */
const MOST_BLOCKS = 2;

export class HostJudgement {
  readonly #options: HostRecorderOptions;
  readonly #now: Clock;

  constructor(options: HostRecorderOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * At the end of a turn, after it was recorded: may it end so? A gate that fails is a reason to say no, in guard, as
   * often as the gate itself could have; then the turn ends, and the ledger says that nobody judged it. At a prompt and at
   * the beginning of a session: what the person should know.
   */
  async conclude(event: HostEvent, source: string, { name, session, seq }: Place): Promise<Ruling> {
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
  async leaveUnjudged(event: HostEvent, source: string, { name, seq }: Place, why: string): Promise<Ruling> {
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

  async watch(source: string): Promise<void> {
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
      waitFor(this.#options),
    );
  }

  /** As the entries tell: a wrong note may be why the gate failed. Where they can't be read, the note has to do. */
  async #policyOnRecord(): Promise<string | null> {
    const { judge, store } = this.#options;
    try {
      if (judge !== undefined) return await judge().policyOnRecord();
    } catch {
      // What is wrong with the ledger is said of the turn.
    }
    return parsePolicyNote(await store.readState(POLICY_STATE))?.policyHash ?? null;
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
    const hash = (await this.#policyOnRecord()) ?? policyHash(config.gate);
    const told = `Counterfoil could not judge this turn: ${why.replace(/[^.!?]$/, '$&.')}`;
    const reason = `${told} Say what isn't verified, or try again. See \`foil crashes\`.`;
    let blocked = false;
    await store.append(
      (head, bytes) => {
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
      },
      waitFor(this.#options, name),
    );
    await this.watch(source);
    return blocked ? { verdict: 'deny', reason } : { verdict: 'pass', message: told };
  }
}
