// Ends a session that another process began. It must be open, and must not belong to a host, which reports the end
// itself.
import { StoreError } from '../core/index.ts';
import { encodeSessionEnd, parseInteraction, type SessionCounts } from '../format/index.ts';
import type { EntryLog } from '../ledger/index.ts';
import { type RecorderOptions, Traces } from '../record/index.ts';
import { visitSession } from '../report/index.ts';
import {
  appendWithSum,
  closingOf,
  encodeEnding,
  newChain,
  SessionTally,
  sharedState,
  unshared,
} from '../session/index.ts';

export interface EndedByHand {
  readonly session: string;
  readonly interactions: number;
  readonly final_hash: string;
}

const COUNTED: Readonly<Record<string, keyof SessionCounts>> = {
  prompt: 'prompts',
  response: 'responses',
  'tool.call': 'calls',
  'tool.result': 'results',
  'tool.denied': 'denied',
};

export async function endByHand(
  store: EntryLog,
  prefix: string,
  {
    reason,
    intake,
    blocks,
    source,
  }: Pick<RecorderOptions, 'intake' | 'blocks' | 'source'> & { readonly reason: string },
): Promise<EndedByHand> {
  const why = intake.word(reason, new Traces());
  const block = (await blocks?.latest()) ?? null;
  const { seq } = await store.head();
  const counts = { prompts: 0, responses: 0, calls: 0, results: 0, denied: 0, redacted: 0 };
  let chain = newChain('0'.repeat(64));
  let isHosts = false;
  const found = await visitSession(
    store,
    seq,
    prefix,
    ({ kind, source: by, payload, session_id: session }) => {
      if (session === null) return;
      const name = Object.hasOwn(COUNTED, kind) ? COUNTED[kind] : undefined;
      if (name !== undefined) counts[name]++;
      for (const times of Object.values(payload.redacted ?? {})) counts.redacted += Number(times) || 0;
      if (kind === 'session.start') [chain, isHosts] = [newChain(session), by.startsWith('hook:')];
      const interaction = kind === 'response' || kind === 'model.result' ? parseInteraction(payload) : null;
      if (interaction !== null)
        chain = { session, sequence: interaction.sequence, hash: interaction.chainHash };
    },
  );
  if (found.state !== 'open')
    throw new StoreError('EXISTS', `session ${found.id.slice(0, 12)} already ended, at ${found.end}.`);
  if (isHosts)
    throw new Error(
      `session ${found.id.slice(0, 12)} belongs to ${found.agent}, which ends it by itself. If its process is gone, run \`foil session cut\`.`,
    );
  const closing = closingOf({ ...chain, session: found.id }, block);
  const payload = encodeSessionEnd({ reason: why, exitCode: null, counts }, closing);
  const entry = { kind: 'session.end', source, session_id: found.id, payload };
  const tally = () => new SessionTally(store, { session: found.id, first: found.first_seq });
  await appendWithSum(
    store,
    { state: sharedState(found.id), tally, required: true },
    (head, shared, _, sum) => {
      const left = unshared(shared, found.id);
      return {
        ...encodeEnding([entry], head, Date.now(), sum),
        ...(left === undefined ? {} : { state: left }),
      };
    },
  );
  return { session: found.id, interactions: closing.interactions, final_hash: closing.finalHash };
}
