// Which hooks of ours stand in a host's settings, as it is recorded when a session, a turn or a setting begins or ends.
import { findRunning } from '../capture/settings/index.ts';
import type { Located } from '../ledger/index.ts';
import type { HooksSeen } from '../record/index.ts';
import { homeOf, projectOf, realOf } from './work-place.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type HooksFinder = typeof hooksOf;

/**
 * The events that hooks in a host's settings stand under, of those that write to this ledger: one that was pointed at
 * another is as good as gone. And the files that they stand in. Null where that can't be known.
 */
export function hooksOf(
  { directory }: Located,
  env: Environment,
  { agent, cwd }: { agent: string; cwd: string | null },
): HooksSeen | null {
  const root = cwd === null ? null : projectOf(cwd);
  if (root === null) return null;
  const home = env.HOME ?? homeOf();
  try {
    const found = findRunning({ project: root, home, env }).filter(
      ({ agent: of, ledger }) =>
        of === agent && (ledger === null || ledger === directory || realOf(ledger) === realOf(directory)),
    );
    const events = found.flatMap((each) => (each.events.length === 0 ? ['plugin'] : each.events));
    return { events: [...new Set(events)].sort(), files: [...new Set(found.map(({ path }) => path))] };
  } catch {
    return null;
  }
}
