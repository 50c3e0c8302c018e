// What a test file declares, skips and asserts, line by line. A skip belongs to a test by name, so that a new test that
// is born skipped is no weakening, while a skip of one that was there is, wherever in the file it moved to.
import { type Language, languageOf, type Mark as Row } from '../../ecosystems/index.ts';
import { behindBlock, blockEnd, countRows } from './blocks.ts';
import { type Asked, GivenNames } from './given-names.ts';
import { headAt, isSelfGuarded } from './self-guarded.ts';
import { sourceView } from './source-view.ts';
import {
  ALWAYS,
  CATCHES,
  DOES,
  EMPTY,
  EXCEPTS,
  HANDLES,
  HOISTED,
  HOLLOW,
  IS_AWAITED,
  ITSELF,
  isCalledTwice,
  LEAVES,
  LOADS,
  LOOPED,
  LOOPS,
  MAKES,
  NAMED,
  NEVER,
  NOT_DECLARED,
  NOTHING,
  ONLY_TOLD,
  PASSES_OVER,
  PROMISED,
  RETURNS,
  SAYS_NOTHING,
  UNAWAITED,
  WANTED,
} from './test-line-forms.ts';
import { unfolded } from './unfolded.ts';

export interface Mark {
  /** Null: the whole file. */
  readonly name: string | null;
  readonly line: string;
}

export type Marks = Readonly<ReturnType<typeof noMarks>>;

export function noMarks() {
  return {
    tests: [] as Mark[],
    suites: [] as string[],
    skips: [] as Mark[],
    only: [] as string[],
    asserts: [] as string[],
    /** The line before each of these: there stands what an `if` compares. */
    around: [] as string[],
    /** What each asserts, and where an `if` compares it, that. */
    asked: [] as (readonly Asked[])[],
    /** Assertions that always hold, or whose failure nobody hears of. */
    trivial: [] as string[],
    /** Such that look as if they could fail. */
    vain: [] as string[],
    tables: 0,
    /** How many assertions stand in no test. */
    outside: 0,
    /** How many cases the tables hold, where that can be counted. */
    cases: 0,
    /** Lines that may declare a test that has another name. */
    hollow: [] as string[],
    /** Where its names are from: 0, elsewhere; 1, a file beside it; 2, itself. */
    origins: new Map<string, { readonly own: number; readonly line: string }>(),
    /** Nothing happens in it. */
    isEmpty: true,
  };
}

const LONGEST_LINE = 400;
const LONGEST_TEXT = 512 * 1024;
const MOST_LINES = 20_000;
const MOST_CASE_LINES = 200;
const LONGEST_TABLE = 32 * 1024;
/** No row is shorter. */
const SHORTEST = 4;
const MOST_BETWEEN = 30; // lines between a list and the loop over it

/** Undefined where the language is not known. */
export function readMarks(path: string, text: string): Marks | undefined {
  const language = languageOf(path);
  if (language === undefined) return undefined;
  const source = text.slice(0, LONGEST_TEXT);
  const view = sourceView(source, language.syntax).split('\n');
  const lines = source.split('\n').flatMap((line, at) => unfolded(line, view[at] ?? ''));
  const reading = new Reading(
    lines.map(([raw]) => raw),
    lines.map(([, bare]) => bare),
    language,
  );
  for (let at = 0; at < lines.length && at < MOST_LINES; at++) reading.line(at);
  reading.end();
  return reading.marks;
}

interface Found {
  readonly kind: Row[0];
  readonly start: number;
  readonly end: number;
  readonly name: string | undefined;
}

interface Caught {
  readonly indent: number;
  readonly asserts: number;
  /** Its failures are caught by what it stands in, or by a handler that was seen. */
  readonly isSuppressed: boolean;
  /** It is never come to. */
  readonly isNever: boolean;
  isHandler: boolean;
}

/** Of the body of what was declared last: its first line is still to come, or its last one was seen. */
const UNSEEN = -1;
const ENDED = -2;

