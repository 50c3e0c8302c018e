// Which results of a session the wire to the model saw, too, in the same way. The entries of the results are read again from
// the ledger: what a session's state remembers of them is too little to compare.
import { type Entry, parseResultFacts } from '../format/index.ts';
import { entriesOf, type LogReader } from '../ledger/index.ts';
import type { AskedCall } from '../record/index.ts';
import { type Evidence, isCorroborated } from '../rules/index.ts';

/** What a model of the session asked for, by the host's id of the call; undefined where the wire did not see it. */
export type AskedIn = (id: string) => AskedCall | undefined;

/** Entries that are read again, from the newest result back: what is older stays a hook's word. */
const MOST_READ = 4096;

export async function corroborate(
  store: Pick<LogReader, 'read'>,
  evidence: Evidence,
  asked: AskedIn,
): Promise<Evidence> {
  const { runs, changes, attempts } = evidence;
  const seqs = new Set([...runs, ...changes, ...attempts].map(({ seq }) => seq).filter((seq) => seq > 0));
  if (seqs.size === 0) return evidence;
  const to = Math.max(...seqs);
  const from = Math.max(Math.min(...seqs), to - MOST_READ);
  const seen = new Set<number>();
  for await (const entry of entriesOf(store, from, to, ['tool.result']))
    if (seqs.has(entry.seq) && isSeen(entry, asked)) seen.add(entry.seq);
  const graded = <T extends Evidence['runs' | 'changes' | 'attempts'][number]>(each: T): T =>
    each.grade === undefined && seen.has(each.seq) ? { ...each, grade: 'corroborated' } : each;
  return {
    ...evidence,
    runs: runs.map(graded),
    changes: changes.map(graded),
    attempts: attempts.map(graded),
  };
}

function isSeen({ payload }: Entry, asked: AskedIn): boolean {
  const { tool, tool_use_id: id, args_hash: argsHash } = payload;
  if (typeof tool !== 'string' || typeof id !== 'string' || typeof argsHash !== 'string') return false;
  const call = asked(id);
  if (call === undefined) return false;
  const { outcome, tests } = parseResultFacts(payload);
  return isCorroborated({ tool, argsHash, isOk: outcome === 'ok', tests }, { asked: call, told: call.told });
}
