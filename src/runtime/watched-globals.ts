// What an agent must not ask the machine for while it reduces or decides: the time, and randomness. In a replay each of them
// throws while the agent's code runs, and its name is kept, so that the replay can say what made the states differ.

type Slot = { readonly owner: object; readonly key: string; readonly name: string };

const SLOTS: readonly Slot[] = [
  { owner: globalThis, key: 'Date', name: 'Date' },
  { owner: Math, key: 'random', name: 'Math.random' },
  { owner: performance, key: 'now', name: 'performance.now' },
  { owner: process, key: 'hrtime', name: 'process.hrtime' },
  { owner: crypto, key: 'getRandomValues', name: 'crypto.getRandomValues' },
  { owner: crypto, key: 'randomUUID', name: 'crypto.randomUUID' },
];

export class WatchedGlobals {
  /** The first that was asked for since it was last cleared. */
  asked: string | null = null;
  #isInside = false;

  /** Puts itself in their place for as long as the process lives. */
  constructor() {
    for (const slot of SLOTS) this.#take(slot);
  }

  /** Runs the agent's code, which is synchronous, without them. */
  readonly guard = <T>(work: () => T): T => {
    this.#isInside = true;
    try {
      return work();
    } finally {
      this.#isInside = false;
    }
  };

  readonly #refuse = (what: string): void => {
    if (!this.#isInside) return;
    this.asked ??= what;
    throw new Error(`a reducer must not use ${what}`);
  };

  #take({ owner, key, name }: Slot): void {
    const kept = Reflect.get(owner, key) as DateConstructor & ((...given: unknown[]) => unknown);
    const value =
      key === 'Date'
        ? watchedDate(kept, this.#refuse)
        : Object.assign((...given: unknown[]) => {
            this.#refuse(name);
            return Reflect.apply(kept, owner, given);
          }, kept);
    Object.defineProperty(owner, key, { value, configurable: true, writable: true });
  }
}

/** A date that is given is a value like any other; only the present is refused. */
function watchedDate(real: DateConstructor, refuse: (what: string) => void): unknown {
  return new Proxy(real, {
    apply: (target, self, given) => {
      refuse('Date');
      return Reflect.apply(target, self, given);
    },
    construct: (target, given) => {
      if (given.length === 0) refuse('new Date()');
      return Reflect.construct(target, given) as object;
    },
    get: (target, key) => {
      if (key !== 'now') return Reflect.get(target, key);
      return () => {
        refuse('Date.now');
        return target.now();
      };
    },
  });
}
