// Content for the index, many pieces at a time: a session's pack is read once, where asking the store for each piece would
// open three files for it. What is read is checked against its reference as the store does; whatever isn't found here, the
// store is asked for.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { contentCommitment } from '../core/index.ts';
import { blobPath, type ContentRef, NO_SESSION, packPath, scanPackHeader } from '../format/index.ts';
import type { Ledger, Located, Store } from '../ledger/index.ts';
import { type ReadContent, readSalt } from '../report/index.ts';
import { contentPresence } from '../verify/index.ts';

/** A larger pack is not read whole. */
const MOST_BYTES = 32 << 20;
const LINE_FEED = 0x0a;
const NEXT = '\nblob ';

interface Pack {
  readonly salt: Uint8Array | undefined;
  readonly contents: PackContents;
}

/** For one piece of the log: what is erased later is still in the memory of this. */
export function packReader(ledger: Ledger, { directory }: Located, otherwise: ReadContent): ReadContent {
  const packs = new Map<string, Pack>();
  return async (session, ref, limit) => {
    const id = session ?? NO_SESSION;
    let pack = packs.get(id);
    if (pack === undefined) {
      pack = { salt: await readSalt(ledger, id), contents: new PackContents(join(directory, packPath(id))) };
      packs.set(id, pack);
    }
    const bytes = ref.bytes > limit ? undefined : pack.contents.get(nameOf(ref));
    return bytes !== undefined && isIt(ref, pack.salt, bytes)
      ? { state: 'kept', ref, bytes }
      : otherwise(session, ref, limit);
  };
}

/**
 * The store, for whoever asks it for all content of a session and judges it himself: what is here and is not what was recorded
 * is given as it is here.
 */
export function storeWithPacks(ledger: Ledger, located: Located): Store {
  const { store } = ledger;
  const read = packReader(ledger, located, async (session, ref) => {
    const bytes = await store.getContent(session, ref);
    return bytes === undefined ? { state: 'gone', ref } : { state: 'kept', ref, bytes };
  });
  const getContent: Store['getContent'] = async (session, ref) => {
    const content = await read(session, ref, Number.POSITIVE_INFINITY);
    return content.state === 'kept' ? content.bytes : damagedContent(ledger, located, session, ref);
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'getContent') return getContent;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** The bytes that stand in the place of content; undefined where there are none, or nobody can say what they should be. */
export async function damagedContent(
  { store }: Ledger,
  { directory }: Located,
  session: string | null,
  ref: ContentRef,
): Promise<Uint8Array | undefined> {
  const id = session ?? NO_SESSION;
  if ((await contentPresence(store.files, id, ref)) !== 'damaged') return undefined;
  const blob = join(directory, blobPath(id, ref));
  // Of what can't be found again, nothing is left to be held against its name.
  return (
    new PackContents(join(directory, packPath(id))).get(nameOf(ref)) ?? readBlob(blob) ?? new Uint8Array()
  );
}

function readBlob(path: string): Uint8Array | undefined {
  try {
    return statSync(path).size > MOST_BYTES ? undefined : readFileSync(path);
  } catch {
    return undefined;
  }
}

function isIt(
  { algorithm, hash, bytes }: ContentRef,
  salt: Uint8Array | undefined,
  content: Uint8Array,
): boolean {
  const isSalted = algorithm !== 'sha256';
  if (content.length !== bytes || (isSalted && salt === undefined)) return false;
  return contentCommitment(algorithm, isSalted ? (salt ?? null) : null, content) === hash;
}

function nameOf({ algorithm, hash }: Pick<ContentRef, 'algorithm' | 'hash'>): string {
  return `${algorithm}:${hash}`;
}

/** Walked through only as far as somebody asks: what the first entries refer to stands in front. */
class PackContents {
  readonly #bytes: Buffer;
  readonly #found = new Map<string, Uint8Array>();
  /** Where the walk is; -1 at its end. */
  #at = 0;

  constructor(path: string) {
    this.#bytes = readPack(path);
  }

  get(name: string): Uint8Array | undefined {
    while (!this.#found.has(name) && this.#at >= 0 && this.#at < this.#bytes.length) this.#step();
    return this.#found.get(name);
  }

  #step(): void {
    const bytes = this.#bytes;
    const header = scanPackHeader(bytes, this.#at);
    const start = this.#at + (header?.length ?? 0);
    const end = start + (header?.bytes ?? 0);
    if (header !== undefined && bytes[end] === LINE_FEED) {
      this.#found.set(nameOf(header), bytes.subarray(start, end));
      this.#at = end + 1;
      return;
    }
    const next = bytes.indexOf(NEXT, this.#at, 'latin1');
    this.#at = next < 0 ? -1 : next + 1;
  }
}

function readPack(path: string): Buffer {
  try {
    return statSync(path).size > MOST_BYTES ? Buffer.alloc(0) : readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
