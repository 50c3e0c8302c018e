// The same call seen from two places: what a hook reports of it, and what the wire between client and model saw. A hook can
// be fed by the agent; the model's own words, and what it was told, passed somebody else's hands. Only what both say alike
// is corroborated.
import type { ModelToolResult, ModelToolUse, TestCounts } from '../format/index.ts';

/** A call and its end, as a hook reports them. */
export interface ReportedCall {
  readonly tool: string;
  readonly argsHash: string;
  readonly isOk: boolean;
  readonly tests: TestCounts | null;
}

/** As the wire saw it: what the model asked for, and what it was told became of it. */
export interface WireCallSeen {
  readonly asked: Pick<ModelToolUse, 'tool' | 'inputHash' | 'whole'>;
  readonly told: Pick<ModelToolResult, 'error' | 'tests'> | null;
}

export function isCorroborated(call: ReportedCall, { asked, told }: WireCallSeen): boolean {
  if (!asked.whole || asked.tool !== call.tool || asked.inputHash !== call.argsHash || told === null)
    return false;
  // One of the two must speak of how it ended: that something came back is not the same result.
  if (told.error === null && told.tests === null) return false;
  return (told.error === null || told.error !== call.isOk) && sameTests(told.tests, call.tests);
}

function sameTests(a: TestCounts | null, b: TestCounts | null): boolean {
  if (a === null || b === null) return a === b;
  return a.passed === b.passed && a.failed === b.failed && a.skipped === b.skipped && a.total === b.total;
}
