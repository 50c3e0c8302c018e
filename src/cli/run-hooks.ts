// Hooks for one run of an agent, and whether they will run at all. Some hosts have no way to be hooked for a single run;
// others skip hooks that they do not trust, or settings from places that they do not trust. Where that is known before
// the agent starts, guard does not start it: what nobody can record, nobody can hold.
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  findInstalledHooks,
  hostOverrides,
  type InstalledHooks,
  localWiring,
  titleOf,
} from '../app/index.ts';
import { opencodePlugin } from '../capture/hooks/index.ts';
import {
  GEMINI_SYSTEM_SETTINGS,
  type GivenSettings,
  type RunSettings,
  runSettings,
} from '../capture/settings/index.ts';
import { UsageError } from '../core/index.ts';
import { type Located, readSettings, stateDirectory } from '../ledger/index.ts';
import { makeRuntimeDirectory, runtimeDirectory } from '../record/index.ts';
import { heardFrom } from '../report/index.ts';
import type { Context } from './command.ts';
import { startedService } from './hook-more.ts';

export interface RunHooks extends Omit<RunSettings, 'files' | 'notes'> {
  remove(): void;
}

/** The agent's hooks that write to this ledger. They find the session of the run by themselves. */
export function installedFor(
  agent: string,
  { directory }: Located,
  { cwd, env }: Pick<Context, 'cwd' | 'env'>,
): InstalledHooks | undefined {
  return findInstalledHooks({ cwd, env }).find(
    (found) => found.agent === agent && (found.ledger === null || found.ledger === directory),
  );
}

/** Why none of the agent's hooks would run, and what to do; null where that is not known. Changes nothing. */
export function whyUnhooked(
  agent: string,
  words: readonly string[],
  located: Located,
  context: Pick<Context, 'cwd' | 'env'>,
): string | null {
  const installed = installedFor(agent, located, context);
  const { env } = context;
  if (agent === 'codex') {
    if (isCodexTrusting(words, located, installed, env)) return null;
    const first = installed === undefined ? 'run `foil install codex` first, ' : '';
    return `Codex skips hooks that you haven't trusted: ${first}start Codex, type /hooks and trust them`;
  }
  // The hooks of a single run come with what keeps them on; installed ones stand under the host's settings.
  if (installed !== undefined) return silencedBy(agent, context);
  const install = `run \`foil install ${agent}\` first`;
  if (agent === 'gemini')
    return isRootsAlone(stateDirectory(env))
      ? null
      : `Gemini CLI only accepts settings for a single run from folders that belong to root: ${install}`;
  if (agent === 'opencode' && env.OPENCODE_CONFIG_DIR)
    return `OPENCODE_CONFIG_DIR is set, and hooks for a single run would replace it: ${install}`;
  return HOOKED_BY_RUN.has(agent) ? null : `${titleOf(agent)} can't load hooks for a single run: ${install}`;
}

/** The setting that switches the agent's hooks off, in words. */
function silencedBy(agent: string, { cwd, env }: Pick<Context, 'cwd' | 'env'>): string | null {
  const found = hostOverrides({ cwd, env }, null).find((each) => each.agent === agent && each.silences);
  return found?.text ?? null;
}

/** Who can be hooked for a single run. */
const HOOKED_BY_RUN: ReadonlySet<string> = new Set(['claude-code', 'codex', 'gemini', 'opencode']);

/** Codex writes down which hooks its user trusts. Where it never did, and nothing ever came from it, none will run. */
function isCodexTrusting(
  words: readonly string[],
  { directory }: Located,
  installed: InstalledHooks | undefined,
  env: Context['env'],
): boolean {
  if (words.includes('--dangerously-bypass-hook-trust')) return true;
  const home = env.CODEX_HOME ?? join(env.HOME ?? '', '.codex');
  if (/\btrusted_hash\b/.test(readText(join(home, 'config.toml')) ?? '')) return true;
  if (installed === undefined) return false;
  const { at, stale } = heardFrom(directory, 'codex', installed.path);
  return at !== null && !stale;
}

/** As Gemini CLI looks at the place of its system settings: root's, and nobody else can write it, all the way up. */
function isRootsAlone(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  const link = lstatSync(path, { throwIfNoEntry: false });
  const isGood = (uid: number, mode: number): boolean => uid === 0 && (mode & 0o022) === 0;
  if (found === undefined) return process.getuid?.() === 0 && isRootsAlone(dirname(path));
  if (link?.isSymbolicLink() === true && link.uid !== 0) return false;
  return isGood(found.uid, found.mode) && (dirname(path) === path || isRootsAlone(dirname(path)));
}

/** Null where there are none for this agent, or none are needed because they are installed. */
export async function hooksFor(
  agent: string | null,
  located: Located,
  context: Context,
  given: GivenSettings | null,
): Promise<RunHooks | null> {
  if (agent === null || installedFor(agent, located, context) !== undefined) return null;
  const { directory } = located;
  const { mode } = readSettings(directory, context.env);
  // Tool hooks over HTTP are quicker; where there is no service they are commands.
  const service = agent === 'claude-code' ? await startedService(directory) : null;
  const base = folderFor(agent, directory, context.env);
  const folder = mkdtempSync(join(base, 'run-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const settings = runSettings(agent, {
      wiring: { ...localWiring(mode, directory, context.env), service },
      folder,
      env: context.env,
      plugin: opencodePlugin,
      givenSettings: given === null ? null : textOf(given.value, context.cwd),
      systemSettings: readText(context.env.GEMINI_CLI_SYSTEM_SETTINGS_PATH ?? GEMINI_SYSTEM_SETTINGS),
    });
    for (const { path, text } of settings?.files ?? []) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, text, { mode: 0o600 });
    }
    if (settings !== null) return { args: settings.args, env: settings.env, remove };
  } catch (error) {
    remove();
    throw error;
  }
  remove();
  return null;
}

/** Gemini CLI takes no settings from below a directory that others can write, as the place for notes often is. */
function folderFor(agent: string, directory: string, env: Context['env']): string {
  if (agent !== 'gemini') {
    const base = runtimeDirectory(directory, env);
    makeRuntimeDirectory(base);
    return base;
  }
  const base = join(stateDirectory(env), 'runs');
  mkdirSync(base, { recursive: true, mode: 0o700 });
  return base;
}

/** Of --settings, which takes a path or JSON. */
function textOf(value: string, cwd: string): string {
  if (value.trimStart().startsWith('{')) return value;
  const text = readText(resolve(cwd, value));
  if (text === null) throw new UsageError(`--settings: ${value} can't be read.`);
  return text;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
