// What search looks through of an entry: prompts, answers, arguments and results that are kept, and the entry's own texts.
import { asContentRef, type ContentRef, contentRefs, type Entry } from '../format/index.ts';
import { typeOfEncrypted } from '../record/index.ts';
import type { ReadContent } from '../report/index.ts';

/** Larger content is not looked through. */
const MOST_CONTENT = 262_144;

export interface EntryText {
  readonly text: string;
  /** Whether content that can be erased, and content that stays as evidence, is in it. */
  readonly hasSalted: boolean;
  readonly hasPlain: boolean;
}

export interface TextOptions {
  /** Leaves out what is kept encrypted, although its key may be here: for what is written down elsewhere. */
  readonly onlyClear?: boolean;
}

export async function textOf(
  { session_id: session, kind, payload }: Entry,
  read: ReadContent,
  { onlyClear = false }: TextOptions = {},
): Promise<EntryText> {
  const parts: string[] = [];
  let hasSalted = false;
  let hasPlain = false;
  for (const ref of refsIn(payload)) {
    if (onlyClear && isEncrypted(ref)) continue;
    const content = await read(session, ref, MOST_CONTENT);
    if (content.state !== 'kept') continue;
    parts.push(Buffer.from(content.bytes).toString('utf8'));
    if (ref.algorithm === 'sha256') hasPlain = true;
    else hasSalted = true;
  }
  parts.push(kind);
  for (const value of Object.values(payload)) {
    if (typeof value === 'string') parts.push(value);
    else if (Array.isArray(value) && asContentRef(value) === undefined) parts.push(JSON.stringify(value));
  }
  return { text: parts.join(' '), hasSalted, hasPlain };
}

/** An entry with a malformed reference is for `foil verify` to name. Its own texts can be searched all the same. */
function refsIn(payload: Entry['payload']): readonly ContentRef[] {
  try {
    return contentRefs(payload);
  } catch {
    return [];
  }
}

function isEncrypted({ type }: ContentRef): boolean {
  return type !== undefined && typeOfEncrypted(type) !== undefined;
}

/** The words that must all occur. */
export function wordsOf(query: string): string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** A piece of the text around the first of the words that is in it. */
export function around(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.max(0, words.map((word) => lower.indexOf(word)).find((place) => place >= 0) ?? 0);
  return text.slice(Math.max(0, at - 60), at + 140).replace(/\s+/g, ' ');
}
