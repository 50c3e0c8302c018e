// Runs whose payloads are kept encrypted, or not at all: what can't be read is unknown, and never fails.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startRun } from '../../src/entry/runtime.ts';
import { contentOf } from '../../src/entry/runtime-place.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { temporary } from '../temporary.ts';
import { replayed, sandboxProblem } from './replayed.ts';
import { eventsOf, grantedPlace, optionsAt, type Place, verified } from './run-ledger.ts';

/** A run that ended, and how its replay comes out for who has this ledger. */
async function made(content: 'none' | 'encrypt'): Promise<{ place: Place; run: string }> {
  const place = await grantedPlace();
  const run = await startRun({ ...optionsAt(place), config: { content } });
  await run.observe({ times: 2, end: true });
  await run.close();
  return { place, run: run.id };
}

async function replayOf(place: Place, run: string) {
  const store = openFileStore(place.directory, { readOnly: true });
  try {
    return await replayed(place, run, { read: contentOf({ store }, { place }, run) });
  } finally {
    await store.close();
  }
}

function withoutKeys({ directory }: Place): Place {
  const copy = join(temporary(), 'ledger');
  cpSync(directory, copy, { recursive: true });
  rmSync(join(copy, 'keys'), { recursive: true });
  return { directory: copy, keyDirectory: join(copy, 'keys') };
}

/** Of the first payload that a replay needs and that is content or nothing. */
async function firstHidden(place: Place): Promise<number | undefined> {
  return (await eventsOf(place)).find(({ kind }) => kind === 'Observation')?.sequence;
}

describe.skipIf(sandboxProblem !== null)('a run whose payloads are hidden', () => {
  it('O8 is unknown from the first of them on where nothing is kept', async () => {
    const { place, run } = await made('none');
    const unknownAt = await firstHidden(place);
    expect(await replayOf(place, run)).toMatchObject({ outcome: 'unknown', unknownAt, divergence: null });
    const { verdict, facets } = await verified(place);
    expect(verdict).toBe('INTACT');
    expect([facets.replay.status, facets.authority.status]).toEqual(['unknown', 'unknown']);
  });

  it('O8 is unknown to who has no key, and the same to who has', async () => {
    const { place, run } = await made('encrypt');
    expect(await replayOf(place, run)).toMatchObject({ outcome: 'matches', unknownAt: null, flaw: null });
    const other = withoutKeys(place);
    const unknownAt = await firstHidden(place);
    expect(await replayOf(other, run)).toMatchObject({ outcome: 'unknown', unknownAt, divergence: null });
  });
});
