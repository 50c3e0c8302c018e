// What install, uninstall and their kin share: where the hosts' settings are looked for, and which agents are meant.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { HOSTS, type Places, SCOPES, type Scope } from '../../capture/settings/index.ts';
import { UsageError } from '../../core/index.ts';
import { askGit } from '../../gate/index.ts';
import { isRootOf } from '../../ledger/index.ts';
import { suggest } from '../../report/index.ts';
import type { Surroundings } from '../surroundings.ts';

export const SCOPE_HELP =
  'local (default): only this machine, never commit it · project: the file a team commits · user: all projects';
export const AGENTS: readonly string[] = HOSTS.map(({ agent }) => agent);

export function placesOf({ cwd, env }: Surroundings): Places {
  const home = env.HOME || homedir();
  return { project: projectDirectory(cwd, home), cwd: resolve(cwd), home, env };
}

/** The nearest folder that is a repository or has counterfoil.yaml; not the home, which is nobody's project. */
function projectDirectory(cwd: string, home: string): string {
  for (let folder = resolve(cwd); dirname(folder) !== folder && folder !== home; folder = dirname(folder)) {
    if (isRootOf(folder, cwd)) return folder;
  }
  return resolve(cwd);
}

export function agentsOf(names: readonly string[]): readonly string[] {
  for (const name of names) {
    if (!AGENTS.includes(name))
      throw new UsageError(
        `Unknown agent "${name}". Use one of ${AGENTS.join(', ')}${suggest(name === 'claude' ? 'claude-code' : name, AGENTS)}`,
      );
  }
  return AGENTS.filter((agent) => names.includes(agent));
}

export function scopeOf(text: string): Scope {
  const scope = SCOPES.find((each) => each === text);
  if (scope === undefined) throw new UsageError(`Unknown scope "${text}". Use one of ${SCOPES.join(', ')}.`);
  return scope;
}

export function titleOf(agent: string): string {
  return HOSTS.find((host) => host.agent === agent)?.title ?? agent;
}

/** What git would do with a file: `open` is neither tracked nor ignored; undefined where there is no repository. */
export function gitState(path: string, project: string): 'tracked' | 'ignored' | 'open' | undefined {
  if (!existsSync(join(project, '.git')) || relative(project, path).startsWith('..')) return undefined;
  if (gitTracks(path, project)) return 'tracked';
  // It takes the path as it is, and refuses to be told so.
  const ignored = askGit(project, ['--no-literal-pathspecs', 'check-ignore', '-q', '--', path]);
  return ignored === 0 ? 'ignored' : ignored === 1 ? 'open' : undefined;
}

/** Does git track this file, or anything in this directory? No where there is no repository. */
export function gitTracks(path: string, folder: string): boolean {
  return askGit(folder, ['ls-files', '--error-unmatch', '--', path]) === 0;
}

/** Is a tracked file as it was committed? No where nobody can tell. */
export function isCommitted(path: string, project: string): boolean {
  return askGit(project, ['diff', '--quiet', '--no-ext-diff', '--no-textconv', 'HEAD', '--', path]) === 0;
}

/** Does this commit hold the file? No where nobody can tell. */
export function gitFile(project: string, commit: string, path: string): boolean {
  return askGit(project, ['cat-file', '-e', `${commit}:${relative(project, path)}`]) === 0;
}
