// The prompts and responses of a program's session, and the place that each has in its chain of interactions.
import { encodeInteraction, encodeTurn, type Kept } from '../../format/index.ts';
import type { Traces } from '../intake.ts';
import type { SessionWriter } from './session-writer.ts';

export class SessionTurns {
  readonly #writer: SessionWriter;
  /** Whether responses complete the session's interactions. */
  readonly #counts: boolean;
  #newest: number | null = null;
  #promptHash: string | null = null;

  constructor(writer: SessionWriter, counts: boolean) {
    this.#writer = writer;
    this.#counts = counts;
  }

  /** The seq of the newest prompt; null before the first. */
  get newest(): number | null {
    return this.#newest;
  }

  /** Gives the entry's seq. */
  async prompt(kept: Kept, traces: Traces, at: number | undefined): Promise<number> {
    const { chain } = this.#writer;
    const seq = await this.#writer.append({
      kind: 'prompt',
      said: (state) => ({
        payload: encodeTurn('prompt_hash', kept, {
          prompt_id: null,
          sequence: this.#counts ? chain.upcoming(state) : null,
        }),
        step: null,
      }),
      traces,
      cause: null,
      at,
    });
    if (seq > (this.#newest ?? 0)) [this.#newest, this.#promptHash] = [seq, kept.hash];
    return seq;
  }

  async response(
    kept: Kept,
    {
      model,
      traces,
      cause,
      at,
    }: {
      readonly model: string | null;
      readonly traces: Traces;
      readonly cause: number | null;
      readonly at: number | undefined;
    },
  ): Promise<void> {
    const { chain } = this.#writer;
    await this.#writer.append({
      kind: 'response',
      said: (state) => {
        const step = this.#counts ? chain.next(state, this.#promptHash, kept.hash) : null;
        const facts = { model, stop_hook_active: null, ...encodeInteraction(step?.interaction ?? null) };
        return { payload: encodeTurn('response_hash', kept, facts), step };
      },
      traces,
      cause,
      at,
    });
  }
}
