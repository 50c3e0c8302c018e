// What is ours on this machine, as far as an agent could get at it: the ledger, keys and notes, the program, and the
// settings in which hooks stand. Looked up only for a call that may be about it: defence.script, which start.script
// loads then. The environment is no good witness: the home that the system knows counts as well.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  findRunning,
  HOSTS,
  isSharedByWorkTrees,
  mainCheckout,
  managedPlaces,
  mcpFiles,
  type Places,
  SCOPES,
} from '../../capture/settings/index.ts';
import type { Json } from '../../core/index.ts';
import { STATE_DIR } from '../../format/index.ts';
import { configDirectory, type Located, STATE_NAME, stateDirectory } from '../../ledger/index.ts';
import { type Defence, isAuthEnforced, noteDirectories, suspectIn } from '../../record/index.ts';
import {
  attackByCommand,
  attackByFile,
  type GitView,
  type HostProcess,
  type Ours,
} from '../../rules/index.ts';
import { readState } from '../../service/index.ts';
import { nameOf, wordsOf } from '../../session/index.ts';
import { gitFile, gitState, isCommitted } from '../hosts/hosts.ts';
import { ownProgram } from '../own-program.ts';
import { homeOfOwner } from './home-of.ts';
import { openStates } from './inside-call.ts';
import { ownNames } from './own-names.ts';
import { homeOf, projectOf, realOf } from './work-place.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type DefenceMaker = (located: Located, env: Environment) => Defence;

export const makeDefence: DefenceMaker = (located, env) => (suspect, at) => {
  const found = oursOf(located, { ...at, env });
  const directories = [...found.directories, ...managedFolders()];
  const ours = { ...found, directories, exists: existsSync };
  for (const command of suspect.commands) {
    const act = attackByCommand(command, at.cwd, ours);
    if (act !== null) return act;
  }
  for (const path of suspect.paths) {
    const act = attackByFile(path, at.cwd, ours);
    if (act !== null) return act;
  }
  return null;
};

/** The same for a wire between an agent and its tools: null in observe. */
export function wireDefence(
  located: Located,
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): (call: { readonly tool: string; readonly args: Json }) => string | null {
  return (call) => {
    const suspect = suspectIn(call, ownNames(located.directory, [cwd, env.HOME]));
    if (suspect === null || !isAuthEnforced(located.directory)) return null;
    return makeDefence(located, env)(suspect, { agent: null, cwd });
  };
}

export function oursOf(
  located: Located,
  {
    agent,
    cwd,
    began = cwd,
    env,
  }: {
    readonly agent: string | null;
    readonly cwd: string | null;
    readonly began?: string | null;
    readonly env: Environment;
  },
): Ours {
  const { directory } = located;
  // The host's settings are where it was started; it may work in another repository by now, which may have some, too.
  const [root = null, ...others] = rootsOf([began, cwd]);
  const at = began ?? cwd;
  // The agent may be another user than we are.
  const agents = at === null ? undefined : homeOfOwner(root ?? at);
  const homes = [...new Set([env.HOME ?? '', homeOf(), agents ?? ''])].filter((home) => home !== '');
  const files = new Set<string>();
  for (const home of homes)
    for (const project of [root ?? home, ...others]) {
      const places = { project, home, env: { ...env, HOME: home } };
      for (const path of [...settingsOf(places, agent), ...wrappedServers(places)]) files.add(path);
    }
  const notes = noteDirectories(directory, env).map((path) => dirname(path));
  const state = dirname(directory);
  const program = ownProgram();
  const inside = (path: string): boolean => root !== null && path.startsWith(`${root}/`);
  const directories = [
    directory,
    ...(basename(state) === STATE_NAME ? [state] : []),
    ...[configDirectory(env), stateDirectory(env), `${stateDirectory(env)}-attester`],
    // A variable may lead elsewhere, and what is kept there still counts.
    ...homes.flatMap((home) => [
      join(home, '.config', STATE_NAME),
      join(home, '.local/state', STATE_NAME),
      join(home, '.local/state', `${STATE_NAME}-attester`),
    ]),
    located.keyDirectory,
    ...notes,
    // Who works on Counterfoil itself builds it all the time.
    ...(inside(program) ? [] : [program]),
  ];
  const service = readService(directory);
  return {
    directories: withReal(directories),
    files: withReal([...files]),
    root,
    ledger: directory,
    variables: variablesOf(env, homes[0], root),
    service,
    real: realOf,
    hosts: hostsOf(directory),
    git: root === null ? undefined : gitView([root, ...others]),
  };
}

