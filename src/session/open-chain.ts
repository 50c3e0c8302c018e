// The chain of one session while it is open, as one recorder sees it. Appends of a process are built before the ones before
// them are durable, so there is a chain as it would be and one as it is; what fails puts the first back to the second.
// A chain that several processes write to is the store's, which does the same for all of them.
import type { Interaction } from '../format/index.ts';
import { advance, type Chain, newChain } from './life-cycle.ts';
import { encodeShared, parseShared, sharedState } from './shared-session.ts';

export interface OpenChain {
  /** The state of the store that must be handed in; undefined where this process alone knows the chain. */
  readonly state: string | undefined;
  /**
   * Inside the section: one interaction more, and the state as it is then. Null where this source does not count. `after` is
   * the entry that it is built on: a store builds again what it could not write, and that is no second interaction.
   */
  next(
    state: Uint8Array | undefined,
    promptHash: string | null,
    responseHash: string | null,
    after?: number,
  ): Step | null;
  /** Inside the section: as it stands. */
  current(state: Uint8Array | undefined): Chain;
  /** Which interaction a prompt begins. Null where this source does not count. */
  upcoming(state: Uint8Array | undefined): number | null;
  /** After an append with a step in it: is it durable? */
  settle(step: Step, durable: boolean): void;
}

export interface Step {
  readonly interaction: Interaction;
  readonly chain: Chain;
  /** For the store; undefined where it keeps none. */
  readonly state: Uint8Array | undefined;
}

/** Of a session that no other process writes to. `counts`: is it this source whose turns are its interactions? */
export function ownChain(session: string, counts = true): OpenChain {
  let durable = newChain(session);
  /** Not known to be durable yet, each on top of the one before. */
  let built: { readonly chain: Chain; readonly after: number | undefined }[] = [];
  const current = (): Chain => built.at(-1)?.chain ?? durable;
  return {
    state: undefined,
    next(_, promptHash, responseHash, after) {
      if (!counts) return null;
      // What was built at this place before, or behind it, never came to be.
      if (after !== undefined) built = built.filter((each) => each.after === undefined || each.after < after);
      const { chain, interaction } = advance(current(), promptHash, responseHash);
      built.push({ chain, after });
      return { chain, interaction, state: undefined };
    },
    current,
    upcoming: () => (counts ? current().sequence + 1 : null),
    settle({ chain }, isDurable) {
      if (isDurable) {
        if (chain.sequence > durable.sequence) durable = chain;
        built = built.filter((each) => each.chain.sequence > durable.sequence);
      } else {
        const at = built.findIndex((each) => each.chain === chain);
        if (at >= 0) built.length = at;
      }
    },
  };
}

/** Of a session that others write to as well. `source` is who asks: only the one that the session names is counted. */
export function sharedChain(session: string, source: string): OpenChain {
  return {
    state: sharedState(session),
    next(state, promptHash, responseHash) {
      const shared = parseShared(state, session);
      if (shared.source !== source) return null;
      const { chain, interaction } = advance(shared, promptHash, responseHash);
      return { chain, interaction, state: encodeShared({ ...shared, ...chain }) };
    },
    current: (state) => parseShared(state, session),
    upcoming(state) {
      const { source: counted, sequence } = parseShared(state, session);
      return counted === source ? sequence + 1 : null;
    },
    settle: () => undefined,
  };
}
