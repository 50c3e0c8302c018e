// What is seen of a piece of a sentence, as numbers: its words and their neighbours, the classes of its words, how its
// clauses begin, how it is joined to the rest, where the sentence stands, what stands beside it. Each is the hash of what
// was seen; weights.ts knows what it is worth. The trainer sees them through this same file, so a change here needs new
// weights (`npm run train`).
import { isCommand, TEST_COMMAND } from './clause.ts';
import * as lexicon from './lexicon.ts';
import type { Piece } from './pieces.ts';
import type { Said } from './said.ts';
import type { Segment } from './segments.ts';
import type { Token } from './tokens.ts';

/** Classes of words, in the order in which one speaks for a word that has several. */
const CLASSES: readonly ReadonlySet<string>[] = [
  lexicon.DONE_VERBS,
  lexicon.CHANGED_VERBS,
  lexicon.SHIPPED_VERBS,
  lexicon.VERIFY_VERBS,
  lexicon.RUN_VERBS,
  lexicon.TRIAL_VERBS,
  lexicon.NO_ACTIONS,
  lexicon.DONE_STATES,
  lexicon.PASS_STATES,
  lexicon.PASS_VERBS,
  lexicon.WORK_VERBS,
  lexicon.TEST_NOUNS,
  lexicon.CHECK_NOUNS,
  lexicon.FAULTS,
  lexicon.FIRST,
  lexicon.OTHERS,
  lexicon.BE,
  lexicon.NEGATIONS,
  lexicon.HEDGES,
  lexicon.FUTURES,
  lexicon.ATTEMPTS,
  lexicon.ASKING,
  lexicon.PAST_MARKS,
  lexicon.CONDITIONS,
  lexicon.TIMES,
  lexicon.CAUSES,
  lexicon.BREAKS,
  lexicon.ORDERS,
  lexicon.FIXES,
];
/** Verbs by which somebody says what was done. */
const DEEDS = [0, 1, 2, 3, 4];

