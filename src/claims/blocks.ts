// A message cut into the blocks of Markdown that prose is in: paragraphs, headings, list items, cells of tables. Fenced
// and indented code, block quotes, comments and rules are left out. Unclosed fences run to the end, as they render.
import { BLANK, markInline } from './inline.ts';

export interface Block {
  readonly kind: 'text' | 'heading' | 'item' | 'cell';
  readonly start: number;
  readonly end: number;
  /** A heading's depth; 7 for a line that is all bold. An item's indentation. */
  readonly level: number;
  /** A task list's box: ticked or open. */
  readonly box: 'ticked' | 'open' | null;
  /** Of a cell: where the first cell of its row is, how many there are, and the words at the head of its column. */
  readonly row: Row | null;
}

export interface Row {
  readonly start: number;
  readonly end: number;
  readonly cells: number;
  readonly column: number;
  readonly head: string;
}

export interface Blocks {
  readonly blocks: readonly Block[];
  /** What each character of the message is, as inline.ts says it. */
  readonly marks: Uint8Array;
}

/** A line this short that a capital follows was meant to end there. */
const SHORT_LINE = 60;
const STATUS_MARK = /^(?:✅|✔|☑|✓|❌|✗|✘|⚠|🟢|🔴|🟡|⬜|☐|🎉|•|→|⏳|🚧)/u;

/** Codex names the lines of its memory that it used: `MEMORY.md:4-9|note=[…]`. */
const CITATION = /^[^\s|]+:\d+-\d+\|note=\[.*\]$/;

interface Open {
  readonly kind: 'text' | 'item';
  readonly start: number;
  readonly end: number;
  readonly level: number;
  readonly box: Block['box'];
}

export function readBlocks(text: string): Blocks {
  const marks = new Uint8Array(text.length);
  markComments(text, marks);
  const blocks: Block[] = [];
  let open = null as Open | null;
  let fence: string | null = null;
  let blank = true;
  let list = false;
  let table = false;
  let heads: readonly string[] = [];

  const push = (block: Block) => {
    markInline(text, block.start, block.end, marks);
    blocks.push(block);
  };
  const close = () => {
    if (open === null) return;
    const bold = open.kind === 'text' && isBoldLine(text.slice(open.start, open.end));
    push(bold ? { ...open, kind: 'heading', level: 7, row: null } : { ...open, row: null });
    open = null;
  };

  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    const body = line.trim();
    const from = start + line.length - line.trimStart().length;
    const to = from + body.length;
    const indent = columns(line);
    const wasBlank = blank;
    blank = body === '';
    const at = start;
    start = end + 1;

    if (fence !== null) {
      if (body.startsWith(fence) && body.replaceAll(fence[0] ?? '', '') === '') fence = null;
      continue;
    }
    const opener = /^(`{3,}|~{3,})/.exec(body.replace(/^(?:[-*+]|\d{1,9}[.)])\s+/, ''))?.[1];
    if (opener !== undefined && !body.slice(body.indexOf(opener) + opener.length).includes('`')) {
      close();
      fence = opener;
      continue;
    }
    if (body === '' || (marks[from] === BLANK && marks[to - 1] === BLANK)) {
      close();
      table = false;
      continue;
    }
    if (body.startsWith('>') || CITATION.test(body)) {
      close();
      continue;
    }
    if (indent >= 4 && !list && (wasBlank || blocks.length === 0) && open === null) {
      blank = true;
      continue;
    }
    if (isRule(body)) {
      const paragraph = open;
      if (paragraph !== null && paragraph.kind === 'text' && /^(?:=+|-{2,})$/.test(body)) {
        push({
          kind: 'heading',
          start: paragraph.start,
          end: paragraph.end,
          level: body.startsWith('=') ? 1 : 2,
          box: null,
          row: null,
        });
        open = null;
      } else close();
      list = false;
      continue;
    }
    const heading = /^(#{1,6})\s+/.exec(body);
    if (heading !== null) {
      close();
      list = false;
      const bare = body.replace(/\s#+$/, '');
      push({
        kind: 'heading',
        start: from + heading[0].length,
        end: from + bare.length,
        level: heading[1]?.length ?? 1,
        box: null,
        row: null,
      });
      continue;
    }
    if (body.startsWith('|') || (table && body.includes('|'))) {
      close();
      if (!table) heads = [];
      if (isDelimiterRow(body)) heads = dropRow(blocks, text, at);
      else for (const cell of cellsOf(text, from, to, heads)) push(cell);
      table = true;
      continue;
    }
    if (body.includes('|') && isDelimiterRow(body) && open !== null) {
      // The line before was the head of a table without outer bars.
      open = null;
      table = true;
      continue;
    }
    const item = /^(?:[-*+•]|\d{1,9}[.)])(?:\s+|$)(\[[ xX]\]\s+)?/.exec(body);
    if (item !== null) {
      close();
      list = true;
      const box = item[1] === undefined ? null : item[1][1] === ' ' ? 'open' : 'ticked';
      open = { kind: 'item', start: from + item[0].length, end: to, level: indent, box };
      continue;
    }
    if (indent === 0 && wasBlank) list = false;
    if (open !== null && !endsLine(text, open, from)) open = { ...open, end: to };
    else {
      close();
      open = { kind: 'text', start: from, end: to, level: indent, box: null };
    }
  }
  close();
  return { blocks, marks };
}

