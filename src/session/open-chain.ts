// The chain of one session while it is open, as one recorder sees it. A store builds appends before the ones before them
// are durable, and builds them again where those fail: so a chain that one process knows has one append at a time, and
// each goes on from what is durable. A chain that several processes write to is the store's, which sees to that itself.
import type { Interaction } from '../format/index.ts';
import { advance, type Chain, newChain } from './life-cycle.ts';
import { encodeShared, parseShared, sharedState } from './shared-session.ts';

export interface OpenChain {
  /** The state of the store that must be handed in; undefined where this process alone knows the chain. */
  readonly state: string | undefined;
  /** Inside the section: one interaction more, and the state as it is then. Null where this source does not count. */
  next(state: Uint8Array | undefined, promptHash: string | null, responseHash: string | null): Step | null;
  /** Inside the section: as it stands. */
  current(state: Uint8Array | undefined): Chain;
  /** Which interaction a prompt begins. Null where this source does not count. */
  upcoming(state: Uint8Array | undefined): number | null;
  /** Around each append that asks for any of these. */
  exclusive<T>(append: () => Promise<T>): Promise<T>;
  /** Within it, once a step is durable. */
  settle(step: Step): void;
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
  let last: Promise<unknown> = Promise.resolve();
  return {
    state: undefined,
    next(_, promptHash, responseHash) {
      if (!counts) return null;
      const { chain, interaction } = advance(durable, promptHash, responseHash);
      return { chain, interaction, state: undefined };
    },
    current: () => durable,
    upcoming: () => (counts ? durable.sequence + 1 : null),
    exclusive(append) {
      const turn = last.then(append);
      last = turn.catch(() => undefined);
      return turn;
    },
    settle({ chain }) {
      durable = chain;
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
    exclusive: (append) => append(),
    settle: () => undefined,
  };
}
