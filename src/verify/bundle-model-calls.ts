// Do the model calls of a run fit together? A call names the one whose messages it goes on from, and a result how many tools
// the model asked for: what was taken out leaves a trace in what is left.
import type { Entry } from '../format/index.ts';
import type { BundledLine } from './bundle-entries.ts';
import type { BundleFindings } from './bundle-findings.ts';

/** Reasons to stop that say that the model asked for a tool. */
export const ASKING: ReadonlySet<unknown> = new Set(['tool_use', 'tool_calls', 'function_call']);

export function checkModelCalls(run: readonly BundledLine[], findings: BundleFindings): void {
  const calls = new Set<number>();
  const uses = new Map<number, number>();
  for (const { entry } of run) {
    if (entry.kind === 'model.call') {
      const base = baseOf(entry);
      if (base !== null && !calls.has(base))
        findings.add(
          'MODEL_CALL_MISSING',
          entry.seq,
          `the model call continues from entry ${base}, which is not an earlier call of the run`,
        );
      calls.add(entry.seq);
    } else if (entry.kind === 'model.tool_use' && entry.cause !== null)
      uses.set(entry.cause, (uses.get(entry.cause) ?? 0) + 1);
  }
  for (const { entry } of run) {
    const { kind, seq, cause, payload } = entry;
    if (kind !== 'model.result') continue;
    const there = uses.get(cause ?? 0) ?? 0;
    if (payload.tool_uses !== there)
      findings.add(
        'TOOL_USE_MISSING',
        seq,
        `the model asked for ${Number(payload.tool_uses)} tools, but the run has entries for ${there}`,
      );
    else if (asksInVain(entry) && payload.understood === 'whole')
      findings.add(
        'TOOL_USE_MISSING',
        seq,
        'the model stopped to ask for a tool, but the run has no entry for one',
      );
  }
}

/** The model stopped to ask for a tool, and the entry counts none. */
export function asksInVain({ kind, payload }: Entry): boolean {
  return kind === 'model.result' && payload.tool_uses === 0 && ASKING.has(payload.stop_reason);
}

function baseOf({ payload: { messages } }: Entry): number | null {
  if (typeof messages !== 'object' || messages === null || !('base' in messages)) return null;
  return typeof messages.base === 'number' ? messages.base : null;
}
