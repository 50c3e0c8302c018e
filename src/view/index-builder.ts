// Builds the index of a ledger and follows the ledger as it grows. It knows the ledger by its origin and by the last
// line that it read. It starts over if either differs, if lines are missing, or if its own file is damaged. Each
// piece of the log is one transaction with the position that it leads to, so the process can be killed at any time.
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../core/index.ts';
import { BLOB_DIR, NO_SESSION, originOf, SALT_DIR } from '../format/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import {
  contentReader,
  type Line,
  parseLine,
  type ReadContent,
  readEntry,
  scanLines,
} from '../report/index.ts';
import { textOf } from './entry-text.ts';
import {
  IndexDatabase,
  type IndexedEntry,
  type IndexState,
  removeIndex,
  type StoredSession,
} from './index-database.ts';
import { packReader } from './pack-contents.ts';
import { SessionRows } from './session-rows.ts';
import type { OpenDatabase } from './sqlite.ts';

/** Where the entries of a session are, and which kinds of content of it are in the index. */
interface Place {
  first: number;
  last: number;
  salted: boolean;
  plain: boolean;
}

interface Building {
  readonly database: IndexDatabase;
  readonly rows: SessionRows;
  readonly places: Map<string, Place>;
  readonly inode: number | undefined;
  state: IndexState;
  /** The times of the folders of content when it was last compared with them. */
  looked: string | undefined;
}

/** Milliseconds after which a folder's time tells of every change before it. */
const SETTLED = 2000;
/** SQLite's words for a file that is no good. */
const NO_GOOD = /malformed|not a database|corrupt|another version|no such (?:table|column)|constraint/i;

/** For fewer lines, a session's pack is not read whole. */
const MANY = 100;

export class IndexBuilder {
  readonly #ledger: Ledger;
  readonly #located: Located;
  readonly #open: OpenDatabase;
  readonly #path: string;
  readonly #read: ReadContent;
  #building: Building | undefined;
  #isDiscarded = false;

  constructor(ledger: Ledger, located: Located, open: OpenDatabase, path: string) {
    this.#ledger = ledger;
    this.#located = located;
    this.#open = open;
    this.#path = path;
    this.#read = contentReader(ledger, located);
  }

  /** Takes in what was appended, and takes out what was erased. Rejects where the ledger or the disk doesn't let it. */
  async look(isStopping: () => boolean = () => false): Promise<void> {
    try {
      await this.#lookOnce(isStopping);
    } catch (error) {
      if (!(error instanceof Error && !(error instanceof StoreError) && NO_GOOD.test(error.message)))
        throw error;
      this.#startOver();
      await this.#lookOnce(isStopping);
    }
  }

  close(): void {
    this.#building?.database.close();
    this.#building = undefined;
  }

  /** The next look builds it anew: somebody found that it is no good. */
  discard(): void {
    this.#isDiscarded = true;
  }

