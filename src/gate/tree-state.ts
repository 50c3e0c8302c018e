// The state of a work tree as it is kept between hooks: which code files differ from the session's base, what each
// holds, and when it was last looked at. Plain data. What is stored may have been tampered with or cut: it is parsed
// strictly, and a state that can't be read is only a slower start.
import { type Json, ParseError } from '../core/index.ts';
import { isPipeline } from '../ecosystems/index.ts';
import { type Profile, parseProfile } from '../rules/index.ts';

/**
 * What stands at a path: `<sha256>` of a file, `x:<sha256>` of an executable one, `link:<sha256>` of where a symbolic
 * link points to, `commit:<id>` of a submodule, `stat:…` of what is too large or can't be read, `other`, `deleted`.
 */
export type Content = string;

export interface TreeState {
  /** Code files that differ from the base, or are not in it. */
  readonly files: ReadonlyMap<string, Content>;
  /** Size, times and inode of those whose content need not be read again while these stay the same. */
  readonly stat: ReadonlyMap<string, string>;
}

/** What a session began with. */
export interface Base {
  /** `none`: nothing can be said of this work tree, and no fingerprint is ever taken. */
  readonly how: 'git' | 'walk' | 'none';
  /** HEAD; null without git, or before the first commit. */
  readonly commit: string | null;
  /** The name of the private git directory. */
  readonly place: string | null;
  /** What differed from the commit already, or without git all there was. Profiles are of tests and their settings. */
  readonly dirty: ReadonlyMap<string, { readonly hash: Content; readonly profile: Profile | null }>;
}

export const MOST_FILES = 20_000;
const LONGEST_PATH = 4096;
const LONGEST_DOCUMENT = 16 * 1024 * 1024;
const CONTENT =
  /^(?:deleted|other|(?:x:|link:)?[0-9a-f]{64}|commit:(?:[0-9a-f]{40}|[0-9a-f]{64}|none)|stat:[0-9]{1,20}:[0-9]{1,20}:[0-9]{1,20})$/;
const STAT = /^[0-9]{1,20}(?::-?[0-9]{1,20}){2}:[0-9]{1,20}:[0-9]{1,10}$/;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const PLACE = /^[0-9a-f]{32}$/;

/** Salted by whoever gives the hash. The same for the same content, however it came about. */
export function fingerprint(state: TreeState, hash: (text: string) => string): string {
  const lines = [...state.files].filter(([path]) => !isPipeline(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  return hash(JSON.stringify(['counterfoil/tree/v1', ...lines]));
}

/** The paths of code that are not the same in both, sorted. */
export function differences(a: TreeState, b: TreeState): string[] {
  const paths = new Set<string>();
  for (const [path, content] of a.files) if (b.files.get(path) !== content) paths.add(path);
  for (const path of b.files.keys()) if (!a.files.has(path)) paths.add(path);
  return [...paths].filter((path) => !isPipeline(path)).sort();
}

export function encodeTree({ files, stat }: TreeState): string {
  return JSON.stringify({
    v: 1,
    files: [...files].map(([path, hash]) => [path, hash, stat.get(path) ?? null]),
  });
}

export function parseTree(text: string): TreeState {
  const { files: list } = members(text, ['v', 'files']);
  const files = new Map<string, Content>();
  const stat = new Map<string, string>();
  for (const [path, hash, seen] of rows(list, 3)) {
    const name = pathOf(path, files);
    files.set(name, contentOf(hash));
    if (seen === null) continue;
    if (typeof seen !== 'string' || !STAT.test(seen)) throw new ParseError('BAD_MEMBER', 'no stat', 'files');
    stat.set(name, seen);
  }
  return { files, stat };
}

export function encodeBase({ how, commit, place, dirty }: Base): string {
  const list = [...dirty].map(([path, { hash, profile }]) => [path, hash, profile]);
  return JSON.stringify({ v: 1, how, commit, place, dirty: list });
}

export function parseBase(text: string): Base {
  const { how, commit, place, dirty: list } = members(text, ['v', 'how', 'commit', 'place', 'dirty']);
  if (how !== 'git' && how !== 'walk' && how !== 'none') throw new ParseError('BAD_MEMBER', 'unknown', 'how');
  const isPlaced = typeof place === 'string' && PLACE.test(place);
  if (!(how === 'git' ? isPlaced : place === null)) throw new ParseError('BAD_MEMBER', 'no name', 'place');
  if (commit !== null && !(how === 'git' && typeof commit === 'string' && COMMIT.test(commit)))
    throw new ParseError('BAD_MEMBER', 'no commit id', 'commit');
  const dirty = new Map<string, { hash: Content; profile: Profile | null }>();
  for (const [path, hash, profile] of rows(list, 3)) {
    const name = pathOf(path, dirty);
    dirty.set(name, {
      hash: contentOf(hash),
      profile: profile === null ? null : parseProfile(profile as Json),
    });
  }
  return { how, commit, place: isPlaced ? place : null, dirty };
}

function members(text: string, names: readonly string[]): Record<string, unknown> {
  if (text.length > LONGEST_DOCUMENT) throw new ParseError('TOO_LONG', 'too long for a work tree');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ParseError('INVALID_JSON', 'not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ParseError('MALFORMED', 'not an object');
  const found = value as Record<string, unknown>;
  if (Object.keys(found).sort().join() !== [...names].sort().join())
    throw new ParseError('BAD_MEMBER', 'members are missing or unknown');
  if (found.v !== 1) throw new ParseError('UNKNOWN_VERSION', 'not version 1', 'v');
  return found;
}

function rows(list: unknown, width: number): unknown[][] {
  if (!Array.isArray(list) || list.length > MOST_FILES)
    throw new ParseError('BAD_MEMBER', 'no list of files, or too long');
  for (const row of list) {
    if (!Array.isArray(row) || row.length !== width) throw new ParseError('MALFORMED', 'not a file', 'files');
  }
  return list as unknown[][];
}

function pathOf(path: unknown, seen: ReadonlyMap<string, unknown>): string {
  if (typeof path !== 'string' || path === '' || path.length > LONGEST_PATH || seen.has(path))
    throw new ParseError('BAD_MEMBER', 'not a path, or twice', 'files');
  return path;
}

function contentOf(content: unknown): Content {
  if (typeof content !== 'string' || !CONTENT.test(content))
    throw new ParseError('BAD_MEMBER', 'not a content hash', 'files');
  return content;
}
