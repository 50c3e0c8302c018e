// What passes between a replay and its cell. Each line of events is [sequence, kind, payload]; kinds that lead to no state are
// left out, and so are decisions' and memory writes' payloads: the cell must find them by itself. Each line of the report is a
// letter, a sequence and a value:
//
//     s 5 <hash>   the state after event 5        d 6 <hash>   the payload of the decision that it came to, or -
//     g 5 "name"   what the agent asked for       t 5          two reductions of one event gave two states
//     x 8 <hash>   the output of a tool again     v 5 <json>   the state itself        ! "why"   it broke down      .  the end
import type { JsonObject } from '../core/index.ts';
import type { RunEventKind } from '../format/index.ts';

export interface CellInput {
  readonly run: string;
  /** The agent's module, below `code/`. */
  readonly entry: string;
  readonly capabilities: readonly string[];
  readonly parameters: JsonObject;
  /** The state that a fork begins with; null for any other run. */
  readonly start: JsonObject | null;
  /** `node_id` of what the run remembers. */
  readonly node: number;
  /** Of the hashes; null for plain ones. */
  readonly key: string | null;
  /** To begin from, without its hash; null for the beginning. */
  readonly snapshot: JsonObject | null;
  /** The event whose state is to be shown; null for none. */
  readonly debugAt: number | null;
}

export type CellLine = readonly [sequence: number, kind: RunEventKind | 'Execute', payload: JsonObject];
