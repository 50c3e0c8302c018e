// What a run needs of the machine, for the module counterfoil/runtime and for forks: the ledger, its grants, the agent's
// module, and content as far as it can be opened.
import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { trustedOperators } from '../config/index.ts';
import { StoreError } from '../core/index.ts';
import { NO_SESSION, typeOfEncrypted } from '../format/index.ts';
import { grantsStanding, type Located, locate, readOperatorTrail } from '../ledger/index.ts';
import { decryptContent } from '../record/index.ts';
import { type Agent, asAgent, contentOfRun, type GrantedTo, type ReadContent } from '../runtime/index.ts';
import { openKeyring } from '../store/files/index.ts';
import { openLedger } from './open.ts';
import { openRecording, type RecorderPlace, type Recording } from './recorder.ts';

export type RuntimePlace = Pick<RecorderPlace, 'place' | 'cwd' | 'config' | 'authKey'>;

export async function openRecorder({ place, cwd, config, authKey }: RuntimePlace): Promise<Recording> {
  const recorder = await openRecording({
    source: 'runtime',
    ...(place === undefined ? {} : { place }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(config === undefined ? {} : { config }),
    ...(authKey === undefined ? {} : { authKey }),
  });
  return { ...recorder, workspaceRoot: realpathSync(recorder.workspaceRoot) };
}

/** The grants that an operator accepted whom this user's trust.yaml knows; none where nobody did. */
export async function grantedNow({ store }: Recording): Promise<GrantedTo> {
  const trail = await readOperatorTrail(store);
  const { inForce } = await grantsStanding(trail, () => trustedOperators(process.env));
  return inForce === null
    ? { texts: { allow: [], deny: [] }, hash: null }
    : { texts: inForce.grants, hash: inForce.grantsHash };
}

export function moduleOf(agent: URL | string): URL {
  if (agent instanceof URL) return agent;
  return agent.startsWith('file:') ? new URL(agent) : pathToFileURL(agent);
}

export async function loadAgent(module: URL): Promise<Agent> {
  return asAgent(((await import(module.href)) as { default?: unknown }).default);
}

/** Content of a run's session, opened where it is encrypted and the key is here. */
export function contentOf(
  { store }: Pick<Recording, 'store'>,
  { place, cwd }: RuntimePlace,
  run: string,
): ReadContent {
  const { keyDirectory, directory }: Pick<Located, 'keyDirectory' | 'directory'> =
    place ?? locate(cwd === undefined ? {} : { cwd });
  return contentOfRun(run, async (session, ref) => {
    try {
      const bytes = await store.getContent(session, ref);
      if (bytes === undefined || typeOfEncrypted(ref) === undefined) return bytes;
      const ledger = openLedger({ directory, keyDirectory }, { readOnly: true });
      try {
        const key = await openKeyring(keyDirectory).contentKey((await ledger.identity()).origin);
        return key === undefined ? undefined : decryptContent(key, session ?? NO_SESSION, bytes);
      } finally {
        await ledger.close();
      }
    } catch (error) {
      if (error instanceof StoreError && error.code === 'DAMAGED') return undefined;
      throw error;
    }
  });
}
