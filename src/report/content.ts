// Content that entries refer to, as far as it can be shown: kept, not here, erased, here and not checkable, encrypted.
// What is read back was checked against the reference by the store; it is still what an agent or an attacker said, and not harmless yet.
import { isObject, type Json, type JsonObject, ParseError, StoreError } from '../core/index.ts';
import {
  type ContentRef,
  NO_SESSION,
  parseContentRef,
  parseSalt,
  saltPath,
  typeOfEncrypted,
} from '../format/index.ts';
import type { Ledger, Located, Store } from '../ledger/index.ts';
import { decryptContent } from '../record/index.ts';
import { openKeyring } from '../store/files/index.ts';
import { contentPresence } from '../verify/index.ts';

export type Content =
  | { readonly state: 'kept'; readonly ref: ContentRef; readonly bytes: Uint8Array }
  /** Not kept, or taken away. */
  | { readonly state: 'gone'; readonly ref: ContentRef }
  /** Not here, as a tombstone says. */
  | { readonly state: 'erased'; readonly ref: ContentRef }
  /** It is here, and its salt is not: whether it is what was recorded can't be checked. */
  | { readonly state: 'unsalted'; readonly ref: ContentRef }
  /** It is here, and it is not what was recorded. */
  | { readonly state: 'damaged'; readonly ref: ContentRef }
  /** It is here and as it was recorded, and the key that opens it is not here. */
  | { readonly state: 'encrypted'; readonly ref: ContentRef }
  /** More than was asked for. */
  | { readonly state: 'large'; readonly ref: ContentRef };

/** At most `limit` bytes of it. Never rejects: what is wrong with content is for `foil verify` to say. */
export type ReadContent = (session: string | null, ref: ContentRef, limit: number) => Promise<Content>;

/** Reads content of a ledger, also where it is encrypted and its key is here. The key is looked for when needed. */
export function contentReader(ledger: Ledger, { keyDirectory }: Pick<Located, 'keyDirectory'>): ReadContent {
  let key: Promise<Uint8Array | undefined> | undefined;
  const contentKey = async (): Promise<Uint8Array | undefined> =>
    openKeyring(keyDirectory).contentKey((await ledger.identity()).origin);
  return async (session, ref, limit) => {
    if (ref.bytes > limit) return { state: 'large', ref };
    const within = typeOfEncrypted(ref);
    const { store } = ledger;
    try {
      const bytes = await storedContent(store, session, ref);
      if (bytes === undefined) return { state: await whyNot(store, session, ref), ref };
      if (within === undefined) return { state: 'kept', ref, bytes };
      key ??= contentKey();
      const found = await key;
      const opened = found === undefined ? undefined : decryptContent(found, session ?? NO_SESSION, bytes);
      if (opened === undefined) return { state: 'encrypted', ref };
      return { state: 'kept', ref: { ...ref, type: within, bytes: opened.length }, bytes: opened };
    } catch {
      return { state: within === undefined ? 'gone' : 'encrypted', ref };
    }
  };
}

/**
 * What a session's commitments are keyed by. Undefined where it was erased, which leaves zeros, or never made.
 * ParseError names the file that holds no salt.
 */
export async function readSalt({ store }: Ledger, session: string): Promise<Uint8Array | undefined> {
  const bytes = await store.files.read(saltPath(session), 0, 128);
  const salt = bytes === undefined ? undefined : parsedSalt(bytes, session);
  return salt?.some((byte) => byte !== 0) ? salt : undefined;
}

function parsedSalt(bytes: Uint8Array, session: string): Uint8Array {
  try {
    return parseSalt(bytes);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new ParseError(
      'MALFORMED',
      `the file ${saltPath(session)} in the directory of the ledger is damaged: ${error.message}. Put it back from a copy and run this command again`,
    );
  }
}

/** Undefined also where the store can't tell whether it is the right one. */
async function storedContent(
  store: Store,
  session: string | null,
  ref: ContentRef,
): Promise<Uint8Array | undefined> {
  try {
    return await store.getContent(session, ref);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'DAMAGED') return undefined;
    throw error;
  }
}

async function whyNot(
  store: Store,
  session: string | null,
  ref: ContentRef,
): Promise<'gone' | 'unsalted' | 'damaged'> {
  const presence = await contentPresence(store.files, session ?? NO_SESSION, ref);
  return presence === 'absent' ? 'gone' : presence;
}

/** What is said of content that can't be shown. */
export const CONTENT_WORDS = {
  gone: 'not kept',
  erased: 'erased',
  unsalted: "here, but its salt is gone, so it can't be checked",
  damaged: 'here, but it differs from what was recorded: run foil verify',
  encrypted: "encrypted, and its key isn't here",
} as const;

/** JSON where it is an object or array, else its text; undefined where it is neither. */
export function contentValue(bytes: Uint8Array, type?: string): Json | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  if (type?.startsWith('text/') === true || !/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** The reference in a payload's member, if it is one. */
export function refOf(value: Json | undefined): ContentRef | undefined {
  if (!isObject(value) || !Object.hasOwn(value, '$content')) return undefined;
  try {
    return parseContentRef(value);
  } catch {
    return undefined;
  }
}

/** Every reference in a payload with the path of its member: `args`, `files[0].patch`. */
export function refsByPath(payload: JsonObject): [path: string, ref: ContentRef][] {
  const found: [string, ContentRef][] = [];
  const walk = (value: Json | undefined, path: string): void => {
    if (Array.isArray(value)) value.forEach((member: Json, i) => void walk(member, `${path}[${i}]`));
    else if (isObject(value)) {
      const ref = refOf(value);
      if (ref !== undefined) found.push([path, ref]);
      else
        for (const [name, member] of Object.entries(value))
          walk(member, path === '' ? name : `${path}.${name}`);
    }
  };
  walk(payload, '');
  return found;
}
