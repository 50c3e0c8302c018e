// Our hooks in a host's settings: put in, found, taken out. `hooks` maps an event to a list; in some hosts the list holds
// groups ({matcher, hooks}), in others the hooks themselves. Whatever is not ours is somebody's: it is neither read
// further than needed nor touched. Nothing is written to a document whose shape is not this.
//
// A file that is ours from the first byte opens with `{` and a line end. Three spaces between them say that the file
// was there, blank; three and n that the n outermost of its folders were there, empty (see edit.ts for fewer spaces).
import { ParseError } from '../../core/index.ts';
import {
  type Container,
  type Document,
  type Element,
  member,
  parseDocument,
  plainValue,
} from './document.ts';
import { insertElement, marks, removeElement, splice } from './edit.ts';

/** What stands in the list of each event. */
export type Hooks = Readonly<Record<string, unknown>>;

export interface Shape {
  /** Is this one hook of ours? */
  isOurs(hook: unknown): boolean;
  /** Members that a new file needs besides `hooks`: {version: 1}. */
  readonly besides: Readonly<Record<string, unknown>>;
}

export interface Found {
  readonly event: string;
  /** The group or hook as it stands in the event's list. */
  readonly value: unknown;
  readonly hooks: readonly unknown[];
}

export interface Removed {
  /** Null: the file was ours, and goes. */
  readonly text: string | null;
  /** How many of its outermost folders were there before it. */
  readonly keep: number;
}

const BLANK_FILE = 3;

/** The text with our hooks in it, instead of such as were there. `keep`: see Removed. */
export function installHooks(
  text: string | null,
  hooks: Hooks,
  shape: Shape,
  name: string,
  keep = 0,
): string {
  if (text === null) return newRoot(hooks, shape, keep === 0 ? 0 : BLANK_FILE + keep, '\n');
  let document = parseDocument(text, name);
  const found = findHooks(document, shape, name);
  if (equal(Object.fromEntries(found.map(({ event, value }) => [event, value])), hooks, found.length))
    return text;
  if (found.length > 0) {
    const removed = removeHooks(text, shape, name);
    return installHooks(removed.text, hooks, shape, name, removed.keep);
  }
  if (document.root === undefined) {
    if (document.comments.length > 0) throw new ParseError('INVALID_JSON', 'holds only comments', name);
    return text + newRoot(hooks, shape, BLANK_FILE, '');
  }
  if (listsOf(document, name) === undefined) {
    const empty = rootOf(document, name).elements.length === 0;
    for (const [key, value] of Object.entries({ hooks: inLists(hooks), ...(empty ? shape.besides : {}) })) {
      document = parseDocument(insertElement(document, rootOf(document, name), key, value), name);
    }
    return document.text;
  }
  for (const [event, value] of Object.entries(hooks)) {
    const lists = listsOf(document, name) as Container;
    const list = member(lists, event)?.value;
    if (list !== undefined && list.type !== 'array')
      throw new ParseError(
        'BAD_MEMBER',
        'not a list, so nothing can be added to it',
        `${name}: hooks.${event}`,
      );
    const edited =
      list === undefined
        ? insertElement(document, lists, event, [value])
        : insertElement(document, list, undefined, value);
    document = parseDocument(edited, name);
  }
  return document.text;
}

/** Takes out what is ours, one element at a time from the end, as it was put in. */
export function removeHooks(text: string, shape: Shape, name: string): Removed {
  for (let document = parseDocument(text, name); ; ) {
    const root = document.root === undefined ? undefined : rootOf(document, name);
    const lists = root === undefined ? undefined : listsOf(document, name);
    if (root === undefined || lists === undefined) return { text: document.text, keep: 0 };
    if (isAllOurs(document, lists, shape)) {
      const own = ownMembers(document, root, shape);
      if (own.length === root.elements.length && !hasComments(document, root)) {
        const whole = removeRoot(document, root);
        if (whole !== undefined) return whole;
      }
      document = removeMembers(document, own, name);
      continue;
    }
    const next = lastOurs(document, lists, shape);
    if (next === undefined) return { text: document.text, keep: 0 };
    document = parseDocument(removeElement(document, next.container, next.element), name);
  }
}

/** Every group or hook that has something of ours, in the order of the file. */
export function findHooks(document: Document, shape: Shape, name: string): Found[] {
  const lists = document.root === undefined ? undefined : listsOf(document, name);
  return (lists?.elements ?? []).flatMap(({ key = '', value: list }) => {
    if (list.type !== 'array') return [];
    return list.elements.flatMap((element): Found[] => {
      const value = plainValue(element.value);
      const hooks = hooksIn(value).filter((hook) => shape.isOurs(hook));
      return hooks.length === 0 ? [] : [{ event: key, value, hooks }];
    });
  });
}

function newRoot(hooks: Hooks, { besides }: Shape, spaces: number, end: string): string {
  const written = JSON.stringify({ hooks: inLists(hooks), ...besides }, null, 2);
  return splice(written, 1, 1, ' '.repeat(spaces)) + end;
}

