// One session for the page to check: an archive with the parts of a bundle that nobody signed, since the ledger is here,
// and `payload.json`, what a bundle would say of itself. Entries that no checkpoint covers yet come without a proof.

import { sha256 } from '#platform';
import { bundleParts, packOfRun } from '../app/index.ts';
import { canonicalize, contentKey, encodeHex, ParseError, StoreError } from '../core/index.ts';
import {
  BUNDLE_PARTS,
  bundlePayloadText,
  type ContentRef,
  contentRefs,
  type Entry,
  encodeBlobName,
  encodeTar,
  parseEntry,
  type TreeFile,
  typeOfEncrypted,
} from '../format/index.ts';
import { gatherBundle, type LinePlaces } from '../harness/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import { contentReader, readSalt, type Session, scanLines } from '../report/index.ts';
import { rawLines } from '../verify/index.ts';
import {
  EARLY_FILE,
  type Early,
  ERASED_FILE,
  MISSING_FILE,
  OPENED,
  PAYLOAD_FILE,
  WHY_FILE,
} from './answers.ts';
import { damagedContent, packReader, storeWithPacks } from './pack-contents.ts';
import type { CountedSession } from './session-rows.ts';

const MOST_CONTENT = 64_000_000;
const MOST_PIECES = 15_000;
/** So many are read until others are answered. */
const BETWEEN_RESTS = 100;

export interface RunOptions {
  readonly now: number;
  /** What is known of entries that the ledger has lost, for the reader. */
  readonly missing: string | null;
  /** Where its lines are; undefined where that isn't known. */
  readonly places: LinePlaces | undefined;
}

export async function runArchive(
  ledger: Ledger,
  located: Located,
  session: CountedSession,
  { now, missing, places }: RunOptions,
): Promise<Uint8Array> {
  const told = [
    ...(missing === null ? [] : [textFile(MISSING_FILE, missing)]),
    ...(session.erased === null ? [] : [textFile(ERASED_FILE, JSON.stringify(session.erased))]),
  ];
  const pack = await packOfRun(ledger, located, session);
  const parts = await bundleParts(ledger, session, pack, ['all']);
  try {
    const { payload, parts: files } = await gatherBundle({
      ...parts,
      ...(places === undefined ? {} : { places }),
      ledger: {
        store: storeWithPacks(ledger, located),
        proveMany: (...given) => ledger.proveMany(...given),
      },
      disclose: asFarAsItFits(),
      packAs: 'shown',
      packUri: null,
      artifacts: null,
      attestations: [],
      onDamaged: () => undefined,
      created: new Date(now).toISOString(),
    });
    return encodeTar([
      textFile(PAYLOAD_FILE, bundlePayloadText(payload)),
      ...told,
      ...[...files].map(([path, bytes]): TreeFile => ({ path, bytes })),
      ...(await openedContent(ledger, located, session, files.get(BUNDLE_PARTS.run) ?? new Uint8Array())),
    ]);
  } catch (error) {
    // Not sealed yet, a commit that is not here any more, or an entry that no recorder of ours wrote: the lines and what
    // is kept of them can be shown, and nothing is claimed of them.
    if (!(error instanceof StoreError || error instanceof ParseError)) throw error;
    const sealed = (await ledger.sealed())?.checkpoint.size ?? 0;
    const why = sealed < session.last_seq ? '' : error.message;
    const { lines: own } = await linesOfSession(ledger, session.id, session.first_seq, session.last_seq);
    const lines = Buffer.concat(own);
    return encodeTar([
      textFile(WHY_FILE, why),
      ...told,
      { path: BUNDLE_PARTS.run, bytes: lines },
      ...(await contentOf(ledger, located, session, lines)),
    ]);
  }
}

function textFile(path: string, text: string): TreeFile {
  return { path, bytes: new TextEncoder().encode(text) };
}

/** Its first lines and those around `entry`, with what they refer to: for a reader who would have to wait for the rest. */
export async function runBeginning(
  ledger: Ledger,
  located: Located,
  session: CountedSession,
  most: number,
  entry: number,
): Promise<Uint8Array> {
  const { id, first_seq: first, last_seq: last } = session;
  const beginning = await linesOfSession(ledger, id, first, last, most);
  const from = Math.max(beginning.next, entry - most / 2);
  const around = await linesOfSession(ledger, id, from, Math.min(last, entry + most / 2));
  const lines = Buffer.concat([...beginning.lines, ...around.lines]);
  const told: Early = { entries: session.entries };
  return encodeTar([
    textFile(EARLY_FILE, JSON.stringify(told)),
    { path: BUNDLE_PARTS.run, bytes: lines },
    ...(await contentOf(ledger, located, session, lines)),
  ]);
}

