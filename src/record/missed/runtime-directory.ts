// Notes between processes that need not outlive the machine's uptime: that recording is paused, was off, or failed. Not
// in the ledger, which may be what can't be written. Where they are is decided once, when the ledger is made, and stands in
// its settings. Where the settings name no place, or one that is gone, it is `/run/user/<uid>/counterfoil/`, else a
// directory of the user's own in `/tmp`. Hooks run in an environment that a file of the repository may have set, so no
// variable is asked here. In `locked` mode none of this counts: an agent could write it.
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { type Environment, readSettings, type Settings } from '../../ledger/index.ts';

/** Where the notes about a ledger are. Not made. Never throws. */
export function runtimeDirectory(
  ledger: string,
  env: Environment = process.env,
  settings?: Settings,
): string {
  const named = settings === undefined ? namedIn(ledger, env) : settings.runtime;
  // A system that was started anew may have another.
  const base = named !== undefined && existsSync(dirname(named)) ? named : usualBase();
  return `${base}/${encodeURIComponent(ledger).slice(-200)}`;
}

/**
 * All places where notes about a ledger may lie, the one where they are left now first. While its settings can't be read,
 * or the place that they name is not there, hooks leave notes in the usual one; and earlier versions changed the place of a
 * ledger. What stands in any of them counts.
 */
export function noteDirectories(
  ledger: string,
  env: Environment = process.env,
  settings?: Settings,
): readonly string[] {
  const name = encodeURIComponent(ledger).slice(-200);
  // The one in /run/user comes and goes with the user's logins.
  const usual = [usualBase(), inTemporary()].map((base) => `${base}/${name}`);
  return [...new Set([runtimeDirectory(ledger, env, settings), ...usual])];
}

/** For the settings of a ledger that is made: as a person's environment says, else the usual place. */
export function runtimeBase({ XDG_RUNTIME_DIR }: Environment): string {
  return XDG_RUNTIME_DIR === undefined || !isAbsolute(XDG_RUNTIME_DIR)
    ? usualBase()
    : `${XDG_RUNTIME_DIR}/counterfoil`;
}

function namedIn(ledger: string, env: Environment): string | undefined {
  try {
    return readSettings(ledger, env).runtime;
  } catch {
    return undefined; // whoever needs the settings says what is wrong with them
  }
}

function usualBase(): string {
  const uid = process.getuid?.() ?? 0;
  return isPrivate(`/run/user/${uid}`) ? `/run/user/${uid}/counterfoil` : inTemporary();
}

function inTemporary(): string {
  return `/tmp/counterfoil-${process.getuid?.() ?? 0}`;
}

/** Makes it, for this user alone. Throws where another user owns it: then nothing in it is ours. */
export function makeRuntimeDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (!isPrivate(directory)) throw new Error(`other users can write to ${directory}.`);
}

/**
 * Is it there, and what is in it this user's? In the temporary directory anybody can make one by our name, and whoever
 * owns the one above can put another in its place.
 */
export function isRuntimeDirectory(directory: string): boolean {
  return isPrivate(directory) && isPrivate(dirname(directory));
}

/** Is something there that is not this user's own directory? What is not there can be made. */
export function isForeignDirectory(directory: string): boolean {
  return lstatSync(directory, { throwIfNoEntry: false }) !== undefined && !isPrivate(directory);
}

function isPrivate(directory: string): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
}
