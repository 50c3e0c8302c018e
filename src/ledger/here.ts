// A `.foil/` lies in the work tree, so a clone, an archive or another user can bring one. It counts only if this user
// made it or said that it is theirs: then a small file in the user's state directory names it. That file, and the
// settings beside it, lie outside of the work tree, where no checkout can replace them. Whatever is not named there, is
// not this user's alone or is reached through a link is nobody's: it is read where somebody names it, and never believed.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { sha256Hex } from '#platform';
import { StoreError } from '../core/index.ts';
import { AUTH_DIR, CHECKPOINT_FILE, KEY_DIR, SEGMENT_DIR } from '../format/index.ts';

/** As `process.env`, in words that need no types of Node's where the package is used. */
export type Environment = Readonly<Record<string, string | undefined>>;

export const HERE = '.foil';
/** The directory of a user's ledgers, in their state directory. */
export const STATE_NAME = 'counterfoil';
/** There, what says which `.foil/` counts. */
export const REGISTRY = 'here';
/** A record is far shorter, and so is a checkpoint. */
const LONGEST = 65_536;

/**
 * `own`: this user's, and the ledger that was registered. `changed`: registered, but its checkpoint is gone or damaged, so
 * that `foil verify` must look at it; its keys don't count. `foreign`: not registered, another ledger than the one that
 * was, or not this user's alone.
 */
export interface Standing {
  readonly is: 'own' | 'changed' | 'foreign';
  /** For people; null where it is own. */
  readonly why: string | null;
}

const ORIGIN = /^counterfoil\/[0-9a-f]{16}$/;
const OWN: Standing = { is: 'own', why: null };

/** Is this a `.foil/`, by the name that was given or by the one that it leads to? Some file systems know no case. */
export function isHere(directory: string): boolean {
  const path = resolve(directory);
  if (isNamed(path)) return true;
  // Only a link has another name than what it leads to, and every hook asks.
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && isNamed(realOf(path));
  } catch {
    return false;
  }
}

function isNamed(path: string): boolean {
  return basename(path).toLowerCase() === HERE;
}

/** Where a user's ledgers are. By the XDG specification a relative path is invalid and ignored. */
export function stateDirectory(env: Environment): string {
  return join(homeBase(env.XDG_STATE_HOME, '.local/state'), STATE_NAME);
}

export function homeBase(value: string | undefined, fallback: string): string {
  return value !== undefined && isAbsolute(value)
    ? value
    : join(process.getBuiltinModule('node:os').homedir(), fallback);
}

/** Where the settings of a `.foil/` are kept, whether it is registered or not. */
export function hereSettings(directory: string, env: Environment): string {
  return `${recordPath(directory, env)}.settings`;
}

/** Whose is this `.foil/`? A few looks at the file system. Never throws. */
export function standingOf(directory: string, env: Environment): Standing {
  const real = realOf(directory);
  const problem = problemOf(directory, real);
  if (problem !== null) return { is: 'foreign', why: problem };
  const origin = readRecord(real, env);
  if (origin === undefined) return { is: 'foreign', why: 'you neither made nor registered it' };
  const now = originOf(real);
  if (now === origin) return OWN;
  return ORIGIN.test(now ?? '')
    ? { is: 'foreign', why: `${origin} was registered there, but now it holds another ledger, ${now}` }
    : { is: 'changed', why: `its checkpoint no longer names ${origin}` };
}

/**
 * From now on it counts. Throws StoreError DENIED where it is not this user's alone, and where there is no place to write
 * that down.
 */
export function registerHere(directory: string, origin: string, env: Environment): void {
  const real = realOf(directory);
  const problem = problemOf(directory, real);
  if (problem !== null) throw new StoreError('DENIED', `${directory} can't be registered: ${problem}.`);
  prepareRegistry(env);
  const path = recordPath(real, env);
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ v: 1, path: real, origin })}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

/** Every `.foil/` that this user registered, also where it is gone by now. Never throws. */
export function registeredHere(env: Environment): readonly string[] {
  try {
    return readdirSync(registryOf(env)).flatMap((name) => {
      if (!/^[0-9a-f]{32}$/.test(name)) return [];
      const path = pathIn(join(registryOf(env), name));
      return path === undefined ? [] : [path];
    });
  } catch {
    return [];
  }
}

