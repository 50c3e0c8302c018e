// Does a set of grants allow what a call needs? Allowed is what some grant covers and no denial may touch; everything
// else is denied. Grants are laid out as a tree of segments, so that a decision costs the length of the need, not the
// number of grants.

import type { GrantTexts } from '../../format/index.ts';
import { type Capability, encodeCapability, parseCapability, segmentsOf } from './capability.ts';

/** What a need may hold in place of a segment: any one name, or everything at and below that place. */
export const ANY_NAME = Symbol('any name');
export const ALL_BELOW = Symbol('all below');
export type NeedSegment = string | typeof ANY_NAME | typeof ALL_BELOW;

/** What a call needs: one thing, or all that a pattern stands for. Paths are absolute, and their links are resolved. */
export interface Need {
  readonly domain: string;
  readonly action: string;
  readonly segments: readonly NeedSegment[];
}

export interface Decision {
  readonly allowed: boolean;
  /** The grant that allows it, or the one that denies it; null where nothing allows it. */
  readonly by: string | null;
}

interface Node {
  readonly names: Map<string, Node>;
  readonly globs: { readonly parts: readonly string[]; readonly next: Node }[];
  /** Behind `**`. */
  deep: Node | null;
  /** The grant that ends here. */
  grant: string | null;
}

export class Grants {
  readonly #allow: Tree;
  readonly #deny: Tree;

  /** `root` is the work tree: scopes of `fs` and programs that are relative paths begin there. */
  constructor(allow: readonly Capability[], deny: readonly Capability[], root: string) {
    this.#allow = treeOf(allow, root);
    this.#deny = treeOf(deny, root);
  }

  decide(need: Need): Decision {
    const denial = this.#deny.touching(need);
    if (denial !== null) return { allowed: false, by: denial };
    const grant = this.#allow.covering(need);
    return { allowed: grant !== null, by: grant };
  }
}

/** Throws ParseError. */
export function parseGrants(
  { allow, deny }: GrantTexts,
  path = 'grants',
): Record<keyof GrantTexts, Capability[]> {
  const read = (texts: readonly string[], name: string): Capability[] =>
    texts.map((text, i) => parseCapability(text, `${path}.${name}[${i}]`));
  return { allow: read(allow, 'allow'), deny: read(deny, 'deny') };
}

/**
 * As it is written down: any one name is `*`, everything at and below a place is `**`. A name that is written so itself
 * gets a backslash before it.
 */
export function encodeNeed({ domain, action, segments }: Need): string {
  const words = segments.map((each) =>
    each === ANY_NAME ? '*' : each === ALL_BELOW ? '**' : /^\\*\*\*?$/.test(each) ? `\\${each}` : each,
  );
  const scope = words.join(domain === 'network' && !words[0]?.startsWith('[') ? '.' : '/');
  return `${domain}:${action}:${domain === 'fs' ? `/${scope}` : scope}`;
}

/** What encodeNeed wrote; null for anything else. */
export function parseNeed(text: string): Need | null {
  const [, domain = '', action = '', scope = ''] =
    /^([a-z][a-z0-9_-]*):([a-z][a-z0-9_-]*):(.*)$/s.exec(text) ?? [];
  if (domain === '') return null;
  const path = domain === 'fs' ? scope.slice(1) : scope;
  const words = domain === 'network' ? segmentsOf(domain, path) : path.split('/');
  const isRoot = domain === 'fs' && path === '';
  if (domain === 'fs' && !scope.startsWith('/')) return null;
  const segments = words.map(
    (word): NeedSegment =>
      word === '*' ? ANY_NAME : word === '**' ? ALL_BELOW : /^\\+\*\*?$/.test(word) ? word.slice(1) : word,
  );
  return { domain, action, segments: isRoot ? [] : segments };
}

/** The segments of a grant, from the root of the file system where it speaks of a path. */
function patternOf({ domain, scope }: Capability, root: string): string[] {
  const segments = segmentsOf(domain, scope);
  const isProgram = domain === 'process';
  if (domain !== 'fs' && !(isProgram && scope.includes('/'))) return segments;
  const whole = scope.startsWith('/') ? segments : [...pathSegments(root), ...segments];
  return isProgram ? [PROGRAM_PATH, ...whole] : whole;
}

/** The first segment of a program that is named by its path: `/cat` is not the `cat` of the system. */
const PROGRAM_PATH = '';

