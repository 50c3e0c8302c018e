// What the ledger has of a run once its command has ended: entries counted, and a gap written where the agent's hooks told
// nothing, or told it in another session.
import { withLedger } from '../app/index.ts';
import { adapterOf } from '../capture/hooks/index.ts';
import { encodeGap, type SessionCounts } from '../format/index.ts';
import { entriesOf, type Ledger, type Located } from '../ledger/index.ts';
import { entriesFrom } from '../report/index.ts';

/** What a session of this command says that it was begun by. Another run tells from it which sessions are not its agent's. */
export const [TRIGGER, NESTED] = ['run', 'run inside of a run'];
/** Sessions of the agent's own that are named. */
export const MOST_RESUMED = 3;

/**
 * `hooked`: did a hook of the agent's tell anything? A host that resumes a session which is on record already goes on with
 * that one: `resumed`.
 */
export async function countEntries(
  { store }: Ledger,
  session: string,
  first: number,
  agent: string | null,
): Promise<SessionCounts & { readonly hooked: boolean; readonly resumed: readonly string[] }> {
  const source = agent === null ? undefined : adapterOf(agent)?.source;
  const resumed = new Set<string>();
  const kinds: Record<string, number> = {};
  let redacted = 0;
  let hooked = false;
  for await (const entry of entriesFrom(store, first)) {
    if (entry.session_id !== session) {
      const isHooks = source === undefined ? entry.source.startsWith('hook:') : entry.source === source;
      if (isHooks && entry.session_id !== null) resumed.add(entry.session_id);
      continue;
    }
    kinds[entry.kind] = (kinds[entry.kind] ?? 0) + 1;
    hooked ||= entry.source.startsWith('hook:');
    for (const count of Object.values(entry.payload.redacted ?? {})) redacted += Number(count) || 0;
  }
  if (resumed.size > 0) for (const id of await otherRuns(store, first)) resumed.delete(id);
  return {
    prompts: kinds.prompt ?? 0,
    responses: kinds.response ?? 0,
    calls: kinds['tool.call'] ?? 0,
    results: kinds['tool.result'] ?? 0,
    denied: kinds['tool.denied'] ?? 0,
    redacted,
    hooked,
    resumed: [...resumed],
  };
}

/** Sessions of runs beside this one. What they record is of their own agents. */
async function otherRuns(store: Ledger['store'], first: number): Promise<readonly string[]> {
  const { seq: to } = await store.head();
  const found: string[] = [];
  for await (const { seq, source, session_id: id, payload } of entriesOf(store, 1, to, ['session.start']))
    if (seq !== first && id !== null && source === 'run' && payload.trigger === TRIGGER) found.push(id);
  return found;
}

/** That the agent ran and no hook told of it is on record, so that nobody takes the session for a quiet one. */
export function recordUnhooked(
  located: Located,
  session: string,
  agent: string,
  since: string,
): Promise<void> {
  return recordGap(located, session, since, `${agent} ran, and none of its hooks told of anything`);
}

/** Likewise, where hooks told of it in another session, be it one that was resumed or one that began meanwhile. */
export function recordElsewhere(
  located: Located,
  session: string,
  others: readonly string[],
  since: string,
): Promise<void> {
  const named = others.slice(0, MOST_RESUMED).join(', ');
  return recordGap(located, session, since, `hooks recorded in another session meanwhile: ${named}`);
}

async function recordGap(located: Located, session: string, since: string, why: string): Promise<void> {
  const until = new Date().toISOString();
  const payload = encodeGap({ reason: 'unrecorded', since, until, events: null, why, calls: [] });
  await withLedger(located, (ledger) =>
    ledger.append({ kind: 'gap', source: 'run', session_id: session, payload }),
  );
}
