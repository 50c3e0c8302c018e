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
        text: `${path} has no hook from foil for ${missing.join(', ')}. Look at it, then run \`foil install\` again`,
      },
    ];
  if (events.length === 0) return [];
  const which = events.length === groups.length ? '' : ` for ${events.join(', ')}`;
  const trust = agent === 'codex' ? ' and trust them in /hooks' : '';
  const text = `${path} has hooks${which} that another version of foil wrote or somebody changed. Look at them, then run \`foil install\` again${trust}`;
  return [{ agent, path, name: 'hooks', value: null, silences: false, unsure: true, text }];
}

/** Hooks that look like ours and run a program of the work tree, which a clone may have brought. */
function plantedIn({ agent, path, programs }: Installed, project: string): HostOverride[] {
  const own = ownProgram();
  const planted = programs.find(
    (program) => isWithin(resolve(project, program), project) && dirname(program) !== own,
  );
  if (planted === undefined) return [];
  const text = `${path} has hooks that look like foil's but run ${planted}, which is in the work tree. Look at it`;
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
      says: `${why}, so ${agent} ignores the whole file and runs none of its hooks. Look at it`,
    };
  if (name === UNREAD)
    return {
      unsure: true,
      says: `can't be read as settings, so nobody knows what ${agent} makes of it. Look at it`,
    };
  if (name === 'allowedHttpHookUrls') {
    const then = mode === 'observe' ? `${agent} is hardly recorded` : `${agent} refuses every tool`;
    return { silences: true, says: `doesn't allow hooks over HTTP to foil's service (${name}), so ${then}` };
  }
  if (value === null) return { silences: true, says: `turns off the hooks of ${agent} (${name})` };
  if (name === 'FOIL') {
    if (!isFoilOff({ FOIL: value })) return null;
    return mode === 'observe'
      ? { silences: true, says: `sets FOIL=${value}, so ${agent} is not recorded here` }
      : { says: `sets FOIL=${value}, which has no effect in ${mode ?? 'guard'} mode` };
  }
  return variable(found, hooks);
}

function variable({ name, value, agent }: Override, hooks: readonly Installed[]): Effect | null {
  const unsure = (what: string): Effect => ({ unsure: true, says: `sets ${name}, ${what}` });
  if (LOADER.test(name))
    return unsure('which can put other code into every hook before it starts. Look at it');
  if (name === 'CLAUDE_CODE_SHELL_PREFIX')
    return value === '' ? null : unsure('a program that gets every hook and can leave hooks out. Look at it');
  if (name === 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP')
    return unsure('which lets Claude Code end a turn that was sent back. Look at it');
  if (name === 'CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS')
    return unsure('which may cut short the hook at the end of a session. Look at it');
  if (PROXY.test(name))
    return hooks.some(({ port }) => port !== null)
      ? unsure(
          `so ${agent} sends hooks to that proxy instead of foil's service, unless NO_PROXY lists 127.0.0.1`,
        )
      : null;
  if (name === 'PATH' && hooks.some(({ portable }) => portable))
    return unsure('which the hooks use to find foil, so another program can take its place. Look at it');
  if (!DROPPED.includes(name)) return { says: `sets ${name}, which doesn't affect hooks` };
  return hooks.every(({ clean }) => clean)
    ? { says: `sets ${name}, which is removed before hooks start` }
    : unsure(
        'which can put other code into every hook. Run `foil install` again to get hooks that start without it',
      );
}
