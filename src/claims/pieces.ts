// A sentence in the pieces in which it is read, each of which could claim something by itself: "Renamed the driver, updated
// its callers, and everything compiles" has three. What has no verb belongs to the piece before it ("Fixed a, b and c");
// what stands before a colon or a dash labels what follows ("Tests: 40 passed", "`a.ts` — added a guard").

import type { Said } from './said.ts';
import type { Link, Segment } from './segments.ts';
import type { Token } from './tokens.ts';
import { PREDICATES } from './words.ts';

type Tokens = readonly Token[];

/** A piece: what is said in it, and where it stands in its sentence. */
export interface Piece extends Said {
  /** Which sentence of the message it is of. */
  readonly sentence: number;
  /** How it is joined to what stands before it, and what is joined to it. */
  readonly link: Link;
  readonly next: Link | 'end';
  /** The words before the colon or dash at its beginning. */
  readonly label: Tokens;
  /** What else the sentence says; and of that what stands right before and right behind. */
  readonly elsewhere: Tokens;
  readonly siblings: readonly [before: Tokens, behind: Tokens];
  /** How the sentence begins, where this is not its beginning. */
  readonly opening: Tokens;
  /** The sentences before and behind. */
  readonly neighbours: readonly [before: Said | undefined, behind: Said | undefined];
}

/** No honest sentence has more; each is read against all of its sentence. */
const MOST_PIECES = 16;
/** So many words of how a sentence began are known to its other pieces. */
const OPENING = 4;
/** A label is short. */
const LABEL = 9;

export function piecesOf(all: readonly Said[]): Piece[] {
  return all.flatMap((said, sentence) => {
    const { tokens, question, block, around, section, heading, lead, row } = said;
    const cuts = cutsOf(said);
    const textOf = (cut: Cut | undefined) => (cut === undefined ? [] : tokens.slice(cut.from, cut.to));
    return cuts.map((cut, at): Piece => {
      const { from, to, segments } = cut;
      const labelled = cut.labelled ? cuts[at - 1] : undefined;
      // Written out: spreading one object into another of so many members was slow in a profile.
      return {
        question,
        block,
        around,
        section,
        heading,
        lead,
        row,
        tokens: textOf(cut),
        segments: segments.map((one) => ({ ...one, from: one.from - from, to: one.to - from })),
        sentence,
        link: segments[0]?.link ?? 'start',
        next: cuts[at + 1]?.segments[0]?.link ?? (tokens.at(-1)?.text === ':' ? 'label' : 'end'),
        label: textOf(labelled),
        elsewhere: [...tokens.slice(0, from), ...tokens.slice(to)],
        siblings: [textOf(cuts[at - 1]), textOf(cuts[at + 1])],
        opening: at === 0 ? [] : tokens.slice(0, OPENING),
        neighbours: [all[sentence - 1], all[sentence + 1]],
      };
    });
  });
}

interface Cut {
  from: number;
  to: number;
  readonly segments: Segment[];
  readonly labelled: boolean;
}

const ATTACHED: ReadonlySet<Link> = new Set([
  'resume',
  'alternative',
  'aside',
  'condition',
  'time',
  'cause',
  'relative',
  'that',
]);

function cutsOf({ tokens, segments }: Said): Cut[] {
  const cuts: Cut[] = [];
  let claused = false;
  let aside = false;
  for (const segment of segments) {
    const clause = isClause(tokens, segment);
    // What stands in brackets belongs to what stands before them.
    aside = segment.link === 'aside' || (aside && segment.link !== 'resume' && !isClosed(tokens, segment));
    const last = cuts.at(-1);
    const sign = tokens[segment.from - 1]?.text ?? '';
    const labelled =
      last !== undefined &&
      last.to - last.from <= LABEL &&
      (segment.link === 'label' || (segment.link === 'break' && (sign === '—' || sign === '→') && clause));
    const begins =
      last === undefined ||
      (cuts.length < MOST_PIECES &&
        (labelled ||
          segment.link === 'label' ||
          (clause && claused && !aside && !ATTACHED.has(segment.link))));
    if (begins) {
      cuts.push({ from: segment.from, to: segment.to, segments: [segment], labelled });
      claused = clause;
    } else {
      last.segments.push(segment);
      last.to = segment.to;
      claused ||= clause;
    }
  }
  return cuts;
}

/** Did a bracket close before it? */
function isClosed(tokens: Tokens, { from }: Segment): boolean {
  let at = from - 1;
  while (/^(?:,|;|and|but|or|so)$/.test(tokens[at]?.text ?? '')) at--;
  return tokens[at]?.text === ')';
}

export function isVerb(text: string): boolean {
  return PREDICATES.has(text) || (text.length > 4 && text.endsWith('ed'));
}

function isClause(tokens: Tokens, { from, to }: Segment): boolean {
  for (let at = from; at < to; at++) {
    const { text, kind } = tokens[at] as Token;
    if (kind === 'good' || kind === 'bad') return true;
    if (kind !== 'word') continue;
    if (isVerb(text)) return true;
    // "the dev shell starts", "`ldd` says"
    if (at > from && text.length > 3 && /[^s]s$/.test(text)) return true;
  }
  return false;
}
