// Our hooks in the hosts' settings files, as far as commands besides `install` need to know of them: where they are,
// and that what follows the mode in them (`onFailure`, say) is changed with it.

import { join } from 'node:path';
import { opencodePlugin } from '../../capture/hooks/index.ts';
import {
  applyPlan,
  findInstalled,
  findRunning,
  type Installed,
  isSharedByWorkTrees,
  mainCheckout,
  type Places,
  planInstall,
  type Wiring,
} from '../../capture/settings/index.ts';
import { StoreError } from '../../core/index.ts';
import { type Mode, readSettings, stateToPin } from '../../ledger/index.ts';
import { readToken } from '../../service/index.ts';
import { ownProgram } from '../own-program.ts';
import { placesOf } from './hosts.ts';

export interface InstalledHooks {
  readonly agent: string;
  readonly scope: string;
  /** The settings file. */
  readonly path: string;
  /** The ledger that they name; null where they find it themselves. */
  readonly ledger: string | null;
  /** As pinned in the hooks; null where they leave it to the ledger's settings. */
  readonly mode: Mode | null;
}

export interface Project {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The ledger's directory. */
  readonly ledger: string;
}

/** Everything of ours that is there for this project, without what stands in it: that has the service's token. */
export function findInstalledHooks({ cwd, env }: Pick<Project, 'cwd' | 'env'>): readonly InstalledHooks[] {
  return findRunning(placesOf({ cwd, env })).map(({ groups: _, ...hooks }) => hooks);
}

/**
 * Brings the hooks that pin this ledger in line with a new mode. Gives the files that were changed. Not for locked: there
 * the hooks are another user's, who installs them with the service's socket.
 */
export async function updateInstalled(mode: Mode, project: Project): Promise<readonly string[]> {
  const { cwd, env, ledger } = project;
  const here = placesOf({ cwd, env });
  const main = mainCheckout(here);
  const changed: string[] = [];
  if (mode === 'locked') return changed;
  const found = [
    ...pinning(here, ledger),
    ...(main === null ? [] : pinning(main, ledger).filter(isSharedByWorkTrees)),
  ];
  for (const { places, agent, programs, state } of found) {
    // Theirs, not ours: another copy of foil may have installed them, and Codex trusts the words as they are.
    const [node = process.execPath, foil = OWN_FOIL] = programs;
    const wiring = { ...localWiring(mode, ledger, env), node, foil, state };
    const plan = () => planInstall({ agent, places, wiring, plugin: opencodePlugin });
    let planned = plan();
    for (let tries = 0; !applyPlan(planned); planned = plan())
      if (++tries === TRIES)
        throw new StoreError(
          'IO',
          `${planned.path} keeps being changed by another program. Try again later.`,
        );
    if (planned.change !== 'none') changed.push(planned.path);
  }
  return changed;
}

function pinning(places: Places, ledger: string): (Installed & { readonly places: Places })[] {
  return findInstalled(places)
    .filter((each) => each.scope === 'local' && each.ledger === ledger)
    .map((each) => ({ ...each, places }));
}

const TRIES = 3;
const OWN_FOIL = join(ownProgram(), 'foil.cjs');

/** What hooks in local scope pin. */
export function localWiring(mode: Mode, ledger: string, env: NodeJS.ProcessEnv): Wiring {
  const { port } = readSettings(ledger, env);
  const token = readToken(ledger);
  return {
    scope: 'local',
    mode,
    node: process.execPath,
    foil: OWN_FOIL,
    ledger,
    state: stateToPin(ledger, env),
    service: port === null || token === undefined ? null : { port, token },
  };
}
