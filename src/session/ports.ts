// What the life of a session needs from outside: blocks, and the keys that people present. Adapters under anchor/ give
// the first; nothing here waits for either longer than it says.
import type { BlockFact } from '../format/index.ts';

export type BlockSourceConfig =
  | { readonly esplora: string }
  | { readonly rpc: string; readonly cookie: string | null }
  | { readonly file: string };

/** What a project wants its sessions bound to. Nothing is asked of the network unless it says so. */
export interface AnchorConfig {
  /** In the order in which they are asked; none: no blocks. */
  readonly blocks: readonly BlockSourceConfig[];
  /** What becomes of a session's commits when it ends; null: no repository. */
  readonly git: { readonly end: 'merge' | 'archive' } | null;
  /** Calendars; none: nothing is stamped by itself. */
  readonly stamps: readonly string[];
  readonly network: 'main' | 'regtest';
}

export const NO_ANCHOR: AnchorConfig = { blocks: [], git: null, stamps: [], network: 'main' };

export interface Blocks {
  /**
   * The newest block, verified, for a session that begins: at most 2 s. It may be one that was given some minutes ago.
   * Null where none can be had. Never rejects.
   */
  newest(): Promise<BlockFact | null>;
  /**
   * The newest block now, for a session that ends: sources are asked, for at most 2 s. Where none of them answers, it is
   * the one that newest would give. Never rejects.
   */
  latest(): Promise<BlockFact | null>;
  /** What is known by now. Asks in the background where that is old. */
  known(): BlockFact | null;
}
