// Is anything of a run left out? Sessions interleave in a ledger, so proofs that entries are in its tree do not show that all
// of them are here. The end of a session says how many entries it had until then, and their root; `session.sum` says the
// same of all that came before it.
import { ParseError } from '../core/index.ts';
import { type Entry, LineSum, parseEndSum, parseSessionSum, type SessionSum } from '../format/index.ts';
import { type BundledLine, leafOf } from './bundle-entries.ts';
import type { BundleFindings } from './bundle-findings.ts';

const ENDS: ReadonlySet<string> = new Set(['session.end', 'session.cut']);

export function checkSum(run: readonly BundledLine[], findings: BundleFindings): void {
  const lines = new LineSum();
  let last: number | null = null;
  let isSummed = true;
  for (const bundled of run) {
    const { entry } = bundled;
    const said = sumIn(entry);
    // A sum that was appended later is its owner's word alone; the recorder's own stands at the end of the session.
    if (said === null && ENDS.has(entry.kind)) isSummed = false;
    if (said !== null) {
      const is = lines.sum();
      if (said.entries === is.entries && said.root === is.root) last = entry.seq;
      else
        findings.add(
          'RUN_SUM_WRONG',
          entry.seq,
          `entry ${entry.seq} counts ${said.entries} entries of the run before it, but the bundle has ${is.entries}, or different ones`,
        );
    }
    lines.addLeaf(leafOf(bundled));
  }
  // What stands behind the last sum could be less than there was.
  if (last === null || last !== run.at(-1)?.entry.seq)
    findings.add('RUN_SUM_MISSING', null, 'no entry at the end of the run says how many entries it has');
  else if (!isSummed)
    findings.add('RUN_SUM_MISSING', null, "the run's end does not say how many entries came before it");
}

/** Null where the entry says none. A malformed one is the sessions' check to report. */
function sumIn({ kind, payload }: Entry): SessionSum | null {
  try {
    if (kind === 'session.sum') return parseSessionSum(payload);
    return ENDS.has(kind) ? parseEndSum(payload) : null;
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}
