// Our hooks in the hosts' settings files, as far as commands besides `install` need to know of them: where they are,
// and that a mode which is pinned in them follows when it is changed.
import type { Mode } from '../record/index.ts';

export interface InstalledHooks {
  readonly agent: string;
  readonly scope: string;
  /** The settings file. */
  readonly path: string;
  /** As pinned in the hooks; null where they leave it to the ledger's settings. */
  readonly mode: Mode | null;
}

export interface Project {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The ledger's directory. */
  readonly ledger: string;
}

/** Everything of ours that is there for this project. */
export function findInstalledHooks(_project: Project): readonly InstalledHooks[] {
  return [];
}

/** Brings the hooks that are installed in line with a new mode. Gives the files that were changed. */
export async function updateInstalled(_mode: Mode, _project: Project): Promise<readonly string[]> {
  return [];
}