function pathIn(record: string): string | undefined {
  if (ownerProblem(record) !== null) return undefined;
  try {
    const { v, path } = JSON.parse(readSmall(record) ?? '') as Record<string, unknown>;
    return v === 1 && typeof path === 'string' ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Makes the place for records. Throws StoreError DENIED where that can't be: then no `.foil/` could ever count. */
export function prepareRegistry(env: Environment): void {
  const directory = registryOf(env);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const advice = `Set XDG_STATE_HOME to a directory that you can write to, or choose another ledger with --ledger.`;
    throw new StoreError(
      'DENIED',
      `${directory} can't be created, and foil only uses a ${HERE}/ that is registered there. ${advice}`,
      { cause },
    );
  }
  const problem = ownerProblem(directory);
  if (problem !== null) throw new StoreError('DENIED', `${problem}, so no ${HERE}/ can be registered.`);
}

/** Throws StoreError EXISTS where something lies in a new `.foil/` that would be taken for its own. */
export function assertUnprepared(directory: string): void {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (found === undefined) return;
  const problem = problemOf(directory, realOf(directory));
  const brought = ['settings', AUTH_DIR].find((name) => existsSync(join(directory, name)));
  if (problem === null && brought === undefined) return;
  const why = problem ?? `it contains ${brought}, which came from elsewhere`;
  throw new StoreError(
    'EXISTS',
    `foil won't create a ledger in ${directory}: ${why}. Look at it, then move it away.`,
  );
}

/** What has its keys inside must never be committed. Never throws: a directory that can't be written is not added to. */
export function keepOutOfGit(directory: string): void {
  const path = join(directory, '.gitignore');
  try {
    if (existsSync(directory) && readSmall(path) !== '*\n') writeFileSync(path, '*\n', { mode: 0o600 });
  } catch {
    // Read-only, or a link to somewhere else: `foil doctor` looks at what git tracks.
  }
}

/** The origin of the ledger that lies there, as its newest checkpoint says it. */
function originOf(directory: string): string | undefined {
  return readSmall(join(directory, CHECKPOINT_FILE))?.split('\n', 1)[0];
}

function registryOf(env: Environment): string {
  return join(stateDirectory(env), REGISTRY);
}

function recordPath(directory: string, env: Environment): string {
  return join(registryOf(env), sha256Hex(realOf(directory)).slice(0, 32));
}

function readRecord(real: string, env: Environment): string | undefined {
  const path = recordPath(real, env);
  if (ownerProblem(path) !== null) return undefined;
  try {
    const { v, path: named, origin } = JSON.parse(readSmall(path) ?? '') as Record<string, unknown>;
    return v === 1 && named === real && typeof origin === 'string' ? origin : undefined;
  } catch {
    return undefined;
  }
}

/** What is in it that decides something must be this user's alone as well. */
function problemOf(directory: string, real: string): string | null {
  if (!isNamed(real)) return `${directory} is a link to ${real}`;
  const inside = [SEGMENT_DIR, KEY_DIR, AUTH_DIR].map((name) => join(real, name));
  for (const path of [directory, ...inside]) {
    const problem = ownerProblem(path);
    if (problem !== null && problem !== ABSENT) return problem;
  }
  return null;
}

const ABSENT = "it doesn't exist";

/** Null where it is this user's, nobody else can write it, and it is no link. Never throws. */
export function ownerProblem(path: string): string | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return ABSENT;
    if (found.isSymbolicLink()) return `${path} is a link`;
    if (process.getuid !== undefined && found.uid !== process.getuid())
      return `${path} belongs to another user`;
    return (found.mode & 0o022) === 0
      ? null
      : `other users can write to ${path}; if it is yours, run \`chmod go-w ${path}\``;
  } catch (error) {
    return `${path} can't be examined (${(error as { code?: unknown }).code})`;
  }
}

/** Of a plain file; a pipe would never come to its end. */
export function readSmall(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true && found.size <= LONGEST ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** One that is not there yet has the name that it will have. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = join(path, '..');
    return parent === path ? path : join(realOf(parent), basename(path));
  }
}
