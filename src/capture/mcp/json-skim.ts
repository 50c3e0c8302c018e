// Looks through JSON while its bytes pass by, in memory that does not grow with them: which messages it holds, who they
// are for, and where the text is complete. Messages may be of any length and anybody's, so it is not believed: what is
// no JSON, or names a member twice, is said to be so. Only short scalars are kept, and only where somebody needs them.

import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  DEEPEST_JSON,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from '../../core/index.ts';

/** What is kept of one message: raw JSON tokens by their path, and which members it has. */
export interface Skimmed {
  readonly scalars: ReadonlyMap<string, string>;
  readonly members: ReadonlySet<string>;
  /** A member that says what the message is stands there twice, in other capitals, or in bytes that are no UTF-8: readers may differ about it. */
  readonly ambiguous: boolean;
}

export type SkimProblem = 'not-json' | 'too-deep' | 'too-many';

/** Members that say what a message is and does. */
const TELLING: ReadonlySet<string> = new Set([
  'id',
  'method',
  'params',
  'result',
  'error',
  'params.name',
  'params.uri',
  'params.arguments',
]);
/** Scalars that say what is called. */
const NAMING: ReadonlySet<string> = new Set(['method', 'params.name', 'params.uri']);
/** Stands where bytes are no UTF-8: some readers leave it out, and see another name. */
const NOT_UTF8 = '\ufffd';
/** Scalars that are kept. */
export const PATHS: readonly (readonly string[])[] = [
  ['id'],
  ['method'],
  ['params', 'name'],
  ['params', 'uri'],
  ['params', 'requestId'],
  ['params', 'cursor'],
  ['params', 'progressToken'],
  ['params', '_meta', 'progressToken'],
  ['params', '_meta', 'claudecode/toolUseId'],
  ['result', 'isError'],
  ['error', 'code'],
];
const WANTED: ReadonlySet<string> = new Set(PATHS.map((path) => path.join('.')));
/** Names in a path that are followed. */
const DEEPEST_PATH = 3;
const MOST_MESSAGES = 1000;
/** Bytes of a token that is kept. */
const LONGEST_TOKEN = 4096;

const NOTHING = Buffer.alloc(0);
/** As indexOf says it. */
const NONE = -1;
const UNKNOWN = -2;
/** Bytes of a string that are looked at here: asking indexOf costs as much as a hundred of them. */
const NEAR = 128;

/** What must come next. `first` is a value or the end of an empty array, `name` a member or the end of an empty object. */
type Expects = 'value' | 'first' | 'name' | 'next-name' | 'colon' | 'more' | 'nothing';

export class JsonSkim {
  /** In a batch one for each element that is an object. */
  readonly messages: Skimmed[] = [];
  /** Elements of the batch that are no objects, or the whole text where it is none. */
  others = 0;
  batch = false;
  problem: SkimProblem | null = null;
  #expects: Expects = 'value';
  /** Per level: is it an object? */
  readonly #objects: boolean[] = [];
  /** Levels above that of a message: 1 in a batch. */
  #base = 0;
  /** Arrays that are open within the message. */
  #arrays = 0;
  /** By level, from 1: the names that lead to where we are within the message, joined by dots. */
  readonly #paths: string[] = [''];
  #scalars = new Map<string, string>();
  #members = new Set<string>();
  #ambiguous = false;
  /** Within a token: a string, or a number or word. */
  #token: 'string' | 'word' | null = null;
  #escaped = false;
  /** Where the next backslash of these bytes is. */
  #backslash = UNKNOWN;
  #isName = false;
  #keeps = false;
  /** Of a token that is kept: the part of it that came with earlier bytes. */
  #kept: Buffer[] = [];
  #keptBytes = 0;

  /** The whole text has been seen. */
  get complete(): boolean {
    return this.#expects === 'nothing' && this.#token === null;
  }

