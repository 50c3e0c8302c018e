// The entries of one event while they are drafted, and the state of its session beside them.
import type { JsonObject } from '../../core/index.ts';
import { type BlockFact, encodeCrash, encodeGap } from '../../format/index.ts';
import type { NewEntry } from '../../ledger/index.ts';
import type { SharedSession } from '../../session/index.ts';
import { fitting } from '../short.ts';
import { type SessionState, upTo, withDone } from './session-state.ts';

/** Ids in one gap. */
const MOST_NAMED = 100;
const MOST_NAMED_BYTES = 32_768;

export interface TurnOptions {
  readonly state: SessionState;
  readonly source: string;
  /** Of the entry before. */
  readonly seq: number;
  readonly now: number;
  /** The chain of the session that this is part of, where others have it, too. */
  readonly shared?: SharedSession | null;
  /** The newest block that is known. */
  readonly block?: BlockFact | null;
}

export class TurnDraft {
  state: SessionState;
  /** The seq of the event's own entry. */
  own: number | null = null;
  readonly drafts: NewEntry[] = [];
  /** The chain of a session that it joined, as it is after this. */
  shared: SharedSession | null;
  readonly source: string;
  readonly #before: number;
  readonly now: number;
  readonly block: BlockFact | null;

  constructor(options: TurnOptions) {
    const { state, source, seq, now, shared = null, block = null } = options;
    this.state = upTo(state, seq);
    this.shared = shared;
    this.source = source;
    this.#before = seq;
    this.now = now;
    this.block = block;
  }

  /** Gives its seq. */
  push(kind: string, payload: JsonObject, cause: number | null = this.state.prompt): number {
    this.drafts.push({ kind, payload, source: this.source, session_id: this.state.session, cause });
    return this.#before + this.drafts.length;
  }

  remember(change: (gate: SessionState['gate']) => SessionState['gate']): void {
    this.state = { ...this.state, gate: change(this.state.gate) };
  }

  /** A mistake of ours, where it happened. */
  crashed(hook: string, event: string, error: string | null, cause: number): void {
    if (error === null) return;
    this.push('crash', encodeCrash({ hook, event, error, at: this.at, from: 'ledger' }), cause);
  }

  /** Calls that nobody told of. They count as done, so that none is told twice. */
  missed(ids: readonly string[], agent: string | null, name: string): void {
    if (ids.length === 0) return;
    this.named(`${name} shows tool calls that were never recorded`, ids);
    this.state = withDone(this.state, agent, ids);
  }

  /** A gap that names its calls, as far as they fit. */
  named(why: string, ids: readonly string[]): void {
    if (ids.length > 0) this.gap(why, ids.length, fitting(ids.slice(0, MOST_NAMED), MOST_NAMED_BYTES));
  }

  gap(why: string, events: number, calls: readonly string[], since = this.at): void {
    this.push('gap', encodeGap({ reason: 'unrecorded', since, until: this.at, events, why, calls }));
  }

  get at(): string {
    return new Date(this.now).toISOString();
  }
}
