// What a command in bubblewrap sees of the machine: system directories and those of the programs in PATH, read-only, and
// private places to write in, each with a size. The places share what may be written in all.
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isWithin, pathWithout, SYSTEM_PATH } from '../system-programs.ts';

/** Where systems keep programs, libraries and settings. Nothing of a user's. */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix/store',
  '/run/current-system',
];
/** Where systems keep homes. */
const HOMES = ['/home', '/root', '/var/home'];
/** Folders beside `bin` that hold the parts of its programs, and no settings or keys. */
const PARTS = ['lib', 'libexec', 'versions'];
export const TEMPORARY = '/tmp';
export const HOME = `${TEMPORARY}/.home`;
const OPEN_PLACES = ['/dev/shm', TEMPORARY];

/** Links stay links: on most systems /bin is one. */
export function systemMounts(): string[] {
  const mounts = SYSTEM.flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  });
  return [...mounts, '--proc', '/proc', '--dev', '/dev'];
}

/** What each place may hold, so that all of them, with so many others, hold no more than `most` bytes. */
export function shareOf(most: number, others = 0): number {
  return Math.max(1, Math.floor(most / (OPEN_PLACES.length + others)));
}

/** The places that every program expects, the home directory in one of them. */
export function openPlaces(share: number): string[] {
  return [
    ...OPEN_PLACES.flatMap((path) => openPlace(path, share)),
    ...['--symlink', '/tmp', '/var/tmp'],
    ...['--perms', '0777', '--dir', HOME],
  ];
}

export function openPlace(path: string, share: number): string[] {
  return ['--perms', '1777', '--size', String(share), '--tmpfs', path];
}

/** What is in memory and has no size: whoever owns it could write there, which is us where we are not root. */
export const CLOSED_PLACES = ['--remount-ro', '/dev', '--remount-ro', '/'];

export interface ToolOptions {
  readonly hidden: readonly string[];
  readonly path?: string | undefined;
  readonly home?: string | undefined;
}

/** Where the programs are, and the way to them; without what must not be seen. */
export function toolMounts(options: ToolOptions, cwd: string): { mounts: string[]; path: string } {
  const { path = process.env.PATH ?? SYSTEM_PATH, home = process.env.HOME } = options;
  const hidden = options.hidden.filter((each) => existsSync(each)).map((each) => realpathSync(each));
  const programs = pathWithout(path, [cwd, ...hidden]);
  const homes = [...HOMES, ownHome(), ...(home === undefined ? [] : [home])];
  const tools = toolDirectories(programs, [cwd, ...hidden], homes.flatMap(bothPaths));
  return {
    mounts: [
      ...tools.flatMap((each) => [...wayTo(each), '--ro-bind', each, each]),
      ...hiding(hidden, [...SYSTEM, ...tools]),
    ],
    path: [...programs, ...SYSTEM_PATH.split(':')].join(':'),
  };
}

/**
 * What the programs in PATH need besides themselves: all of `x` for `x/bin`, as version managers lay it out. If that is in a
 * home, where keys and settings lie beside programs, or holds something that must not be seen, then only the programs and
 * their parts. A folder that holds a home itself is not there at all.
 */
function toolDirectories(
  programs: readonly string[],
  away: readonly string[],
  homes: readonly string[],
): string[] {
  const mounts = new Set<string>();
  for (const entry of programs) {
    const holdsHome = (path: string): boolean => homes.some((each) => isWithin(each, path));
    if (SYSTEM.some((path) => isWithin(entry, path)) || !isDirectory(entry)) continue;
    if (bothPaths(entry).some(holdsHome)) continue;
    const prefix = basename(entry) === 'bin' ? dirname(entry) : entry;
    const isInHome = bothPaths(entry).some((path) => homes.some((each) => isWithin(path, each)));
    const isNarrow = isInHome || prefix === '/' || away.some((path) => isWithin(path, prefix));
    const parts = prefix === entry || bothPaths(prefix).some(holdsHome) ? [] : PARTS;
    const wanted = isNarrow ? [entry, ...parts.map((part) => join(prefix, part))] : [prefix];
    for (const path of wanted) if (isDirectory(path)) mounts.add(path);
  }
  return [...mounts];
}

/** As it is written, and where links lead to. */
function bothPaths(path: string): string[] {
  return existsSync(path) ? [path, realpathSync(path)] : [path];
}

/** The one that the system knows, whatever the environment says. */
function ownHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return '/root';
  }
}

/** Directories above it that are not there yet: bubblewrap would make them for root alone. */
export function wayTo(path: string): string[] {
  const above: string[] = [];
  for (let each = dirname(path); each !== '/'; each = dirname(each)) above.unshift(each);
  return above.flatMap((each) => ['--perms', '0755', '--dir', each]);
}

/** An empty directory, or nothing at all, over each that would be seen. */
function hiding(hidden: readonly string[], seen: readonly string[]): string[] {
  return hidden
    .filter((path) => seen.some((directory) => isWithin(path, directory)))
    .flatMap((path) =>
      isDirectory(path) ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
    );
}

/** One that we may not look at is none that the command could use. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
