// What an agent has around it in a replay: the relay that leads to the player, the programs that it is made of, and its
// environment. It is an agent that is not trusted any more than it was then.
import { realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { findGit, runGit } from '../../gate/index.ts';
import { makeRedactor } from '../../redact/index.ts';
import { BORROWED } from './starting-tree.ts';

/** In a network of its own every port is free. */
const PORT = 4100;
export const BASE = `http://127.0.0.1:${PORT}`;
/** Where the player's socket and the user's settings of git are in the sandbox. */
export const SOCKET = '/foil/player';
export const IDENTITY = '/foil/gitconfig';

/**
 * Lays the settings of git into the home, where the agent may change them; hands connections to the player, starts the agent,
 * and ends with it.
 */
const RELAY = `
const { copyFileSync } = require('node:fs');
const { connect, createServer } = require('node:net');
const { spawn } = require('node:child_process');
const [identity, socket, port, program, ...words] = process.argv.slice(1);
copyFileSync(identity, process.env.HOME + '/.gitconfig');
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
  return [process.execPath, '-e', RELAY, IDENTITY, SOCKET, String(PORT), ...argv];
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
 * Writes a configuration for git with nothing but who commits, as the user's own settings name them. Agents tell it to their model,
 * and the home that those settings lie in isn't there in a replay. Not by variables: Claude Code keeps them from the git that it asks.
 */
export async function writeIdentity(
  to: string,
  root: string,
  { HOME: home, XDG_CONFIG_HOME: config, PATH: path }: NodeJS.ProcessEnv,
): Promise<void> {
  writeFileSync(to, '', { mode: 0o644 });
  const git = findGit(root, path);
  if (git === undefined || home === undefined) return;
  const ask = (...words: string[]): Promise<Buffer | null> =>
    runGit({ git, args: ['config', ...words], cwd: '/', env: {}, timeoutMs: GIT_MS, maxBytes: MOST_TEXT });
  // Git reads both, and what the second says counts.
  const files = [join(config ?? join(home, '.config'), 'git/config'), join(home, '.gitconfig')];
  for (const key of ['user.name', 'user.email']) {
    let value: string | undefined;
    for (const file of files)
      value = (await ask('--file', file, '--get', key))?.toString().replace(/\n$/, '') ?? value;
    if (value !== undefined) await ask('--file', to, key, value);
  }
}

const GIT_MS = 5_000;
const MOST_TEXT = 1024;

/** Those say where things are, or would lead out. */
const LEFT_OUT =
  /^(?:PATH|HOME|TMPDIR|PWD|OLDPWD|SHLVL|_|XDG_.*|FOIL.*|SSH_.*|DBUS_.*|.*_proxy|.*_BASE_URL)$/i;
const KEY_NAMES = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'];
const NO_KEY = 'replay';

/** As it is for whoever replays, with a word in the place of each credential. */
export function ownEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const redactor = makeRedactor();
  const own: Record<string, string> = {};
  for (const name of KEY_NAMES) own[name] = NO_KEY;
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || LEFT_OUT.test(name)) continue;
    const clean = redactor.value({ [name]: value }, {}) as Record<string, unknown>;
    own[name] = clean[name] === value ? value : NO_KEY;
  }
  return own;
}
