// All ledgers of this user: those of projects in the state directory, every `.foil/` that was registered, and those that
// the hooks of this project write to. One that is gone is among them, so that somebody sees that it is.
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SEGMENT_DIR } from '../format/index.ts';
import { type Environment, isHere, realOf, registeredHere, stateDirectory } from '../ledger/index.ts';
import { projectLedgers } from './project-ledgers.ts';

export interface UserLedger {
  /** The project's folder, and more of its path where two have the same. */
  readonly name: string;
  readonly directory: string;
}

export function userLedgers(place: { readonly cwd: string; readonly env: Environment }): UserLedger[] {
  const all = [...inState(place.env), ...registeredHere(place.env), ...projectLedgers(place)];
  const directories = [...new Map(all.map((directory) => [realOf(directory), directory])).values()];
  const names = directories.map(nameOf);
  return directories
    .map((directory, i): UserLedger => {
      const name = names[i] ?? directory;
      return {
        directory,
        name: names.filter((each) => each === name).length > 1 ? `${name} (${directory})` : name,
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function inState(env: Environment): string[] {
  const state = stateDirectory(env);
  try {
    return readdirSync(state)
      .map((name) => join(state, name))
      .filter((directory) => existsSync(join(directory, SEGMENT_DIR)));
  } catch {
    return [];
  }
}

/** A project's ledger has its folder's name and sixteen hex digits; a `.foil/` lies in that folder. */
function nameOf(directory: string): string {
  if (isHere(directory)) return basename(dirname(directory));
  return basename(directory).replace(/-[0-9a-f]{16}$/, '');
}
