// The viewer's index of one ledger: the rows of its sessions, and the text of its entries for search. One SQLite file,
// which only its user may read. Derived and disposable: whoever doubts it deletes it. What is deleted from it is
// overwritten, in pages and in the full text alike, because it may be deleted for having been erased.
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database, OpenDatabase, Statement } from './sqlite.ts';

/** Another number than the file's: the file is made anew. */
const VERSION = 4;
/** How long a reader waits for a writer, and the other way round. */
const PATIENCE = 5000;

/** Which ledger it is of, and how far it was read. */
export interface IndexState {
  readonly origin: string;
  readonly seq: number;
  /** Of the line with that number. */
  readonly hash: string;
}

export interface IndexedEntry {
  readonly seq: number;
  readonly session: string | null;
  readonly kind: string;
  readonly ts: string;
  readonly text: string;
}

export interface StoredSession {
  readonly id: string;
  readonly first: number;
  readonly last: number;
  /** As `SessionRows` saved it. */
  readonly row: string;
  readonly salted: boolean;
  readonly plain: boolean;
}

export interface Batch {
  readonly state: IndexState;
  readonly entries: readonly IndexedEntry[];
  readonly sessions: readonly StoredSession[];
}

const SCHEMA = `
  CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), origin TEXT, seq INTEGER, hash TEXT);
  CREATE TABLE session (id TEXT PRIMARY KEY, first INTEGER, last INTEGER, row TEXT, salted INTEGER, plain INTEGER) WITHOUT ROWID;
  CREATE VIRTUAL TABLE entry USING fts5(body, session UNINDEXED, kind UNINDEXED, ts UNINDEXED, tokenize = "unicode61 remove_diacritics 2");
  INSERT INTO entry(entry, rank) VALUES ('secure-delete', 1);
  PRAGMA user_version = ${VERSION};
`;

export class IndexDatabase {
  readonly #database: Database;
  readonly #isWriter: boolean;
  readonly #statements = new Map<string, Statement>();

  private constructor(database: Database, isWriter: boolean) {
    this.#database = database;
    this.#isWriter = isWriter;
  }

  /** To write to. Throws where the file is damaged or of another version: see `removeIndex`. */
  static openToWrite(open: OpenDatabase, path: string): IndexDatabase {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // What was left beside a file that is gone or empty belongs to another one, and would be taken for a part of this.
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) removeIndex(path);
    // SQLite gives its other files the mode of this one.
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    return IndexDatabase.#opened(open(path), (database) => {
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
      // Moved into the file seldom: each time takes syncs, and a recorder that appends waits for the same disk.
      database.exec(
        'PRAGMA cache_size = -32000; PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = 16000000',
      );
      if (versionOf(database) === 0) database.exec(`BEGIN; ${SCHEMA} COMMIT`);
    });
  }

  /** Throws where there is none yet, or it is damaged or of another version. */
  static openToRead(open: OpenDatabase, path: string): IndexDatabase {
    return IndexDatabase.#opened(open(path, { readOnly: true }));
  }

  static #opened(database: Database, prepare?: (database: Database) => void): IndexDatabase {
    try {
      database.exec(`PRAGMA busy_timeout = ${PATIENCE}`);
      prepare?.(database);
      if (versionOf(database) !== VERSION) throw new Error('the index is of another version');
      return new IndexDatabase(database, prepare !== undefined);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Undefined before the first batch. */
  state(): IndexState | undefined {
    return this.#sql('SELECT origin, seq, hash FROM state').all()[0] as IndexState | undefined;
  }

  /** Of one moment, although somebody writes meanwhile. */
  saved(): { readonly state: IndexState; readonly rows: readonly string[] } | undefined {
    this.#database.exec('BEGIN');
    try {
      const state = this.state();
      const sessions = this.#sql('SELECT row FROM session ORDER BY first').all() as {
        row: string;
      }[];
      return state === undefined ? undefined : { state, rows: sessions.map(({ row }) => row) };
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  /** Which kinds of content of a session are in it. */
  contentOf(session: string): { readonly salted: boolean; readonly plain: boolean } {
    const found = this.#sql('SELECT salted, plain FROM session WHERE id = ?').all(session)[0] as
      | Stored
      | undefined;
    return { salted: found?.salted === 1, plain: found?.plain === 1 };
  }

  sessions(): StoredSession[] {
    return (
      this.#sql('SELECT id, first, last, row, salted, plain FROM session ORDER BY first').all() as Stored[]
    ).map((each) => ({ ...each, salted: each.salted === 1, plain: each.plain === 1 }));
  }

  /** All of it or nothing, also where the process is killed. */
  write({ state, entries, sessions }: Batch): void {
    this.#inOne(() => {
      const insert = this.#sql('INSERT INTO entry(rowid, body, session, kind, ts) VALUES (?, ?, ?, ?, ?)');
      for (const { seq, session, kind, ts, text } of entries) insert.run(seq, text, session, kind, ts);
      this.#keepSessions(sessions);
      this.#sql('INSERT OR REPLACE INTO state VALUES (1, ?, ?, ?)').run(state.origin, state.seq, state.hash);
    });
  }

  /** Puts these in the place of what stood under their numbers, and leaves nothing of that in the files. */
  replace(entries: readonly IndexedEntry[], session: StoredSession): void {
    this.#inOne(() => {
      const remove = this.#sql('DELETE FROM entry WHERE rowid = ?');
      const insert = this.#sql('INSERT INTO entry(rowid, body, session, kind, ts) VALUES (?, ?, ?, ?, ?)');
      for (const { seq, session: of, kind, ts, text } of entries) {
        remove.run(seq);
        insert.run(seq, text, of, kind, ts);
      }
      this.#keepSessions([session]);
    });
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** Entries before that one in which the expression of FTS5 matches, the newest first. */
  match(expression: string, before: number, most: number): IndexedEntry[] {
    return this.#sql(
      'SELECT rowid AS seq, body AS text, session, kind, ts FROM entry WHERE entry MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
    ).all(expression, before, most) as IndexedEntry[];
  }

  /** Never throws: whoever closes it may do so because it is damaged. */
  close(): void {
    try {
      // A statement that is left would keep closing from doing it.
      if (this.#isWriter) this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log stays beside the file, and is a part of it.
    }
    this.#database.close();
  }

  #keepSessions(sessions: readonly StoredSession[]): void {
    const keep = this.#sql('INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?)');
    for (const { id, first, last, row, salted, plain } of sessions)
      keep.run(id, first, last, row, Number(salted), Number(plain));
  }

  #inOne(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #sql(text: string): Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

type Stored = Omit<StoredSession, 'salted' | 'plain'> & { readonly salted: number; readonly plain: number };

/** All rows are taken, here and above: a statement that is not at its end would keep a lock. */
function versionOf(database: Database): number {
  return (database.prepare('PRAGMA user_version').all() as [{ user_version: number }])[0].user_version;
}

/** With the files that SQLite keeps beside it. */
export function removeIndex(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
}