  /** Gives the place of the byte that completes the text, or -1 where it is not in these bytes. */
  feed(given: Uint8Array): number {
    const bytes = Buffer.from(given.buffer, given.byteOffset, given.length);
    let closed = -1;
    this.#backslash = UNKNOWN;
    for (let at = 0; at < bytes.length && this.problem === null; ) {
      if (this.#token !== null) {
        at = this.#token === 'string' ? this.#inString(bytes, at) : this.#inWord(bytes, at);
        if (this.#token !== null) continue;
        if (this.complete && closed < 0) closed = at - 1;
        continue;
      }
      const byte = bytes[at] as number;
      if (byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a) {
        at += 1;
        continue;
      }
      const before = this.complete;
      this.#take(byte);
      if (!before && this.complete) closed = at;
      // A word's first byte is part of it.
      if (this.#token !== 'word') at += 1;
    }
    return closed;
  }

  /** A text that ends in a number or a word is complete only here. */
  end(): void {
    if (this.#token === 'word') this.#endWord(NOTHING, 0, 0);
    if (!this.complete) this.problem ??= 'not-json';
  }

  #take(byte: number): void {
    const expects = this.#expects;
    const isValue = expects === 'value' || expects === 'first';
    if (byte === QUOTE && (isValue || expects === 'name' || expects === 'next-name'))
      this.#begin('string', !isValue);
    else if (isValue && (byte === OPEN_OBJECT || byte === OPEN_ARRAY)) this.#open(byte === OPEN_OBJECT);
    else if (isValue && isWordByte(byte)) this.#begin('word', false);
    else if (byte === CLOSE_ARRAY && (expects === 'first' || (expects === 'more' && !this.#inObject())))
      this.#close(false);
    else if (byte === CLOSE_OBJECT && (expects === 'name' || (expects === 'more' && this.#inObject())))
      this.#close(true);
    else if (byte === COLON && expects === 'colon') this.#expects = 'value';
    else if (byte === COMMA && expects === 'more') this.#expects = this.#inObject() ? 'next-name' : 'value';
    else this.problem = 'not-json';
  }

  #inObject(): boolean {
    return this.#objects[this.#objects.length - 1] === true;
  }

  /** Of the innermost thing that is open, counted from its message; 1 is the message itself. */
  get #level(): number {
    return this.#objects.length - this.#base;
  }

  #open(isObject: boolean): void {
    const depth = this.#objects.length;
    if (depth >= DEEPEST_JSON) {
      this.problem = 'too-deep';
      return;
    }
    if (depth === 0 && !isObject) {
      this.batch = true;
      this.#base = 1;
    } else if (depth === this.#base) this.#beginMessage(isObject);
    else if (!isObject) this.#arrays += 1;
    this.#objects.push(isObject);
    this.#expects = isObject ? 'name' : 'first';
  }

  #close(isObject: boolean): void {
    this.#objects.pop();
    if (!isObject && this.#level > 0) this.#arrays -= 1;
    if (isObject && this.#objects.length === this.#base)
      this.messages.push({ scalars: this.#scalars, members: this.#members, ambiguous: this.#ambiguous });
    this.#afterValue();
  }

  #beginMessage(isObject: boolean): void {
    if (!isObject) {
      this.others += 1;
      return;
    }
    if (this.messages.length >= MOST_MESSAGES) this.problem = 'too-many';
    this.#scalars = new Map();
    this.#members = new Set();
    this.#ambiguous = false;
  }

  #afterValue(): void {
    this.#expects = this.#objects.length === 0 ? 'nothing' : 'more';
  }

  #begin(token: 'string' | 'word', isName: boolean): void {
    this.#token = token;
    this.#isName = isName;
    this.#kept = [];
    this.#keptBytes = 0;
    this.#keeps = this.#inMessage() && (isName || WANTED.has(this.#where()));
    if (!isName && this.#objects.length === this.#base) this.others += 1;
  }

  /** In the message or an object of its own, and not within an array. */
  #inMessage(): boolean {
    return this.#level <= DEEPEST_PATH && this.#arrays === 0 && this.#inObject() && this.#level >= 1;
  }

  /** The path of the member that we are at. */
  #where(): string {
    return this.#paths[this.#level] ?? '';
  }

  /** The next one, which may be far behind many strings: it must not be looked for from each of them. */
  #backslashFrom(bytes: Buffer, at: number): number {
    if (this.#backslash !== NONE && this.#backslash < at) this.#backslash = bytes.indexOf(BACKSLASH, at);
    return this.#backslash;
  }

  /** Where the string ends that these bytes are in, or past all of them; more than one past where an escape is cut. */
  #quoteFrom(bytes: Buffer, from: number): number {
    let quote = UNKNOWN;
    for (let at = from; ; at += 2) {
      const near = Math.min(bytes.length, at + NEAR);
      while (at < near && PLAIN[bytes[at] as number] === 1) at += 1;
      // Long strings are most of what passes, so they are not walked through byte by byte; nor is the quote, which may
      // be far, looked for from each of their escapes.
      if (at === near) {
        if (quote < at) quote = bytes.indexOf(QUOTE, at);
        if (quote < 0) quote = bytes.length;
        const backslash = this.#backslashFrom(bytes, at);
        at = backslash < 0 ? quote : Math.min(quote, backslash);
      }
      if (at >= bytes.length || bytes[at] === QUOTE) return at;
    }
  }

  #inString(bytes: Buffer, from: number): number {
    const quote = this.#quoteFrom(bytes, this.#escaped ? from + 1 : from);
    const ended = quote < bytes.length;
    const end = ended ? quote + 1 : bytes.length;
    // The last byte was a backslash: what it escapes is in the next piece.
    this.#escaped = quote > bytes.length;
    if (!ended) {
      if (this.#keeps) this.#keep(bytes.subarray(from, end));
      return end;
    }
    this.#token = null;
    if (this.#isName) this.#endName(bytes, from, end);
    else this.#endScalar(bytes, from, end, true);
    return end;
  }

  #inWord(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && isWordByte(bytes[at] as number)) at += 1;
    if (at < bytes.length) this.#endWord(bytes, from, at);
    else if (this.#keeps) this.#keep(bytes.subarray(from, at));
    return at;
  }

  #endWord(bytes: Buffer, from: number, end: number): void {
    this.#token = null;
    this.#endScalar(bytes, from, end, false);
  }

  #endName(bytes: Buffer, from: number, end: number): void {
    this.#expects = 'colon';
    if (!this.#keeps) return;
    const name = this.#parse(this.#text(bytes, from, end, true));
    if (this.problem !== null) return;
    const level = this.#level;
    const text = typeof name === 'string' ? name : '';
    const where = level === 1 ? text : `${this.#paths[level - 1]}.${text}`;
    this.#paths[level] = where;
    if (level > 2 || typeof name !== 'string') return;
    // Two letters outside ASCII have a capital within it, and readers that do not mind capitals know that.
    const seen = where.replaceAll(NOT_UTF8, '');
    const lower = (FOLDED.test(seen) ? seen.toUpperCase() : seen).toLowerCase();
    if (!TELLING.has(lower)) return;
    if (lower !== where || this.#members.has(where)) this.#ambiguous = true;
    this.#members.add(where);
  }

  #endScalar(bytes: Buffer, from: number, end: number, isString: boolean): void {
    if (this.#keeps) {
      const text = this.#text(bytes, from, end, isString);
      const where = this.#where();
      if (NAMING.has(where) && text?.includes(NOT_UTF8) === true) this.#ambiguous = true;
      if (this.#parse(text) !== undefined && !this.#scalars.has(where)) this.#scalars.set(where, text ?? '');
    }
    this.#afterValue();
  }

  #keep(bytes: Buffer): void {
    this.#keptBytes += bytes.length;
    if (this.#keptBytes <= LONGEST_TOKEN) this.#kept.push(Buffer.from(bytes));
  }

  /** The token that ends here. Undefined for one that is too long to be kept. */
  #text(bytes: Buffer, from: number, end: number, isString: boolean): string | undefined {
    if (this.#keptBytes + end - from > LONGEST_TOKEN) return undefined;
    const text =
      this.#keptBytes === 0
        ? bytes.toString('utf8', from, end)
        : Buffer.concat([...this.#kept, bytes.subarray(from, end)]).toString('utf8');
    // The quote that began it was taken off before.
    return isString ? `"${text}` : text;
  }

  #parse(token: string | undefined): unknown {
    if (token === undefined) return undefined;
    if (PLAIN_STRING.test(token)) return token.slice(1, -1);
    try {
      return JSON.parse(token);
    } catch {
      this.problem = 'not-json';
      return undefined;
    }
  }
}

/** Bytes within a string that neither end it nor escape the next one. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) => (byte === QUOTE || byte === BACKSLASH ? 0 : 1));
const FOLDED = /[\u017f\u212a]/;
/** A string that means what it says. */
const PLAIN_STRING = /^"[ !#-[\]-~]*"$/;

/** Of a number, `true`, `false` or `null`. What else is made of these is found out where it is kept. */
function isWordByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e
  );
}
