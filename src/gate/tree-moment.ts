// How a session's work tree is at this moment, and what differs since the session began and since each command on
// record. Everything is null or empty where it can't be found out, and null is never equal to anything.
import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isCode } from '../ecosystems/index.ts';
import { bearsOnTests, type Evidence, type Run } from '../rules/index.ts';
import { readText } from './file-content.ts';
import { type Compared, findWeakening } from './find-weakening.ts';
import { askGit } from './git-door.ts';
import { hiddenTests } from './hidden-tests.ts';
import { lookAtTree, type SessionTree } from './session-tree.ts';
import { sweepTrees, TreeMemory } from './tree-memory.ts';
import { differences } from './tree-state.ts';
import { openBase } from './work-tree.ts';

export interface TreesOptions {
  readonly root: string | null;
  /** Where what is known of work trees is kept. */
  readonly trees: string;
  /** Salted with the session's salt. */
  readonly hash: (session: string, text: string) => Promise<string>;
}

export interface TreeMoment extends Compared {
  readonly tree: string | null;
  /** Code files that differ from the session's beginning; null where that is not known. */
  readonly changed: readonly string[] | null;
  readonly editedSince: Evidence['editedSince'];
  /** It could be looked at when the session began, or what was kept of that is gone: now it can't. */
  readonly unseen: boolean;
  /** Those of the files that are again as they were when the session began, or are not there any more. */
  readonly undone?: (paths: readonly string[]) => readonly string[];
  /** Those of the files that lie there and are in no commit. */
  readonly uncommitted?: (paths: readonly string[]) => readonly string[];
  readonly isThere?: (path: string) => boolean;
  readonly read?: NonNullable<Evidence['read']>;
}

const NOT_SEEN: TreeMoment = {
  tree: null,
  changed: null,
  weakened: null,
  inert: [],
  stubs: [],
  editedSince: new Map(),
  unseen: false,
};
/** At the end of a turn it is worth a longer look: what can't be seen then is not believed. */
const MOMENT_MS = 8000;
/** Of a file that a message speaks of. */
const LARGEST = 1024 * 1024;

export class Trees {
  readonly #options: TreesOptions;
  readonly #directory: string;

  constructor(options: TreesOptions) {
    this.#options = options;
    this.#directory = `${options.trees}/.git`;
  }

  async begin(root: string | null): Promise<{ readonly commit: string | null; keep(session: string): void }> {
    if (root === null) return { commit: null, keep: () => undefined };
    const { base, state } = await openBase(root, { directory: this.#directory });
    return { commit: base.commit, keep: (session) => this.#memory(session).begin(base, state) };
  }

  /** The fingerprint. */
  async tree(session: string): Promise<string | null> {
    return (await this.#look(session))?.tree ?? null;
  }

  /** The look at the end of a turn, for `moment`. */
  look(session: string): Promise<SessionTree | null> {
    return this.#look(session, MOMENT_MS);
  }

  async moment(
    session: string,
    runs: readonly Run[],
    looking: Promise<SessionTree | null> = this.look(session),
    /** Paths that tools wrote. */
    told: readonly string[] = [],
  ): Promise<TreeMoment> {
    const { root } = this.#options;
    const looked = await looking;
    if (root === null) return NOT_SEEN;
    const isThere = (path: string): boolean => existsSync(resolve(root, path));
    if (looked === null)
      return { ...NOT_SEEN, isThere, unseen: this.#memory(session).base()?.how !== 'none' };
    const { tree, state, base, kept } = looked;
    const start = kept.start();
    const editedSince = new Map<number, readonly string[]>();
    for (const run of runs) {
      const then = run.tree === null || run.tree === tree ? undefined : kept.at(run.tree);
      if (then !== undefined) editedSince.set(run.seq, differences(then, state));
    }
    const isOfBeginning = ({ tree: at }: Run): boolean => {
      const then = at === null || start === undefined ? undefined : kept.at(at);
      return start !== undefined && then !== undefined && !differences(start, then).some(bearsOnTests);
    };
    const changed = start === undefined ? null : differences(start, state);
    const isSeen = (path: string): boolean => state.files.has(path) || base.dirty.has(path);
    const hidden = hiddenTests(root, { runs, told, begun: kept.begun(), isSeen });
    return {
      tree,
      changed,
      undone: (paths) => (changed === null ? [] : paths.filter((path) => isUndone(root, path, changed))),
      uncommitted: (paths) => paths.slice(-MOST_ASKED).filter((path) => isUncommitted(root, path)),
      ...(await findWeakening(
        root,
        base,
        state,
        { directory: this.#directory, begun: kept.begun() },
        hidden,
        told,
        {
          runs,
          isOfBeginning,
        },
      )),
      editedSince,
      unseen: false,
      isThere,
      read: (path) => (isAbsolute(path) ? null : readText(join(root, path), LARGEST)),
    };
  }

  /** Code files that differ from the session's beginning, as they were when last looked at. */
  changed(session: string): readonly string[] {
    const kept = this.#memory(session);
    const [start, last] = [kept.start(), kept.last()];
    return start === undefined || last === undefined ? [] : differences(start, last);
  }

  /** When the session began, in milliseconds; null where nobody knows. */
  begun(session: string): number | null {
    return this.#memory(session).begun();
  }

  /** The session is over: a day later nothing is known of its work tree any more. */
  end(session: string, now: number): void {
    this.#memory(session).end();
    sweepTrees(this.#options.trees, now);
  }

  #memory(session: string): TreeMemory {
    return new TreeMemory(this.#options.trees, session);
  }

  #look(session: string, timeoutMs?: number): Promise<SessionTree | null> {
    return lookAtTree(this.#options, session, timeoutMs);
  }
}

/** Of what git keeps every difference is seen; of the rest, what is not there leaves none, and else it is not known. */
function isUndone(root: string, path: string, changed: readonly string[]): boolean {
  if (isAbsolute(path) || changed.some((other) => `${path}/`.startsWith(`${other}/`))) return false;
  const isKept = askGit(root, ['ls-files', '--error-unmatch', '--', path]) === 0;
  return existsSync(join(root, path)) ? isKept && isCode(path) : !isKept;
}

const MOST_ASKED = 8;

/**
 * It is new, or was added and not committed. The innermost repository is asked; of hidden files, the user's own ignore rules,
 * which are not read, often say that they aren't git's.
 */
function isUncommitted(root: string, path: string): boolean {
  if (isAbsolute(path) || /(?:^|\/)\./.test(path) || !existsSync(join(root, path))) return false;
  const [at, name] = [join(root, dirname(path)), basename(path)];
  const isNew =
    askGit(at, ['ls-files', '--others', '--exclude-standard', '--error-unmatch', '--', name]) === 0;
  return isNew || askGit(at, ['diff-index', '--cached', '--quiet', 'HEAD', '--', name]) === 1;
}
