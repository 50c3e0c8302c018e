// What an agent has around it in a replay: the relay that leads to the player, the programs that it is made of, and its
// environment. It is an agent that is not trusted any more than it was then.
import { mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { findGit, runGit } from '../../gate/index.ts';
import { makeRedactor } from '../../redact/index.ts';
import { ownProgram } from '../own-program.ts';
import { ignoredEverywhere, userSetting } from './git-settings.ts';
import { BORROWED } from './starting-tree.ts';

/** In a network of its own every port is free. */
const PORT = 4100;
export const BASE = `http://127.0.0.1:${PORT}`;
/** Where the player's socket and the user's settings of git are in the sandbox. */
export const SOCKET = '/foil/player';
export const SETTINGS = '/foil/git';

/**
 * Lays the settings of git into the home, where the agent may change them; hands connections to the player, starts the agent,
 * and ends with it.
 */
const RELAY = `
const { copyFileSync } = require('node:fs');
const { connect, createServer } = require('node:net');
const { spawn } = require('node:child_process');
const [settings, socket, port, program, ...words] = process.argv.slice(1);
copyFileSync(settings + '/config', process.env.HOME + '/.gitconfig');
createServer((near) => {
  const far = connect(socket);
  near.pipe(far).pipe(near);
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
}).listen(Number(port), '127.0.0.1', () => {
  const agent = spawn(program, words, { stdio: ['ignore', 'inherit', 'inherit'] });
  agent.on('error', (error) => { console.error(error.message); process.exit(127); });
  agent.on('exit', (code) => process.exit(code ?? 1));
});`;

/** The words that start the agent behind the relay. */
export function relayed(argv: readonly string[]): string[] {
  return [process.execPath, '-e', RELAY, SETTINGS, SOCKET, String(PORT), ...argv];
}

/** Folders of the work tree that are not kept, and are used as they are now. */
export function borrowedFrom(root: string): string[] {
  return statSync(join(root, BORROWED), { throwIfNoEntry: false })?.isDirectory() === true ? [BORROWED] : [];
}

/**
 * What a program is installed in, beyond what the sandbox shows of PATH, and each file that the command names: as much of its
 * surroundings as holds nothing that must not be seen.
 */
export function partsOf(
  [program = '', ...words]: readonly string[],
  { PATH = '', HOME: home = '/' }: NodeJS.ProcessEnv,
  away: readonly string[],
): { from: string; to: string }[] {
  const found = isAbsolute(program)
    ? program
    : PATH.split(delimiter)
        .map((folder) => join(folder, program))
        .find((path) => isFile(path));
  const files = [...(found === undefined ? [] : [found]), ...words.filter((word) => isAbsolute(word))].filter(
    isFile,
  );
  const shown = files
    .flatMap((path) => [path, realpathSync(path)])
    .flatMap(
      (path) =>
        [...installedIn(path, home), path].find((each) => isApart(each, away) && !isAround(each, home)) ?? [],
    );
  return [...new Set(shown)].map((path) => ({ from: path, to: path }));
}

/**
 * In the place of this program, which hooks of the project name: nothing is recorded in a replay, and without a ledger they would
 * refuse whatever the agent does.
 */
export function ownStub(to: string, root: string): { from: string; to: string }[] {
  const own = join(ownProgram(), 'foil.cjs');
  if (!isFile(own) || (isAround(root, own) && !isAround(join(root, BORROWED), own))) return [];
  writeFileSync(to, '', { mode: 0o644 });
  return [{ from: to, to: own }];
}

/** Neither within one of those nor around one. */
function isApart(path: string, away: readonly string[]): boolean {
  return path !== '/' && !away.some((each) => isAround(each, path) || isAround(path, each));
}

function isAround(folder: string, path: string): boolean {
  return `${path}/`.startsWith(`${folder}/`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Widest first. In a home, keys and settings lie beside programs. */
function installedIn(path: string, home: string): string[] {
  const parts = path.split('/');
  const modules = parts.indexOf('node_modules');
  if (modules > 0) return [parts.slice(0, modules + 1).join('/')];
  const folder = dirname(path);
  return basename(folder) === 'bin' && !isAround(home, path) ? [dirname(folder), folder] : [folder];
}

/**
 * Makes a folder with what git asks the user's own settings for and an agent tells its model: who commits, and what is ignored
 * everywhere. The home that they lie in isn't there in a replay. Not by variables: Claude Code keeps them from the git that it asks.
 */
export async function writeGitSettings(to: string, root: string, env: NodeJS.ProcessEnv): Promise<void> {
  mkdirSync(to, { mode: 0o755 });
  const file = join(to, 'config');
  writeFileSync(file, '', { mode: 0o644 });
  const git = findGit(root, env.PATH);
  if (git === undefined) return;
  const set = (key: string, value: string): Promise<unknown> =>
    runGit({ git, args: ['config', '--file', file, key, value], cwd: to, env: {}, ...BOUNDS });
  for (const key of ['user.name', 'user.email']) {
    const value = await userSetting(key, root, env);
    if (value !== undefined) await set(key, value);
  }
  const ignored = await readIgnored(root, env);
  if (ignored === undefined) return;
  writeFileSync(join(to, 'ignore'), ignored, { mode: 0o644 });
  await set('core.excludesFile', join(SETTINGS, 'ignore'));
}

async function readIgnored(root: string, env: NodeJS.ProcessEnv): Promise<Uint8Array | undefined> {
  const file = await ignoredEverywhere(root, env);
  return file !== undefined && isFile(file) && statSync(file).size <= MOST_IGNORED
    ? readFileSync(file)
    : undefined;
}

const BOUNDS = { timeoutMs: 5_000, maxBytes: 4096 };
const MOST_IGNORED = 1024 * 1024;

/** Those say where things are, or would lead out. */
const LEFT_OUT =
  /^(?:PATH|HOME|TMPDIR|PWD|OLDPWD|SHLVL|_|XDG_.*|FOIL.*|SSH_.*|DBUS_.*|.*_proxy|.*_BASE_URL)$/i;
const KEY_NAMES = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'];
const NO_KEY = 'replay';

/** As it is for whoever replays, with a word in the place of each credential. */
export function ownEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const redactor = makeRedactor();
  // What the agent has in the place of its work tree is a mount, which git would not look beyond.
  const own: Record<string, string> = { GIT_DISCOVERY_ACROSS_FILESYSTEM: '1' };
  for (const name of KEY_NAMES) own[name] = NO_KEY;
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || LEFT_OUT.test(name)) continue;
    const clean = redactor.value({ [name]: value }, {}) as Record<string, unknown>;
    own[name] = clean[name] === value ? value : NO_KEY;
  }
  return own;
}
