// Requests that wait for their answer, by who asked and by id. Ids of the two sides are apart, those of one side may be
// numbers or strings, and one that is used again before it was answered waits behind the first.
import type { WireOpenCall } from '../../record/index.ts';
import { type Direction, idKey } from './message.ts';

export interface Pending {
  readonly method: string;
  readonly since: number;
  /** Of a call that is on record, or about to be. */
  readonly call: Promise<WireOpenCall> | null;
  /** The token that progress is told under. */
  readonly progressToken: string | null;
  /** Of a list: it asks for the first page. */
  readonly firstPage: boolean;
  progress: number;
  cancelled: boolean;
}

/** Of both sides together. More is no conversation any more. */
export const MOST_PENDING = 10_000;
const MOST_ANSWERED = 1000;

export class PendingRequests {
  readonly #byId: Record<Direction, Map<string, Pending[]>> = {
    'to-server': new Map(),
    'to-client': new Map(),
  };
  readonly #byToken = new Map<string, Pending>();
  /** Ids that were answered lately. */
  readonly #answered = new Set<string>();
  #count = 0;

  get full(): boolean {
    return this.#count >= MOST_PENDING;
  }

  /** Requests that are not on record are forgotten in time where nobody answers them. */
  add(direction: Direction, id: string, request: Omit<Pending, 'progress' | 'cancelled'>): void {
    const map = this.#byId[direction];
    if (this.full) this.#forgetOne(map);
    const pending: Pending = { ...request, progress: 0, cancelled: false };
    const key = idKey(id);
    const same = map.get(key);
    if (same === undefined) map.set(key, [pending]);
    else same.push(pending);
    this.#count += 1;
    if (pending.progressToken !== null) this.#byToken.set(idKey(pending.progressToken), pending);
  }

  peek(direction: Direction, id: string): Pending | undefined {
    return this.#byId[direction].get(idKey(id))?.[0];
  }

  /** The oldest of that id: it has its answer. */
  answer(direction: Direction, id: string): Pending | undefined {
    const pending = this.#remove(direction, id, (list) => list.shift());
    if (pending === undefined) return undefined;
    this.#answered.add(`${direction} ${idKey(id)}`);
    const [oldest] = this.#answered;
    if (this.#answered.size > MOST_ANSWERED && oldest !== undefined) this.#answered.delete(oldest);
    return pending;
  }

  wasAnswered(direction: Direction, id: string): boolean {
    return this.#answered.has(`${direction} ${idKey(id)}`);
  }

  /** The newest of that id: it was never made. */
  undo(direction: Direction, id: string): Pending | undefined {
    return this.#remove(direction, id, (list) => list.pop());
  }

  /** False where nothing waits under this token. */
  countProgress(token: string): boolean {
    const pending = this.#byToken.get(idKey(token));
    if (pending !== undefined) pending.progress += 1;
    return pending !== undefined;
  }

  /** All that wait, and nothing waits any more. */
  drain(direction: Direction): readonly Pending[] {
    const all = [...this.#byId[direction].values()].flat();
    this.#byId[direction].clear();
    this.#byToken.clear();
    this.#count -= all.length;
    return all;
  }

  #remove(
    direction: Direction,
    id: string,
    take: (list: Pending[]) => Pending | undefined,
  ): Pending | undefined {
    const map = this.#byId[direction];
    const key = idKey(id);
    const list = map.get(key);
    const pending = list === undefined ? undefined : take(list);
    if (list?.length === 0) map.delete(key);
    if (pending === undefined) return undefined;
    this.#count -= 1;
    const token = pending.progressToken === null ? null : idKey(pending.progressToken);
    if (token !== null && this.#byToken.get(token) === pending) this.#byToken.delete(token);
    return pending;
  }

  #forgetOne(map: Map<string, Pending[]>): void {
    for (const [key, list] of map) {
      const at = list.findIndex(({ call }) => call === null);
      if (at < 0) continue;
      list.splice(at, 1);
      if (list.length === 0) map.delete(key);
      this.#count -= 1;
      return;
    }
  }
}
