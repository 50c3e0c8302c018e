// Where a ledger's keys and notes are, written into its settings by commands that a person runs. Hooks read it there: in
// their own environment a file of the repository may have put anything. The place for notes is decided once: what was
// noted before, a pause say, must not be forgotten because a later command runs in another environment.
import { join } from 'node:path';
import { KEY_DIR } from '../format/index.ts';
import {
  type Environment,
  hasSettings,
  isHere,
  type Located,
  readSettings,
  type Settings,
  writeSettings,
} from '../ledger/index.ts';
import { runtimeBase } from '../record/index.ts';

export function withPlaces(settings: Settings, located: Located, env: Environment): Settings {
  const { directory, keyDirectory } = located;
  const { keys: _, runtime: before, ...rest } = settings;
  const runtime = before ?? runtimeBase(isDecided(directory, env) ? {} : env);
  const isInside = isHere(directory) || keyDirectory === join(directory, KEY_DIR);
  return {
    ...rest,
    ...(isInside ? {} : { keys: keyDirectory }),
    runtime,
  };
}

/** Settings that are there and name no place say that it is the usual one. */
function isDecided(directory: string, env: Environment): boolean {
  try {
    readSettings(directory, env); // throws where they are damaged
    return hasSettings(directory, env);
  } catch {
    return false;
  }
}

/** Of a ledger that was just made, or taken over. */
export function keepPlaces(located: Located, env: Environment): void {
  const { directory } = located;
  writeSettings(directory, withPlaces(readSettings(directory, env), located, env), env);
}
