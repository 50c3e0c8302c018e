// Content against commitments: whatever is kept must be what an entry, a header or a name commits to. Content that is
// not kept is counted and proves nothing either way, unless a signed tombstone says that it was erased. Packs are indexed one session at a time
// and forgotten again, so memory does not grow with the ledger.
import { contentKey, isHash, ParseError, parseHex, sameBytes } from '../core/index.ts';
import {
  BLOB_DIR,
  blobPath,
  type Commitment,
  type ContentRef,
  contentRefs,
  type Entry,
  HEAD_FILE,
  HEAD_SIZE,
  MAX_CONTENT,
  NO_SESSION,
  PACK_FILE,
  packPath,
  parseBlobName,
  parseHead,
  parseSalt,
  SALT_DIR,
  saltPath,
} from '../format/index.ts';
import { commitmentStream } from './commitment.ts';
import type { Files } from './files.ts';
import type { Findings } from './findings.ts';
import { scanPack } from './pack-scan.ts';

/** Records indexed at any time, over all sessions. */
const MAX_INDEXED = 200_000;
/** Sessions whose missing content is told apart, in case a tombstone follows. */
const MAX_MISSING = 200_000;
/** Results remembered for content that has a file of its own. */
const MAX_REMEMBERED = 20_000;
const PIECE = 4 * 1024 * 1024;

interface Session {
  readonly salt: Uint8Array | undefined;
  /** Length of each record that holds what it commits to, or can't be judged without its salt. */
  readonly kept: Map<string, number>;
  /** Records that do not hold what they commit to, or were cut short. */
  readonly bad: Set<string>;
  scanned: number;
  /** Bytes of torn records, and of one at the very end. */
  torn: number;
  tail: number;
}

type BlobState = { readonly state: 'good' | 'bad' | 'unsalted'; readonly bytes: number };

export class ContentCheck {
  readonly #files: Files;
  readonly #findings: Findings;
  readonly #sessions = new Map<string, Session>();
  readonly #blobs = new Map<string, BlobState>();
  readonly #seenPacks = new Set<string>();
  checked = 0;
  absent = 0;
  /** Kept, but its salt is gone. */
  unsalted = 0;
  /** Missing, as a tombstone says. */
  erasedCount = 0;
  tornPackBytes = 0;
  /** Salted content that entries so far refer to and that can't be judged, by session. */
  readonly #missing = new Map<string, { absent: number; unsalted: number }>();
  /** Sessions of which salted content lies here that no salt opens, referred to or not; and those with a tombstone. */
  readonly #closed = new Set<string>();
  readonly #buried = new Set<string>();

  constructor(files: Files, findings: Findings) {
    this.#files = files;
    this.#findings = findings;
  }

  async entry(entry: Entry): Promise<void> {
    let refs: ContentRef[];
    try {
      refs = contentRefs(entry.payload);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.#findings.add('CONTENT_REF_INVALID', entry.seq, error.message);
      return;
    }
    for (const ref of refs) await this.#ref(entry.seq, entry.session_id ?? NO_SESSION, ref);
  }

