// What `foil why` takes for a claim of a transcript: `<first 12 of the session>.<turn>.<n>`. Several files may tell of one
// session, or of two whose ids begin alike; then all but one of them have their path in it: `<…>~<hash>.<turn>.<n>`.
import { createHash } from 'node:crypto';

interface InFile {
  readonly path: string;
}

const LONGEST = 12;

function stem(session: string): string {
  return session.replace(/[^\w-]/g, '_').slice(0, LONGEST);
}

export function idOf(session: string, turn: number, nth: number): string {
  return `${stem(session)}.${turn}.${nth}`;
}

/** The same claim, as one of this file. */
export function idWithin(id: string, path: string): string {
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 8);
  return id.replace('.', `~${hash}.`);
}

/** The session of an id; empty where it is none. */
export function stemIn(id: string): string {
  return /^([\w-]{1,12})(?:~[0-9a-f]{8})?\.\d{1,9}\.\d{1,9}$/.exec(id)?.[1] ?? '';
}

/** Files that are named after the session come first: the plain id is that of the first that has it. */
export function namedFirst<T extends InFile>(files: readonly T[], session: string): T[] {
  return [
    ...files.filter((file) => isNamedAfter(file, session)),
    ...files.filter((file) => !isNamedAfter(file, session)),
  ];
}

function isNamedAfter({ path }: InFile, session: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).includes(stem(session).slice(0, 8));
}

/** Gives each claim of a scan an id of its own. */
export class ClaimIds {
  readonly #files: readonly InFile[];
  /** By the beginning of the session's id. */
  readonly #owners = new Map<string, string | null>();

  /** In the order in which they are read. */
  constructor(files: readonly InFile[]) {
    this.#files = files;
  }

  of({
    id,
    session,
    path,
  }: {
    readonly id: string;
    readonly session: string;
    readonly path: string;
  }): string {
    const name = stem(session);
    let owner = this.#owners.get(name);
    if (owner === undefined || (owner === null && isNamedAfter({ path }, session))) {
      const isLate =
        !isNamedAfter({ path }, session) && this.#files.some((file) => isNamedAfter(file, session));
      owner = isLate ? null : path;
      this.#owners.set(name, owner);
    }
    return owner === path ? id : idWithin(id, path);
  }
}
