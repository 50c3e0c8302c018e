// The calls of a recorded session, to be played to its agent again. A request is matched by what it asks, each recorded call
// is played once, and what was never asked is refused: nothing is guessed. Pure.
import { type AskedRequest, type KeptAnswer, type RequestPart, requestDigest } from '../format/index.ts';

export interface PlayableCall {
  /** Counted from 1 among the calls of models; null for a request that is none. */
  readonly number: number | null;
  readonly requestHash: string;
  /** Null where it is not kept. */
  readonly answer: KeptAnswer | null;
}

/** What the agent asked instead. */
export interface Difference {
  /** The call that it would have been; null where there is none left. */
  readonly call: number | null;
  /** The first part that differs, such as `messages[3]`; null where nothing that was recorded is like it. */
  readonly part: string | null;
  /** `other`: it was there, and is another one now; `new`: it was not; `gone`: it is not there now. */
  readonly how: 'other' | 'new' | 'gone' | null;
  /** What the agent asks there now, in its normal form; null where it asks nothing. */
  readonly asked: string | null;
}

export type Taken =
  | { readonly state: 'answer'; readonly call: PlayableCall; readonly answer: KeptAnswer }
  | { readonly state: 'unkept'; readonly call: PlayableCall }
  | { readonly state: 'differs'; readonly difference: Difference }
  /** No call of a model, and never asked: it is refused, and says nothing of the session. */
  | { readonly state: 'aside' };

export class PlayList {
  readonly #key: Uint8Array;
  readonly #left: PlayableCall[];
  /** The numbers of the calls that were played, in the order in which they were asked. */
  readonly played: number[] = [];

  constructor(key: Uint8Array, calls: readonly PlayableCall[]) {
    this.#key = key;
    this.#left = [...calls];
  }

  /** Calls of models that nobody asked yet. */
  get left(): readonly PlayableCall[] {
    return this.#left.filter(({ number }) => number !== null);
  }

  /** `isModel`: whether it is a call of a model, by its path. */
  take(asked: AskedRequest, isModel: boolean): Taken {
    const digest = requestDigest(this.#key, asked);
    const at = this.#left.findIndex(({ requestHash }) => requestHash === digest.hash);
    const call = this.#left[at];
    if (call === undefined) {
      if (!isModel) return { state: 'aside' };
      return { state: 'differs', difference: this.#difference(asked.parts, digest.parts) };
    }
    this.#left.splice(at, 1);
    if (call.answer === null) return { state: 'unkept', call };
    if (call.number !== null) this.played.push(call.number);
    return { state: 'answer', call, answer: call.answer };
  }

  #difference(asked: readonly RequestPart[], parts: KeptAnswer['parts']): Difference {
    const now = new Map(parts);
    const shared = ({ answer }: PlayableCall): number =>
      answer?.parts.filter(([name, digest]) => now.get(name) === digest).length ?? 0;
    // The one that it has most in common with; the first of several.
    const [nearest] = [...this.left].sort((a, b) => shared(b) - shared(a));
    if (nearest === undefined) return { call: null, part: null, how: null, asked: last(asked) };
    const then = new Map(nearest.answer?.parts);
    const textOf = (name: string): string | null => asked.find((part) => part.name === name)?.text ?? null;
    const fresh = parts.find(([name, digest]) => then.get(name) !== digest);
    if (fresh !== undefined) {
      const [part] = fresh;
      return { call: nearest.number, part, how: then.has(part) ? 'other' : 'new', asked: textOf(part) };
    }
    const gone = [...then.keys()].find((name) => !now.has(name));
    return { call: nearest.number, part: gone ?? null, how: gone === undefined ? null : 'gone', asked: null };
  }
}

function last(parts: readonly RequestPart[]): string | null {
  return parts.findLast(({ name }) => /^(?:messages|input|contents)\[/.test(name))?.text ?? null;
}
