// The index of one ledger as the server sees it: it reads the file, and a process of its own builds it. The server never
// writes to it. Whatever is wrong with the file, search and the list of sessions go on without it.
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BLOB_DIR, SALT_DIR } from '../format/index.ts';
import type { Located, Store } from '../ledger/index.ts';
import type { IndexInfo } from './answers.ts';
import { isOf, originNow } from './index-builder.ts';
import { IndexDatabase, type IndexedEntry, type IndexState } from './index-database.ts';
import type { IndexNews, IndexTask } from './index-process.ts';
import { loadSqlite, type OpenDatabase } from './sqlite.ts';

export interface IndexOptions {
  readonly path: string;
  /** What builds it: `view-index.cjs` of this build. Null where somebody else does. */
  readonly program: string | null;
}

/** Starts of the process that ended by itself, until it is left at that. */
const MOST_STARTS = 3;
/** In milliseconds. */
const START_PAUSE = 1000;
const NO_SQLITE =
  'Search has no index here, because neither @photostructure/sqlite nor a node:sqlite with full text is installed.';

export class LedgerIndex {
  readonly #located: Located;
  readonly #options: IndexOptions;
  readonly #open: OpenDatabase | null;
  #opened: { readonly database: IndexDatabase; readonly inode: number } | undefined;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #starts = 0;
  #problem: string | null = null;
  #isClosed = false;

  constructor(located: Located, options: IndexOptions, open: OpenDatabase | null = loadSqlite() ?? null) {
    this.#located = located;
    this.#options = options;
    this.#open = open;
    if (open === null) this.#problem = NO_SQLITE;
  }

  /** Will there be one, if one waits? */
  get isComing(): boolean {
    return this.#open !== null && this.#problem === null;
  }

  /** Why it doesn't get further. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Has it built from now on, or from a moment later: whoever opens the viewer sees something first. */
  start(): void {
    if (this.#timer !== undefined || this.#child !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#startNow();
    }, START_PAUSE);
    this.#timer.unref();
  }

  #startNow(): void {
    const { program, path } = this.#options;
    if (this.#open === null || program === null || this.#isClosed) return;
    if (this.#starts++ >= MOST_STARTS) return;
    const { directory, keyDirectory } = this.#located;
    const task: IndexTask = { directory, keyDirectory, path };
    const child = fork(program, [JSON.stringify(task)], { stdio: 'ignore', execArgv: [] });
    this.#child = child;
    child.on('message', ({ problem }: IndexNews) => {
      this.#problem = problem;
    });
    child.on('error', (error) => {
      this.#problem = error.message;
    });
    child.on('exit', () => {
      this.#child = undefined;
      if (this.#starts >= MOST_STARTS) this.#problem = 'The process that builds the index keeps ending.';
    });
    child.unref();
    child.channel?.unref();
  }

  /** How far it is. Undefined while there is none, and where it is of another ledger or an earlier state of this one. */
  async state(store: Store): Promise<IndexState | undefined> {
    const state = this.#asked((database) => database.state());
    if (state === undefined) return undefined;
    const { seq: head } = await store.head();
    return (await isOf(store, state, await originNow(store), head)) ? state : undefined;
  }

  async info(store: Store): Promise<IndexInfo> {
    const { seq: of } = await store.head();
    const read = (await this.state(store))?.seq ?? 0;
    return { read, of, problem: this.#problem };
  }

  /** What `SessionRows` saved, and up to which entry. */
  saved(): { readonly state: IndexState; readonly rows: readonly string[] } | undefined {
    return this.#asked((database) => database.saved());
  }

  /** The newest entries before that one with all of the words, or with words that begin so. Undefined where it can't tell. */
  match(words: readonly string[], before: number, most: number): readonly IndexedEntry[] | undefined {
    const phrases = words.map((word) => `"${word.replaceAll('"', '""')}"`);
    return this.#asked((database) => {
      const whole = database.match(phrases.join(' '), before, most);
      // Whole words are found at once. Beginnings take a list of all words that begin so.
      const found =
        whole.length === most
          ? whole
          : database.match(phrases.map((phrase) => `${phrase}*`).join(' '), before, most);
      return found.filter(({ session }) => session === null || !this.#isErased(database, session));
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#forget();
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return;
    // Nothing else may keep this process up until it has ended.
    child.ref();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.connected) child.disconnect();
    // It may be in the middle of a large transaction, which may be lost.
    const timer = setTimeout(() => child.kill('SIGKILL'), 500);
    await ended;
    clearTimeout(timer);
  }

  /** The process that builds it will take it out; until then it is not shown. */
  #isErased(database: IndexDatabase, session: string): boolean {
    const { salted, plain } = database.contentOf(session);
    const isThere = (folder: string): boolean => existsSync(join(this.#located.directory, folder, session));
    return (salted && !isThere(SALT_DIR)) || ((salted || plain) && !isThere(BLOB_DIR));
  }

  #asked<T>(question: (database: IndexDatabase) => T): T | undefined {
    try {
      const database = this.#reader();
      return database === undefined ? undefined : question(database);
    } catch {
      this.#forget();
      if (existsSync(this.#options.path) && this.#child?.connected === true)
        this.#child.send({ damaged: true }, () => undefined);
      return undefined;
    }
  }

  /** The file may have been deleted and made anew since it was opened. */
  #reader(): IndexDatabase | undefined {
    const { path } = this.#options;
    const inode = statSync(path, { throwIfNoEntry: false })?.ino;
    if (inode === undefined || this.#open === null) {
      this.#forget();
      return undefined;
    }
    if (this.#opened?.inode !== inode) {
      this.#forget();
      this.#opened = { database: IndexDatabase.openToRead(this.#open, path), inode };
    }
    return this.#opened?.database;
  }

  #forget(): void {
    this.#opened?.database.close();
    this.#opened = undefined;
  }
}
