// A row for each session, for the list of them: what `foil session list` says, with models, claims and verdicts of the
// gate. Read once, and then only what was appended since.
import { isObject } from '../core/index.ts';
import type { Entry } from '../format/index.ts';
import type { Store } from '../ledger/index.ts';
import { parseLine, type Session, SessionCount, scanLines } from '../report/index.ts';
import type { SessionRow } from './answers.ts';

/** With what the server needs to find its entries. */
export type CountedSession = Session & SessionRow;

interface More {
  readonly models: Set<string>;
  tokens: number;
  /** Whether it is proven, by the claim's number. */
  readonly claims: Map<number, boolean>;
  blocks: number;
}

const LOOKED_AT: ReadonlySet<string> = new Set(['response', 'gate', 'model.result']);

export class SessionRows {
  readonly #store: Store;
  readonly #count = new SessionCount();
  readonly #more = new Map<string, More>();
  #read = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The number of the last entry that the rows know of. */
  get read(): number {
    return this.#read;
  }

  /** Reads on. `progress` is told how far it is. */
  async refresh(progress: (seq: number) => void = () => undefined): Promise<void> {
    const { seq } = await this.#store.head();
    for await (const lines of scanLines(this.#store, this.#read + 1, seq)) {
      for (const line of lines) {
        if (line.session === null) continue;
        this.#count.add(line.session, line);
        if (!LOOKED_AT.has(line.kind)) continue;
        const entry = parseLine(line);
        if (entry !== undefined) this.#look(line.session, entry);
      }
      this.#read = lines.at(-1)?.seq ?? this.#read;
      progress(this.#read);
    }
  }

  /** The newest first. */
  rows(): CountedSession[] {
    return this.#count
      .sessions()
      .map((session) => {
        const { models, tokens, claims, blocks } = this.#more.get(session.id) ?? nothing();
        const proven = [...claims.values()].filter(Boolean).length;
        return { ...session, models: [...models], tokens, proven, unproven: claims.size - proven, blocks };
      })
      .reverse();
  }

  #look(session: string, { kind, payload }: Entry): void {
    const more = this.#more.get(session) ?? nothing();
    this.#more.set(session, more);
    if (typeof payload.model === 'string') more.models.add(payload.model);
    if (kind === 'model.result' && isObject(payload.usage))
      for (const count of [payload.usage.input_tokens, payload.usage.output_tokens])
        if (typeof count === 'number') more.tokens += count;
    if (kind !== 'gate') return;
    if (payload.verdict === 'block') more.blocks++;
    for (const claim of Array.isArray(payload.claims) ? payload.claims : [])
      if (isObject(claim) && typeof claim.claim === 'number')
        more.claims.set(claim.claim, claim.status === 'backed' || claim.status === 'excused');
  }
}

function nothing(): More {
  return { models: new Set(), tokens: 0, claims: new Map(), blocks: 0 };
}
