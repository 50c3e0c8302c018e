// What a call needs of what it was granted, and how that is written down in an entry.
import { ParseError } from '../../core/index.ts';
import { HIDDEN, misleadingIn, OTHER_WILDCARD, parseCapability, segmentsOf } from './capability.ts';
import { isPlainHost } from './host.ts';

/** In place of the last segment of a need: everything at and below that place. */
export const ALL_BELOW = Symbol('all below');
export type NeedSegment = string | typeof ALL_BELOW;

/** One thing, or everything below a place. Paths are absolute, and their links are resolved. */
export interface Need {
  readonly domain: string;
  readonly action: string;
  readonly segments: readonly NeedSegment[];
}

/** The first segment of a program that is named by its path: `/cat` is not the `cat` of the system. */
export const PROGRAM_PATH = '';

/** Of an absolute path. */
export function pathSegments(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

/** `program` is a bare name, or an absolute path whose links are resolved. */
export function programNeed(program: string): Need {
  const segments = program.startsWith('/') ? [PROGRAM_PATH, ...pathSegments(program)] : [program];
  return { domain: 'process', action: 'exec', segments };
}

/** Everything at and below a place is `**`. A name that looks like a wildcard gets a backslash before it. */
export function encodeNeed({ domain, action, segments }: Need): string {
  const words = segments.map((each) =>
    each === ALL_BELOW ? '**' : /^\\*\*\*?$/.test(each) ? `\\${each}` : each,
  );
  const scope = words.join(domain === 'network' && !words[0]?.startsWith('[') ? '.' : '/');
  return `${domain}:${action}:${domain === 'fs' ? `/${scope}` : scope}`;
}

/** What encodeNeed wrote; null for anything else. */
export function parseNeed(text: string): Need | null {
  const [, domain = '', action = '', scope = ''] =
    /^([a-z][a-z0-9_-]{0,31}):([a-z][a-z0-9_-]{0,31}):(.+)$/s.exec(text) ?? [];
  if (domain === '' || (domain === 'fs' && !scope.startsWith('/'))) return null;
  const path = domain === 'fs' ? scope.slice(1) : scope;
  const words = domain === 'network' ? segmentsOf(domain, path) : path.split('/');
  const isOpen = words.at(-1) === '**';
  if (isOpen) words.pop();
  if (words.some((word) => word === '*' || word === '**')) return null;
  const isRoot = domain === 'fs' && path === '';
  if (!isRoot && !areNames(domain, words)) return null;
  const names = words.map((word) => (/^\\+\*\*?$/.test(word) ? word.slice(1) : word));
  return { domain, action, segments: isRoot ? [] : isOpen ? [...names, ALL_BELOW] : names };
}

const CALLED = new Set(['tool', 'mcp']);
const PLAIN_NAME = /^[\w@+-][\w.@+-]*$/;
/** Selectors, fillers and joiners, which change nothing that is seen, and a letter of Braille without a dot. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]/u;

export const hasUnseen = (text: string): boolean => UNSEEN.test(text);

/** Why no grant can name the tool that is called; null if one can, and for everything else. */
export function nameFlaw({ domain, segments }: Need): string | null {
  if (!CALLED.has(domain)) return null;
  for (const each of segments) {
    if (each === ALL_BELOW || PLAIN_NAME.test(each)) continue;
    const flaw = partFlaw(each);
    if (flaw !== null) return flaw;
  }
  return null;
}

function partFlaw(part: string): string | null {
  if (part === '') return 'a part of its name is empty';
  if (part === '.' || part === '..') return 'its name has . or .. as a part';
  if (part.trim() !== part) return 'its name has a blank at an edge';
  if (OTHER_WILDCARD.test(part) || part.includes('*')) return 'its name has a wildcard in it';
  const misleading = hasUnseen(part) ? 'a character that can not be seen' : misleadingIn(part);
  return misleading === null ? null : `its name has ${misleading}`;
}

/**
 * Whether only a grant without wildcards covers it: a tool whose name isn't ASCII may look like another one, letter by letter, and
 * whoever wrote a wildcard and a denial did not have it in mind.
 */
export function mustBeNamed({ domain, segments }: Need): boolean {
  return CALLED.has(domain) && segments.some((each) => each !== ALL_BELOW && /[^\x20-\x7e]/.test(each));
}

/** Whether a grant could speak of it. What could not is denied: no wildcard covers it. */
export function isGrantable(need: Need): boolean {
  const { domain, segments } = need;
  if (domain === 'fs') return !segments.some((each) => each !== ALL_BELOW && each.includes('\0'));
  return nameFlaw(need) === null && areNames(domain, segments);
}

/** A path is what it says, and nothing in it leads elsewhere. Any other name can be seen as it is. */
function areNames(domain: string, words: readonly NeedSegment[]): boolean {
  const isProgramPath =
    domain === 'process' && words[0] === PROGRAM_PATH && words.length > 1 && words[1] !== ALL_BELOW;
  const isName = (word: NeedSegment, at: number): boolean => {
    if (word === ALL_BELOW || PLAIN_NAME.test(word)) return true;
    if (domain === 'fs') return !/^\.{0,2}$|\0/.test(word);
    return word === '' ? isProgramPath && at === 0 : !HIDDEN.test(word);
  };
  return words.every(isName);
}

/**
 * What a tool of a run may say that it needs: a path, or what could be a grant as it is written. Null for anything else. So no
 * other spelling of a host or a name gets past a denial.
 */
export function parseToolNeed(text: string): Need | null {
  const need = parseNeed(text);
  if (need === null || need.domain === 'fs') return need;
  const isPattern = need.segments.some((each) => each !== ALL_BELOW && each.includes('*'));
  return !isPattern && isGrantable(need) && isCapability(text) ? need : null;
}

function isCapability(text: string): boolean {
  try {
    const { domain, scope } = parseCapability(text);
    return domain !== 'network' || scope.endsWith('**') || isPlainHost(scope);
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
}