class Reading {
  readonly #raw: readonly string[];
  readonly #bare: readonly string[];
  readonly #language: Language;
  readonly #rows: readonly Row[];
  readonly marks = noMarks();
  /** What was declared last, where, and how far its body is indented; and skips that wait for the next. */
  #current: string | null = null;
  #indent = -1;
  #body: number = ENDED;
  /** A return of the body itself: early, if the body goes on. */
  #return: string | null = null;
  /** A block in which failures may be caught: where it began, how many assertions there were, whether it is caught. */
  #caught: Caught | null = null;
  #waiting: string[] = [];
  /** The last line of a suite that is skipped, and the line that says so. */
  #skipped = { to: -1, line: '' };
  #isTestNext = false;
  #isTest = false;
  #words: readonly string[] | null = null;
  readonly #given: GivenNames;

  constructor(raw: readonly string[], bare: readonly string[], language: Language) {
    this.#raw = raw;
    this.#bare = bare;
    this.#language = language;
    this.#given = new GivenNames({ raw, bare });
    this.#rows = language.marks.flat().map(([kind, form]) => [kind, new RegExp(form, 'g')]);
  }

  line(at: number): void {
    const bare = (this.#bare[at] ?? '').slice(0, LONGEST_LINE);
    const { trivial, rawFile } = this.#language;
    const line = (this.#raw[at] ?? '').slice(0, LONGEST_LINE).trim();
    if (rawFile?.test(line)) this.marks.skips.push({ name: null, line });
    this.#follow(bare, line, at);
    if (bare.trim().length < SHORTEST) return;
    const [loaded] = (LOADS.exec(bare) ?? []).slice(1).filter((names) => names !== undefined);
    const [made] = (MAKES.exec(bare) ?? []).slice(1).filter((name) => name !== undefined);
    const own = loaded === undefined ? 2 : /["']\.\/|^from \.\w/.test(line) ? 1 : 0;
    for (const name of (loaded ?? made ?? '').match(/[\w$]+/g) ?? [])
      this.marks.origins.set(name, { own, line });
    const found: Found[] = [];
    for (const [kind, form] of this.#rows) {
      // matchAll copies the pattern, and few lines match.
      if (bare.search(form) < 0) continue;
      for (const match of bare.matchAll(form)) {
        const start = match.index;
        found.push({ kind, start, end: start + match[0].length, name: match.groups?.name });
      }
    }
    found.sort((a, b) => a.start - b.start); // rows of one place keep their order: what declares comes first
    for (const each of found) this.#take(each, at, line);
    const asserts = found.some(({ kind }) => kind === 'assert');
    if (!asserts) {
      this.#given.take(at);
      const isHollow = found.length === 0 && HOLLOW.test(bare);
      const near = this.#bare.slice(Math.max(0, at - 1), at + 2).join('\n');
      if (isHollow) this.marks.hollow.push(line);
      else if (ONLY_TOLD.test(near.replaceAll('\t', ' '))) this.marks.vain.push(line);
      else if (found.length === 0 ? !NOTHING.test(bare) : DOES.test(bare)) this.marks.isEmpty = false;
    } else if (
      ITSELF.test(line) ||
      NEVER.test(bare.trim()) ||
      isCalledTwice(line, (this.#raw[at - 1] ?? '').slice(0, LONGEST_LINE).trim(), this.#current) ||
      isSelfGuarded(this.#given.resolved(headAt(this.#bare, at)), this.#given.resolved(at)) ||
      (UNAWAITED.test(line) && !IS_AWAITED.test(this.#bare[at - 1] ?? ''))
    )
      this.marks.vain.push(line);
    else if ([trivial, WANTED, ...ALWAYS].some((form) => form.test(bare))) {
      this.marks.trivial.push(line);
      this.marks.isEmpty &&= !WANTED.test(bare);
    } else {
      const around = (this.#raw[at - 1] ?? '').slice(0, LONGEST_LINE).trim();
      if (!this.#isTest || this.#body === ENDED) this.marks.outside++;
      this.marks.asserts.push(line);
      this.marks.around.push(around);
      this.marks.asked.push([
        { line, text: this.#given.resolved(at) },
        ...(around.startsWith('if ') ? [{ line: around, text: this.#given.resolved(at - 1) }] : []),
      ]);
      this.marks.isEmpty = false;
    }
  }

  /** What indentation tells: where a test ends, what comes before the end of it, what is caught. */
  #follow(bare: string, line: string, at: number): void {
    const text = bare.trim();
    if (text === '' || /^[)\]};,]+$/.test(text)) return;
    const indent = bare.length - bare.trimStart().length;
    if (indent <= this.#indent) this.#body = ENDED;
    else if (this.#body === UNSEEN) this.#body = indent;
    const isBody = indent === this.#body && indent > this.#indent && this.#current !== null;
    if (isBody && this.#return !== null && !HOISTED.test(text))
      this.marks.skips.push({ name: this.#current, line: this.#return });
    this.#return = isBody && RETURNS.test(text) ? line : null;
    const next = /[{:]$/.test(text) ? (this.#bare[at + 1] ?? '').trim() : '';
    const both = `${text} ${next}`;
    if (this.#isTest && ((isBody && LEAVES.test(both)) || PASSES_OVER.test(both)))
      this.marks.skips.push({ name: this.#current, line });
    const open = this.#caught;
    const isNever = this.#isNever(text, at);
    if (
      isNever ||
      CATCHES.test(text) ||
      PROMISED.test(text) ||
      (isBody && this.#isTest && this.#isUncalled(text, at))
    ) {
      if (open === null) {
        const isSuppressed = !/^(?:try|begin)\b/.test(text) && !PROMISED.test(text);
        const asserts = this.marks.asserts.length;
        this.#caught = { indent, asserts, isSuppressed, isNever, isHandler: isSuppressed };
      }
    } else if (open !== null && indent <= open.indent) {
      if (HANDLES.test(text) || this.#isPassedOver(text, next, open)) open.isHandler = true;
      else this.#release(open);
    } else if (
      open?.isHandler === true &&
      indent > open.indent &&
      !open.isSuppressed &&
      /\b(?:raise|throw|fail|assert|expect|[tb]\.(?:Error|Fatal))/.test(text)
    )
      this.#caught = null;
  }

  /** An error of one sort that is taken for a pass; but not where the block itself fails if there is none. */
  #isPassedOver(text: string, next: string, { asserts }: Caught): boolean {
    const inside = this.marks.asserts.slice(asserts);
    return EXCEPTS.test(text) && SAYS_NOTHING.test(next) && !inside.some((each) => /False|fail/.test(each));
  }

  /** A loop over a list that is empty, and that nothing was put into since. */
  #isNever(text: string, at: number): boolean {
    const [, list] = LOOPS.exec(text) ?? [];
    if (list === undefined || NEVER.test(text)) return NEVER.test(text);
    const above = this.#bare.slice(Math.max(0, at - MOST_BETWEEN), at);
    const last = above.findLast((line) => line.match(/[\w$]+/g)?.some((word) => word === list));
    const [, given, declared] = EMPTY.exec(last?.trim() ?? '') ?? [];
    return list === given || list === declared;
  }

  #isUncalled(text: string, at: number): boolean {
    const name = NAMED.exec(text)?.slice(1).join('') ?? '';
    if (name === '' || (this.#bare[at - 1] ?? '').trimStart().startsWith('@')) return false;
    this.#words ??= this.#bare.join('\n').match(/[\w$]+/g) ?? [];
    return this.#words.filter((word) => word === name).length === 1;
  }

  /** After the block. Where it was caught, and nobody was told, its assertions assert nothing. */
  #release({ asserts, isHandler, isSuppressed, isNever }: Caught): void {
    this.#caught = null;
    if (!isHandler) return;
    const { trivial, vain } = this.marks;
    (isSuppressed && !isNever ? trivial : vain).push(...this.marks.asserts.splice(asserts));
    this.marks.around.splice(asserts);
    this.marks.asked.splice(asserts);
  }

  end(): void {
    if (this.#caught !== null) this.#release(this.#caught);
  }

  #take({ kind, start, end, name }: Found, at: number, line: string): void {
    const { marks } = this;
    switch (kind) {
      case 'test':
      case 'suite':
      case 'declaration': {
        const isTest = kind === 'test' || (kind === 'declaration' && this.#isTestNext);
        const own = name ?? this.#title(at, end);
        if (own !== undefined && NOT_DECLARED.test((this.#bare[at] ?? '').slice(0, start)))
          marks.skips.push({ name: own, line });
        if (own === undefined) return; // a skip inside a test, written as a call of the same name
        if (isTest) {
          marks.tests.push({ name: own, line });
          if (LOOPED.test(this.#bare[at - 1] ?? '')) marks.tables += 1;
          if (at <= this.#skipped.to) marks.skips.push({ name: own, line: this.#skipped.line });
          this.#given.forget();
        } else if (kind === 'suite') marks.suites.push(own);
        for (const skip of this.#waiting) marks.skips.push({ name: own, line: skip });
        this.#waiting = [];
        this.#isTestNext = false;
        const indent = /^\s*/.exec(this.#bare[at] ?? '')?.[0].length ?? 0;
        // A function inside a test is a part of it.
        if (kind === 'declaration' && !isTest && indent > this.#indent && this.#current !== null) return;
        this.#current = own;
        this.#isTest = isTest;
        this.#indent = indent;
        this.#body = UNSEEN;
        this.#return = null;
        return;
      }
      case 'attribute':
        this.#isTestNext = true;
        return;
      case 'skip-next':
        this.#waiting.push(line);
        return;
      case 'skip-own': {
        const own = this.#title(at, end) ?? this.#current;
        marks.skips.push({ name: own, line });
        // With a suite all that stands in it is skipped, whatever it was in before.
        if (own !== null && own === marks.suites.at(-1) && at > this.#skipped.to)
          this.#skipped = { to: blockEnd(this.#bare, at, end), line };
        return;
      }
      case 'skip-here':
        // Outside of all that is declared here it is of something that is not seen.
        if (!this.#isOnDemand(at) && (this.#current !== null || /^\S/.test(this.#bare[at] ?? '')))
          marks.skips.push({ name: this.#current, line });
        return;
      case 'skip-file':
        marks.skips.push({ name: null, line });
        return;
      case 'only':
        marks.only.push(line);
        return;
      case 'table':
        marks.tables += 1;
        marks.cases += this.#cases(at, end);
        return;
      case 'cases':
      case 'rows': {
        const text = this.#behind(at, end).slice(0, LONGEST_TABLE);
        marks.cases += countRows(kind === 'rows' ? behindBlock(text) : text);
      }
    }
  }

  /** The elements of the first list after a place; 0 where there is none near. */
  #cases(at: number, end: number): number {
    const text = this.#behind(at, end);
    const list = text.indexOf('[');
    if (list < 0 || /[)\]};]/.test(text.slice(0, list))) return 0;
    return countRows(text.slice(list, LONGEST_TABLE), this.#language.skippedCase);
  }

  #behind(at: number, end: number): string {
    const lines = this.#bare.slice(at + 1, at + MOST_CASE_LINES);
    return [(this.#bare[at] ?? '').slice(end), ...lines].join('\n');
  }

  #isOnDemand(at: number): boolean {
    const { onDemand } = this.#language;
    const near = [this.#bare[at] ?? '', this.#bare[at - 1] ?? ''];
    return near.some((line) => onDemand?.test(line) === true && !/\|\| *true\b/.test(line));
  }

  /** The first argument, as it is written; undefined where a call has none that could be a title. */
  #title(at: number, end: number): string | undefined {
    const bare = this.#bare[at] ?? '';
    const rest = bare.slice(end, LONGEST_LINE);
    // `it.each(…)('title'`, `it.skipIf(…)('title'`
    const curried = /\)\s*\(\s*(?=["'`])/.exec(rest);
    const direct = /^[^"'`\w]*(?=["'`])/.exec(rest);
    const from = direct ?? curried;
    if (from !== null) return this.#string(at, end + from.index + from[0].length);
    if (/^\s*\(?\s*$/.test(rest)) {
      const next = this.#bare[at + 1] ?? '';
      const indent = next.length - next.trimStart().length;
      return /^["'`]/.test(next.trimStart()) ? this.#string(at + 1, indent) : undefined;
    }
    // A title in a variable. A call with nothing, a condition or a function declares no test.
    const variable = /^\s*\(?\s*([A-Za-z_$][\w$.]{0,80})\s*,/.exec(rest) ?? /^\s*(do|\{)/.exec(rest);
    if (variable !== null) return variable[1];
    return /\.(?:each|for)\b/.test(bare)
      ? bare.trim().replace(/^x(?=it|test|describe)|\.(?:skip|todo|fixme|fails|failing)(?=[.(])/g, '')
      : undefined;
  }

  #string(at: number, start: number): string {
    const raw = this.#raw[at] ?? '';
    const quote = raw.charAt(start);
    const end = (this.#bare[at] ?? '').indexOf(quote, start + 1);
    return raw.slice(start + 1, end === -1 ? start + 200 : end);
  }
}
