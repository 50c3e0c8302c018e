// Notes between processes that need not outlive the machine's uptime: that recording is paused, was off, or failed. Not
// in the ledger, which may be what can't be written. `$XDG_RUNTIME_DIR/counterfoil/<ledger>/`, or the same under a
// directory of the user's own in the temporary one. In `locked` mode none of this counts: an agent could write it.
import { lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the notes about a ledger are. Not made. foil.cjs finds it in the same way before anything is loaded. */
export function runtimeDirectory(ledger: string, env: Environment = process.env): string {
  const { XDG_RUNTIME_DIR, TMPDIR } = env;
  const base =
    XDG_RUNTIME_DIR?.startsWith('/') === true
      ? `${XDG_RUNTIME_DIR}/counterfoil`
      : `${TMPDIR?.startsWith('/') === true ? TMPDIR : '/tmp'}/counterfoil-${process.getuid?.() ?? 0}`;
  return `${base}/${encodeURIComponent(ledger).slice(-200)}`;
}

/** Makes it, for this user alone. Throws where another user owns it: then nothing in it is ours. */
export function makeRuntimeDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (!isPrivate(directory)) throw new Error(`${directory} can be written by others.`);
}

/**
 * Is it there, and what is in it this user's? In the temporary directory anybody can make one by our name, and whoever
 * owns the one above can put another in its place.
 */
export function isRuntimeDirectory(directory: string): boolean {
  return isPrivate(directory) && isPrivate(dirname(directory));
}

function isPrivate(directory: string): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
}
