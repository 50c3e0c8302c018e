// The run that a person names by the beginning of its id.
import { StoreError, UsageError } from '../core/index.ts';
import { RUN_EVENT } from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';
import { scanLines } from '../report/index.ts';

/**
 * An id that is given whole is believed: reading the whole ledger for it would take longer than the replay. A run whose
 * session has no beginning any more is found by its events.
 */
export async function findRun(store: LogReader, prefix: string): Promise<{ run: string; first: number }> {
  if (prefix.length === 64) return { run: prefix, first: 1 };
  const { seq } = await store.head();
  const found = new Map<string, number>();
  const beginless = new Map<string, number>();
  for await (const lines of scanLines(store, 1, seq))
    for (const { kind, session, seq: at } of lines)
      if (session?.startsWith(prefix) !== true) continue;
      else if (kind === 'session.start') found.set(session, at);
      else if (kind === RUN_EVENT) beginless.set(session, 1);
  const [one, ...others] = found.size > 0 ? found : beginless;
  if (one === undefined)
    throw new StoreError('NOT_FOUND', `no session begins with ${prefix}. See \`foil session list\`.`);
  if (others.length > 0)
    throw new UsageError(`${prefix} matches ${others.length + 1} sessions. Write more of the id.`);
  return { run: one[0], first: one[1] };
}
