// How one session's entries are written: one at a time where its place in the chain of interactions matters, with the
// block that it lacked at its beginning as soon as one is known.
import type { JsonObject } from '../core/index.ts';
import { withTraces } from '../format/index.ts';
import { type Build, encodeBlock, type NewEntry } from '../ledger/index.ts';
import { anchorEntry, type OpenChain, type Step, unshared } from '../session/index.ts';
import type { Traces } from './intake.ts';
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
  #unanchored: boolean;

  /** `unanchored`: a block was to be had and could not. */
  constructor(
    session: string,
    { options, chain, unanchored }: { options: RecorderOptions; chain: OpenChain; unanchored: boolean },
  ) {
    this.chain = chain;
    this.#session = session;
    this.#options = options;
    this.#unanchored = unanchored;
  }

  /** Gives the entry's seq. Durable when it resolves. */
  async append({ kind, said, traces, cause, at }: Said): Promise<number> {
    const { store, source, now = Date.now, blocks } = this.#options;
    const late = this.#unanchored ? (blocks?.known() ?? null) : null;
    const anchors = late === null ? [] : [anchorEntry(source, this.#session, late)];
    let step: Step | null = null;
    const build: Build = (before, state) => {
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
      const block = encodeBlock([...anchors, draft], before, now());
      const next = kind === 'session.end' ? unshared(state, this.#session) : step?.state;
      return next === undefined ? block : { ...block, state: next };
    };
    const head =
      typeof said === 'function'
        ? await this.chain.exclusive(async () => {
            const { state } = this.chain;
            const after = await store.append(build, state === undefined ? {} : { state });
            if (step !== null) this.chain.settle(step);
            return after;
          })
        : await store.append(build);
    if (head === undefined) throw new TypeError('an entry was given');
    if (late !== null) this.#unanchored = false;
    return head.seq;
  }
}