const CLASS_OF: ReadonlyMap<string, readonly number[]> = (() => {
  const found = new Map<string, number[]>();
  for (const [index, list] of CLASSES.entries())
    for (const word of list) found.set(word, [...(found.get(word) ?? []), index]);
  return found;
})();
const NO_CLASS: readonly number[] = [];
/** More words of a sentence, a heading or a neighbour say nothing new. */
const MOST_WORDS = 64;

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function mix(hash: number, next: number): number {
  let mixed = Math.imul(hash ^ next, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Kinds of features, so that the same words in two roles are two features. */
const KIND = {
  word: hashOf('word'),
  pair: hashOf('pair'),
  triple: hashOf('triple'),
  classPair: hashOf('classes 2'),
  classTriple: hashOf('classes 3'),
  classFour: hashOf('classes 4'),
  has: hashOf('class'),
  both: hashOf('class and class'),
  begins: hashOf('segment begins'),
  opens: hashOf('segment opens'),
  inSegment: hashOf('class in segment'),
  bothInSegment: hashOf('class and class in segment'),
  ending: hashOf('ending'),
  stem: hashOf('stem'),
  place: hashOf('place'),
  heading: hashOf('heading'),
  lead: hashOf('lead'),
  row: hashOf('row'),
  item: hashOf('item'),
  before: hashOf('before'),
  classBefore: hashOf('class before'),
  after: hashOf('after'),
  joint: hashOf('joint'),
  opening: hashOf('opening'),
  elsewhere: hashOf('elsewhere'),
  classElsewhere: hashOf('class elsewhere'),
  siblings: [
    [hashOf('sibling before'), hashOf('class of the sibling before')],
    [hashOf('sibling behind'), hashOf('class of the sibling behind')],
  ] as const,
  classAfter: hashOf('class after'),
};

const START = hashOf('^');
const END = hashOf('$');

/** A word as it counts: numbers, code and quotes are one of their kind. */
function formOf(token: Token): string {
  switch (token.kind) {
    case 'number':
      return '#';
    case 'quote':
      return '"';
    case 'good':
      return '✓';
    case 'bad':
      return '✗';
    case 'code':
      if (!isCommand(token)) return /[/\\]|\.\w{1,5}`*$/.test(token.text) ? '<path>' : '<code>';
      return TEST_COMMAND.test(token.text) ? '<tests>' : '<command>';
    default:
      return token.text;
  }
}

function classesOf({ text, kind }: Token): readonly number[] {
  if (kind !== 'word') return NO_CLASS;
  return (
    CLASS_OF.get(text) ?? (text.startsWith('re-') ? (CLASS_OF.get(text.slice(3)) ?? NO_CLASS) : NO_CLASS)
  );
}

/** The class that speaks for a word; of short words the word itself, of others their ending. */
function classForm(token: Token, classes: readonly number[], form: string): string {
  if (classes[0] !== undefined) return `~${classes[0]}`;
  if (token.kind !== 'word') return form;
  if (token.text.length > 4 && /(?:ed|ing)$/.test(token.text))
    return token.text.endsWith('ed') ? '~ed' : '~ing';
  return token.text.length < 4 ? token.text : '_';
}

interface Seen {
  readonly forms: readonly number[];
  readonly classForms: readonly number[];
  readonly classes: readonly (readonly number[])[];
}

/** Hashes of forms, kept for a message: words come again. */
export type Hashes = Map<string, number>;

function hashed(text: string, known: Hashes): number {
  let hash = known.get(text);
  if (hash === undefined) {
    hash = hashOf(text);
    known.set(text, hash);
  }
  return hash;
}

function seenOf(tokens: readonly Token[], known: Hashes): Seen {
  const forms: number[] = [];
  const classForms: number[] = [];
  const classes: (readonly number[])[] = [];
  for (const token of tokens) {
    const form = formOf(token);
    const own = classesOf(token);
    forms.push(hashed(form, known));
    classForms.push(hashed(classForm(token, own, form), known));
    classes.push(own);
  }
  return { forms, classForms, classes };
}

/** How many sentences of a message tell of deeds, from 0 to 4; and whether its writer says I. */
export interface Manner {
  readonly deeds: number;
  readonly first: boolean;
}

export function mannerOf(all: readonly Said[]): Manner {
  const tells = ({ tokens }: Said) =>
    tokens
      .slice(0, 4)
      .some(
        (token) =>
          token.kind === 'word' &&
          ((token.text.length > 4 && token.text.endsWith('ed')) ||
            classesOf(token).some((one) => DEEDS.includes(one))),
      );
  const share = all.length === 0 ? 0 : all.filter(tells).length / all.length;
  return {
    deeds: Math.min(4, Math.round(6 * share)),
    first: all.some(({ tokens }) => tokens.some(({ text }) => lexicon.FIRST.has(text))),
  };
}

/** The features of one piece of a message of so many sentences, each once. */
export function featuresOf(piece: Piece, sentences: number, manner: Manner, known: Hashes): Set<number> {
  const features = new Set<number>();
  const tokens = piece.tokens.slice(0, MOST_WORDS);
  const seen = seenOf(tokens, known);
  addWords(features, tokens, seen, known);
  addSegments(features, piece.segments, seen, known);
  addPlace(features, piece, sentences, manner, known);
  if (piece.block.kind === 'item') {
    features.add(mix(KIND.item, seen.forms[0] ?? 0));
    features.add(mix(KIND.item, seen.classForms[0] ?? 0));
  }
  addSiblings(features, piece, known);
  const [before, after] = piece.neighbours;
  addNeighbour(features, before, piece, KIND.before, KIND.classBefore, 3, known);
  addNeighbour(features, after, piece, KIND.after, KIND.classAfter, 2, known);
  return features;
}

function addWords(features: Set<number>, tokens: readonly Token[], seen: Seen, known: Hashes): void {
  for (const form of seen.forms) features.add(mix(KIND.word, form));
  addRuns(features, seen.forms, [KIND.pair, KIND.triple]);
  addRuns(features, seen.classForms, [KIND.classPair, KIND.classTriple, KIND.classFour]);
  addClasses(features, seen.classes.flat(), KIND.has, KIND.both);
  for (const { text, kind } of tokens) {
    if (kind !== 'word' || text.length < 6) continue;
    features.add(mix(KIND.ending, hashed(text.slice(-3), known)));
    features.add(mix(KIND.ending, hashed(text.slice(-4), known)));
    features.add(mix(KIND.stem, hashed(text.slice(0, 4), known)));
  }
}

/** Runs of two, three … forms, with the sentence's beginning and end as forms of their own. */
function addRuns(features: Set<number>, forms: readonly number[], kinds: readonly number[]): void {
  const all = [START, ...forms, END];
  for (let from = 0; from < all.length; from++) {
    let run = all[from] as number;
    for (const [more, kind] of kinds.entries()) {
      const next = all[from + more + 1];
      if (next === undefined) break;
      run = mix(run, next);
      features.add(mix(kind, run));
    }
  }
}

function addClasses(features: Set<number>, classes: readonly number[], has: number, both: number): void {
  const unique = [...new Set(classes)].sort((a, b) => a - b);
  for (const [at, one] of unique.entries()) {
    features.add(mix(has, one + 1));
    for (const other of unique.slice(at + 1)) features.add(mix(mix(both, one + 1), other + 1));
  }
}

function addSegments(
  features: Set<number>,
  segments: readonly Segment[],
  { classForms, classes }: Seen,
  known: Hashes,
): void {
  for (const { from, to, link } of segments) {
    if (from >= classForms.length) return;
    const joint = hashed(link, known);
    const first = classForms[from] ?? 0;
    features.add(mix(mix(KIND.opens, joint), first));
    features.add(mix(mix(mix(KIND.begins, joint), first), from + 1 < to ? (classForms[from + 1] ?? 0) : 0));
    addClasses(features, classes.slice(from, to).flat(), mix(KIND.inSegment, joint), KIND.bothInSegment);
  }
}

function addPlace(
  features: Set<number>,
  said: Piece,
  sentences: number,
  manner: Manner,
  known: Hashes,
): void {
  const { block, section, question, tokens, neighbours } = said;
  const place = (text: string) => features.add(mix(KIND.place, hashed(text, known)));
  place(`kind ${block.kind}`);
  place(`section ${section}`);
  if (block.box !== null) place(`box ${block.box}`);
  if (question) place('question');
  place(`length ${Math.min(6, Math.floor(Math.log2(tokens.length + 1)))}`);
  place(`deeds ${manner.deeds}`);
  place(`first ${manner.first}`);
  place(neighbours[0] === undefined ? 'begins' : neighbours[1] === undefined ? 'ends' : 'within');
  if (sentences <= 2) place('short');
  if (block.row !== null) {
    place(`cells ${Math.min(4, block.row.cells)}`);
    place(`head ${block.row.head.split(' ', 1)[0]}`);
    if (block.row.start === block.start) place('first cell');
  }
  for (const [kind, words] of [
    [KIND.heading, said.heading],
    [KIND.lead, said.lead],
    [KIND.row, said.row],
  ] as const)
    for (const { text } of words.slice(0, MOST_WORDS)) features.add(mix(kind, hashed(text, known)));
}

/** How a piece is joined to its sentence, and what that says elsewhere: "I rebuilt it" tells who "and pushed the image". */
function addSiblings(
  features: Set<number>,
  { link, opening, elsewhere, siblings }: Piece,
  known: Hashes,
): void {
  const joint = hashed(link, known);
  features.add(mix(KIND.joint, joint));
  for (const token of elsewhere.slice(0, MOST_WORDS)) {
    features.add(mix(KIND.elsewhere, hashed(formOf(token), known)));
    for (const one of classesOf(token)) features.add(mix(KIND.classElsewhere, one + 1));
  }
  for (const [at, tokens] of siblings.entries()) {
    const [word, kind] = KIND.siblings[at as 0 | 1];
    for (const token of tokens.slice(0, 3)) features.add(mix(word, hashed(formOf(token), known)));
    addFirstClasses(features, tokens, kind);
  }
  if (opening.length === 0) return;
  const { classForms } = seenOf(opening, known);
  for (const form of classForms.slice(0, 2)) features.add(mix(mix(KIND.opening, joint), form));
  features.add(mix(mix(KIND.opening, classForms[0] ?? 0), classForms[1] ?? 0));
}

function addFirstClasses(features: Set<number>, tokens: readonly Token[], kind: number): void {
  for (const token of tokens.slice(0, MOST_WORDS)) {
    const [first] = classesOf(token);
    if (first !== undefined) features.add(mix(kind, first + 1));
  }
}

function addNeighbour(
  features: Set<number>,
  neighbour: Said | undefined,
  said: Said,
  words: number,
  classes: number,
  most: number,
  known: Hashes,
): void {
  if (neighbour === undefined) return;
  for (const token of neighbour.tokens.slice(0, most)) features.add(mix(words, hashed(formOf(token), known)));
  addFirstClasses(features, neighbour.tokens, classes);
  if (words === KIND.before)
    features.add(mix(mix(words, hashed(neighbour.block.kind, known)), hashed(said.block.kind, known)));
}
