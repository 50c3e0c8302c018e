// Members in the file that is this machine's alone, such as `"disableAllHooks": false`, so that a file that a clone
// brings, today or with the next pull, neither switches our hooks off nor puts a program before them. They are put in
// behind our hooks and taken out before them. Two blanks before its value say that a member is ours: one that somebody
// wrote is neither changed nor removed. An object that came with such a member goes with it (see edit.ts).
import { type Container, type Document, type Element, member, parseDocument } from './document.ts';
import { insertElement, marks, removeElement, splice } from './edit.ts';
import { hasComments } from './hook-block.ts';

/** Where the member stands, from the outside in, and what it says. */
export interface KeepOn {
  readonly path: readonly [string] | readonly [string, string];
  readonly value: boolean | string;
}

const MARK = '  ';

/** The text with the member in it. As it was where somebody has written one. */
export function insertKeepOn(text: string, keep: KeepOn, file: string): string {
  const document = parseDocument(text, file);
  const { container, name } = placeOf(document, keep);
  if (container === undefined || member(container, name) !== undefined) return text;
  const isNew = container === document.root && keep.path.length > 1;
  const value = isNew ? { [keep.path[1] ?? '']: keep.value } : keep.value;
  const written = insertElement(document, container, name, value);
  const added = foundIn(parseDocument(written, file), keep)?.element.value;
  if (added === undefined) return text;
  const blanks = /[ \t]*$/.exec(written.slice(0, added.start))?.[0].length ?? 0;
  return splice(written, added.start - blanks, added.start, MARK);
}

/** The text without it. */
export function removeKeepOn(text: string, keep: KeepOn, file: string): string {
  const document = parseDocument(text, file);
  const found = foundIn(document, keep);
  if (found === undefined || !isOurs(document, found.element, keep)) return text;
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

function isOurs({ text }: Document, { start, value }: Element, keep: KeepOn): boolean {
  const before = text.slice(start, value.start);
  return value.type === 'scalar' && value.value === keep.value && /:[ \t]{2}$/.test(before);
}
