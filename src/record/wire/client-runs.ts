// The runs of clients that an independent gateway was asked for: how many calls of each went through, and which are closed. A
// number is given inside the append of its call, in the order of the log: answers wait for nothing. Kept in memory, and read
// from the log when the first is asked for; nobody else numbers calls of this ledger while the service runs.
import { isHash, type Json, type JsonObject } from '../../core/index.ts';
import type { ClientCall, ClientRun, RunClosing } from '../../format/index.ts';
import { entriesOf, type LogReader } from '../../ledger/index.ts';

/** The gateway takes no more calls of this run. */
export class RunClosed extends Error {
  override readonly name = 'RunClosed';
  readonly code = 'RUN_CLOSED';
}

interface Counted {
  calls: number;
  /** Of the call with the highest number. */
  lastNonce: string | null;
  isClosed: boolean;
  /** The payload of its `run.closing`, which may be on its way to the log. */
  closing?: Promise<JsonObject> | undefined;
}

export class ClientRuns {
  readonly #store: () => Promise<LogReader>;
  #reading: Promise<Map<string, Counted>> | undefined;

  constructor(store: () => Promise<LogReader>) {
    this.#store = store;
  }

  /** What is known of a run. Rejects where the log can't be read: then its calls can't be numbered. */
  async open(run: string): Promise<OpenRun> {
    this.#reading ??= this.#store().then(readRuns);
    let runs: Map<string, Counted>;
    try {
      runs = await this.#reading;
    } catch (error) {
      this.#reading = undefined;
      throw error;
    }
    const counted = runs.get(run) ?? uncalled();
    runs.set(run, counted);
    return new OpenRun(counted);
  }
}

export class OpenRun {
  readonly #counted: Counted;

  constructor(counted: Counted) {
    this.#counted = counted;
  }

  /**
   * Gives a call its number, inside the append that puts it on record, however often that is tried. Where it fails the number
   * is lost: the client has no receipt of such a call anyway. Throws RunClosed.
   */
  numbering(client: ClientRun, nonce: string): () => ClientCall {
    const counted = this.#counted;
    let call: number | undefined;
    return () => {
      if (call === undefined) {
        if (counted.isClosed) throw new RunClosed('this run is closed. Start a new one');
        call = ++counted.calls;
        counted.lastNonce = nonce;
      }
      return { ...client, call };
    };
  }

  /** The one closing of the run: as it is on record, or as `write` puts it there. Who asks again gets the same. */
  closing(write: () => Promise<JsonObject>): Promise<JsonObject> {
    const counted = this.#counted;
    counted.closing ??= write().catch((error) => {
      counted.closing = undefined;
      counted.isClosed = false;
      throw error;
    });
    return counted.closing;
  }

  /** Inside the append of the closing: no call comes behind it, and this is how many came before. */
  close(): Pick<RunClosing, 'calls' | 'lastNonce'> {
    this.#counted.isClosed = true;
    const { calls, lastNonce } = this.#counted;
    return { calls, lastNonce };
  }
}

function uncalled(): Counted {
  return { calls: 0, lastNonce: null, isClosed: false };
}

async function readRuns(store: LogReader): Promise<Map<string, Counted>> {
  const runs = new Map<string, Counted>();
  const { seq } = await store.head();
  for await (const { kind, payload } of entriesOf(store, 1, seq, ['model.call', 'run.closing'])) {
    const client = memberOf(payload.client);
    if (client === undefined || !isHash(client.run)) continue;
    const counted = runs.get(client.run) ?? uncalled();
    runs.set(client.run, counted);
    if (kind === 'run.closing') {
      counted.isClosed = true;
      counted.closing = Promise.resolve(payload);
    } else {
      // Older gateways gave no numbers; and one that was given to a call that is not on record is not given again.
      counted.calls = Math.max(counted.calls + 1, typeof client.call === 'number' ? client.call : 0);
      counted.lastNonce = typeof payload.nonce === 'string' ? payload.nonce : null;
    }
  }
  return runs;
}

function memberOf(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}
