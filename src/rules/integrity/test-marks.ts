// What a test file declares, skips and asserts, line by line. A skip belongs to a test by name, so that a new test that
// is born skipped is no weakening, while a skip of one that was there is, wherever in the file it moved to.
import { type Language, languageOf, type Mark as Row } from '../../ecosystems/index.ts';
import { sourceView } from './source-view.ts';

export interface Mark {
  /** Null: the whole file. */
  readonly name: string | null;
  readonly line: string;
}

export interface Marks {
  readonly tests: readonly Mark[];
  /** Names of what holds tests. */
  readonly suites: readonly string[];
  readonly skips: readonly Mark[];
  readonly only: readonly string[];
  readonly asserts: readonly string[];
  /** Assertions that always hold. */
  readonly trivial: readonly string[];
  readonly tables: number;
}

const LONGEST_LINE = 400;
const LONGEST_TEXT = 512 * 1024;
const MOST_LINES = 20_000;
/** No row is shorter. */
const SHORTEST = 4;

/** Undefined where the language is not known. */
export function readMarks(path: string, text: string): Marks | undefined {
  const language = languageOf(path);
  if (language === undefined) return undefined;
  const source = text.slice(0, LONGEST_TEXT);
  const raw = source.split('\n');
  const bare = sourceView(source, language.syntax).split('\n');
  const reading = new Reading(raw, bare, language);
  for (let at = 0; at < bare.length && at < MOST_LINES; at++) reading.line(at);
  return reading.marks;
}

interface Found {
  readonly kind: Row[0];
  readonly start: number;
  readonly end: number;
  readonly name: string | undefined;
}

class Reading {
  readonly #raw: readonly string[];
  readonly #bare: readonly string[];
  readonly #language: Language;
  readonly #rows: readonly Row[];
  readonly marks = {
    tests: [] as Mark[],
    suites: [] as string[],
    skips: [] as Mark[],
    only: [] as string[],
    asserts: [] as string[],
    trivial: [] as string[],
    tables: 0,
  };
  /** The test or suite that was declared last, and skips that wait for the next. */
  #current: string | null = null;
  #waiting: string[] = [];
  #isTestNext = false;

  constructor(raw: readonly string[], bare: readonly string[], language: Language) {
    this.#raw = raw;
    this.#bare = bare;
    this.#language = language;
    this.#rows = language.marks.flat().map(([kind, form]) => [kind, new RegExp(form, 'g')]);
  }

  line(at: number): void {
    const bare = (this.#bare[at] ?? '').slice(0, LONGEST_LINE);
    const { trivial, rawFile } = this.#language;
    const line = (this.#raw[at] ?? '').slice(0, LONGEST_LINE).trim();
    if (rawFile?.test(line)) this.marks.skips.push({ name: null, line });
    if (bare.trim().length < SHORTEST) return;
    const found: Found[] = [];
    for (const [kind, form] of this.#rows) {
      for (const match of bare.matchAll(form)) {
        const start = match.index;
        found.push({ kind, start, end: start + match[0].length, name: match.groups?.name });
      }
    }
    found.sort((a, b) => a.start - b.start); // rows of one place keep their order: what declares comes first
    for (const each of found) this.#take(each, at, line);
    if (found.some(({ kind }) => kind === 'assert')) {
      if (trivial.test(bare)) this.marks.trivial.push(line);
      else this.marks.asserts.push(line);
    }
  }

  #take({ kind, end, name }: Found, at: number, line: string): void {
    const { marks } = this;
    switch (kind) {
      case 'test':
      case 'suite':
      case 'declaration': {
        const isTest = kind === 'test' || (kind === 'declaration' && this.#isTestNext);
        const own = name ?? this.#title(at, end);
        if (own === undefined) return; // a skip inside a test, written as a call of the same name
        if (isTest) marks.tests.push({ name: own, line });
        else if (kind === 'suite') marks.suites.push(own);
        for (const skip of this.#waiting) marks.skips.push({ name: own, line: skip });
        this.#waiting = [];
        this.#isTestNext = false;
        if (isTest || kind === 'suite') this.#current = own;
        return;
      }
      case 'attribute':
        this.#isTestNext = true;
        return;
      case 'skip-next':
        this.#waiting.push(line);
        return;
      case 'skip-own':
        marks.skips.push({ name: this.#title(at, end) ?? this.#current, line });
        return;
      case 'skip-here':
        if (!this.#isOnDemand(at)) marks.skips.push({ name: this.#current, line });
        return;
      case 'skip-file':
        marks.skips.push({ name: null, line });
        return;
      case 'only':
        marks.only.push(line);
        return;
      case 'table':
        marks.tables += 1;
    }
  }

  #isOnDemand(at: number): boolean {
    const { onDemand } = this.#language;
    if (onDemand === undefined) return false;
    return onDemand.test(this.#bare[at] ?? '') || onDemand.test(this.#bare[at - 1] ?? '');
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
    return /\.(?:each|for)\b/.test(bare) ? bare.trim() : undefined;
  }

  #string(at: number, start: number): string {
    const raw = this.#raw[at] ?? '';
    const quote = raw.charAt(start);
    const end = (this.#bare[at] ?? '').indexOf(quote, start + 1);
    return raw.slice(start + 1, end === -1 ? start + 200 : end);
  }
}
