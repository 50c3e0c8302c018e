// A pause of the recording: a note that says until when. It ends by itself. It lies in the user's runtime directory, so
// that it works where the ledger itself is wedged; in `locked` mode it lies in the ledger's own directory, where only
// the ledger's owner can put it. Every hook looks for it, so this loads next to nothing.
import { lstatSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isRuntimeDirectory, makeRuntimeDirectory, noteDirectories } from './runtime-directory.ts';

const PAUSE_FILE = 'pause';
/** The longest pause: what is forgotten ends within a day. */
export const LONGEST_PAUSE = 24 * 3_600_000;
/** A note is far shorter. */
const LONGEST_NOTE = 1024;

export interface PauseOptions {
  readonly locked: boolean;
  readonly now?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The runtime directory, where it is known already, and the others that notes may lie in. */
  readonly runtime?: string;
  readonly elsewhere?: readonly string[];
}

export interface Until {
  readonly until: string;
}

/** Where notes are written first; they are read from all. */
function directoriesOf(ledger: string, options: PauseOptions): readonly [string, ...string[]] {
  const { locked, env = process.env, runtime, elsewhere = [] } = options;
  if (locked) return [ledger];
  const [first = '', ...others] =
    runtime === undefined ? noteDirectories(ledger, env) : [runtime, ...elsewhere];
  return [first, ...others];
}

/** Until when recording is paused; null where it is not. Never throws: a note that is not right pauses nothing. */
export function readPause(ledger: string, options: PauseOptions): Until | null {
  return readUntil(PAUSE_FILE, ledger, options);
}

/** A note of that name which says until when. */
export function readUntil(name: string, ledger: string, options: PauseOptions): Until | null {
  for (const directory of directoriesOf(ledger, options)) {
    const found = readIn(directory, name, options);
    if (found !== null) return found;
  }
  return null;
}

function readIn(directory: string, name: string, options: PauseOptions): Until | null {
  try {
    const path = `${directory}/${name}`;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile()) return null;
    const { size, uid } = found;
    if (!options.locked && !isRuntimeDirectory(directory)) return null;
    if (size > LONGEST_NOTE || !isOwner(uid, directory, options.locked)) return null;
    const { until } = JSON.parse(readFileSync(path, 'utf8')) as { until: unknown };
    if (typeof until !== 'string') return null;
    const left = Date.parse(until) - (options.now ?? Date.now());
    // Longer than a pause can be: not written by us, or the clock was set back. Recording is the safe choice.
    return left > 0 && left <= LONGEST_PAUSE ? { until } : null;
  } catch {
    return null;
  }
}

/** In a temporary directory anybody could have left a note, so it must be ours, or the ledger's owner's. */
function isOwner(uid: number, directory: string, locked: boolean): boolean {
  const own = process.getuid?.();
  if (own === undefined) return true;
  return locked ? uid === 0 || uid === statSync(directory).uid : uid === own;
}

/** Whole or not at all. Null ends a pause. Throws what the system says. */
export function writePause(ledger: string, until: string | null, options: PauseOptions): void {
  writeUntil(PAUSE_FILE, ledger, until, options);
}

/** Whole or not at all. Null removes it. Throws what the system says. */
export function writeUntil(name: string, ledger: string, until: string | null, options: PauseOptions): void {
  const [directory, ...others] = directoriesOf(ledger, options);
  const path = `${directory}/${name}`;
  const removeOthers = (): void => {
    for (const other of others) if (isRuntimeDirectory(other)) rmSync(`${other}/${name}`, { force: true });
  };
  if (until === null) {
    rmSync(path, { force: true });
    removeOthers();
    return;
  }
  if (!options.locked) {
    makeRuntimeDirectory(directory);
    if (!isRuntimeDirectory(directory))
      throw new Error(`other users can write to a directory above ${directory}.`);
  }
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ until })}\n`, { mode: 0o600 });
  renameSync(temporary, path);
  removeOthers();
}