  async #lookOnce(isStopping: () => boolean): Promise<void> {
    const { store } = this.#ledger;
    const { seq: head } = await store.head();
    const origin = await originNow(store);
    if (this.#isDiscarded) this.#startOver();
    // What was deleted is still there for who has it open, and for nobody else.
    else if (this.#building !== undefined && this.#building.inode !== inodeOf(this.#path)) this.close();
    this.#building ??= this.#opened(origin);
    if (!(await isOf(store, this.#building.state, origin, head))) {
      this.#startOver();
      this.#building = this.#opened(origin);
    }
    await this.#forgetErased(this.#building);
    for await (const lines of scanLines(store, this.#building.state.seq + 1, head)) {
      if (isStopping()) return;
      await this.#take(this.#building, lines);
      if (lines.some(({ kind }) => kind === 'erase')) await this.#forgetErased(this.#building);
    }
  }

  #startOver(): void {
    this.#isDiscarded = false;
    this.close();
    removeIndex(this.#path);
  }

  #opened(origin: string): Building {
    const database = IndexDatabase.openToWrite(this.#open, this.#path);
    const state = database.state() ?? { origin, seq: 0, hash: '' };
    const sessions = database.sessions();
    const saved = sessions.map(({ row }) => row);
    return {
      database,
      rows: new SessionRows(this.#ledger.store, state.seq, saved),
      places: new Map(
        sessions.map(({ id, first, last, salted, plain }) => [id, { first, last, salted, plain }]),
      ),
      inode: inodeOf(this.#path),
      state,
      looked: undefined,
    };
  }

  async #take(building: Building, lines: readonly Line[]): Promise<void> {
    const { database, rows, places } = building;
    const entries: IndexedEntry[] = [];
    const touched = new Set<string>();
    const read = lines.length < MANY ? this.#read : packReader(this.#ledger, this.#located, this.#read);
    let { seq } = building.state;
    for (const line of lines) {
      // By its place: what number a damaged line gives itself is not to be relied on.
      seq++;
      for (const other of rows.add(line)) touched.add(other);
      const id = line.session ?? NO_SESSION;
      const place = places.get(id) ?? { first: seq, last: seq, salted: false, plain: false };
      place.last = seq;
      places.set(id, place);
      touched.add(id);
      const entry = await this.#indexed(line, seq, place, read);
      if (entry !== undefined) entries.push(entry);
    }
    const last = lines.at(-1);
    if (last === undefined) return;
    const state = { origin: building.state.origin, seq, hash: lineHash(last) };
    database.write({ state, entries, sessions: [...touched].map((id) => stored(building, id)) });
    building.state = state;
  }

  /** Undefined for a line that is no entry. Notes in `place` what of content is in it. */
  async #indexed(
    line: Line,
    seq: number,
    place: Place,
    read = this.#read,
  ): Promise<IndexedEntry | undefined> {
    const entry = parseLine(line);
    if (entry === undefined) return undefined;
    const { text, hasSalted, hasPlain } = await textOf(entry, read, { onlyClear: true });
    place.salted ||= hasSalted;
    place.plain ||= hasPlain;
    return { seq, session: line.session, kind: line.kind, ts: line.ts, text };
  }

  /** A file that is removed changes its folder. Sessions whose content or salt is gone are read again: what can't be read any more is not in the index then. */
  async #forgetErased(building: Building): Promise<void> {
    const folders = [SALT_DIR, BLOB_DIR].map((name) => join(this.#located.directory, name));
    const changed = folders.map((folder) => statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (changed.join() === building.looked) return;
    // In the moment of a change, another one may follow that has the same time.
    building.looked = Math.max(...changed) < Date.now() - SETTLED ? changed.join() : undefined;
    const [salts, blobs] = folders.map(namesIn) as [ReadonlySet<string>, ReadonlySet<string>];
    for (const [id, place] of building.places) {
      if ((place.salted && !salts.has(id)) || ((place.salted || place.plain) && !blobs.has(id)))
        await this.#readAgain(building, id, place);
    }
  }

  async #readAgain(building: Building, id: string, place: Place): Promise<void> {
    const entries: IndexedEntry[] = [];
    const to = Math.min(place.last, building.state.seq);
    let seq = place.first - 1;
    place.salted = false;
    place.plain = false;
    for await (const lines of scanLines(this.#ledger.store, place.first, to))
      for (const line of lines) {
        seq++;
        if ((line.session ?? NO_SESSION) !== id) continue;
        const entry = await this.#indexed(line, seq, place);
        if (entry !== undefined) entries.push(entry);
      }
    building.database.replace(entries, stored(building, id));
  }
}

function stored({ rows, places }: Building, id: string): StoredSession {
  const place = places.get(id);
  if (place === undefined) throw new RangeError('there is no such session');
  return { id, ...place, row: rows.save(id) };
}

/** Does the index belong to the ledger as it is now? */
export async function isOf(
  store: Ledger['store'],
  { origin, seq, hash }: IndexState,
  originOfLedger: string,
  head: number,
): Promise<boolean> {
  if (origin !== originOfLedger || seq > head) return false;
  if (seq === 0) return true;
  for await (const [line] of scanLines(store, seq, seq)) return line !== undefined && lineHash(line) === hash;
  return false;
}

/** Read anew each time: another ledger may lie in the same place. Throws DAMAGED where it can't be told. */
export async function originNow(store: Ledger['store']): Promise<string> {
  const first = await readEntry(store, 1);
  if (first === undefined)
    throw new StoreError('DAMAGED', "the first entry can't be read. Run `foil verify`.");
  return originOf(first.entry_hash);
}

function lineHash({ bytes }: Line): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function namesIn(directory: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(directory));
  } catch {
    return new Set();
  }
}
