// Members in the file that is this machine's alone, such as `"disableAllHooks": false`, so that a file that a clone
// brings, today or with the next pull, neither switches our hooks off nor puts a program before them. They are put in
// behind our hooks and taken out before them. One that somebody wrote is neither changed nor removed, so the hooks name
// those that came with them (`--keeps`): a host that writes its file anew keeps that. Earlier versions only put two blanks
// before the value of such a member. An object that came with one goes with it (see edit.ts).
import { type Container, type Document, type Element, member, parseDocument } from './document.ts';
import { insertElement, marks, removeElement } from './edit.ts';
import { hasComments } from './hook-block.ts';

/** Where the member stands, from the outside in, and what it says. */
export interface KeepOn {
  readonly path: readonly [string] | readonly [string, string];
  readonly value: boolean | string;
}

/** How hooks say that no member came with them. */
const NONE = 'none';
const BETWEEN = '+';

/** Which of these members the file does not have, so that they can be put in. */
export function missingIn(text: string | null, keeps: readonly KeepOn[], file: string): readonly KeepOn[] {
  if (text === null) return keeps;
  const document = parseDocument(text, file);
  // A file with nothing in it has none of them.
  if (document.root === undefined) return keeps;
  return keeps.filter((keep) => {
    const { container, name } = placeOf(document, keep);
    return container !== undefined && member(container, name) === undefined;
  });
}

/** For the words of a hook. */
export function encodeKeeps(keeps: readonly KeepOn[]): string {
  return keeps.map(nameOf).join(BETWEEN) || NONE;
}

/** Those of the members that the words of a hook name. */
export function parseKeeps(text: string, keeps: readonly KeepOn[]): readonly KeepOn[] {
  const names = text.split(BETWEEN);
  return keeps.filter((keep) => names.includes(nameOf(keep)));
}

function nameOf({ path }: KeepOn): string {
  return path.join('.');
}

/** The text with the member in it. As it was where somebody has written one. */
export function insertKeepOn(text: string, keep: KeepOn, file: string): string {
  const document = parseDocument(text, file);
  const { container, name } = placeOf(document, keep);
  if (container === undefined || member(container, name) !== undefined) return text;
  const isNew = container === document.root && keep.path.length > 1;
  const value = isNew ? { [keep.path[1] ?? '']: keep.value } : keep.value;
  return insertElement(document, container, name, value);
}

/** The text without it, if it says what we wrote. `isNamed`: the hooks say that it came with them. */
export function removeKeepOn(text: string, keep: KeepOn, file: string, isNamed: boolean): string {
  const document = parseDocument(text, file);
  const found = foundIn(document, keep);
  if (found === undefined || !isOurs(document, found.element, keep, isNamed)) return text;
  const { container, element, around } = found;
  const cameAlong = container.elements.length === 1 && (marks(text, container) ?? 0) === 0;
  return around !== undefined && cameAlong && !hasComments(document, container)
    ? removeElement(document, around.container, around.element)
    : removeElement(document, container, element);
}

interface Found {
  readonly container: Container;
  readonly element: Element;
  /** The member that holds the container, where that is not the whole document. */
  readonly around?: { readonly container: Container; readonly element: Element };
}

function foundIn({ root }: Document, { path: [first, second] }: KeepOn): Found | undefined {
  const outer = root?.type === 'object' ? member(root, first) : undefined;
  if (root?.type !== 'object' || outer === undefined) return undefined;
  if (second === undefined) return { container: root, element: outer };
  const container = outer.value.type === 'object' ? outer.value : undefined;
  const element = container === undefined ? undefined : member(container, second);
  if (container === undefined || element === undefined) return undefined;
  return { container, element, around: { container: root, element: outer } };
}

/** What to put it into, and the name of what is put there. Undefined where something else stands in its place. */
function placeOf(
  { root }: Document,
  { path: [first, second] }: KeepOn,
): { container: Container | undefined; name: string } {
  const object = root?.type === 'object' ? root : undefined;
  const outer = object === undefined ? undefined : member(object, first)?.value;
  if (second === undefined || outer === undefined) return { container: object, name: first };
  return { container: outer.type === 'object' ? outer : undefined, name: second };
}

function isOurs({ text }: Document, { start, value }: Element, keep: KeepOn, isNamed: boolean): boolean {
  const before = text.slice(start, value.start);
  return value.type === 'scalar' && value.value === keep.value && (isNamed || /:[ \t]{2}$/.test(before));
}
