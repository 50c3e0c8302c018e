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
  readonly #kept: readonly (PropertyDescriptor | undefined)[];

  constructor() {
    this.#kept = SLOTS.map(({ owner, key }) => Object.getOwnPropertyDescriptor(owner, key));
  }

  /** Runs the agent's code, which is synchronous, without them. */
  readonly guard = <T>(work: () => T): T => {
    for (const [at, slot] of SLOTS.entries()) this.#take(slot, this.#kept[at]);
    try {
      return work();
    } finally {
      for (const [at, { owner, key }] of SLOTS.entries()) {
        const kept = this.#kept[at];
        if (kept === undefined) Reflect.deleteProperty(owner, key);
        else Object.defineProperty(owner, key, kept);
      }
    }
  };

  #take({ owner, key, name }: Slot, kept: PropertyDescriptor | undefined): void {
    const refuse = (what: string): never => {
      this.asked ??= what;
      throw new Error(`a reducer must not use ${what}`);
    };
    const value = key === 'Date' ? refusingDate(kept?.value as DateConstructor, refuse) : () => refuse(name);
    Object.defineProperty(owner, key, {
      value,
      configurable: true,
      writable: true,
      enumerable: kept?.enumerable ?? false,
    });
  }
}

/** A date that is given is a value like any other; only the present is refused. */
function refusingDate(real: DateConstructor, refuse: (what: string) => never): unknown {
  return new Proxy(real, {
    apply: () => refuse('Date'),
    construct: (target, args) => (args.length === 0 ? refuse('new Date()') : Reflect.construct(target, args)),
    get: (target, key) => (key === 'now' ? () => refuse('Date.now') : Reflect.get(target, key)),
  });
}
