// The files of this machine as one judgement sees them: where links lead is asked once for each place, so that all parts
// of a call are held against the same answer. What is not there is taken as it is named; what may not be looked at is unseen.
import { lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type FileView, UNSEEN } from '../policy/index.ts';

/** Nobody has a longer chain of links. The kernel follows more, or ends where it goes round in a circle. */
const MOST_LINKS = 8;
/** No system answers about a longer path, but a shell may get there in steps. */
const LONGEST_PATH = 4096;
const MOST_NAMES = 1000;
/** They lead elsewhere for whoever asks than for the process that is judged. */
const OF_PROCESS = /^\/proc\/(?:self|thread-self|\d+)(?:\/|$)/;

export class MachineFiles implements FileView {
  /** Where the last part of a path leads, by the path whose other parts are resolved. */
  readonly #led = new Map<string, string>();
  readonly #real = new Map<string, string>();
  readonly #isFolder = new Map<string, boolean>();
  readonly #names = new Map<string, readonly string[] | null>();

  real(path: string): string {
    return once(this.#real, path, () => this.#follow(path, 0) || '/');
  }

  isFolder(path: string): boolean {
    return once(this.#isFolder, path, isFolderAt);
  }

  names(folder: string): readonly string[] | null {
    return once(this.#names, folder, namesIn);
  }

  /** The root is the empty text here. */
  #follow(path: string, links: number): string {
    let at = '';
    for (const part of path.split('/')) {
      if (part === '' || part === '.') continue;
      if (at === UNSEEN) return at;
      // Above that, the kernel is where the process is.
      if (part === '..' && OF_PROCESS.test(at)) return UNSEEN;
      at = part === '..' ? at.slice(0, Math.max(0, at.lastIndexOf('/'))) : this.#lead(`${at}/${part}`, links);
    }
    return at;
  }

  /** A link to what is not there yet leads there, too: who writes through it creates that. */
  #lead(path: string, links: number): string {
    if (path.length > LONGEST_PATH) return UNSEEN;
    if (OF_PROCESS.test(path)) return path;
    const known = this.#led.get(path);
    if (known !== undefined) return known;
    const target = linkAt(path);
    if (target === UNSEEN || (target !== null && links >= MOST_LINKS)) return UNSEEN;
    const led =
      target === null
        ? path
        : this.#follow(target.startsWith('/') ? target : `${dirname(path)}/${target}`, links + 1);
    // From a nearer link, it may be seen.
    if (led !== UNSEEN) this.#led.set(path, led);
    return led;
  }
}

function once<T>(known: Map<string, T>, path: string, ask: (path: string) => T): T {
  const answer = known.get(path);
  if (answer !== undefined) return answer;
  const asked = ask(path);
  known.set(path, asked);
  return asked;
}

function isFolderAt(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

function namesIn(folder: string): readonly string[] | null {
  try {
    const names = readdirSync(folder);
    // A name that isn't valid UTF-8 is read as another one, and can't be looked up by it.
    return names.length > MOST_NAMES || names.some((name) => name.includes('\uFFFD')) ? null : names;
  } catch (error) {
    return isMissing(error) ? [] : null;
  }
}

/** Nothing can be opened by that path, whoever asks. */
function isMissing(error: unknown): boolean {
  return /^(?:ENOENT|ENOTDIR|ENAMETOOLONG|ELOOP)$/.test(String((error as NodeJS.ErrnoException).code));
}

/** Null where there is no link, UNSEEN where that can't be told. */
function linkAt(path: string): string | null {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return null;
    const target = readlinkSync(path);
    // One that isn't valid UTF-8 is read as another one.
    return target.includes('\uFFFD') ? UNSEEN : target;
  } catch (error) {
    return isMissing(error) ? null : UNSEEN;
  }
}
