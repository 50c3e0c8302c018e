// What the ledger needs from the machine. Adapters under store/ implement these; every store passes the same
// contract suite (test/contract/store.ts).
import type { Signer, Tile } from '../core/index.ts';
import type { ContentRef, Head } from '../format/index.ts';
import type { Files } from '../verify/index.ts';

/** Whole lines, each ended by `\n`, and the head they lead to. None, with the head as it was, to change states alone. */
export interface Block {
  readonly lines: Uint8Array;
  readonly head: Head;
  /**
   * The state that the append was about, as it is after these lines. Left as it is where not given. Blanks at its end
   * may be lost.
   */
  readonly state?: Uint8Array;
  /** Likewise, the one that is shared. */
  readonly shared?: Uint8Array;
}

/**
 * Pure and synchronous: the lines that follow `head`, or nothing to leave the ledger as it is. `state` and `shared` are
 * what the last appends about those states left; undefined where there is none, or the append is about none. `behind`:
 * see AppendOptions.since.
 */
export type Build = (
  head: Head,
  state?: Uint8Array,
  shared?: Uint8Array,
  behind?: Uint8Array,
) => Block | undefined;

/** So many bytes of lines are handed to a build at most. */
export const MOST_BEHIND = 1 << 20;

export interface WaitOptions {
  /** Longest wait for other processes, in milliseconds (25,000 unless given). Then LOCK_TIMEOUT. */
  readonly timeout?: number;
}

export interface AppendOptions extends WaitOptions {
  /**
   * The name of a state to hand to `build` and to replace with what it gives: what a recorder must know about a
   * session to write its next entry. It must not end in a blank. Derived from the entries, and disposable: a crash may put it back to an older
   * one or lose it, never to one that tells of lines that are not there.
   */
  readonly state?: string;
  /** A second one, of another name: what several sessions have in common. */
  readonly shared?: string;
  /**
   * The lines are no good without their state, as a session's first: where the state can't be kept, as far as that is
   * known beforehand, nothing is written and the append rejects.
   */
  readonly mustKeep?: boolean;
  /**
   * Nobody ever changes the state without lines. So it is as this handle left it for as long as the log is, and need not
   * be read again.
   */
  readonly onlyWithLines?: boolean;
  /**
   * The seq up to which the caller has read the log. `build` is handed the lines from there to its head, each ended by
   * `\n`, as the section sees them: with what was read before, that is the whole log at this very place. Undefined where
   * they have more than MOST_BEHIND bytes, or are not all at hand: read on, and try again.
   */
  readonly since?: number;
}

export interface EraseOptions {
  /** Milliseconds since 1970, by the clock that dates files. */
  readonly unlessAfter?: number;
}

/** Who only reads the log. */
export interface LogReader {
  /** The newest head that is known: published by anybody, or acknowledged on this handle. Waits for nobody. */
  head(): Promise<Head>;

  /** Lines `from` to `to` inclusive, in pieces of whole lines with their `\n`, as stored and unverified. */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

/** The lines, and what recorders must know to write the next ones. */
export interface EntryLog extends LogReader {
  /**
   * Takes the exclusive section, calls `build` with the head as it is then, makes its lines durable, publishes the
   * new head and gives it back. Concurrent calls in a process share one write and one sync, in the order of the
   * calls. When it resolves with a head, the lines survive a crash; when it rejects, they may be there or not, but
   * never in part. A `build` that throws rejects its own call alone. Undefined when `build` gave nothing.
   */
  append(build: Build, options?: AppendOptions): Promise<Head | undefined>;

  /** A state as it was last published, which may be about to change. Undefined where there is none. */
  readState(name: string): Promise<Uint8Array | undefined>;
}

/** The Merkle tree over the lines, and the checkpoints that commit to it. */
export interface HashTree {
  /** Runs `work` while no other process or call seals. Appends go on meanwhile. */
  sealing<T>(work: () => Promise<T>, options?: WaitOptions): Promise<T>;
  /** The tile's bytes, also when only a wider one is there; undefined when none is. */
  readTile(tile: Tile): Promise<Uint8Array | undefined>;
  /** All durable when it resolves. A tile that is there already is left as it is if equal, else DAMAGED. */
  writeTiles(tiles: readonly { readonly tile: Tile; readonly bytes: Uint8Array }[]): Promise<void>;
  /** The newest checkpoint's note; undefined before the first. */
  readCheckpoint(): Promise<Uint8Array | undefined>;
  /** Durable when it resolves. Earlier checkpoints stay; partial tiles that no checkpoint needs any more may go. */
  writeCheckpoint(size: number, note: Uint8Array): Promise<void>;
}

/** What entries name by its hash. It can be erased, and the entries stay provable. */
export interface ContentStore {
  /**
   * Keeps content and gives the reference to put into a payload. Durable when it resolves, so it comes before the
   * entry that names it. Salted with the session's salt, which is made on first use; `plain` for evidence.
   */
  putContent(
    session: string | null,
    content: Uint8Array,
    options?: { type?: string; plain?: boolean },
  ): Promise<ContentRef>;
  /** What putContent would give, and nothing kept but the salt: for content that is only ever to be recognised. */
  commitContent(session: string | null, content: Uint8Array): Promise<ContentRef>;
  /**
   * A key that follows from the session's salt, which is made on first use, and from `purpose`. The same as long as the
   * salt is there, and gone with it: what was committed to under it can't be opened any more.
   */
  deriveKey(session: string | null, purpose: string): Promise<Uint8Array>;
  /** Undefined when it is not kept, was erased, or its salt is gone. Never bytes that do not match the reference. */
  getContent(session: string | null, ref: ContentRef): Promise<Uint8Array | undefined>;
  /**
   * Destroys a session's salted content and its salt. False where it was left alone, because something was kept later
   * than `unlessAfter`.
   */
  eraseContent(session: string | null, options?: EraseOptions): Promise<boolean>;
}

/** A whole ledger. */
export interface Store extends EntryLog, HashTree, ContentStore {
  /** The evidence under the names of the format, as a verifier sees it. A store of another kind gives a view that makes them. */
  readonly files: Files;

  close(): Promise<void>;
}

/** Where private keys are kept. Nothing here is ever printed or logged. */
export interface Keyring {
  /** Undefined when it is not here. Throws StoreError KEY when it is but can't be used. */
  load(origin: string, publicKey: string): Promise<Signer | undefined>;
  /** Durable when it resolves. */
  save(origin: string, seed: Uint8Array): Promise<void>;
  /** Overwritten and removed; nothing happens when it is not there. */
  destroy(origin: string, publicKey: string): Promise<void>;
  /** Is the private half still here? Synchronous, so that it can be asked inside `build`. */
  holds(origin: string, publicKey: string): boolean;
  /** Public keys (hex) whose private half is here. */
  list(origin: string): Promise<readonly string[]>;
  /**
   * The 32 bytes that content is encrypted under. Given `random` it is made on first use, and durable when it resolves;
   * of several that make it at once, all get the same. Else undefined when there is none. Throws StoreError KEY when it
   * is here but can't be used.
   */
  contentKey(origin: string, random?: Random): Promise<Uint8Array | undefined>;
}

/** Milliseconds since 1970. */
export type Clock = () => number;
/** `length` unpredictable bytes. */
export type Random = (length: number) => Uint8Array;
