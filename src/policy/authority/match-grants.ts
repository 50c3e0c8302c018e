// Does a set of grants allow what a call needs? Allowed is what some grant covers and no denial may touch; everything
// else is denied. Grants are laid out as a tree of segments, so that a decision costs the length of the need, not the
// number of grants.

import type { GrantTexts } from '../../format/index.ts';
import { type Capability, encodeCapability, parseCapability, segmentsOf } from './capability.ts';
import {
  ALL_BELOW,
  isGrantable,
  mustBeNamed,
  type Need,
  type NeedSegment,
  PROGRAM_PATH,
  pathSegments,
} from './need.ts';
import { matchesParts } from './wildcards.ts';

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
    this.#allow = treeOf(allow, (grant) => patternsOf(grant, root));
    this.#deny = treeOf(deny, (grant) =>
      [...patternsOf(grant, root), ...meantBy(grant)].map(composedPattern),
    );
  }

  decide(need: Need): Decision {
    if (!isGrantable(need)) return { allowed: false, by: null };
    const denial = this.#deny.touching(need);
    if (denial !== null) return { allowed: false, by: denial };
    const grant = mustBeNamed(need) ? this.#allow.naming(need) : this.#allow.covering(need);
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

/** A name, or what a grant says of one. */
type Pattern = readonly (string | Wild)[];

interface Wild {
  readonly wild: string;
}

/** The segments of a grant, from the root of the file system where it speaks of a path. A `*` in the root is a name. */
function patternOf({ domain, scope }: Capability, root: string): Pattern {
  const segments = written(segmentsOf(domain, scope));
  const isProgram = domain === 'process';
  if (domain !== 'fs' && !(isProgram && scope.includes('/'))) return segments;
  const whole = scope.startsWith('/') ? segments : [...pathSegments(root), ...segments];
  return isProgram ? [PROGRAM_PATH, ...whole] : whole;
}

const written = (segments: readonly string[]): Pattern =>
  segments.map((segment) => (segment.includes('*') ? { wild: segment } : segment));

/** `:*` stands for every port, also for the one that a call doesn't name. */
function patternsOf(grant: Capability, root: string): Pattern[] {
  const { domain, scope } = grant;
  const isEveryPort = domain === 'network' && scope.endsWith(':*');
  return [patternOf(grant, root), ...(isEveryPort ? [written(segmentsOf(domain, scope.slice(0, -2)))] : [])];
}

const ANY: Wild = { wild: '**' };

/** A denial of a host is one of all its ports, and a denial of a program's name one of every path that ends with it. */
function meantBy({ domain, scope }: Capability): Pattern[] {
  if (domain === 'process' && !scope.includes('/')) return [[PROGRAM_PATH, ANY, ...written([scope])]];
  if (domain !== 'network' || scope.endsWith('**') || /:(?:\d+|\*)$/.test(scope)) return [];
  return [written(segmentsOf(domain, `${scope}:*`))];
}

function treeOf(grants: readonly Capability[], patternsOf: (grant: Capability) => Pattern[]): Tree {
  const tree = new Tree();
  for (const grant of grants) for (const pattern of patternsOf(grant)) tree.add(grant, pattern);
  return tree;
}

class Tree {
  /** By domain, then by action. */
  readonly #tops = new Map<string, Map<string, Node>>();
  #hasAccents = false;

  add(grant: Capability, pattern: Pattern): void {
    const actions = this.#tops.get(grant.domain) ?? new Map<string, Node>();
    this.#tops.set(grant.domain, actions);
    let node = actions.get(grant.action) ?? newNode();
    actions.set(grant.action, node);
    // `**` behind `**` says nothing more.
    const short = pattern.filter((segment, i) => !isAny(segment) || !isAny(pattern[i - 1]));
    for (const segment of short) node = childOf(node, segment);
    this.#hasAccents ||= short.some((segment) => /[^\0-\x7f]/.test(textOf(segment)));
    node.grant ??= encodeCapability(grant);
  }

  /** A grant that allows all of what is needed. */
  covering({ domain, action, segments }: Need): string | null {
    const actions = this.#tops.get(domain);
    if (actions === undefined) return null;
    return found(covers, actions.get(action), segments) ?? found(covers, actions.get('*'), segments);
  }

  /** A grant that says the same, without a wildcard. */
  naming({ domain, action, segments }: Need): string | null {
    const actions = this.#tops.get(domain);
    const named = (top: Node | undefined): string | null =>
      segments.reduce<Node | undefined>(
        (node, segment) => (segment === ALL_BELOW ? undefined : node?.names.get(segment)),
        top,
      )?.grant ?? null;
    return named(actions?.get(action)) ?? named(actions?.get('*'));
  }

  /** A grant that speaks of something of what is needed. */
  touching({ domain, action, segments }: Need): string | null {
    const actions = this.#tops.get(domain);
    if (actions === undefined) return null;
    const names = this.#hasAccents ? composed(segments) : segments;
    return found(touches, actions.get(action), names) ?? found(touches, actions.get('*'), names);
  }
}

/** An accent may be a character of its own, as in names from a Mac. A denial is of both spellings. */
function composed(segments: readonly NeedSegment[]): readonly NeedSegment[] {
  return segments.map((each) => (typeof each === 'string' ? each.normalize('NFC') : each));
}

function composedPattern(pattern: Pattern): Pattern {
  return pattern.map((each) =>
    typeof each === 'string' ? each.normalize('NFC') : { wild: each.wild.normalize('NFC') },
  );
}

function newNode(): Node {
  return { names: new Map(), globs: [], deep: null, grant: null };
}

const isAny = (segment: string | Wild | undefined): boolean =>
  typeof segment === 'object' && segment.wild === '**';

const textOf = (segment: string | Wild): string => (typeof segment === 'string' ? segment : segment.wild);

function childOf(node: Node, segment: string | Wild): Node {
  if (isAny(segment)) {
    node.deep ??= newNode();
    return node.deep;
  }
  const known =
    typeof segment === 'string'
      ? node.names.get(segment)
      : node.globs.find(({ parts }) => parts.join('*') === segment.wild)?.next;
  if (known !== undefined) return known;
  const child = newNode();
  if (typeof segment === 'string') node.names.set(segment, child);
  else node.globs.push({ parts: segment.wild.split('*'), next: child });
  return child;
}

/** As long as there are names alone, one way leads on. */
function found(find: typeof covers, top: Node | undefined, segments: readonly NeedSegment[]): string | null {
  let node = top;
  let at = 0;
  for (; node !== undefined && at < segments.length; at++) {
    const name = segments[at] as NeedSegment;
    if (name === ALL_BELOW || node.deep !== null || node.globs.length > 0) break;
    node = node.names.get(name);
  }
  return find(node, segments, at);
}

function covers(node: Node | undefined, segments: readonly NeedSegment[], at: number): string | null {
  if (node === undefined) return null;
  const { deep } = node;
  if (at === segments.length) return node.grant ?? deep?.grant ?? null;
  const segment = segments[at] as NeedSegment;
  // Of all that lies below, nothing but a `**` at the end is known to speak.
  if (segment === ALL_BELOW) return deep?.grant ?? null;
  const found = matching(covers, node, segment, segments, at);
  if (found !== null || deep === null) return found;
  return deep.grant ?? behind(covers, deep, segments, at);
}

function touches(node: Node | undefined, segments: readonly NeedSegment[], at: number): string | null {
  if (node === undefined) return null;
  const { deep } = node;
  if (at === segments.length) return node.grant ?? touches(deep ?? undefined, segments, at);
  const segment = segments[at] as NeedSegment;
  if (segment === ALL_BELOW) return anyGrant(node);
  const found = matching(touches, node, segment, segments, at);
  if (found !== null || deep === null) return found;
  return deep.grant ?? behind(touches, deep, segments, at);
}

/** Through the children that this segment leads to. */
function matching(
  find: typeof covers,
  { names, globs }: Node,
  segment: string,
  segments: readonly NeedSegment[],
  at: number,
): string | null {
  const found = find(names.get(segment), segments, at + 1);
  if (found !== null) return found;
  for (const { parts, next } of globs) {
    if (!matchesParts(parts, segment)) continue;
    const through = find(next, segments, at + 1);
    if (through !== null) return through;
  }
  return null;
}

/** Behind `**`, which stands for any number of segments. */
function behind(
  find: typeof covers,
  deep: Node,
  segments: readonly NeedSegment[],
  at: number,
): string | null {
  for (let rest = at; rest <= segments.length; rest++) {
    const found = find(deep, segments, rest);
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
