// A row for each session, for the list of them: what `foil session list` says, with models, claims and verdicts of the
// gate. Read once, and then only what was appended since. What was read can be written down, and taken up later.
import { isObject } from '../core/index.ts';
import type { Entry } from '../format/index.ts';
import type { Store } from '../ledger/index.ts';
import { type Line, parseLine, type Session, SessionCount, scanLines } from '../report/index.ts';
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
  /** The first entry that was looked at. */
  readonly first: number;
  readonly #store: Store;
  readonly #count: SessionCount;
  readonly #more = new Map<string, More>();
  #read: number;
  #reading: Promise<void> = Promise.resolve();

  /** `saved` are sessions as `save` gave them, and `read` the last entry that they know of. */
  constructor(store: Store, read = 0, saved: readonly string[] = []) {
    this.#store = store;
    this.#read = read;
    this.first = saved.length === 0 ? read + 1 : 1;
    const all = saved.map((text) => JSON.parse(text) as Saved);
    this.#count = new SessionCount(all.map(({ session }) => session));
    for (const { session, models, tokens, claims, blocks } of all)
      this.#more.set(session.id, { models: new Set(models), tokens, claims: new Map(claims), blocks });
  }

  /** The number of the last entry that the rows know of. */
  get read(): number {
    return this.#read;
  }

  /** Reads on. `progress` is told how far it is. Calls that come meanwhile take turns. */
  refresh(progress: (seq: number) => void = () => undefined): Promise<void> {
    const next = this.#reading.then(() => this.#readOn(progress));
    this.#reading = next.catch(() => undefined);
    return next;
  }

  /** The next line, whatever number it gives itself. */
  add(line: Line): void {
    this.#read++;
    if (line.session === null) return;
    this.#count.add(line.session, line);
    if (!LOOKED_AT.has(line.kind)) return;
    const entry = parseLine(line);
    if (entry !== undefined) this.#look(line.session, entry);
  }

  /** The newest first. */
  rows(): CountedSession[] {
    return this.#count
      .sessions()
      .map((session) => this.#row(session))
      .reverse();
  }

  row(id: string): CountedSession | undefined {
    const session = this.#count.session(id);
    return session === undefined ? undefined : this.#row(session);
  }

  /** What is known of one session, to be given to another `SessionRows`. */
  save(id: string): string {
    const { models, tokens, claims, blocks } = this.#more.get(id) ?? nothing();
    const session = this.#count.session(id);
    if (session === undefined) throw new RangeError('there is no such session');
    const saved: Saved = { session, models: [...models], tokens, claims: [...claims], blocks };
    return JSON.stringify(saved);
  }

  async #readOn(progress: (seq: number) => void): Promise<void> {
    const { seq } = await this.#store.head();
    for await (const lines of scanLines(this.#store, this.#read + 1, seq)) {
      for (const line of lines) this.add(line);
      progress(this.#read);
      // Others are answered meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #row(session: Session): CountedSession {
    const { models, tokens, claims, blocks } = this.#more.get(session.id) ?? nothing();
    const proven = [...claims.values()].filter(Boolean).length;
    return { ...session, models: [...models], tokens, proven, unproven: claims.size - proven, blocks };
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
      if (isObject(claim) && typeof claim.claim === 'number') {
        // An excused one is neither proven nor open.
        if (claim.status === 'excused') more.claims.delete(claim.claim);
        else more.claims.set(claim.claim, claim.status === 'backed');
      }
  }
}

interface Saved {
  readonly session: Session;
  readonly models: readonly string[];
  readonly tokens: number;
  readonly claims: readonly (readonly [number, boolean])[];
  readonly blocks: number;
}

function nothing(): More {
  return { models: new Set(), tokens: 0, claims: new Map(), blocks: 0 };
}
