// How one session's entries are written: one at a time where its place in the chain of interactions matters, with the
// block that it lacked at its beginning as soon as one is known.
import type { JsonObject } from '../../core/index.ts';
import { type InteractionKind, withTraces } from '../../format/index.ts';
import type { AppendOptions, NewEntry } from '../../ledger/index.ts';
import {
  type AuthFailure,
  anchorEntry,
  appendWithSum,
  type BuildWithSum,
  encodeEnding,
  NO_SUM,
  type OpenChain,
  SessionTally,
  type SharedSession,
  type Step,
  unshared,
} from '../../session/index.ts';
import type { Traces } from '../intake.ts';
import type { RecorderOptions } from './session.ts';

/** What an entry says, decided inside the section where its place in the chain is. */
export type Chained = (state: Uint8Array | undefined) => {
  readonly payload: JsonObject;
  readonly step: Step | null;
};

export interface Said {
  readonly kind: string;
  readonly said: JsonObject | Chained;
  readonly traces: Traces;
  readonly cause: number | null;
  /** When it was said, where that was before the session began. */
  readonly at?: number | undefined;
}

export class SessionWriter {
  readonly chain: OpenChain;
  readonly #session: string;
  readonly #options: RecorderOptions;
  readonly #first: number;
  #unanchored: boolean;

  /** `unanchored`: a block was to be had and could not. `first`: the seq of its first entry. */
  constructor(
    session: string,
    {
      options,
      chain,
      unanchored,
      first,
    }: { options: RecorderOptions; chain: OpenChain; unanchored: boolean; first: number },
  ) {
    this.chain = chain;
    this.#session = session;
    this.#options = options;
    this.#unanchored = unanchored;
    this.#first = first;
    options.tallies?.watch(session, first);
  }

  /** Gives the entry's seq. Durable when it resolves. */
  async append({ kind, said, traces, cause, at }: Said): Promise<number> {
    const { source, now = Date.now, blocks } = this.#options;
    const late = this.#unanchored ? (blocks?.known() ?? null) : null;
    const anchors = late === null ? [] : [anchorEntry(source, this.#session, late)];
    let step: Step | null = null;
    const build: BuildWithSum = (before, state, _, sum) => {
      const made = typeof said === 'function' ? said(state) : { payload: said, step: null };
      step = made.step;
      const draft: NewEntry = {
        kind,
        source,
        session_id: this.#session,
        cause,
        payload: withTraces(at === undefined ? made.payload : { ...made.payload, buffered: true }, traces),
        ...(at === undefined ? {} : { ts: new Date(at).toISOString() }),
      };
      const block = encodeEnding([...anchors, draft], before, now(), sum);
      const next = kind === 'session.end' ? unshared(state, this.#session) : step?.state;
      return next === undefined ? block : { ...block, state: next };
    };
    const head =
      typeof said === 'function'
        ? await this.chain.exclusive(async () => {
            const { state } = this.chain;
            const after = await this.#write(kind, build, state === undefined ? {} : { state });
            if (step !== null) this.chain.settle(step);
            return after;
          })
        : await this.#write(kind, build, {});
    if (head === undefined) throw new TypeError('an entry was given');
    if (late !== null) this.#unanchored = false;
    return head.seq;
  }

  /** The end of the session says what stands before it; where it can't, it is not written: a program's recorder fails closed. */
  #write(kind: string, build: BuildWithSum, options: AppendOptions): ReturnType<typeof appendWithSum> {
    const { store, tallies } = this.#options;
    if (kind !== 'session.end') return store.append((...at) => build(at[0], at[1], at[2], NO_SUM), options);
    const tally = () =>
      tallies?.open(this.#session, this.#first) ??
      new SessionTally(store, { session: this.#session, first: this.#first });
    return appendWithSum(store, { ...options, tally, required: true }, build);
  }
}

/** A session as it is right behind its first entry. */
export interface BegunSession {
  readonly id: string;
  readonly first: number;
  readonly chain: OpenChain;
  readonly interactionKind: InteractionKind;
  /** What others that join it must know; null where it is nobody's to join, or we joined it ourselves. */
  readonly shares: SharedSession | null;
  /** A block was to be had and could not. */
  readonly unanchored: boolean;
  /** The id of the auth key that it began with. */
  readonly authKey: string | null;
  readonly authFailure: AuthFailure | null;
}
