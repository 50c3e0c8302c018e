// Where a ledger's keys and notes are, written into its settings by commands that a person runs. Hooks read it there: in
// their own environment a file of the repository may have put anything.
import { join } from 'node:path';
import { KEY_DIR } from '../format/index.ts';
import {
  type Environment,
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
  const runtime = runtimeBase(env) ?? before;
  const isInside = isHere(directory) || keyDirectory === join(directory, KEY_DIR);
  return {
    ...rest,
    ...(isInside ? {} : { keys: keyDirectory }),
    ...(runtime === undefined ? {} : { runtime }),
  };
}

/** Of a ledger that was just made, or taken over. */
export function keepPlaces(located: Located, env: Environment): void {
  const { directory } = located;
  writeSettings(directory, withPlaces(readSettings(directory, env), located, env), env);
}