/** Of an absolute path. */
export function pathSegments(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

/** `program` is a bare name, or an absolute path whose links are resolved. */
export function programNeed(program: string): Need {
  const segments = program.startsWith('/') ? [PROGRAM_PATH, ...pathSegments(program)] : [program];
  return { domain: 'process', action: 'exec', segments };
}

function treeOf(grants: readonly Capability[], root: string): Tree {
  const tree = new Tree();
  for (const grant of grants)
    tree.add(`${grant.domain}:${grant.action}`, patternOf(grant, root), encodeCapability(grant));
  return tree;
}

class Tree {
  /** By domain and action. */
  readonly #tops = new Map<string, Node>();

  add(top: string, pattern: readonly string[], grant: string): void {
    let node = this.#tops.get(top) ?? newNode();
    this.#tops.set(top, node);
    for (const segment of pattern) node = childOf(node, segment);
    node.grant ??= grant;
  }

  /** A grant that allows all of what is needed. */
  covering(need: Need): string | null {
    return this.#among(need, (node) => covers(node, need.segments, 0));
  }

  /** A grant that speaks of something of what is needed. */
  touching(need: Need): string | null {
    return this.#among(need, (node) => touches(node, need.segments, 0));
  }

  #among({ domain, action }: Need, find: (node: Node) => string | null): string | null {
    const exact = this.#tops.get(`${domain}:${action}`);
    const open = this.#tops.get(`${domain}:*`);
    return (exact === undefined ? null : find(exact)) ?? (open === undefined ? null : find(open));
  }
}

function newNode(): Node {
  return { names: new Map(), globs: [], deep: null, grant: null };
}

function childOf(node: Node, segment: string): Node {
  if (segment === '**') {
    node.deep ??= newNode();
    return node.deep;
  }
  const isGlob = segment.includes('*');
  const known = isGlob
    ? node.globs.find(({ parts }) => parts.join('*') === segment)?.next
    : node.names.get(segment);
  if (known !== undefined) return known;
  const child = newNode();
  if (isGlob) node.globs.push({ parts: segment.split('*'), next: child });
  else node.names.set(segment, child);
  return child;
}

/** `parts` are what stands between the wildcards, in this order. */
function matchesParts(parts: readonly string[], text: string): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  let at = first.length;
  const end = text.length - last.length;
  for (let i = 1; i < parts.length - 1; i++) {
    const part = parts[i] as string;
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

const isOpenGlob = (parts: readonly string[]): boolean =>
  parts.length === 2 && parts[0] === '' && parts[1] === '';

function covers(node: Node, segments: readonly NeedSegment[], at: number): string | null {
  const { deep } = node;
  if (at === segments.length) return node.grant ?? deep?.grant ?? null;
  const segment = segments[at] as NeedSegment;
  // Of all that lies below, nothing but a `**` at the end is known to speak.
  if (segment === ALL_BELOW) return deep?.grant ?? null;
  if (typeof segment === 'string') {
    const child = node.names.get(segment);
    const found = child === undefined ? null : covers(child, segments, at + 1);
    if (found !== null) return found;
  }
  for (const { parts, next } of node.globs) {
    if (segment === ANY_NAME ? !isOpenGlob(parts) : !matchesParts(parts, segment)) continue;
    const found = covers(next, segments, at + 1);
    if (found !== null) return found;
  }
  if (deep === null) return null;
  if (deep.grant !== null) return deep.grant;
  for (let rest = at; rest <= segments.length; rest++) {
    const found = covers(deep, segments, rest);
    if (found !== null) return found;
  }
  return null;
}

function touches(node: Node, segments: readonly NeedSegment[], at: number): string | null {
  const { deep } = node;
  if (at === segments.length) return node.grant ?? (deep === null ? null : touches(deep, segments, at));
  const segment = segments[at] as NeedSegment;
  if (segment === ALL_BELOW) return anyGrant(node);
  const isOpen = segment === ANY_NAME;
  if (!isOpen) {
    const child = node.names.get(segment);
    const found = child === undefined ? null : touches(child, segments, at + 1);
    if (found !== null) return found;
  } else {
    for (const child of node.names.values()) {
      const found = touches(child, segments, at + 1);
      if (found !== null) return found;
    }
  }
  for (const { parts, next } of node.globs) {
    if (!isOpen && !matchesParts(parts, segment)) continue;
    const found = touches(next, segments, at + 1);
    if (found !== null) return found;
  }
  if (deep === null) return null;
  if (deep.grant !== null) return deep.grant;
  for (let rest = at; rest <= segments.length; rest++) {
    const found = touches(deep, segments, rest);
    if (found !== null) return found;
  }
  return null;
}

function anyGrant(node: Node): string | null {
  if (node.grant !== null) return node.grant;
  const children = [
    ...node.names.values(),
    ...node.globs.map((each) => each.next),
    ...(node.deep ? [node.deep] : []),
  ];
  for (const child of children) {
    const found = anyGrant(child);
    if (found !== null) return found;
  }
  return null;
}
