// A row for each session, for the list of them: what `foil session list` says, with models, claims and verdicts of the
// gate. Read once, and then only what was appended since. What was read can be written down, and taken up later.
import { isObject, type Json } from '../core/index.ts';
import { type Entry, NO_SESSION } from '../format/index.ts';
import { isBundledUnowned, type LinePlaces } from '../harness/index.ts';
import type { LogReader } from '../ledger/index.ts';
import { type Line, parseLine, type Session, SessionCount, scanLines } from '../report/index.ts';
import type { Erased, SessionRow, ToolsUsed } from './answers.ts';
import { type AttemptState, Attempts } from './attempts.ts';

/** With what the server needs to find its entries. */
export type CountedSession = Session & SessionRow & { readonly first_prompt: number | null };

/** Canonical JSON, so that a name ends at the first quote that isn't escaped. */
const TOOL = /"tool":("(?:[^"\\]|\\.)+")/;
const LONGEST_TOOL = 80;
/** Of one session. */
const MOST_TOOLS = 200;

/** An excused one is none of these, and doesn't count. */
type ClaimState = 'backed' | 'stale' | 'unproven';

interface More {
  readonly models: Set<string>;
  tokens: number;
  /** What the newest judgement says, by the claim's number. */
  readonly claims: Map<number, ClaimState>;
  blocks: number;
  /** How often each was called. */
  readonly tools: Map<string, number>;
  readonly attempts: Attempts;
  /** The number of its first prompt. */
  prompt: number | null;
  erased: Erased | null;
}

const LOOKED_AT: ReadonlySet<string> = new Set(['response', 'agent.end', 'gate', 'model.result']);

export class SessionRows {
  /** The first entry that was looked at. */
  readonly first: number;
  readonly #store: LogReader;
  readonly #count: SessionCount;
  readonly #more = new Map<string, More>();
  /** Entries of no session that a bundle may need. */
  readonly #unowned: number[];
  /** Entries that tell of times in which nobody was recording. */
  readonly #gaps: number[];
  #read: number;
  #reading: Promise<void> = Promise.resolve();