  /** A tombstone that holds: what entries before it refer to and is not here was erased. Plain content never is. */
  erased(session: string): void {
    if (this.#buried.size < MAX_MISSING) this.#buried.add(session);
    const missing = this.#missing.get(session);
    if (missing === undefined) return;
    this.#missing.delete(session);
    this.absent -= missing.absent;
    this.unsalted -= missing.unsalted;
    this.erasedCount += missing.absent + missing.unsalted;
  }

  /** What no entry asked for: every pack, blob and salt that lies there. `entries` is how many were read. */
  async finish(entries: number): Promise<void> {
    for (const { name: session } of await this.#files.list(BLOB_DIR)) {
      if (!isHash(session)) continue;
      for (const { name } of await this.#files.list(`${BLOB_DIR}/${session}`)) {
        if (name === PACK_FILE) {
          if (!this.#seenPacks.has(session)) await this.#session(session);
          continue;
        }
        const commitment = parseName(name);
        const blob = commitment && (await this.#blob(session, commitment));
        if (commitment === undefined || blob?.state !== 'bad') continue;
        this.#findings.add(
          'CONTENT_MISMATCH',
          null,
          'this is not the content that its name commits to',
          blobPath(session, commitment),
        );
      }
    }
    for (const { torn, tail } of this.#sessions.values()) this.tornPackBytes += torn + tail;
    for (const { name } of await this.#files.list(SALT_DIR)) if (isHash(name)) await this.#salt(name, true);
    await this.#reportSalts(entries);
  }

  /**
   * Erasing overwrites a salt, removes the content and then the salt's file, all of it behind a tombstone. So content
   * whose salt is gone without one is nothing that a writer or a crash leaves. A tombstone may have been appended since
   * the entries were read: then nothing is said.
   */
  async #reportSalts(entries: number): Promise<void> {
    const suspects = [...this.#closed].filter(
      (session) => (this.#missing.get(session)?.unsalted ?? 0) > 0 || !this.#buried.has(session),
    );
    if (suspects.length === 0 || (await this.#grewPast(entries))) return;
    for (const session of suspects) {
      const path = saltPath(session);
      const bytes = await this.#files.read(path, 0, 128);
      const isDamaged = bytes !== undefined && attempt(() => parseSalt(bytes)) === undefined;
      if (isDamaged || !(await this.#hasSalted(session))) continue;
      const count = this.#missing.get(session)?.unsalted ?? 0;
      const what = count === 0 ? 'its content' : `content that entries refer to ${count} times`;
      const how = bytes === undefined ? 'is gone' : 'was overwritten';
      const text = `the salt of this session ${how}, but ${what} is still here: it can't be checked, and no tombstone says that it was erased`;
      this.#findings.add('SALT_MISSING', null, text, path);
    }
  }

  async #grewPast(entries: number): Promise<boolean> {
    const bytes = await this.#files.read(HEAD_FILE, 0, HEAD_SIZE + 1);
    const head = bytes === undefined ? undefined : attempt(() => parseHead(bytes));
    return head !== undefined && head.seq > entries;
  }

  /** Is salted content of it still here? It may have been erased meanwhile. */
  async #hasSalted(session: string): Promise<boolean> {
    for (const { name } of await this.#files.list(`${BLOB_DIR}/${session}`))
      if (name === PACK_FILE || isSalted(parseName(name))) return true;
    return false;
  }

  async #ref(seq: number, sessionId: string, ref: ContentRef): Promise<void> {
    const session = await this.#session(sessionId);
    const key = keyOf(ref);
    if (!session.kept.has(key) && !session.bad.has(key)) await this.#grow(sessionId, session);
    const packed = session.kept.get(key);
    if (packed !== undefined) {
      const state = isSalted(ref) && session.salt === undefined ? 'unsalted' : 'good';
      await this.#judge(seq, sessionId, ref, { state, bytes: packed }, packPath(sessionId));
      return;
    }
    const blob = await this.#blob(sessionId, ref);
    if (blob !== undefined) await this.#judge(seq, sessionId, ref, blob, blobPath(sessionId, ref));
    else if (session.bad.has(key))
      await this.#judge(seq, sessionId, ref, { state: 'bad', bytes: ref.bytes }, packPath(sessionId));
    else this.#miss(sessionId, ref, 'absent');
  }

  async #judge(
    seq: number,
    session: string,
    ref: ContentRef,
    { state, bytes }: BlobState,
    file: string,
  ): Promise<void> {
    if (state === 'bad' || bytes !== ref.bytes) {
      if (isSalted(ref) && (await this.#wasErased(session))) {
        this.#miss(session, ref, 'unsalted');
        return;
      }
      this.#findings.add(
        'CONTENT_MISMATCH',
        seq,
        `content ${ref.hash.slice(0, 16)}… is not the content that entry ${seq} commits to`,
        file,
      );
    } else if (state === 'unsalted') this.#miss(session, ref, 'unsalted');
    else this.checked++;
  }

  /** Since its salt was read: that goes before the content does, and without it nothing is judged. */
  async #wasErased(session: string): Promise<boolean> {
    const before = this.#sessions.get(session)?.salt;
    if (before === undefined) return false;
    const now = await this.#salt(session, false);
    return now === undefined || !sameBytes(before, now);
  }

  #miss(session: string, { algorithm }: ContentRef, how: 'absent' | 'unsalted'): void {
    this[how]++;
    if (algorithm === 'sha256') return;
    let missing = this.#missing.get(session);
    if (missing === undefined) {
      if (this.#missing.size >= MAX_MISSING) return;
      missing = { absent: 0, unsalted: 0 };
      this.#missing.set(session, missing);
    }
    missing[how]++;
  }

  async #session(id: string): Promise<Session> {
    let session = this.#sessions.get(id);
    // The one used last is forgotten last.
    this.#sessions.delete(id);
    if (session === undefined) {
      session = {
        salt: await this.#salt(id, false),
        kept: new Map(),
        bad: new Set(),
        scanned: 0,
        torn: 0,
        tail: 0,
      };
      await this.#grow(id, session);
      this.#forget(weight(session));
    }
    this.#sessions.set(id, session);
    return session;
  }

  /** Makes room. */
  #forget(room: number): void {
    let indexed = room;
    for (const session of this.#sessions.values()) indexed += weight(session);
    for (const [oldest, session] of this.#sessions) {
      if (indexed <= MAX_INDEXED) return;
      this.#sessions.delete(oldest);
      this.tornPackBytes += session.torn + session.tail;
      indexed -= weight(session);
    }
  }

  /** Reads what was appended to a session's pack since it was last read. */
  async #grow(id: string, session: Session): Promise<void> {
    const path = packPath(id);
    // A pack that was forgotten and is read again has had its damage reported.
    const report = !this.#seenPacks.has(id) || session.scanned > 0;
    const end = session.scanned + session.tail;
    // Asked for every reference to content that is not there: a torn end is not read again for each.
    if (end > 0 && ((await this.#files.read(path, end, end + 1))?.length ?? 0) === 0) return;
    session.tail = 0;
    session.scanned = await scanPack(this.#files, path, session.scanned, session.salt, {
      record: (header, good, offset) => {
        if (good === undefined && this.#closed.size < MAX_MISSING) this.#closed.add(id);
        if (good !== false) session.kept.set(keyOf(header), header.bytes);
        else {
          session.bad.add(keyOf(header));
          const text = `the record at offset ${offset} doesn't hold the content that its header commits to`;
          if (report) this.#findings.add('PACK_DAMAGED', null, text, path);
        }
      },
      torn: (bytes, tail, header) => {
        if (tail) session.tail = bytes;
        else session.torn += bytes;
        if (header !== undefined) session.bad.add(keyOf(header));
      },
      damaged: (_, message) => {
        if (report) this.#findings.add('PACK_DAMAGED', null, message, path);
      },
    });
    this.#seenPacks.add(id);
  }

  async #salt(id: string, report: boolean): Promise<Uint8Array | undefined> {
    const bytes = await this.#files.read(saltPath(id), 0, 128);
    if (bytes === undefined) return undefined;
    try {
      const salt = parseSalt(bytes);
      // Erasing overwrites a salt with zeros before it removes it, and may have been stopped in between.
      return salt.every((byte) => byte === 0) ? undefined : salt;
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      if (report) this.#findings.add('SALT_DAMAGED', null, error.message, saltPath(id));
      return undefined;
    }
  }

  /** Content in a file of its own; undefined where there is none. */
  async #blob(session: string, commitment: Commitment): Promise<BlobState | undefined> {
    const path = blobPath(session, commitment);
    const known = this.#blobs.get(path);
    if (known !== undefined) return known;
    if ((await this.#files.read(path, 0, 1)) === undefined) return undefined;
    const salt = commitment.algorithm === 'sha256' ? null : await this.#salt(session, false);
    if (salt === undefined && this.#closed.size < MAX_MISSING) this.#closed.add(session);
    let key = salt ?? null;
    // The key of a piece follows from the piece, so it is read twice.
    if (commitment.algorithm === 'keyed-sha256' && key !== null)
      key = contentKey(key, parseHex((await this.#digest(path, null)).hex, 32));
    const { hex, bytes } = await this.#digest(path, key);
    const matches = bytes <= MAX_CONTENT && hex === commitment.hash;
    const blob: BlobState = { state: salt === undefined ? 'unsalted' : matches ? 'good' : 'bad', bytes };
    if (this.#blobs.size < MAX_REMEMBERED) this.#blobs.set(path, blob);
    return blob;
  }

  /** Of a file, in pieces: HMAC-SHA256 under the key, or SHA-256 where it is null. */
  async #digest(
    path: string,
    key: Uint8Array | null,
  ): Promise<{ readonly hex: string; readonly bytes: number }> {
    const stream = commitmentStream(key);
    let bytes = 0;
    // No content is longer, whatever it hashes to.
    while (bytes <= MAX_CONTENT) {
      const piece = await this.#files.read(path, bytes, bytes + PIECE);
      if (piece === undefined || piece.length === 0) break;
      stream.update(piece);
      bytes += piece.length;
      if (piece.length < PIECE) break;
    }
    return { hex: stream.hex(), bytes };
  }
}

function weight({ kept, bad }: Session): number {
  return 16 + kept.size + bad.size;
}

function isSalted(commitment: Commitment | undefined): boolean {
  return commitment !== undefined && commitment.algorithm !== 'sha256';
}

function keyOf({ algorithm, hash }: Commitment): string {
  return `${algorithm}:${hash}`;
}

function parseName(name: string): Commitment | undefined {
  return attempt(() => parseBlobName(name));
}

function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}
