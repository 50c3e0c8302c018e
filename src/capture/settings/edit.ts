// Puts an element into a container of a document, and takes it out again such that the text is what it was before, byte
// for byte. What must be known for that is kept in the text itself, as spaces behind the opening bracket:
//
//   0  the container came with what is in it: it goes with it        1  it was there, empty but for blanks or comments
//   2  it was there, as {} or []                                     3 and more  see hook-block.ts, which makes files
//
// So no record is kept beside the file that could be lost, be stale, or not be there on a colleague's machine.
import type { Container, Document, Element } from './document.ts';

/** How the document is written: what is put in looks like what is there. */
export interface Style {
  readonly unit: string;
  readonly eol: string;
}

const EXISTED = ' ';
const EXISTED_EMPTY = '  ';

export function styleOf({ text, root }: Document): Style {
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n';
  const first = root !== undefined && root.type !== 'scalar' ? root.elements[0] : undefined;
  const indent = first === undefined ? undefined : ownLine(text, first.start);
  return { unit: indent?.slice(0, 8) || '  ', eol };
}

/** Spaces between the opening bracket and the end of its line; undefined where the line goes on. */
export function marks(text: string, { start }: Container): number | undefined {
  return /^( *)\r?\n/.exec(text.slice(start + 1, start + 66))?.[1]?.length;
}

/** As the last element. `name` is the member's, in an object. */
export function insertElement(
  document: Document,
  container: Container,
  name: string | undefined,
  value: unknown,
): string {
  const { text } = document;
  const { unit, eol } = styleOf(document);
  const pretty = (indent: string): string => {
    const written = JSON.stringify(value, null, unit).replaceAll('\n', eol + indent);
    return name === undefined ? written : `${JSON.stringify(name)}: ${written}`;
  };
  const last = container.elements.at(-1);
  if (last === undefined) {
    const outer = lineIndent(text, container.start);
    const open = container.start + 1;
    const body = `${eol}${outer}${unit}${pretty(outer + unit)}`;
    const added = container.end - 1 === open ? `${EXISTED_EMPTY}${body}${eol}${outer}` : `${EXISTED}${body}`;
    return splice(text, open, open, added);
  }
  const before = container.elements.at(-2)?.comma ?? container.start;
  const place = behindComments(document, last.comma === undefined ? last.end : last.comma + 1);
  const indent = ownLine(text, last.start);
  const compact =
    name === undefined ? JSON.stringify(value) : `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  const body =
    indent !== undefined
      ? `${eol}${indent}${pretty(indent)}`
      : place.afterLineComment
        ? `${eol}${compact}`
        : `${text[before + 1] === ' ' ? ' ' : ''}${compact}`;
  if (last.comma !== undefined) return splice(text, place.at, place.at, `${body},`);
  return splice(splice(text, place.at, place.at, body), last.end, last.end, ',');
}

/** Undoes insertElement; where the text was edited since, takes out the element and what it needed. */
export function removeElement(document: Document, container: Container, element: Element): string {
  const { text, comments } = document;
  const index = container.elements.indexOf(element);
  const previous = container.elements[index - 1];
  const from = previous?.comma === undefined ? container.start + 1 : previous.comma + 1;
  if (container.elements.length === 1 && element.comma === undefined) {
    const lead = text.slice(from, element.start);
    if (/^ {1,2}\r?\n[ \t]*$/.test(lead)) {
      const inside =
        /^ {2}\r?\n/.test(lead) && /^\r?\n[ \t]*$/.test(text.slice(element.end, container.end - 1));
      return splice(text, from, inside ? container.end - 1 : element.end, '');
    }
  }
  const start = comments.findLast((each) => each.start >= from && each.end <= element.start)?.end ?? from;
  if (element.comma !== undefined) {
    return splice(splice(text, element.comma, element.comma + 1, ''), start, element.end, '');
  }
  const without = splice(text, start, element.end, '');
  return previous?.comma === undefined ? without : splice(without, previous.comma, previous.comma + 1, '');
}

export function splice(text: string, from: number, to: number, added: string): string {
  return text.slice(0, from) + added + text.slice(to);
}

/** Behind the comments that follow on the same line, for they belong to what is before. */
function behindComments(
  { text, comments }: Document,
  from: number,
): { at: number; afterLineComment: boolean } {
  let at = from;
  let afterLineComment = false;
  for (const { start, end } of comments) {
    if (start < at) continue;
    const written = text.slice(at, end);
    if (text.slice(at, start).trim() !== '' || /[\r\n]/.test(written)) break;
    at = end;
    afterLineComment = text.startsWith('//', start);
  }
  return { at, afterLineComment };
}

/** The indentation of what begins its line; undefined where something stands before it. */
function ownLine(text: string, at: number): string | undefined {
  const indent = lineIndent(text, at);
  const begin = text.lastIndexOf('\n', at - 1) + 1;
  return begin > 0 && begin + indent.length === at ? indent : undefined;
}

function lineIndent(text: string, at: number): string {
  const begin = text.lastIndexOf('\n', at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(begin, at))?.[0] ?? '';
}
