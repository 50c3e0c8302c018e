// The calls of a session that were denied, for people: what was asked for, what that needed, and why it was refused. Arguments
// of a host's call are content, which is read here; where it is gone, the tool is named alone.
import { MAX_CONTENT } from '../format/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import type { AuditedDenial, RunAudit } from '../verify/index.ts';
import { contentReader, refOf } from './content.ts';
import { readEntry } from './entry-lines.ts';
import { summarize } from './entry-summary.ts';
import { harmless, shorten } from './text.ts';

export interface DeniedCall extends Pick<AuditedDenial, 'event' | 'tool' | 'needs' | 'reason'> {
  readonly entry: number;
  /** The tool, and what it was called with. */
  readonly call: string;
}

const LONGEST_CALL = 200;
const MOST_SHOWN = 100;

export async function deniedCalls(
  ledger: Ledger,
  located: Located,
  { run, denials }: RunAudit,
): Promise<DeniedCall[]> {
  const read = contentReader(ledger, located);
  const calls: DeniedCall[] = [];
  for (const { seq, event, tool, input, needs, reason } of denials) {
    let call = `${tool} ${JSON.stringify(input)}`;
    if (event === null) {
      const entry = await readEntry(ledger.store, seq);
      const ref = refOf(entry?.payload.args);
      const content = ref === undefined ? undefined : await read(run, ref, MAX_CONTENT);
      call = entry?.kind === 'tool.call' ? summarize(entry, content) : tool;
    }
    calls.push({ entry: seq, event, tool, call: shorten(call, LONGEST_CALL), needs, reason });
  }
  return calls;
}

/** One for each, up to a hundred; `count` is of all of them. */
export function deniedLines(calls: readonly DeniedCall[], count: number): string[] {
  const lines = calls.slice(0, MOST_SHOWN).map(({ entry, event, call, reason }) => {
    const where = event === null ? `Entry ${entry}` : `Event ${event} (entry ${entry})`;
    return `  ${where}: ${harmless(call)}: ${harmless(reason)}`;
  });
  const more = count - lines.length;
  return more > 0 ? [...lines, `  … and ${more} more, which --json lists`] : lines;
}
