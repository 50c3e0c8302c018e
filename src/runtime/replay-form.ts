// What passes between a replay and its cell. Each line of events is [sequence, kind, payload]; kinds that the cell can say nothing
// of are left out, and so are decisions' and memory writes' payloads: the cell must find them by itself. Each line of the report
// is a letter, a sequence and a value:
//
//     s 5 <hash>   the state after event 5        d 6 <hash>   the payload of the decision that it came to, or -
//     g 5 "name"   what the agent asked for       t 5          two reductions of one event gave two states
//     x 8 <hash>   the output of a tool again     v 5 <json>   the state itself        ! "why"   it broke down      .  the end
//     p 0 <hash>   the state after patch 0 of those that are laid out
//     b 9 <count>  the bytes of a snapshot       f 9 <json>   why the agent's code fails at the end, or null
//     a 0 <json>   what the agent says of itself  m 7 <hash> <hash>   the payload of a memory write, and with null as its value
import type { JsonObject } from '../core/index.ts';
import type { RunEventKind } from '../format/index.ts';
import type { CellCode } from './cell-form.ts';
import type { StateChange } from './patched-state.ts';
import type { CellLimits } from './tool-cells.ts';

export interface CellInput {
  readonly run: string;
  /** The agent's module, below `code/`, and below the folders of code that a patch put in its place. */
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
}

/** Applied or undone behind the event of its line. */
export interface CellPatch extends StateChange {
  /** Which of the patches that are laid out, from 0. */
  readonly number: number;
  /** The folder of the code from here on; null where it stays. */
  readonly code: string | null;
}

/** `Show` asks for the state at an event. */
export type CellLine =
  | readonly [sequence: number, kind: RunEventKind | 'Execute' | 'Show', payload: JsonObject]
  | readonly [sequence: number, kind: 'Patch', patch: CellPatch];

/** Tools that run in cells of their own there, too, by name. */
export type CellTools = Readonly<Record<string, { readonly code: CellCode; readonly limits: CellLimits }>>;

/** Files beside the agent's code in the folder of a replay. */
export const REPLAY_FILES = {
  define: 'node_modules/counterfoil/runtime.mjs',
  thread: 'tool-cell.mjs',
  wasm: 'tool-cell.wasm',
} as const;

/** Where the tools of the code in this folder stand. */
export function toolsFile(code: string): string {
  return `${code}.tools.json`;
}
