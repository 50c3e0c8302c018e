// Which hooks of ours stand in a host's settings, as it is recorded when a session, a turn or a setting begins or ends:
// hooks-seen.script, loaded by start.script then and not before.

import { join } from 'node:path';
import { hooksAsWritten, type Installed } from '../../capture/settings/index.ts';
import { type Located, readSettings, stateToPin } from '../../ledger/index.ts';
import type { HooksSeen } from '../../record/index.ts';
import { readToken } from '../../service/index.ts';
import { ownProgram } from '../own-program.ts';
import { homeOf, projectOf, realOf } from './work-place.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type HooksFinder = typeof hooksOf;

/**
 * Of the hooks in the settings of a host that was started in `cwd`, those that write to this ledger: one that was pointed
 * at another is as good as gone. Null where that can't be known.
 */
export function hooksOf(
  { directory }: Located,
  env: Environment,
  { agent, cwd }: { agent: string; cwd: string | null },
): HooksSeen | null {
  const root = cwd === null ? null : projectOf(cwd);
  if (root === null) return null;
  const home = env.HOME ?? homeOf();
  const isOurs = ({ ledger }: Installed): boolean =>
    ledger === null || ledger === directory || realOf(ledger) === realOf(directory);
  try {
    const { mode, port } = readSettings(directory, env);
    const token = readToken(directory);
    const wiring = {
      mode,
      node: process.execPath,
      foil: join(ownProgram(), 'foil.cjs'),
      ledger: directory,
      state: stateToPin(directory, env),
      service: port === null || token === undefined ? null : { port, token },
    };
    return hooksAsWritten({ project: root, home, env }, { agent, isOurs, wiring });
  } catch {
    return null;
  }
}
