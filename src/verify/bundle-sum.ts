// Is anything of a run left out? Sessions interleave in a ledger, so proofs that entries are in its tree do not show that all
// of them are here. The end of a session says how many entries it had until then, and their root; `session.sum` says the
// same of all that came before it.
import { CompactRange, encodeHex, leafHash } from '../core/index.ts';
import type { BundledLine } from './bundle-entries.ts';
import type { BundleFindings } from './bundle-findings.ts';

const KINDS: ReadonlySet<string> = new Set(['session.end', 'session.cut', 'session.sum']);

export function checkSum(run: readonly BundledLine[], findings: BundleFindings): void {
  const range = new CompactRange();
  let last: number | null = null;
  for (const { entry, line } of run) {
    const { entries, entries_root: root } = entry.payload;
    if (KINDS.has(entry.kind) && entries !== undefined) {
      if (entries === range.size && root === encodeHex(range.root())) last = entry.seq;
      else
        findings.add(
          'RUN_SUM_WRONG',
          entry.seq,
          `entry ${entry.seq} counts ${String(entries)} entries of the run before it, and ${range.size} others are here`,
        );
    }
    range.push(leafHash(line));
  }
  // What stands behind the last sum could be less than there was.
  if (last === null || last !== run.at(-1)?.entry.seq)
    findings.add('RUN_SUM_MISSING', null, 'no entry at the end of the run says how many entries it has');
}
