// Where the sessions of a ledger get their blocks from, by what the project's configuration says: one set of sources for
// each that it ever said, so that what is known stays known.
import { type BlockSources, openBlocks } from '../../anchor/blocks/index.ts';
import type { AnchorConfig } from '../../session/index.ts';

/** Undefined where none are asked for. */
export type LedgerBlocks = (anchor: AnchorConfig) => BlockSources | undefined;

const MOST_KNOWN = 16;

/** `brief`: for a process that is gone in a moment. */
export function ledgerBlocks(directory: string, { brief = false } = {}): LedgerBlocks {
  const known = new Map<string, BlockSources>();
  return (anchor) => {
    if (anchor.blocks.length === 0) return undefined;
    const key = JSON.stringify([anchor.blocks, anchor.network]);
    let blocks = known.get(key);
    if (blocks === undefined) {
      if (known.size >= MOST_KNOWN) known.clear();
      blocks = openBlocks(anchor, { directory, brief });
      known.set(key, blocks);
    }
    return blocks;
  };
}
