// YAML's block scalars: `password: |` or `>-`, then the value on the lines below, deeper than the name. Also within a
// string, where line ends are written `\n`. Documentation has the same form: a first line that reads as a sentence stays.
import { hasMarker } from './marker.ts';
import { BACKSLASH, SPACE, TAB } from './quoted.ts';
import { codeAt, type Scan } from './scan.ts';
import { isLooseReference } from './secret-shape.ts';

const HEADER = /[|>][0-9+-]{0,3}[ \t]{0,16}(?:#[^\n\\]{0,80})?(\r?\n|\\{1,8}n)/y;
const DEEPEST = 128;
const JUDGED = 512;
const SENTENCE =
  /\S\s+\S+\s.*\b(?:the|of|to|is|are|must|should|for|and|an?|be|in|this|that|your|use[ds]?|with|from|or|it|if|when)\b/i;

/** The lines below a name, when its value is a block. */
export interface Block {
  readonly start: number;
  /** Of its first line, as much as is judged. */
  readonly judged: string;
  readonly end: () => number;
}

/** The block whose header stands at `at`; undefined if none does, or if its text is no value. */
export function readBlock(scan: Scan, name: number, at: number): Block | undefined {
  const { text } = scan;
  const code = text.charCodeAt(at);
  if (code !== 124 && code !== 62) return undefined;
  HEADER.lastIndex = at;
  const header = HEADER.exec(text);
  if (header === null) return undefined;
  const newline = (header[1] ?? '').replace('\r', '');
  const depth = depthOf(scan, name, newline);
  if (depth < 0) return undefined;
  const lineStart = HEADER.lastIndex;
  const start = skipIndent(text, lineStart);
  if (start - lineStart <= depth) return undefined;
  const judged = text.slice(start, lineEnd(text, start, newline, start + JUDGED));
  if (judged === '' || hasMarker(judged) || SENTENCE.test(judged)) return undefined;
  if (isLooseReference(judged) || /\$\{\{|\{\{[^}]|=\s{0,4}["']?\$/.test(judged)) return undefined;
  return { start, judged, end: () => blockEnd(text, start, depth, newline) };
}

/** How far in the name stands on its line; -1 if something other than spaces, dashes and a quote stands before it. */
export function depthOf(scan: Scan, name: number, newline: string): number {
  let at = name;
  if (codeAt(scan, at - 1) === 34 || codeAt(scan, at - 1) === 39) at--;
  const lowest = Math.max(scan.floor, at - DEEPEST);
  let start = at;
  while (start > lowest) {
    const code = codeAt(scan, start - 1);
    if (code !== SPACE && code !== 45) break;
    start--;
  }
  if (start === 0) return at - start;
  const before = codeAt(scan, start - 1);
  if (newline === '\n') return before === 10 ? at - start : -1;
  // The letter of an escaped line end, or the quote that the string begins with.
  if (before === 34 || before === 96 || before === 39) return at - start;
  return before === 110 && codeAt(scan, start - 2) === BACKSLASH ? at - start : -1;
}

function blockEnd(text: string, from: number, depth: number, newline: string): number {
  let end = lineEnd(text, from, newline, text.length);
  for (let at = end; text.startsWith(newline, at) || text.startsWith('\r\n', at); ) {
    const lineStart = text.startsWith(newline, at) ? at + newline.length : at + 2;
    const start = skipIndent(text, lineStart);
    at = lineEnd(text, start, newline, text.length);
    if (at === start) continue;
    if (start - lineStart <= depth) break;
    end = at;
  }
  return end;
}

function skipIndent(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB) at++;
  return at;
}

/** In a string within a string, a quote ends the text too. */
function lineEnd(text: string, from: number, newline: string, limit: number): number {
  const stop = Math.min(text.length, limit);
  let at = from;
  for (; at < stop; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) break;
    if (newline !== '\n' && (code === 34 || (code === BACKSLASH && /[\\nr"]/.test(text[at + 1] ?? ''))))
      break;
  }
  return at;
}