function rootsOf(places: readonly (string | null)[]): string[] {
  return [...new Set(places.flatMap((place) => (place === null ? [] : (projectOf(place) ?? []))))];
}

/** Asked only for a command of git that may matter: each answer starts git. */
function gitView(roots: readonly string[]): GitView {
  const known = new Map<string, ReturnType<GitView['state']>>();
  /** The innermost that holds it. */
  const rootOf = (path: string): string | undefined =>
    roots.filter((root) => path.startsWith(`${root}/`)).sort((a, b) => b.length - a.length)[0];
  return {
    state(path) {
      const root = rootOf(path);
      if (root === undefined) return null;
      const before = known.get(path);
      if (before !== undefined) return before;
      const state = stateIn(root, path);
      known.set(path, state);
      return state;
    },
    repository: (place) => projectOf(place),
    holds: (tree, path) => gitFile(rootOf(path) ?? roots[0] ?? '', tree, path),
  };
}

/** A file without hooks of ours may come and go. */
function stateIn(root: string, path: string): ReturnType<GitView['state']> {
  if (!existsSync(path)) return 'absent';
  if (statSync(path).isFile() && !/foil/.test(textOf(path))) return 'absent';
  const state = gitState(path, root) ?? null;
  return state === 'tracked' && !isCommitted(path, root) ? 'changed' : state;
}

/** Of sessions that nobody ended. */
function hostsOf(directory: string): HostProcess[] {
  return openStates(join(directory, STATE_DIR), Date.now()).flatMap(({ state: { host } }) =>
    host === undefined
      ? []
      : [{ pid: host.pid, name: nameOf(host.pid), line: wordsOf(host.pid).join(' ').trim() }],
  );
}

/** Every scope of a host that has hooks of ours anywhere: one file can switch off what stands in another. */
function settingsOf(places: Places, agent: string | null): string[] {
  const hooked = new Set(installedAgents(places));
  if (agent !== null) hooked.add(agent);
  const main = mainCheckout(places);
  return HOSTS.filter((host) => hooked.has(host.agent)).flatMap((host) => [
    ...SCOPES.map((scope) => host.file(scope, places).path),
    ...[managedPlaces(host, places)?.file ?? []].flat(),
    ...SCOPES.filter((scope) => main !== null && isSharedByWorkTrees({ agent: host.agent, scope })).map(
      (scope) => host.file(scope, main ?? places).path,
    ),
    ...besides(host.agent, places),
  ]);
}

/** Files in which a host's hooks are trusted or switched off, and none of ours ever stands. */
function besides(agent: string, { project, home, env }: Places): string[] {
  if (agent === 'codex')
    return [join(project, '.codex/config.toml'), join(env.CODEX_HOME || join(home, '.codex'), 'config.toml')];
  if (agent === 'copilot')
    return [
      join(project, '.github/copilot/settings.json'),
      ...['settings.json', 'config.json'].map((name) =>
        join(env.COPILOT_HOME || join(home, '.copilot'), name),
      ),
    ];
  return [];
}

/** An administrator may put several files beside the one: `managed-settings.d/*.json`. */
function managedFolders(): string[] {
  return HOSTS.flatMap((host) => managedPlaces(host, {})?.folder ?? []);
}

function installedAgents(places: Places): string[] {
  try {
    return findRunning(places).map(({ agent }) => agent);
  } catch {
    return []; // what can't be read is no host's settings
  }
}

/** Files of MCP clients in which a server is wrapped by us. */
function wrappedServers(places: Places): string[] {
  return mcpFiles(places)
    .map(({ path }) => path)
    .filter((path) => /\bfoil\b[\s\S]{0,200}\bwrap\b/.test(textOf(path)));
}

const LONGEST = 1024 * 1024;

function textOf(path: string): string {
  try {
    return existsSync(path) ? readFileSync(path, 'utf8').slice(0, LONGEST) : '';
  } catch {
    return '';
  }
}

function variablesOf(
  env: Environment,
  home: string | undefined,
  root: string | null,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_RUNTIME_DIR', 'TMPDIR', 'FOIL_LEDGER'])
    if (env[name]?.startsWith('/') === true) found[name] = env[name];
  if (home !== undefined) found.HOME = home;
  if (root !== null) found.CLAUDE_PROJECT_DIR = root;
  return found;
}

function readService(directory: string): Ours['service'] {
  try {
    const state = readState(directory);
    return state === undefined ? null : { pid: state.pid, port: state.port };
  } catch {
    return null;
  }
}

function withReal(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [path, realOf(path)]))];
}
