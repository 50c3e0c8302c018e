// What a hook needs now and then, and start.ts does not load for it: a ledger that is not there yet, the whole store,
// counting, sealing, the service.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, keepPlaces, makeLedger, ownBuild, wholeLedger } from '../app/index.ts';
import { StoreError } from '../core/index.ts';
import { openLedger } from '../entry/index.ts';
import { CHECKPOINT_FILE } from '../format/index.ts';
import { type Environment, type Located, locate, readSettings, writeSettings } from '../ledger/index.ts';
import { type Cipher, openCipher } from '../record/index.ts';
import { ensureService, readState, readToken, replaceOlder } from '../service/index.ts';
import { SessionTally } from '../session/index.ts';
import { openFileStore, openKeyring } from '../store/files/index.ts';

export { openFileStore, wholeLedger };

/**
 * Makes the ledger where there is none. Two hooks that come first at once make one. `places` is the environment that says
 * where notes go: a person's, for commands that a person runs. A hook's is nobody's word, so it has none.
 */
export async function ensureLedger(
  located: Located,
  env: Environment = process.env,
  places: Environment = {},
): Promise<void> {
  // The last thing that making one leaves. Before it is there, somebody may be at it.
  if (existsSync(join(located.directory, CHECKPOINT_FILE))) return;
  try {
    await makeLedger(located, { ...env });
    keepPlaces(located, places);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'EXISTS') throw error;
  }
}

export async function openLedgerCipher(located: Located): Promise<Cipher> {
  const ledger = openLedger(located, { sealEvery: 0 });
  try {
    return await openCipher(openKeyring(located.keyDirectory), (await ledger.identity()).origin);
  } finally {
    await ledger.close();
  }
}

/** What counts a session's entries when it ends. */
export function openTally(directory: string, session: string, first: number | undefined): SessionTally {
  const store = openFileStore(directory, { readOnly: true });
  return new SessionTally(store, { session, first, close: () => store.close() });
}

/** Seals what is there. Where somebody else has the key, they seal. */
export async function sealQuietly(directory: string, env: NodeJS.ProcessEnv): Promise<void> {
  const ledger = openLedger(locate({ ledger: directory, env }), { sealEvery: 0 });
  try {
    await ledger.seal({ timeout: 5000 });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'KEY') throw error;
  } finally {
    await ledger.close();
  }
}

/** Where HTTP hooks are installed, the service must be there before the next tool call. */
export async function reviveService(directory: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { mode, port } = readSettings(directory, env);
  if (port === null || mode === 'locked') return;
  await ensureService({ ledger: directory, ...ownBuild(), wait: READY, env });
}

/**
 * After an upgrade the service still runs what it was started with: then it is replaced, and this is true. Never in locked,
 * where it is another user's. Never throws.
 */
export async function replaceOldService(
  directory: string,
  env: NodeJS.ProcessEnv,
  { wait = READY } = {},
): Promise<boolean> {
  try {
    if (readSettings(directory, env).mode === 'locked') return false;
    const { service } = await replaceOlder({ ledger: directory, ...ownBuild(), wait, env });
    return service === 'replaced';
  } catch {
    return false; // whoever needs the settings says what is wrong with them
  }
}

const READY = 2000;

/** The service for a run: started, and with a port, where there was none. Null where it can't be had. */
export async function startedService(directory: string): Promise<{ port: number; token: string } | null> {
  const settings = readSettings(directory);
  if (settings.mode === 'locked') return null;
  if (settings.port === null) writeSettings(directory, { ...settings, port: await freePort() });
  const { service } = await ensureService({ ledger: directory, ...ownBuild(), wait: READY });
  const token = readToken(directory);
  const state = readState(directory);
  if (service === 'absent' || token === undefined || typeof state?.port !== 'number') return null;
  return { port: state.port, token };
}
