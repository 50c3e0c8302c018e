// A turn that the gate refuses to end is ended again, and its claims are judged again. They were made once: those of the
// last attempt count, and those before were replaced. Pure, for the server's rows and for the page alike.
import { isObject, type JsonObject } from '../core/index.ts';

/** What is known of one session, to be written down and taken up later. */
export interface AttemptState {
  /** Whose turn ended last, by the entry that says so. */
  readonly ending: readonly [seq: number, agent: string] | null;
  /** The claims of ends that were refused, by agent. */
  readonly refused: readonly (readonly [agent: string, claims: readonly number[]])[];
}

interface Told {
  readonly kind: string;
  readonly seq: number;
  readonly cause: number | null;
  readonly payload: JsonObject;
}

export class Attempts {
  #ending: AttemptState['ending'];
  readonly #refused: Map<string, readonly number[]>;

  constructor({ ending, refused }: AttemptState = { ending: null, refused: [] }) {
    this.#ending = ending;
    this.#refused = new Map(refused);
  }

  save(): AttemptState {
    return { ending: this.#ending, refused: [...this.#refused] };
  }

  /** A new prompt begins another turn: what was refused before it stays as it was judged. */
  prompted(): void {
    this.#refused.clear();
  }

  /** The next entry. Gives the numbers of claims that it replaces. */
  told({ kind, seq, cause, payload }: Told): readonly number[] {
    if (kind === 'prompt') this.prompted();
    if (kind === 'response' || kind === 'agent.end')
      this.#ending = [seq, typeof payload.agent_id === 'string' ? payload.agent_id : ''];
    if (kind !== 'gate' || this.#ending === null || this.#ending[0] !== cause) return [];
    const [, agent] = this.#ending;
    const replaced = this.#refused.get(agent) ?? [];
    if (payload.verdict === 'block') this.#refused.set(agent, claimsIn(payload));
    else this.#refused.delete(agent);
    return replaced;
  }
}

function claimsIn({ claims }: JsonObject): number[] {
  return (Array.isArray(claims) ? claims : []).flatMap((claim) =>
    isObject(claim) && typeof claim.claim === 'number' ? claim.claim : [],
  );
}