/** All content of the first entries, until an archive would hold no more. The entries still commit to the rest. */
function asFarAsItFits(): (entry: Entry, ref: ContentRef) => boolean {
  const taken = new Set<string>();
  let room = MOST_CONTENT;
  return (_, ref) => {
    const name = encodeBlobName(ref);
    if (taken.has(name)) return true;
    if (taken.size >= MOST_PIECES || ref.bytes > room) return false;
    taken.add(name);
    room -= ref.bytes;
    return true;
  };
}

/** What is kept encrypted, where its key is here. */
async function openedContent(
  ledger: Ledger,
  located: Located,
  { id }: Session,
  lines: Uint8Array,
): Promise<TreeFile[]> {
  const read = contentReader(ledger, located);
  const files = new Map<string, TreeFile>();
  let room = MOST_CONTENT;
  for (const line of rawLines(lines))
    for (const ref of refsIn(line)) {
      const path = `${OPENED}${encodeBlobName(ref)}`;
      if (typeOfEncrypted(ref) === undefined || files.has(path) || files.size >= MOST_PIECES) continue;
      const content = await read(id, ref, room);
      if (content.state !== 'kept') continue;
      room -= content.bytes.length;
      files.set(path, { path, bytes: content.bytes });
    }
  return [...files.values()];
}

/** What the lines refer to and the ledger keeps, up to a size that a page can hold. */
async function contentOf(
  ledger: Ledger,
  located: Located,
  { id }: Session,
  lines: Uint8Array,
): Promise<TreeFile[]> {
  const read = packReader(ledger, located, contentReader(ledger, located));
  const salt = await readSalt(ledger, id);
  const files = new Map<string, TreeFile>();
  const keys: Record<string, string> = {};
  const all = (): TreeFile[] => [...files.values(), textFile(BUNDLE_PARTS.keys, canonicalize(keys))];
  let room = MOST_CONTENT;
  for (const line of rawLines(lines))
    for (const ref of refsIn(line)) {
      const path = `content/${encodeBlobName(ref)}`;
      if (files.size >= MOST_PIECES) return all();
      if (files.has(path)) continue;
      if (files.size % BETWEEN_RESTS === BETWEEN_RESTS - 1) await new Promise((rest) => setImmediate(rest));
      const content = await read(id, ref, room);
      const bytes =
        content.state === 'kept'
          ? content.bytes
          : content.state === 'damaged'
            ? await damagedContent(ledger, located, id, ref)
            : undefined;
      if (bytes === undefined || bytes.length > room) continue;
      room -= bytes.length;
      files.set(path, { path, bytes });
      // What was decrypted for the page is not what the name commits to.
      const isOpened = content.ref !== ref;
      if (ref.algorithm === 'keyed-sha256' && salt !== undefined && !isOpened)
        keys[`${ref.algorithm}:${ref.hash}`] = encodeHex(contentKey(salt, sha256(bytes)));
    }
  return all();
}

/** None, where the line is no entry or its references are malformed: it is shown as it is. */
function refsIn(line: Uint8Array): readonly ContentRef[] {
  try {
    return contentRefs(parseEntry(line).payload);
  } catch (error) {
    if (error instanceof ParseError) return [];
    throw error;
  }
}

interface OwnLines {
  /** Each with its `\n`. */
  readonly lines: readonly Buffer[];
  /** The first entry that was not looked at. */
  readonly next: number;
}

async function linesOfSession(
  { store }: Ledger,
  id: string,
  first: number,
  last: number,
  most = Number.POSITIVE_INFINITY,
): Promise<OwnLines> {
  const lines: Buffer[] = [];
  let next = first;
  for await (const piece of scanLines(store, first, last))
    for (const { session, bytes } of piece) {
      if (lines.length >= most) return { lines, next };
      next++;
      // With its line feed, which stands behind it in the piece that it is a part of.
      if (session === id) lines.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length + 1));
    }
  return { lines, next };
}
