// A ledger of files with grants in force, and what its runs left in it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { encodeVerifierKey, makeSigner, type VerifierKey } from '../../src/core/index.ts';
import { createLedger } from '../../src/entry/index.ts';
import { type RunOptions, startRun } from '../../src/entry/runtime.ts';
import { type GrantTexts, parseRunEvent, type RunEvent } from '../../src/format/index.ts';
import { acceptGrants, type Located } from '../../src/ledger/index.ts';
import { openFileStore, openFiles } from '../../src/store/files/index.ts';
import { type Report, verifyLedger } from '../../src/verify/index.ts';
import { temporary } from '../temporary.ts';

export type Place = Pick<Located, 'directory' | 'keyDirectory'>;
const OPERATOR = makeSigner('operator', new Uint8Array(32).fill(9));
export const GRANTS: GrantTexts = { allow: ['tool:call:*', 'network:post:*.example.org'], deny: [] };

export function agentAt(name: string): URL {
  return pathToFileURL(join(import.meta.dirname, 'agents', name));
}

/** From here on this process has a trust.yaml that names these alone; until `vi.unstubAllEnvs`. */
export function trustOnly(operators: readonly VerifierKey[], config: string): void {
  mkdirSync(join(config, 'counterfoil'), { recursive: true });
  const trust = { operators: operators.map((key) => ({ vkey: encodeVerifierKey(key) })) };
  writeFileSync(join(config, 'counterfoil/trust.yaml'), JSON.stringify(trust));
  vi.stubEnv('XDG_CONFIG_HOME', config);
}

/** Without grants where they are null. */
export async function grantedPlace(grants: GrantTexts | null = GRANTS, parent?: string): Promise<Place> {
  const directory = join(temporary(parent), 'ledger');
  const place = { directory, keyDirectory: join(directory, 'keys') };
  const ledger = await createLedger(place);
  if (grants !== null) await acceptGrants({ store: ledger.store }, grants, OPERATOR);
  trustOnly([OPERATOR as VerifierKey], temporary(parent));
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  await ledger.close();
  return place;
}

export function optionsAt(place: Place, agent = 'counter.mjs'): RunOptions {
  return { place, agent: agentAt(agent), config: {}, cwd: place.directory };
}

/** A run in a ledger of its own that was told this, and has ended. */
export async function endedRun(
  observation: Record<string, unknown>,
  agent?: string,
): Promise<{ place: Place; run: string }> {
  const place = await grantedPlace();
  const run = await startRun(optionsAt(place, agent));
  await run.observe(observation);
  await run.stop();
  await run.close();
  return { place, run: run.id };
}

export async function eventsOf({ directory }: Place): Promise<RunEvent[]> {
  const store = openFileStore(directory, { readOnly: true });
  const events: RunEvent[] = [];
  try {
    const { seq } = await store.head();
    for await (const piece of store.read(1, seq))
      for (const line of Buffer.from(piece).toString('utf8').trimEnd().split('\n')) {
        const { kind, payload } = JSON.parse(line);
        if (kind === 'run.event') events.push(parseRunEvent(payload));
      }
  } finally {
    await store.close();
  }
  return events;
}

export async function verified({ directory }: Place): Promise<Report> {
  return verifyLedger(openFiles(directory));
}

export const kindsOf = (events: readonly RunEvent[]): string => events.map(({ kind }) => kind).join(' ');
