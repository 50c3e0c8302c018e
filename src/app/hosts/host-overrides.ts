// What the settings of hosts say against our hooks, in words for `foil status` and `foil doctor`.

import { basename, dirname, resolve, sep } from 'node:path';
import {
  changedEvents,
  DROPPED,
  findOverrides,
  findRunning,
  type Installed,
  missingEvents,
  type Override,
  type Places,
  UNREAD,
  type Wiring,
} from '../../capture/settings/index.ts';
import { isFoilOff, type Mode } from '../../ledger/index.ts';
import { ownProgram } from '../own-program.ts';
import type { Surroundings } from '../surroundings.ts';
import { placesOf } from './hosts.ts';
import { localWiring } from './installed.ts';

export interface HostOverride extends Override {
  /** Does it keep agents that read this file from being recorded? */
  readonly silences: boolean;
  /** Can it put other code into our hooks, or send them elsewhere? Then nobody can be sure of what they record. */
  readonly unsure: boolean;
  readonly text: string;
}

/** What the system's loader goes by. It acts before any program of ours runs. */
const LOADER = /^(?:LD_|DYLD_)/;
const PROXY = /^(?:https?|all)_proxy$/i;

/** `mode` null where it can't be told: then it counts as guard. */
export function hostOverrides(
  { cwd, env }: Surroundings,
  mode: Mode | null,
  places: Places = placesOf({ cwd, env }),
): readonly HostOverride[] {
  const installed = findRunning(places);
  const planted = installed.flatMap((hooks) => plantedIn(hooks, places.project));
  const said = findOverrides(places).flatMap((found): HostOverride[] => {
    const effect = effectOf(
      found,
      mode,
      installed.filter(({ agent }) => agent === found.agent),
    );
    if (effect === null) return [];
    const { silences = false, unsure = false, says } = effect;
    const { agent, path, name, value } = found;
    return [{ agent, path, name, value, silences, unsure, text: `${path} ${says}` }];
  });
  const changed = installed.flatMap((hooks) => changedIn(hooks, mode ?? 'guard', env));
  return [...planted, ...changed, ...said];
}

/**
 * Hooks that bear our name and say something else than what `foil install` writes, be it that somebody changed them or that
 * an older version wrote them. Which copy of foil they run makes no difference.
 */
function changedIn(installed: Installed, mode: Mode, env: Surroundings['env']): HostOverride[] {
  const { agent, scope, path, ledger, programs, groups } = installed;
  const [node = '', foil = ''] = programs;
  if (scope !== 'local' || ledger === null) return [];
  const isProgram = /^node/.test(basename(node)) && basename(foil) === 'foil.cjs';
  const wiring = wiringOr(mode, ledger, env);
  if (wiring === undefined) return [];
  const events = isProgram
    ? changedEvents(installed, { ...wiring, node, foil })
    : groups.map(({ event }) => event);
  // A plugin is held against its own hash.
  if (agent === 'opencode') return [];
  const missing = missingEvents(installed, wiring);
  if (events.length === 0 && missing.length > 0)
    return [
      {
        agent,
        path,
        name: 'hooks',
        value: null,
        silences: false,
        unsure: true,
        text: `${path} has no hook of ours for ${missing.join(', ')}: look at it, then run \`foil install\` again`,
      },
    ];
  if (events.length === 0) return [];
  const which = events.length === groups.length ? '' : ` for ${events.join(', ')}`;
  const trust = agent === 'codex' ? ' and trust them in /hooks' : '';
  const text = `${path} has hooks${which} that another version of foil wrote or somebody changed: look at them, then run \`foil install\` again${trust}`;
  return [{ agent, path, name: 'hooks', value: null, silences: false, unsure: true, text }];
}

/** Hooks that look like ours and run a program of the work tree, which a clone may have brought. */
function plantedIn({ agent, path, programs }: Installed, project: string): HostOverride[] {
  const own = ownProgram();
  const planted = programs.find(
    (program) => isWithin(resolve(project, program), project) && dirname(program) !== own,
  );
  if (planted === undefined) return [];
  const text = `${path} has hooks that look like ours and run ${planted}, which lies in the work tree: look at it`;
  return [{ agent, path, name: 'hooks', value: planted, silences: false, unsure: true, text }];
}

/** What is wrong with a ledger's settings or its token is told elsewhere. */
function wiringOr(...given: Parameters<typeof localWiring>): Wiring | undefined {
  try {
    return localWiring(...given);
  } catch {
    return undefined;
  }
}

function isWithin(path: string, directory: string): boolean {
  return path.startsWith(`${directory}${sep}`);
}

interface Effect {
  readonly silences?: boolean;
  readonly unsure?: boolean;
  readonly says: string;
}

function effectOf(found: Override, mode: Mode | null, hooks: readonly Installed[]): Effect | null {
  const { agent, name, value, why, hooked = false } = found;
  if (name === UNREAD && why !== undefined)
    return {
      silences: hooked && hooks.length === 0,
      unsure: true,
      says: `${why}, so ${agent} passes over the whole file and no hook in it runs: look at it`,
    };
  if (name === UNREAD)
    return {
      unsure: true,
      says: `can't be read as settings, so what it says to ${agent} is not known: look at it`,
    };
  if (name === 'allowedHttpHookUrls') {
    const then = mode === 'observe' ? `${agent} is hardly recorded` : `${agent} refuses every tool`;
    return { silences: true, says: `allows hooks over HTTP elsewhere alone (${name}), so ${then}` };
  }
  if (value === null) return { silences: true, says: `switches the hooks of ${agent} off (${name})` };
  if (name === 'FOIL') {
    if (!isFoilOff({ FOIL: value })) return null;
    return mode === 'observe'
      ? { silences: true, says: `sets FOIL=${value}, so ${agent} is not recorded here` }
      : { says: `sets FOIL=${value}, which does not count in ${mode ?? 'guard'} mode` };
  }
  return variable(found, hooks);
}

function variable({ name, value, agent }: Override, hooks: readonly Installed[]): Effect | null {
  const unsure = (what: string): Effect => ({ unsure: true, says: `sets ${name}, ${what}` });
  if (LOADER.test(name))
    return unsure('which can put other code into every hook before it starts: look at it');
  if (name === 'CLAUDE_CODE_SHELL_PREFIX')
    return value === ''
      ? null
      : unsure('a program that is handed every hook and can leave hooks out: look at it');
  if (name === 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP')
    return unsure('by which Claude Code lets a turn end that was sent back: look at it');
  if (name === 'CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS')
    return unsure('by which the hook at the end of a session may be cut short: look at it');
  if (PROXY.test(name))
    return hooks.some(({ port }) => port !== null)
      ? unsure(
          `through which ${agent} sends hooks that are meant for our service, unless NO_PROXY has 127.0.0.1`,
        )
      : null;
  if (name === 'PATH' && hooks.some(({ portable }) => portable))
    return unsure('by which the hooks find foil, so another program can take its place: look at it');
  if (!DROPPED.includes(name)) return { says: `sets ${name}, which hooks do not go by` };
  return hooks.every(({ clean }) => clean)
    ? { says: `sets ${name}, which hooks start without` }
    : unsure(
        'which can put other code into every hook: run `foil install` again for hooks that start without it',
      );
}
