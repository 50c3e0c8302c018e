// A message, or one end of a long one, as the sentences that are said in it, each with where it stands: the block, the
// heading above, the line that leads in, the row. The reader begins here.
import { type Block, readBlocks } from './blocks.ts';
import { readable } from './characters.ts';
import { type Leads, trackSections, type Under } from './sections.ts';
import { type Segment, splitSegments } from './segments.ts';
import { readTokens, splitSentences, type Token } from './tokens.ts';

/** A sentence where it stands. */
export interface Said extends Under {
  readonly tokens: readonly Token[];
  readonly segments: readonly Segment[];
  readonly question: boolean;
  readonly block: Block;
  /** The words of the whole block. */
  readonly around: readonly Token[];
  /** The words of the first cell of the row. */
  readonly row: readonly Token[];
}

export interface Reading {
  readonly said: readonly Said[];
  /** The message's own characters from one place in the tokens to another. */
  readonly quote: (start: number, end: number) => string;
}

const MOST_BLOCKS = 4096;

export function readSaid(part: string): Reading {
  const { text, origin } = readable(part);
  const { blocks, marks } = readBlocks(text);
  const sections = trackSections();
  const said: Said[] = [];
  const read = ends(blocks, MOST_BLOCKS);
  for (const [at, block] of read.entries()) {
    const { section, heading, lead } = sections.of(block);
    const own = readTokens(text, block.start, block.end, marks);
    const row =
      block.row === null || block.row.start === block.start
        ? []
        : readTokens(text, block.row.start, block.row.end, marks);
    const around = isResult(block, own) ? [...row, ...own] : own;
    const sentences = splitSentences(around);
    for (const { tokens, question } of sentences) {
      const segments = splitSegments(tokens);
      said.push({
        tokens,
        segments,
        question,
        block,
        around,
        section: block.box === 'open' ? 'open' : section,
        heading,
        lead,
        row,
      });
    }
    const last = sentences.at(-1)?.tokens ?? [];
    sections.announce(block, last, leadsOf(block, around.at(-1)?.text ?? '', read[at + 1]));
  }
  return { said, quote: (start, end) => part.slice(origin(start), origin(end - 1) + 1) };
}

/** "| Tests | ✅ |": the mark is said of its row. In a wider table it may compare, unless its column is one of results. */
function isResult({ row }: Block, own: readonly Token[]): boolean {
  const isOfRow =
    row !== null && (row.cells === 2 || /^(?:status|state|results?|done|ok|pass)/.test(row.head));
  return isOfRow && own.every(({ kind }) => kind === 'good' || kind === 'bad');
}

/** Codex writes its titles as plain lines: "Changes made", and below it the list. */
function leadsOf(block: Block, sign: string, next: Block | undefined): Leads {
  if (sign === ':') return 'colon';
  if (next?.kind !== 'item' || /^[.!?]$/.test(sign)) return null;
  return block.kind === 'text' || (block.kind === 'item' && next.level > block.level) ? 'bare' : null;
}

/** No more than `most` of a list, from both its ends. */
function ends<T>(list: readonly T[], most: number): readonly T[] {
  return list.length > most ? [...list.slice(0, most / 2), ...list.slice(-most / 2)] : list;
}
