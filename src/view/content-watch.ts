// Whether content that a ledger keeps still is what it was when somebody began to look. A pack grows and nothing else happens to
// it, a piece of its own stays as it is, and erasing takes the salt first. Only sizes and times are compared, of some sessions at
// each look: one that is opened is compared with its entries anyway.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isHash } from '../core/index.ts';
import { BLOB_DIR, PACK_FILE, saltPath } from '../format/index.ts';

interface SeenSession {
  readonly files: ReadonlyMap<string, SeenFile>;
  readonly hasSalt: boolean;
  /** Its salt went while it was watched. What was erased on purpose is told by an entry, and its content goes later. */
  readonly isErased: boolean;
}

interface SeenFile {
  readonly size: number;
  readonly written: string;
}

/** Sessions, at one look. */
const AT_ONCE = 400;
const BLOB = /^[a-z0-9-]+-[0-9a-f]{64}$/;

export class ContentWatch {
  readonly #directory: string;
  readonly #seen = new Map<string, SeenSession>();
  #waiting: string[] = [];
  /** Written to and no longer than before: an append may be on its way. Told if it is still so at the next look. */
  readonly #inDoubt = new Map<string, string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** What happened since the last look, other than growth and erasure. */
  look(): string[] {
    if (this.#waiting.length === 0) {
      const here = namesIn(join(this.#directory, BLOB_DIR)).filter(isHash);
      this.#waiting = [...new Set([...here, ...this.#seen.keys()])];
    }
    return this.#waiting.splice(-AT_ONCE).flatMap((session) => this.#lookAt(session));
  }

  #lookAt(session: string): string[] {
    const before = this.#seen.get(session);
    const now = filesIn(join(this.#directory, BLOB_DIR, session));
    const next = new Map(now);
    const told = new Set<string>();
    for (const [name, file] of before?.files ?? []) {
      const what = this.#told(`${session}/${name}`, name === PACK_FILE, file, now.get(name));
      // Looked at once more, as it was.
      if (what === 'in doubt') next.set(name, file);
      else if (what !== null) told.add(`Content of session ${session.slice(0, 12)} was ${what}`);
    }
    const hasSalt = this.#hasSalt(session);
    const isErased = !hasSalt && (before?.hasSalt === true || before?.isErased === true);
    this.#seen.set(session, { files: next, hasSalt, isErased });
    return isErased ? [] : [...told];
  }

  #told(
    place: string,
    mayGrow: boolean,
    before: SeenFile,
    now: SeenFile | undefined,
  ): 'removed' | 'changed' | 'cut' | 'in doubt' | null {
    if (now === undefined) return 'removed';
    if (now.written === before.written) return null;
    if (now.size < before.size) return 'cut';
    if (mayGrow && now.size > before.size) return null;
    if (this.#inDoubt.get(place) === now.written) {
      this.#inDoubt.delete(place);
      return 'changed';
    }
    this.#inDoubt.set(place, now.written);
    return 'in doubt';
  }

  /** Zeros are a salt that is being erased. */
  #hasSalt(session: string): boolean {
    try {
      return /[1-9a-f]/.test(readFileSync(join(this.#directory, saltPath(session)), 'latin1'));
    } catch {
      return false;
    }
  }
}

function filesIn(folder: string): Map<string, SeenFile> {
  const files = new Map<string, SeenFile>();
  for (const name of namesIn(folder)) {
    if (name !== PACK_FILE && !BLOB.test(name)) continue;
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats !== undefined) files.set(name, { size: stats.size, written: `${stats.mtimeMs} ${stats.size}` });
  }
  return files;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