function inLists(hooks: Hooks): Record<string, unknown> {
  return Object.fromEntries(Object.entries(hooks).map(([event, value]) => [event, [value]]));
}

function rootOf({ root }: Document, name: string): Container {
  if (root === undefined || root.type !== 'object') throw new ParseError('BAD_MEMBER', 'not an object', name);
  const twice = duplicate(root);
  if (twice !== undefined) throw new ParseError('BAD_MEMBER', `${twice} is there twice`, name);
  return root;
}

/** The value of `hooks`. */
function listsOf(document: Document, name: string): Container | undefined {
  const lists = member(rootOf(document, name), 'hooks')?.value;
  if (lists === undefined) return undefined;
  if (lists.type !== 'object') throw new ParseError('BAD_MEMBER', 'not an object', `${name}: hooks`);
  const twice = duplicate(lists);
  if (twice !== undefined) throw new ParseError('BAD_MEMBER', `${twice} is there twice`, `${name}: hooks`);
  return lists;
}

function duplicate({ elements }: Container): string | undefined {
  const seen = new Set<string | undefined>();
  for (const { key } of elements) {
    if (seen.has(key)) return JSON.stringify(key);
    seen.add(key);
  }
  return undefined;
}

function hooksIn(value: unknown): readonly unknown[] {
  const { hooks } = (value ?? {}) as { hooks?: unknown };
  return Array.isArray(hooks) ? hooks : [value];
}

function isOurElement({ value }: Element, shape: Shape): boolean {
  const hooks = hooksIn(plainValue(value));
  return hooks.length > 0 && hooks.every((hook) => shape.isOurs(hook));
}

/** A container that came with what is in it: only ours, and no word of anybody else. */
function isAllOurs(document: Document, lists: Container, shape: Shape): boolean {
  return isMade(document, lists) && lists.elements.every((element) => isOurList(document, element, shape));
}

function isOurList(document: Document, { value: list }: Element, shape: Shape): boolean {
  return (
    list.type === 'array' &&
    isMade(document, list) &&
    list.elements.every((element) => isOurElement(element, shape))
  );
}

function isMade(document: Document, container: Container): boolean {
  return (
    container.elements.length > 0 &&
    (marks(document.text, container) ?? 0) === 0 &&
    !hasComments(document, container)
  );
}

export function hasComments({ comments }: Document, { start, end }: Container): boolean {
  return comments.some((comment) => comment.start > start && comment.end < end);
}

/** `hooks`, and what a new file got besides, which stands right behind it. */
function ownMembers({ text }: Document, root: Container, { besides }: Shape): Element[] {
  const at = root.elements.findIndex(({ key }) => key === 'hooks');
  const hooks = root.elements.slice(at, at + 1);
  const rest = root.elements.slice(at + 1);
  const names = Object.keys(besides);
  const cameTogether =
    at === 0 &&
    marks(text, root) !== undefined &&
    rest.length === names.length &&
    rest.every(({ key, value }, index) => key === names[index] && plainValue(value) === besides[key ?? '']);
  return cameTogether ? [...hooks, ...rest] : hooks;
}

function removeRoot({ text }: Document, root: Container): Removed | undefined {
  const spaces = marks(text, root) ?? 0;
  if (spaces > 0 && spaces < BLANK_FILE) return undefined;
  const rest = splice(text, root.start, root.end, '');
  if (spaces === BLANK_FILE) return { text: rest, keep: 0 };
  return rest.trim() === '' ? { text: null, keep: Math.max(0, spaces - BLANK_FILE) } : undefined;
}

function removeMembers(document: Document, own: readonly Element[], name: string): Document {
  let now = document;
  for (const { key = '' } of own.toReversed()) {
    const current = rootOf(now, name);
    const element = member(current, key);
    if (element !== undefined) now = parseDocument(removeElement(now, current, element), name);
  }
  return now;
}

function lastOurs(
  document: Document,
  lists: Container,
  shape: Shape,
): { container: Container; element: Element } | undefined {
  for (const event of lists.elements.toReversed()) {
    if (event.value.type !== 'array') continue;
    if (isOurList(document, event, shape)) return { container: lists, element: event };
    for (const element of event.value.elements.toReversed()) {
      if (isOurElement(element, shape)) return { container: event.value, element };
      const inner = element.value.type === 'object' ? member(element.value, 'hooks')?.value : undefined;
      const hook =
        inner?.type === 'array'
          ? inner.elements.findLast(({ value }) => shape.isOurs(plainValue(value)))
          : undefined;
      if (inner?.type === 'array' && hook !== undefined) return { container: inner, element: hook };
    }
  }
  return undefined;
}

/** As JSON, whatever the order of members. `count`: so many groups were found for `a`. */
function equal(a: Hooks, b: Hooks, count: number): boolean {
  return Object.keys(a).length === count && sortedJson(a) === sortedJson(b);
}

/** The same text for the same value, whatever the order of its members. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
