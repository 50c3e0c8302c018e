// The state of a run now, for whoever wants to patch it. The agent's code rebuilds it in a sandbox, and what comes out counts
// only if its hash is the one on record.
import { type Blake3, plainBlake3 } from '../core/index.ts';
import type { AgentInit } from '../format/index.ts';
import { type ReplayParts, replayRun } from './replay.ts';
import { RunError } from './run-error.ts';
import type { Surveyed } from './survey-run.ts';

/** RunError where the key is gone. */
export function hashOfRun({ hashes }: AgentInit, key: Uint8Array | null): Blake3 {
  if (hashes === 'blake3') return plainBlake3();
  if (key === null)
    throw new RunError('CONTENT_GONE', 'the salt of the session is gone, and with it the key of its hashes.');
  return plainBlake3(key);
}

/** As canonical JSON. RunError where it can't be rebuilt. */
export async function stateOfRun(parts: ReplayParts, { last, init }: Surveyed): Promise<string> {
  const to = last.sequence;
  const { state, outcome } = await fromSnapshot({ ...parts, to });
  const isIt = state !== null && hashOfRun(init, parts.key)(Buffer.from(state)) === last.stateAfter;
  if (outcome !== 'matches' || !isIt)
    throw new RunError(
      outcome === 'unknown' ? 'CONTENT_GONE' : 'DIVERGED',
      `the state at event ${to} can't be rebuilt. Run \`foil replay ${parts.run.slice(0, 16)}\` for details.`,
    );
  return state;
}

/** From the newest snapshot, or from the beginning where none is kept. */
async function fromSnapshot(parts: ReplayParts): ReturnType<typeof replayRun> {
  try {
    return await replayRun({ ...parts, from: 'last' });
  } catch (error) {
    if (!(error instanceof RunError && error.code === 'CONTENT_GONE')) throw error;
    return replayRun(parts);
  }
}
