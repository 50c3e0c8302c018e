// What is seen of a piece of a sentence, as numbers: how it begins, its words and their neighbours, the classes of its words,
// how it is joined to the rest, where the sentence stands, what stands around it. Each is the hash of what was seen, with
// how much it counts. The trainer sees them through this same file, so a change here needs new weights (`npm run train`).
import type { Piece } from './pieces.ts';
import type { Said } from './said.ts';
import type { Token } from './tokens.ts';
import { CHANGED_VERBS, CLASSES, DEEDS, FIRST, PASTS } from './words.ts';

const CLASS_OF: ReadonlyMap<string, readonly number[]> = (() => {
  const found = new Map<string, number[]>();
  for (const [index, list] of CLASSES.entries())
    for (const word of list) found.set(word, [...(found.get(word) ?? []), index]);
  return found;
})();
const NO_CLASS: readonly number[] = [];
const CHANGED: readonly number[] = [CLASSES.indexOf(CHANGED_VERBS)];
const isDeed = (text: string): boolean => text.length > 4 && /^(?!un)[a-z]+ed$/.test(text);
const DEED_CLASSES: ReadonlySet<number> = new Set(DEEDS.map((list) => CLASSES.indexOf(list)));
/** More words of a sentence, a heading or a neighbour say nothing new. */
const MOST_WORDS = 64;
/** So many words make the beginning of a piece. */
const HEAD = 4;

/** How much a feature counts: the beginning of a piece most, what stands around it least. */
const MUCH = 2;
const PLAIN = 1;
const LITTLE = 0.5;

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}

