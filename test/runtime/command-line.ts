// The built command over a ledger with runs of the test's own agents.
import { startRun } from '../../src/entry/runtime.ts';
import type { Sandbox } from '../cli/foil.ts';
import type { Result } from '../cli/warm.ts';
import { optionsAt, type Place } from './run-ledger.ts';

/** Words of a command, and what it says: its exit code and its --json. */
export type Foil = (...words: string[]) => { readonly code: number | null; readonly json: never } & Result;

export function foilAt(sandbox: Sandbox, { directory }: Place): Foil {
  return (...words) => {
    // As this process, which trusts the operator of the grants.
    const { XDG_CONFIG_HOME } = process.env;
    const result = sandbox.run([...words, '--ledger', directory, '--json'], { env: { XDG_CONFIG_HOME } });
    return { ...result, json: (result.stdout === '' ? null : JSON.parse(result.stdout)) as never };
  };
}

/** A run of the asker with two questions. Gives its id. */
export async function askedRun(place: Place): Promise<string> {
  const run = await startRun({
    ...optionsAt(place, 'asker.mjs'),
    parameters: { model: 'big' },
    snapshots: { events: 6 },
  });
  for (const question of ['a', 'b']) await run.observe({ question });
  await run.observe({ end: true });
  await run.close();
  return run.id;
}
