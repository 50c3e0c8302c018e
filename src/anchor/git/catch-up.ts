// Brings the repository up to the ledger. Ids follow from the entries, so it is known what must be there before the
// repository is asked. A repository that lags, lacks a ref or is missing is brought up to date. A ref at a commit
// that does not follow from the ledger contradicts it. It is named, and never written to until somebody puts it
// right.
//
// One process at a time, by an OS lock. A process that does not get the lock leaves the work to the one that has it,
// and that one looks again before it stops. If it is killed, it leaves objects that nothing refers to, or refs that
// lag.
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { type GitCommit, type GitEnd, GitIds, GitStory, type Head } from '../../format/index.ts';
import { GitFailure, type GitProblem, problemOf } from './git-problem.ts';
import { clearOwnLocks, moveRef } from './move-ref.ts';
import { PackBuilder, syncDirectory } from './pack-file.ts';
import { gitDirectory, makeRepository, pointHead, readRef, readRefs, readSettings } from './repository.ts';
import { type EntrySource, hashAt, storyEntries } from './story-entries.ts';
import { tidyRepository } from './tidy.ts';
import { readWritten, type Written, writeWritten } from './written.ts';

export interface CatchUpOptions {
  /** The ledger's directory. */
  readonly directory: string;
  readonly store: EntrySource;
  /** For a repository that is made now. One that is there keeps its own. */
  readonly end?: GitEnd;
  /** Takes the lock that all writers of this ledger's repository share; undefined where another has it. */
  readonly lock: () => (() => void) | undefined;
  /**
   * Brings the head to where the log ends. After a crash it may be behind, and then git would seem to know what the
   * ledger does not. Asked where the repository is not as it was left.
   */
  readonly settle?: () => Promise<unknown>;
  /** Appends of this process come first, however much there is to catch up with. */
  readonly gentle?: boolean;
  /** Write all objects again, also those that must be there. */
  readonly rewrite?: boolean;
}

export interface CaughtUp {
  /** Commits that were put on a ref. */
  readonly commits: number;
  /** The last entry that the repository covers. */
  readonly position: number;
  readonly end: GitEnd;
}

/** Commits in one pack. */
const BATCH = 1000;
/** Milliseconds after which others in this process get their turn. */
const BREATH = 1;
/** How long, where they come first. */
const PAUSE = 3;
/** Whoever was turned away meanwhile counts on us; a ledger that grows and grows has others. */
const TIMES = 8;

/** Durable when it resolves. Never rejects. */
export async function catchUp(options: CatchUpOptions): Promise<CaughtUp | GitProblem> {
  let commits = 0;
  let last: CaughtUp | undefined;
  try {
    for (let time = 0; time < TIMES; time++) {
      const release = options.lock();
      if (release === undefined) return last ?? BUSY;
      try {
        const run = new CatchUp(options);
        last = await run.run();
        commits += last.commits;
        last = { ...last, commits };
        const contradiction = run.contradiction();
        if (contradiction !== undefined) return contradiction;
        await tidyRepository(gitDirectory(options.directory));
      } finally {
        release();
      }
      const head = await options.store.head();
      if (head.seq <= last.position) break;
    }
    return last ?? BUSY;
  } catch (error) {
    return problemOf(error);
  }
}

const BUSY: GitProblem = {
  problem: 'BUSY',
  message: 'another process is writing the git repository, so foil left it alone.',
};

class CatchUp {
  readonly #options: CatchUpOptions;
  readonly #git: string;
  #end: GitEnd;
  #refs = new Map<string, string>();
  #stuck = new Map<string, string>();
  /** Up to which commit each ref's objects are there. */
  #met = new Map<string, number>();
  readonly #isAllWanted: boolean;
  #commits = 0;

  constructor(options: CatchUpOptions) {
    this.#options = options;
    this.#git = gitDirectory(options.directory);
    this.#end = options.end ?? 'merge';
    this.#isAllWanted = options.rewrite ?? false;
  }