/** Does the line at `from` begin anew, although no blank line is before it? */
function endsLine(text: string, open: { start: number; end: number }, from: number): boolean {
  const next = text.slice(from, from + 2);
  if (STATUS_MARK.test(next) || next === '**') return true;
  const lineStart = Math.max(open.start, text.lastIndexOf('\n', open.end - 1) + 1);
  const last = text[open.end - 1] ?? '';
  return open.end - lineStart < SHORT_LINE && (last === ':' || /^[\p{Lu}`\d]/u.test(next)) && last !== ',';
}

function markComments(text: string, marks: Uint8Array): void {
  for (let at = text.indexOf('<!--'); at !== -1; ) {
    const close = text.indexOf('-->', at + 4);
    if (close === -1) return;
    marks.fill(BLANK, at, close + 3);
    at = text.indexOf('<!--', close + 3);
  }
}

function isBoldLine(line: string): boolean {
  const bold = /^(\*\*|__)(.+?)(\*\*|__):?$/.exec(line.length > 120 ? '' : line);
  return bold !== null && !(bold[2] ?? '').includes('**') && !/[.!?]$/.test(bold[2] ?? '');
}

function isRule(body: string): boolean {
  return (
    /^(?:[-*_=] ?)+$/.test(body.slice(0, 200)) &&
    body.length < 200 &&
    /^(?:=+|(?:[-*_] ?){3,}|-{2,})$/.test(body)
  );
}

function isDelimiterRow(body: string): boolean {
  return body.includes('-') && /^[|:\- \t]+$/.test(body);
}

/** A table's head is no claim. The delimiter at `at` says that the row before it was one; its words are given back. */
function dropRow(blocks: Block[], text: string, at: number): string[] {
  const heads: string[] = [];
  const first = blocks.at(-1)?.row?.start;
  if (first === undefined || first >= at) return heads;
  for (let last = blocks.at(-1); last?.row?.start === first; last = blocks.at(-1)) {
    heads[last.row.column] = text.slice(last.start, last.end).toLowerCase();
    blocks.pop();
  }
  return heads;
}

function cellsOf(text: string, from: number, to: number, heads: readonly string[]): Block[] {
  const cells: { start: number; end: number; column: number }[] = [];
  let start = text[from] === '|' ? from + 1 : from;
  let column = 0;
  for (let at = start; at <= to; at++) {
    if (at < to && (text[at] !== '|' || text[at - 1] === '\\')) continue;
    const cell = text.slice(start, at);
    const first = start + cell.length - cell.trimStart().length;
    if (cell.trim() !== '') cells.push({ start: first, end: first + cell.trim().length, column });
    start = at + 1;
    column++;
  }
  const row = cells[0] === undefined ? { start: from, end: from } : cells[0];
  return cells.map(({ column, ...cell }) => ({
    kind: 'cell',
    ...cell,
    level: 0,
    box: null,
    row: { start: row.start, end: row.end, cells: cells.length, column, head: heads[column] ?? '' },
  }));
}

function columns(line: string): number {
  let at = 0;
  for (const char of line) {
    if (char === ' ') at++;
    else if (char === '\t') at += 4;
    else break;
  }
  return at;
}
