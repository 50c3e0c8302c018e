// Content that entries refer to, as far as it can be shown: kept or not, erased, encrypted. What is read back was
// checked against the reference by the store; it is still what an agent or an attacker said, and not harmless yet.
import type { Json, JsonObject } from '../core/index.ts';
import { type ContentRef, parseContentRef } from '../format/index.ts';
import type { Store } from '../ledger/index.ts';

/** How the type of encrypted content ends. */
const ENCRYPTED = ';encrypted';

export type Content =
  | { readonly state: 'kept'; readonly ref: ContentRef; readonly bytes: Uint8Array }
  /** Not kept, or erased. */
  | { readonly state: 'gone'; readonly ref: ContentRef }
  /** It is there, and the key is not here. */
  | { readonly state: 'encrypted'; readonly ref: ContentRef }
  /** More than was asked for. */
  | { readonly state: 'large'; readonly ref: ContentRef };

/** Opens encrypted content; undefined where the key is not here. */
export type Decrypt = (
  session: string | null,
  ref: ContentRef,
  bytes: Uint8Array,
) => Promise<Uint8Array | undefined>;

/** Until content can be encrypted, no key opens it. */
const noKey: Decrypt = async () => undefined;

/** Never throws: content is beside the record, and what is wrong with it is for `foil verify` to say. */
export async function readContent(
  store: Pick<Store, 'getContent'>,
  session: string | null,
  ref: ContentRef,
  limit: number,
  decrypt: Decrypt = noKey,
): Promise<Content> {
  if (ref.bytes > limit) return { state: 'large', ref };
  try {
    const bytes = await store.getContent(session, ref);
    if (bytes === undefined) return { state: 'gone', ref };
    if (ref.type?.endsWith(ENCRYPTED) !== true) return { state: 'kept', ref, bytes };
    const opened = await decrypt(session, ref, bytes);
    if (opened === undefined) return { state: 'encrypted', ref };
    return { state: 'kept', ref: { ...ref, type: ref.type.slice(0, -ENCRYPTED.length) }, bytes: opened };
  } catch {
    return { state: 'gone', ref };
  }
}

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

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
