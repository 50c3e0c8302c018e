// What search looks through of an entry: prompts, answers, arguments and results that are kept, and the entry's own texts.
import type { Json } from '../core/index.ts';
import { asContentRef, type ContentRef, contentRefs, type Entry, typeOfEncrypted } from '../format/index.ts';
import type { ReadContent } from '../report/index.ts';

/** Larger content is not looked through. */
const MOST_CONTENT = 262_144;
const MOST_DEPTH = 16;
/** Between content, the kind and the entry's own texts: an excerpt is of one of them. No word has it. */
const BETWEEN = '\u001f';

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
    if (onlyClear && typeOfEncrypted(ref) !== undefined) continue;
    const content = await read(session, ref, MOST_CONTENT);
    if (content.state !== 'kept') continue;
    parts.push(readable(Buffer.from(content.bytes).toString('utf8')));
    if (ref.algorithm === 'sha256') hasPlain = true;
    else hasSalted = true;
  }
  parts.push(kind);
  for (const value of Object.values(payload)) {
    if (typeof value === 'string') parts.push(value);
    else if (Array.isArray(value) && asContentRef(value) === undefined) parts.push(leavesOf(value));
  }
  return { text: parts.join(BETWEEN), hasSalted, hasPlain };
}

/** Arguments and results are JSON, of which people know the texts and not the signs. */
function readable(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return leavesOf(JSON.parse(text) as Json);
  } catch {
    return text;
  }
}

function leavesOf(value: Json, depth = 0): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return '';
  if (depth === MOST_DEPTH) return JSON.stringify(value);
  return Object.values(value)
    .map((member) => leavesOf(member, depth + 1))
    .filter((leaf) => leaf !== '')
    .join(' · ');
}

/** An entry with a malformed reference is for `foil verify` to name. Its own texts can be searched all the same. */
function refsIn(payload: Entry['payload']): readonly ContentRef[] {
  try {
    return contentRefs(payload);
  } catch {
    return [];
  }
}

/** The words that must all occur. */
export function wordsOf(query: string): string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** A piece of the text around the first of the words that is in it, from the part that has most of them. */
export function around(text: string, words: readonly string[]): string {
  const parts = text.split(BETWEEN).map((part) => ({ part, lower: part.toLowerCase() }));
  const has = (lower: string): number => words.filter((word) => lower.includes(word)).length;
  const best = parts.reduce((one, other) => (has(other.lower) > has(one.lower) ? other : one));
  const places = words.map((word) => best.lower.indexOf(word)).filter((place) => place >= 0);
  const from = Math.max(0, Math.min(...places, best.part.length) - BEFORE);
  const to = from + EXCERPT;
  const piece = best.part.slice(from, to).replace(/\s+/g, ' ').trim();
  return `${from > 0 ? '…' : ''}${piece}${to < best.part.length ? '…' : ''}`;
}

const BEFORE = 60;
const EXCERPT = 220;
