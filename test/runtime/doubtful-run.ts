// Runs of an agent whose first call never comes back, so that nobody knows what came of it.
import { onTestFinished } from 'vitest';
import { startRun } from '../../src/entry/runtime.ts';
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
