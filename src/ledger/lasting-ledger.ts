// A ledger for programs that stay: a handle that a failure made unusable is let go, and the next call opens another. The
// call that failed still fails: what became of its lines is not known, and nobody is told otherwise.
import { StoreError } from '../core/index.ts';
import type { Ledger } from './ledger.ts';
import type { Store } from './ports.ts';

export class LastingLedger {
  readonly #open: () => Ledger;
  #ledger: Ledger | undefined;
  #closed = false;

  /** `ledger` is the first handle; `open` gives the others, and may throw as long as the ledger can't be opened. */
  constructor(open: () => Ledger, ledger?: Ledger) {
    this.#open = open;
    this.#ledger = ledger;
  }

  async use<T>(work: (ledger: Ledger) => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreError('CLOSED', 'the ledger is closed.', { fatal: true });
    this.#ledger ??= this.#open();
    const ledger = this.#ledger;
    try {
      return await work(ledger);
    } catch (error) {
      if (error instanceof StoreError && error.fatal && this.#ledger === ledger) {
        this.#ledger = undefined;
        ledger.close().catch(() => undefined); // whatever it has to say was said by the failure
      }
      throw error;
    }
  }

  /** What a recorder needs of it. */
  readonly store: Pick<
    Store,
    | 'append'
    | 'readState'
    | 'head'
    | 'read'
    | 'putContent'
    | 'getContent'
    | 'commitContent'
    | 'deriveKey'
    | 'close'
  > = {
    append: (build, options) => this.use((ledger) => ledger.build(build, options)),
    readState: (name) => this.use(({ store }) => store.readState(name)),
    head: () => this.use(({ store }) => store.head()),
    read: (from, to) => this.#read(from, to),
    putContent: (...args) => this.use(({ store }) => store.putContent(...args)),
    getContent: (...args) => this.use(({ store }) => store.getContent(...args)),
    commitContent: (...args) => this.use(({ store }) => store.commitContent(...args)),
    deriveKey: (...args) => this.use(({ store }) => store.deriveKey(...args)),
    close: () => this.close(),
  };

  async *#read(from: number, to: number): AsyncGenerator<Uint8Array> {
    yield* await this.use(async ({ store }) => store.read(from, to));
  }

  async close(): Promise<void> {
    this.#closed = true;
    const ledger = this.#ledger;
    this.#ledger = undefined;
    await ledger?.close();
  }
}
