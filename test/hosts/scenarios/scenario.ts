// A scenario is one run of a real host; its cells look at what it left in the ledger and at what the model was told.
import { expect } from 'vitest';
import type { Host, Played } from '../host.ts';
import { type Entry, Place } from '../place.ts';

/** What one scenario left behind. The place is still there. */
export interface Left {
  readonly host: Host;
  readonly place: Place;
  readonly log: readonly Entry[];
  readonly played: readonly Played[];
}

export interface Scenario {
  readonly name: string;
  /** All of them, unless it says which. */
  readonly applies?: (host: Host) => boolean;
  readonly run: (host: Host, place: Place) => Promise<readonly Played[]>;
  readonly cells: Readonly<Record<string, (left: Left) => void | Promise<void>>>;
}

export async function runScenario(host: Host, { run }: Scenario): Promise<Left> {
  const place = new Place();
  try {
    const played = await run(host, place);
    return { host, place, log: await place.log(), played };
  } catch (error) {
    await place.remove();
    throw error;
  }
}

/** Installed in guard and trusted, as the documents say. Gives the ledger's directory. */
export async function guarded(host: Host, place: Place): Promise<string> {
  await place.foil('install', host.agent);
  await place.foil('mode', 'guard');
  await host.setUp(place);
  return place.ledger();
}

export function entriesOf(log: readonly Entry[], ...kinds: string[]): Entry[] {
  return log.filter(({ kind }) => kinds.includes(kind));
}

export function verdictsIn(log: readonly Entry[]): unknown[] {
  return entriesOf(log, 'gate').map(({ payload }) => payload.verdict);
}

/** The arguments of all calls on record, as one text. */
export async function callsOf({ place, log }: Left): Promise<string> {
  const args = await Promise.all(entriesOf(log, 'tool.call').map((call) => place.content(call, 'args')));
  return JSON.stringify(args);
}

export function endedByItself({ played }: Left): void {
  for (const { killed, stdout, stderr } of played)
    expect(killed, `the host did not end by itself\n${stdout}\n${stderr}`).toBe(false);
}