function mix(hash: number, next: number): number {
  let mixed = Math.imul(hash ^ next, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

const COMMAND = /^`+\s*(?:\.\/|\\)?[\w@./][\w@./-]* (?:[^()=>{}]|(?<=[\w-])=(?=[\w"'.]))*$/;
const ROUTE = /^`+(?:get|post|put|delete|patch|head) /;
const TESTS = /(?:^|[^a-z])(?:\w*tests?|specs?|tox|prove|bats|make check)(?:[^a-z]|$)/;
const COMMIT = /^`*[0-9a-f]{7,40}`*$/;
const PATH = /[/\\]|\.\w{1,5}`*$/;

/** A word as it counts: numbers, code and quotes are one of their kind. */
function formOf({ text, kind }: Token): string {
  switch (kind) {
    case 'number':
      return text === '0' ? '0' : '#';
    case 'quote':
      return '"';
    case 'good':
      return '✓';
    case 'bad':
      return '✗';
    case 'code':
      if (COMMIT.test(text)) return '<commit>';
      if (COMMAND.test(text) && !ROUTE.test(text)) return TESTS.test(text) ? '<tests>' : '<command>';
      return PATH.test(text) ? '<path>' : '<code>';
    default:
      return text;
  }
}

function classesOf({ text, kind }: Token): readonly number[] {
  if (kind !== 'word') return NO_CLASS;
  return CLASS_OF.get(text) ?? CLASS_OF.get(text.replace(/^re-/, '')) ?? (isDeed(text) ? CHANGED : NO_CLASS);
}

/** The class that speaks for a word; of short words the word itself, of others their ending. */
function classForm({ text, kind }: Token, classes: readonly number[], form: string): string {
  if (classes[0] !== undefined) return `~${classes[0]}`;
  if (kind !== 'word') return form;
  if (PASTS.has(text) || (text.length > 4 && text.endsWith('ed'))) return '~ed';
  if (text.length > 4 && text.endsWith('ing')) return '~ing';
  return text.length < 4 ? text : '_';
}

/** What is seen of a token. */
interface Sight {
  readonly form: number;
  readonly classForm: number;
  readonly classes: readonly number[];
  readonly ending: number;
  readonly stem: number;
}

/** Kinds of features, so that the same words in two roles are two features. */
const KIND = {
  word: hashOf('word'),
  pair: hashOf('pair'),
  triple: hashOf('triple'),
  classPair: hashOf('class pair'),
  classTriple: hashOf('class triple'),
  classFour: hashOf('class four'),
  class: hashOf('class'),
  classes: hashOf('classes'),
  ending: hashOf('ending'),
  stem: hashOf('stem'),
  beside: hashOf('beside'),
  link: hashOf('link'),
  head: hashOf('head'),
  last: hashOf('last'),
  lastTwo: hashOf('last two'),
  all: hashOf('all'),
  place: hashOf('place'),
  label: hashOf('label'),
  heading: hashOf('heading'),
  lead: hashOf('lead'),
  row: hashOf('row'),
  before: hashOf('before'),
  behind: hashOf('behind'),
  elsewhere: hashOf('elsewhere'),
  opening: hashOf('opening'),
  sentenceBefore: hashOf('sentence before'),
  sentenceBehind: hashOf('sentence behind'),
} as const;
const END = hashOf('$');
const NOTHING: Sight = { form: END, classForm: END, classes: NO_CLASS, ending: 0, stem: 0 };

/** Features of a piece, each with how much it counts. A hash is signed here: a Map is quicker with such numbers. */
export type Features = Map<number, number>;

/** Looks at the pieces of one message. */
export class Looker {
  readonly #said: readonly Said[];
  /** By token, as each is seen from many pieces, and by its words. */
  readonly #seen = new Map<Token, Sight>();
  readonly #known = new Map<string, Sight>();
  readonly #hashes = new Map<string, number>();
  /** How many sentences of the message tell of deeds, from 0 to 4; and whether its writer says I. */
  readonly #deeds: number;
  readonly #first: boolean;
  #features: Features = new Map();

  constructor(said: readonly Said[]) {
    this.#said = said;
    const share = said.length === 0 ? 0 : said.filter(tellsDeed).length / said.length;
    this.#deeds = Math.min(4, Math.round(6 * share));
    this.#first = said.some(({ tokens }) => tokens.some(({ text }) => FIRST.has(text)));
  }

  featuresOf(piece: Piece): Features {
    this.#features = new Map();
    const seen = piece.tokens.slice(0, MOST_WORDS).map((token) => this.#sightOf(token));
    this.#addHead(piece, seen);
    this.#addWords(piece, seen);
    this.#addPlace(piece);
    this.#addContext(piece);
    return this.#features;
  }

  #add(kind: number, what: number, worth: number): void {
    const hash = mix(kind, what);
    if ((this.#features.get(hash) ?? 0) < worth) this.#features.set(hash, worth);
  }

  #hash(text: string): number {
    let hash = this.#hashes.get(text);
    if (hash === undefined) {
      hash = hashOf(text);
      this.#hashes.set(text, hash);
    }
    return hash;
  }

  #sightOf(token: Token): Sight {
    let sight = this.#seen.get(token);
    if (sight === undefined) {
      sight = this.#firstSightOf(token);
      this.#seen.set(token, sight);
    }
    return sight;
  }

  #firstSightOf(token: Token): Sight {
    const key = `${token.kind} ${token.text}`;
    let sight = this.#known.get(key);
    if (sight === undefined) {
      const form = formOf(token);
      const classes = classesOf(token);
      const long = token.kind === 'word' && token.text.length > 5;
      sight = {
        form: hashOf(form),
        classForm: hashOf(classForm(token, classes, form)),
        classes,
        ending: long ? hashOf(token.text.slice(-3)) : 0,
        stem: long ? hashOf(token.text.slice(0, 4)) : 0,
      };
      this.#known.set(key, sight);
    }
    return sight;
  }

  /** How the piece begins and how it ends. */
  #addHead({ block, link }: Piece, seen: readonly Sight[]): void {
    const [kind, joint] = [this.#hash(block.kind), this.#hash(link)];
    for (const list of [seen.map(({ form }) => form), seen.map(({ classForm }) => mix(classForm, END))]) {
      let run = KIND.head;
      for (const [at, form] of list.slice(0, HEAD).entries()) {
        run = mix(run, form);
        this.#add(KIND.head, run, MUCH);
        if (at > 1) continue;
        this.#add(kind, run, PLAIN);
        this.#add(joint, run, PLAIN);
      }
      const last = list.at(-1) ?? 0;
      this.#add(KIND.last, last, PLAIN);
      this.#add(KIND.lastTwo, mix(list.at(-2) ?? 0, last), PLAIN);
      if (list.length <= HEAD) this.#add(KIND.all, run, MUCH);
    }
  }

  #addWords({ segments }: Piece, seen: readonly Sight[]): void {
    for (const [index, { from, to, link }] of segments.entries()) {
      if (index > 0) this.#add(KIND.link, this.#hash(link), LITTLE);
      const part = seen.slice(from, to);
      if (index > 0 && BESIDE.has(link)) this.#addBeside(part);
      else this.#addMain(part, seen.slice(from, to + 3));
    }
  }

  /** Words of what the piece asserts; `ahead` goes three words further. */
  #addMain(part: readonly Sight[], ahead: readonly Sight[]): void {
    const classes = new Set<number>();
    for (const [at, one] of part.entries()) {
      const two = ahead[at + 1] ?? NOTHING;
      const three = ahead[at + 2] ?? NOTHING;
      const four = ahead[at + 3] ?? NOTHING;
      this.#add(KIND.word, one.form, PLAIN);
      if (one.ending !== 0) this.#add(KIND.ending, one.ending, PLAIN);
      if (one.stem !== 0) this.#add(KIND.stem, one.stem, PLAIN);
      const pair = mix(one.form, two.form);
      this.#add(KIND.pair, pair, PLAIN);
      this.#add(KIND.triple, mix(pair, three.form), PLAIN);
      const classPair = mix(one.classForm, two.classForm);
      const classTriple = mix(classPair, three.classForm);
      this.#add(KIND.classPair, classPair, PLAIN);
      this.#add(KIND.classTriple, classTriple, PLAIN);
      this.#add(KIND.classFour, mix(classTriple, four.classForm), PLAIN);
      for (const own of one.classes) classes.add(own);
    }
    const sorted = [...classes].sort((a, b) => a - b);
    for (const [at, one] of sorted.entries()) {
      this.#add(KIND.class, one + 1, PLAIN);
      for (const other of sorted.slice(at + 1)) this.#add(KIND.classes, mix(one + 1, other + 1), PLAIN);
    }
  }

  /** Words that say when, why or which. */
  #addBeside(part: readonly Sight[]): void {
    for (const { form, classes } of part) {
      this.#add(KIND.beside, form, LITTLE);
      for (const one of classes) this.#add(KIND.beside, one + 1, LITTLE);
    }
  }

  #addPlace({ block, section, question, tokens, neighbours, link, next, label }: Piece): void {
    const place = (text: string) => this.#add(KIND.place, this.#hash(text), PLAIN);
    place(`kind ${block.kind}`);
    place(`section ${section}`);
    if (block.box !== null) place(`box ${block.box}`);
    if (question) place('question');
    place(`length ${Math.min(6, Math.floor(Math.log2(tokens.length + 1)))}`);
    place(`deeds ${this.#deeds}`);
    place(`first ${this.#first}`);
    place(neighbours[0] === undefined ? 'begins' : neighbours[1] === undefined ? 'ends' : 'within');
    place(`link ${link}`);
    place(`next ${next}`);
    place(`${link} ${next} ${block.kind}`);
    if (this.#said.length <= 2) place('short');
    if (label.length > 0) place(label.every(({ kind }) => kind === 'code') ? 'label code' : 'label words');
    if (block.row === null) return;
    place(`cells ${Math.min(4, block.row.cells)}`);
    place(`head ${block.row.head.split(' ', 1)[0]}`);
    if (block.row.start === block.start) place('first cell');
  }

  /** What stands around: labels, headings, the rest of the sentence, the sentences before and behind. */
  #addContext(piece: Piece): void {
    const around = (kind: number, words: readonly Token[], most = MOST_WORDS) => {
      for (let at = 0; at < words.length && at < MOST_WORDS; at++) {
        const { form, classes } = this.#sightOf(words[at] as Token);
        if (at < most) this.#add(kind, form, LITTLE);
        if (classes[0] !== undefined) this.#add(kind, classes[0] + 1, LITTLE);
      }
    };
    around(KIND.label, piece.label);
    around(KIND.heading, piece.heading);
    around(KIND.lead, piece.lead);
    around(KIND.row, piece.row);
    around(KIND.before, piece.siblings[0], 4);
    around(KIND.behind, piece.siblings[1], 4);
    around(KIND.elsewhere, piece.elsewhere);
    around(mix(KIND.opening, this.#hash(piece.link)), piece.opening);
    for (const [at, kind] of [KIND.sentenceBefore, KIND.sentenceBehind].entries()) {
      const said = piece.neighbours[at];
      if (said === undefined) continue;
      around(kind, said.tokens, 3);
      this.#add(mix(kind, this.#hash(piece.block.kind)), this.#hash(said.block.kind), LITTLE);
    }
  }
}

/** Links of segments that assert nothing of their own. */
const BESIDE: ReadonlySet<string> = new Set(['condition', 'time', 'cause', 'relative', 'that', 'aside']);

function tellsDeed({ tokens }: Said): boolean {
  return tokens
    .slice(0, HEAD)
    .some(
      (token) =>
        token.kind === 'word' &&
        ((token.text.length > 4 && token.text.endsWith('ed')) ||
          classesOf(token).some((one) => DEED_CLASSES.has(one))),
    );
}
