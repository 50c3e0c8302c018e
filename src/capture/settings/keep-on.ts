// One member in the file that is this machine's alone, such as `"disableAllHooks": false`, so that a file that a clone
// brings, today or with the next pull, does not switch our hooks off. It is put in behind our hooks and taken out before
// them. Two blanks before its value say that it is ours: a member that somebody wrote is neither changed nor removed.
import { type Container, type Document, type Element, member, parseDocument } from './document.ts';
import { insertElement, removeElement, splice } from './edit.ts';

const MARK = '  ';
const OURS = /:[ \t]{2}false$/;

/** The text with the member in it. As it was where somebody has written one. */
export function insertKeepOn(text: string, name: string, file: string): string {
  const document = parseDocument(text, file);
  const root = objectOf(document);
  if (root === undefined || member(root, name) !== undefined) return text;
  const written = insertElement(document, root, name, false);
  const added = member(objectOf(parseDocument(written, file)) ?? root, name);
  if (added === undefined) return text;
  const { start } = added.value;
  const blanks = /[ \t]*$/.exec(written.slice(0, start))?.[0].length ?? 0;
  return splice(written, start - blanks, start, MARK);
}

/** The text without it. */
export function removeKeepOn(text: string, name: string, file: string): string {
  const document = parseDocument(text, file);
  const root = objectOf(document);
  const found = root === undefined ? undefined : member(root, name);
  if (root === undefined || found === undefined || !isOurs(document, found)) return text;
  return removeElement(document, root, found);
}

function isOurs({ text }: Document, { start, end }: Element): boolean {
  return OURS.test(text.slice(start, end));
}

function objectOf({ root }: Document): Container | undefined {
  return root?.type === 'object' ? root : undefined;
}