  async run(): Promise<CaughtUp> {
    const { directory, store, settle } = this.#options;
    let head = await store.head();
    const settings = readSettings(this.#git);
    if (settings === undefined) makeRepository(directory, this.#end);
    else this.#end = settings.end;
    await clearOwnLocks(this.#git);
    this.#refs = readRefs(this.#git, { values: false });
    const written = this.#isAllWanted ? undefined : await this.#usable(head);
    if (written === undefined) {
      await settle?.();
      head = await store.head();
      await this.#survey(head.seq);
    } else this.#stuck = new Map(Object.entries(written.stuck));
    await this.#write(head, written);
    return { commits: this.#commits, position: head.seq, end: this.#end };
  }

  /** Names the refs, where there are any. */
  contradiction(): GitProblem | undefined {
    const names = [...this.#stuck.keys()].sort();
    if (names.length === 0) return undefined;
    const [some, more] = [
      names.slice(0, 5).join(', '),
      names.length > 5 ? ` and ${names.length - 5} more` : '',
    ];
    const message = `${some}${more} in ${this.#git}: the commit there doesn't follow from the ledger, so foil left it alone. Run \`foil verify\` to see what differs. To restore the ledger's own commits, remove the ref (\`git update-ref -d\`) and run \`foil anchor git\`.`;
    return { problem: 'CONTRADICTION', message, refs: names };
  }

  /** What was written last, where ledger and refs still are what they were then. */
  async #usable(head: Head): Promise<Written | undefined> {
    const written = readWritten(this.#git);
    if (written === undefined || written.end !== this.#end || written.seq > head.seq) return undefined;
    if (written.seq > 0 && (await hashAt(this.#options.store, written.seq)) !== written.hash)
      return undefined;
    const names = new Set([...this.#refs.keys(), ...Object.keys(written.ids)]);
    // Of the archive it is counted what is there: there may be thousands.
    let archived = 0;
    for (const name of names) {
      if (name.startsWith(ARCHIVE)) archived++;
      else if (this.#refs.get(name) !== (written.stuck[name] ?? written.ids[name])) return undefined;
    }
    const stuck = Object.keys(written.stuck).filter((name) => name.startsWith(ARCHIVE)).length;
    return archived === written.archived + stuck ? written : undefined;
  }

  /** Where each ref stands in the story, or that it does not. */
  async #survey(to: number): Promise<void> {
    this.#refs = readRefs(this.#git);
    if (this.#refs.size === 0) return;
    const strangers = new Map(this.#refs);
    const story = new GitStory(this.#end);
    const ids = new GitIds();
    await this.#each(1, to, story, (commit) => {
      const { id } = ids.add(commit);
      if (this.#refs.get(commit.ref) === id) {
        this.#met.set(commit.ref, commit.index);
        strangers.delete(commit.ref);
      }
      if (commit.archive !== null && this.#refs.get(commit.archive) === id) strangers.delete(commit.archive);
    });
    // Nothing of these counts as met: all their commits are written, since main may lead to them.
    this.#stuck = strangers;
  }

  async #write(head: Head, written: Written | undefined): Promise<void> {
    const story = new GitStory(this.#end, written?.story);
    const ids = new GitIds(written?.story.tips, written?.ids);
    let pack = new PackBuilder();
    let moves = new Map<string, string>();
    let waiting = 0;
    let archived = written?.archived ?? 0;
    const flush = async (at: Head): Promise<void> => {
      if (!pack.isEmpty) await pack.write(this.#git);
      await this.#move(moves);
      const stuck = Object.fromEntries(this.#stuck);
      await writeWritten(this.#git, {
        end: this.#end,
        ...{ seq: at.seq, hash: at.hash },
        story: story.state,
        ids: ids.ids,
        archived,
        stuck,
      });
      [pack, moves, waiting] = [new PackBuilder(), new Map(), 0];
    };
    const take = (commit: GitCommit): void => {
      const { id, objects } = ids.add(commit);
      // It was ahead of what we knew of the ledger, and follows from it after all.
      if (this.#stuck.get(commit.ref) === id) {
        this.#stuck.delete(commit.ref);
        this.#met.set(commit.ref, commit.index);
      }
      const isNew = commit.index > (this.#met.get(commit.ref) ?? -1);
      if (isNew || this.#isAllWanted) {
        for (const object of objects) pack.add(object);
        waiting++;
      }
      if (isNew && !this.#stuck.has(commit.ref)) {
        moves.set(commit.ref, id);
        this.#commits++;
      }
      const { archive } = commit;
      if (archive !== null && !this.#stuck.has(archive)) archived++;
      if (archive !== null && !this.#stuck.has(archive) && this.#refs.get(archive) !== id)
        moves.set(archive, id);
    };
    const from = (written?.seq ?? 0) + 1;
    await this.#each(from, head.seq, story, take, async (at) => {
      if (waiting >= BATCH) await flush(at);
    });
    if (waiting > 0 || moves.size > 0 || written?.seq !== head.seq) await flush(head);
  }

  /** All of them durable. */
  async #move(moves: ReadonlyMap<string, string>): Promise<void> {
    const directories = new Set<string>();
    for (const [name, id] of moves) {
      const before = this.#refs.get(name) === '' ? readRef(this.#git, name) : this.#refs.get(name);
      if (!(await moveRef(this.#git, name, before, id))) {
        const message = `somebody moved ${name} while foil wrote the repository. Foil checks it again next time.`;
        throw new GitFailure('LOCKED', message);
      }
      this.#refs.set(name, id);
      directories.add(name.slice(0, name.lastIndexOf('/')));
      if (this.#end === 'archive' && !name.startsWith(ARCHIVE)) pointHead(this.#git, name);
    }
    for (const directory of directories) await syncDirectory(join(this.#git, directory));
  }

  /** Every commit of the story, and after each entry that made some, where the ledger is. */
  async #each(
    from: number,
    to: number,
    story: GitStory,
    take: (commit: GitCommit) => void,
    after: (at: Head) => Promise<void> = async () => undefined,
  ): Promise<void> {
    let since = performance.now();
    for await (const entry of storyEntries(this.#options.store, from, to)) {
      const commits = story.add(entry);
      for (const commit of commits) take(commit);
      if (commits.length === 0) continue;
      await after({ seq: entry.seq, hash: entry.entry_hash });
      if (performance.now() - since < BREATH) continue;
      await (this.#options.gentle === true ? setTimeout(PAUSE) : setImmediate());
      since = performance.now();
    }
  }
}

const ARCHIVE = 'refs/archive/';