  /** `saved` are sessions as `save` gave them, and `read` the last entry that they know of. */
  constructor(store: LogReader, read = 0, saved: readonly string[] = []) {
    this.#store = store;
    this.#read = read;
    this.first = saved.length === 0 ? read + 1 : 1;
    const told = saved.map((text) => JSON.parse(text) as Saved | SavedUnowned);
    const all = told.filter((each): each is Saved => 'session' in each);
    const unowned = told.find((each): each is SavedUnowned => !('session' in each));
    this.#unowned = [...(unowned?.unowned ?? [])];
    this.#gaps = [...(unowned?.gaps ?? [])];
    this.#count = new SessionCount(all.map(({ session }) => session));
    for (const { session, models, tokens, claims, blocks, tools, attempts, prompt, erased } of all)
      this.#more.set(session.id, {
        models: new Set(models),
        tokens,
        claims: new Map(claims),
        blocks,
        tools: new Map(tools),
        attempts: new Attempts(attempts),
        prompt,
        erased,
      });
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

  /** The next line, whatever number it gives itself. Gives the sessions that it is about, other than its own. */
  add(line: Line): readonly string[] {
    this.#read++;
    if (line.kind === 'gap') this.#gaps.push(this.#read);
    if (line.session === null) {
      if (isBundledUnowned(line.kind)) this.#unowned.push(this.#read);
      return line.kind === 'erase' ? this.#erase(line) : [];
    }
    this.#count.add(line.session, line);
    if (line.kind === 'prompt') this.#prompted(line.session);
    if (line.kind === 'tool.call') this.#called(line.session, line);
    if (line.kind === 'gap') return [NO_SESSION];
    if (!LOOKED_AT.has(line.kind)) return [];
    const entry = parseLine(line);
    if (entry !== undefined) this.#look(line.session, entry);
    return [];
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

  /** Where the lines of a session are. Only for rows that began with the first entry. */
  placesOf({ first_seq: first, last_seq: last }: Session): LinePlaces {
    return { first, last, unowned: this.#unowned };
  }

  /** Of the sessions that called any. */
  tools(): ToolsUsed['sessions'] {
    return [...this.#more].flatMap(([id, { tools }]) =>
      tools.size === 0 ? [] : [[id, [...tools]] as const],
    );
  }

  /** The entries that tell of gaps, in order. */
  gaps(): readonly number[] {
    return this.#gaps;
  }

  /** What is known of one session, or of entries that belong to none, to be given to another `SessionRows`. */
  save(id: string): string {
    if (id === NO_SESSION) {
      const unowned: SavedUnowned = { unowned: this.#unowned, gaps: this.#gaps };
      return JSON.stringify(unowned);
    }
    const { models, claims, tools, attempts, ...more } = this.#more.get(id) ?? nothing();
    const session = this.#count.session(id);
    if (session === undefined) throw new RangeError('there is no such session');
    const saved: Saved = {
      ...more,
      session,
      models: [...models],
      claims: [...claims],
      tools: [...tools],
      attempts: attempts.save(),
    };
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
    const { models, tokens, claims, blocks, prompt, erased } = this.#more.get(session.id) ?? nothing();
    const counts: Record<ClaimState, number> = { backed: 0, stale: 0, unproven: 0 };
    for (const state of claims.values()) counts[state]++;
    return {
      ...session,
      models: [...models],
      tokens,
      proven: counts.backed,
      unproven: counts.unproven,
      stale: counts.stale,
      blocks,
      erased,
      first_prompt: prompt,
    };
  }

  #moreOf(session: string): More {
    const more = this.#more.get(session) ?? nothing();
    this.#more.set(session, more);
    return more;
  }

  #prompted(session: string): void {
    const more = this.#moreOf(session);
    more.prompt ??= this.#read;
    more.attempts.prompted();
  }

  #called(session: string, { bytes }: Line): void {
    const [, name] = TOOL.exec(bytes.toString('utf8')) ?? [];
    if (name === undefined) return;
    const tool = String(JSON.parse(name)).slice(0, LONGEST_TOOL);
    const { tools } = this.#moreOf(session);
    if (tools.size < MOST_TOOLS || tools.has(tool)) tools.set(tool, (tools.get(tool) ?? 0) + 1);
  }

  #erase(line: Line): readonly string[] {
    const sessions = parseLine(line)?.payload.sessions;
    const ids = (Array.isArray(sessions) ? sessions : []).flatMap((each) =>
      isObject(each) && typeof each.session === 'string' ? each.session : [],
    );
    const known = ids.filter((id) => this.#count.session(id) !== undefined);
    for (const id of known) this.#moreOf(id).erased = { seq: this.#read, ts: line.ts };
    return known;
  }

  #look(session: string, entry: Entry): void {
    const { kind, payload } = entry;
    const more = this.#moreOf(session);
    for (const replaced of more.attempts.told(entry)) more.claims.delete(replaced);
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
        else more.claims.set(claim.claim, stateOf(claim.status));
      }
  }
}

interface Saved {
  readonly session: Session;
  readonly models: readonly string[];
  readonly tokens: number;
  readonly claims: readonly (readonly [number, ClaimState])[];
  readonly blocks: number;
  readonly tools: readonly (readonly [string, number])[];
  readonly attempts: AttemptState;
  readonly prompt: number | null;
  readonly erased: Erased | null;
}

/** What is known of entries that belong to no session. */
interface SavedUnowned {
  readonly unowned: readonly number[];
  readonly gaps: readonly number[];
}

function stateOf(status: Json | undefined): ClaimState {
  return status === 'backed' || status === 'stale' ? status : 'unproven';
}

function nothing(): More {
  return {
    models: new Set(),
    tokens: 0,
    claims: new Map(),
    blocks: 0,
    tools: new Map(),
    attempts: new Attempts(),
    prompt: null,
    erased: null,
  };
}
