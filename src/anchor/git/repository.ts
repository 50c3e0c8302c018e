// The bare repository in a ledger's directory: making one, reading its settings and its refs. It is written without
// running git: a process started by a large service holds up everything else in it for milliseconds, and git takes its
// orders from an environment and files that are not ours. What is written is checked by git itself in the tests.
//
// What is read here may have been changed by anybody.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { GIT_DIR, GIT_MAIN, type GitEnd, isGitStoryRef } from '../../format/index.ts';
import { GitFailure, isErrno } from './git-problem.ts';

export function gitDirectory(ledger: string): string {
  return join(ledger, GIT_DIR);
}

const MOST_CONFIG = 65_536;
const MOST_REF = 4096;
const MOST_PACKED = 64 * 1024 * 1024;
const MOST_REFS = 200_000;

/** All or nothing. */
export function makeRepository(ledger: string, end: GitEnd): void {
  const made = join(ledger, `${GIT_DIR}.tmp`);
  rmSync(made, { recursive: true, force: true }); // of one that was killed
  for (const directory of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'refs/archive'])
    mkdirSync(join(made, directory), { recursive: true, mode: 0o700 });
  const write = (name: string, text: string): void => writeFileSync(join(made, name), text, { mode: 0o600 });
  write('HEAD', HEAD);
  write('description', 'Sessions of a Counterfoil ledger. It follows from the ledger: spec/git.md.\n');
  write('config', encodeConfig(end));
  renameSync(made, gitDirectory(ledger));
}

const HEAD = `ref: ${GIT_MAIN}\n`;

/** Where there will be no main, a clone checks out the branch that came first. */
export function pointHead(git: string, ref: string): void {
  const path = join(git, 'HEAD');
  if (readSmall(path, MOST_REF) !== HEAD) return;
  writeFileSync(`${path}.tmp`, `ref: ${ref}\n`, { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}

function encodeConfig(end: GitEnd): string {
  return `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n[counterfoil]\n\tend = ${end}\n`;
}

/** What the repository says of itself; undefined where there is none. Throws GitFailure where it is none of ours. */
export function readSettings(git: string): { readonly end: GitEnd } | undefined {
  try {
    if (!lstatSync(git).isDirectory()) throw new GitFailure('FOREIGN', `${git} is not a directory.`);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
  const config = readSmall(join(git, 'config'), MOST_CONFIG);
  const isWhole = ['HEAD', 'objects', 'refs'].every((name) => isThere(join(git, name)));
  const values = config === undefined ? undefined : parseConfig(config);
  const end = values?.get('counterfoil.end');
  const isFiles =
    values?.get('core.repositoryformatversion') === '0' &&
    ![...values.keys()].some((name) => name.startsWith('extensions.'));
  if (!isWhole || !isFiles || (end !== 'merge' && end !== 'archive')) {
    throw new GitFailure(
      'FOREIGN',
      `foil can't write to the repository ${git}. Move it away, and foil will make it again from the ledger.`,
    );
  }
  return { end };
}

/**
 * What may stand in the repository's configuration where git is started with the user's own credentials: line by line,
 * because git reads forms that parseConfig does not know, such as a value behind the name of its section.
 */
const PLAIN_LINES = [
  /^\s*(?:[#;].*)?$/,
  /^\[(?:core|counterfoil|remote "[^"\\]+")\]$/,
  /^\s*(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|end|url|pushurl|fetch) = [^\\]*$/,
];

/** Throws GitFailure where the repository's own settings could have something run. */
export function assertPlainConfig(git: string): void {
  const lines = (readSmall(join(git, 'config'), MOST_CONFIG) ?? '').split('\n');
  const other = lines.find((line) => !PLAIN_LINES.some((form) => form.test(line)));
  if (other === undefined) return;
  throw new GitFailure(
    'FOREIGN',
    `${join(git, 'config')} says "${other.trim().slice(0, 100)}", and git would run with your credentials. Only remotes are allowed there. Put everything else into your own git settings.`,
  );
}

/** Only the plain form: sections without a part in quotes, one value a line. The last value counts. */
function parseConfig(text: string): Map<string, string> {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split('\n')) {
    const word = line.trim();
    if (word.startsWith('[')) section = word.slice(1, word.indexOf(']')).trim().toLowerCase();
    else {
      const [name = '', ...rest] = word.split('=');
      if (name !== '' && !/^[#;]/.test(name))
        values.set(`${section}.${name.trim().toLowerCase()}`, rest.join('=').trim());
    }
  }
  return values;
}

const ID = /^[0-9a-f]{40}$/;

export function isGitId(text: string): boolean {
  return ID.test(text);
}

/**
 * Where the refs of the story stand. What a file holds that is no id is given as it is, cut: it is no commit's name.
 * Without `values` those in the archive are only named.
 */
export function readRefs(git: string, { values = true } = {}): Map<string, string> {
  const refs = packedRefs(git);
  // One that is not packed counts.
  for (const directory of ['refs/heads', 'refs/archive']) {
    for (const name of namesIn(join(git, directory))) {
      const ref = `${directory}/${name}`;
      if (!isGitStoryRef(ref)) continue;
      const value = values || directory === 'refs/heads' ? looseRef(git, ref) : '';
      if (value !== undefined) refs.set(ref, value);
    }
  }
  if (refs.size > MOST_REFS) throw new GitFailure('FOREIGN', `${git} has more than ${MOST_REFS} refs.`);
  return refs;
}

export function readRef(git: string, name: string): string | undefined {
  return looseRef(git, name) ?? packedRefs(git).get(name);
}

function looseRef(git: string, name: string): string | undefined {
  return readSmall(join(git, name), MOST_REF)?.trim().slice(0, 100);
}

function packedRefs(git: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of (readSmall(join(git, 'packed-refs'), MOST_PACKED) ?? '').split('\n')) {
    const [id = '', name = ''] = line.split(' ');
    if (isGitId(id) && isGitStoryRef(name)) refs.set(name, id);
  }
  return refs;
}

/**
 * Undefined where it is not there. What is no plain file, or too long to be what it should be, is a failure: a pipe or a
 * device, also behind a link, could be read for ever.
 */
export function readSmall(path: string, most: number): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(fd);
    if (!found.isFile()) throw new GitFailure('FOREIGN', `${path} is not a plain file.`);
    if (found.size > most) throw new GitFailure('FOREIGN', `${path} is too large.`);
    const bytes = Buffer.allocUnsafe(found.size);
    return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    if (isErrno(error, 'ELOOP', 'ENXIO')) throw new GitFailure('FOREIGN', `${path} is not a plain file.`);
    throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}
