// Runs of an agent whose first call never comes back, so that nobody knows what came of it.
import { onTestFinished } from 'vitest';
import { startRun } from '../../src/entry/runtime.ts';
import { parseRunPayload, type RunReplay } from '../../src/format/index.ts';
import { recordReplay } from '../../src/runtime/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { eventsOf, kindsOf, optionsAt, type Place } from './run-ledger.ts';

export type Called = { readonly tool: string; readonly key: string };

/** The agent's tools tell their calls here, and do not come back until they are let go. */
export function watchCalls(): Called[] {
  const calls: Called[] = [];
  const place = globalThis as { doubt?: (tool: string, key: string) => unknown };
  place.doubt = (tool, key) => {
    calls.push({ tool, key });
    return calls.length === 1 ? new Promise(() => undefined) : `${tool} is done`;
  };
  onTestFinished(() => {
    delete place.doubt;
  });
  return calls;
}

/** A run whose call is on record and whose tool never comes back: as if its process had died there. */
export async function inDoubt(place: Place, tool: string): Promise<string> {
  const run = await startRun(optionsAt(place, 'doubtful.mjs'));
  void run.observe(tool).catch(() => undefined);
  while (!kindsOf(await eventsOf(place)).includes('ToolCall')) await new Promise(setImmediate);
  return run.id;
}

/** Puts a replay of the run on record that found tools impure. */
export async function markImpure(place: Place, run: string, impure: readonly string[]): Promise<void> {
  const events = (await eventsOf(place)).filter((event) => event.run === run);
  const first = parseRunPayload('AgentInit', events[0]?.payload ?? {});
  if (first.kind !== 'AgentInit') throw new Error('the first event is another one');
  const replay: RunReplay = {
    id: '1'.repeat(64),
    run,
    replay: 'forensic',
    from: null,
    to: null,
    execute: true,
    events: events.length,
    code: first.init.code.root,
    node: process.version,
    sandbox: 'bubblewrap',
    outcome: 'unknown',
    finalStateHash: null,
    divergence: null,
    flaw: null,
    impure,
  };
  const store = openFileStore(place.directory);
  await recordReplay({ store }, replay);
  await store.close();
}
