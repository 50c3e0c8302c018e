// A settings file as its owner wrote it: JSON, with the comments and trailing commas that hosts let pass, and where each
// element stands in the text. Values are never written back; edits are made to the text, so that what is not ours keeps
// its bytes. The file may be anything: what is not such a document is a ParseError with its line, and nothing is edited.
import { ParseError } from '../../core/index.ts';

export interface Scalar {
  readonly type: 'scalar';
  readonly start: number;
  readonly end: number;
  readonly value: string | number | boolean | null;
}

export interface Element {
  /** The member's name; undefined in an array. */
  readonly key: string | undefined;
  /** Of the name, or of the value in an array. */
  readonly start: number;
  readonly end: number;
  readonly value: Node;
  /** Where the comma behind it stands. */
  readonly comma: number | undefined;
}

export interface Container {
  readonly type: 'object' | 'array';
  /** The opening bracket. */
  readonly start: number;
  /** Behind the closing bracket. */
  readonly end: number;
  readonly elements: readonly Element[];
}

export type Node = Scalar | Container;

export interface Comment {
  readonly start: number;
  readonly end: number;
}

export interface Document {
  readonly text: string;
  /** Undefined where the text is blank. */
  readonly root: Node | undefined;
  readonly comments: readonly Comment[];
}

const MAX_DEPTH = 256;
const BLANK = /[ \t\r\n\uFEFF]/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\n\r]|\\.)*"/y;
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** JSON as everybody reads it, without comments; a mark of its encoding may stand in front. */
export function isPlainJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return true;
  } catch {
    return text.trim() === '';
  }
}

/** Throws ParseError; `name` is what the file is called in it. */
export function parseDocument(text: string, name: string): Document {
  const comments: Comment[] = [];
  let at = 0;

  function fail(problem: string, where = at): never {
    const before = text.slice(0, where).split('\n');
    throw new ParseError(
      'INVALID_JSON',
      problem,
      `${name}:${before.length}:${(before.at(-1) ?? '').length + 1}`,
    );
  }

  function skip(): void {
    for (;;) {
      if (at < text.length && BLANK.test(text.charAt(at))) at++;
      else if (text.startsWith('//', at)) {
        const start = at;
        while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at++;
        comments.push({ start, end: at });
      } else if (text.startsWith('/*', at)) {
        const close = text.indexOf('*/', at + 2);
        if (close < 0) fail("a comment doesn't end");
        comments.push({ start: at, end: close + 2 });
        at = close + 2;
      } else return;
    }
  }

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  }

  function string(): string {
    const start = at;
    const token = match(STRING) ?? fail("a string doesn't end");
    try {
      return JSON.parse(token) as string;
    } catch {
      return fail('not a JSON text', start);
    }
  }

  function value(depth: number): Node {
    const start = at;
    const first = text[at];
    if (first === '{' || first === '[') return container(first === '{' ? 'object' : 'array', depth + 1);
    if (first === '"') return { type: 'scalar', start, value: string(), end: at };
    for (const [word, meaning] of WORDS) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      return { type: 'scalar', start, end: at, value: meaning };
    }
    const number = match(NUMBER);
    if (number === undefined) return fail(at >= text.length ? 'the file ends too early' : 'not JSON');
    return { type: 'scalar', start, end: at, value: Number(number) };
  }

  function container(type: Container['type'], depth: number): Container {
    if (depth > MAX_DEPTH) fail('nested too deep');
    const start = at++;
    const close = type === 'object' ? '}' : ']';
    const elements: Element[] = [];
    for (;;) {
      skip();
      if (text[at] === close) {
        at++;
        return { type, start, end: at, elements };
      }
      const from = at;
      let key: string | undefined;
      if (type === 'object') {
        if (text[at] !== '"')
          fail(at >= text.length ? 'the file ends too early' : 'a name in quotes is missing');
        key = string();
        skip();
        if (text[at] !== ':') fail('a colon is missing');
        at++;
        skip();
      }
      const inner = value(depth);
      const end = at;
      skip();
      const comma = text[at] === ',' ? at++ : undefined;
      elements.push({ key, start: from, end, value: inner, comma });
      if (comma === undefined && text[at] !== close)
        fail(at >= text.length ? 'the file ends too early' : 'a comma is missing');
    }
  }

  skip();
  if (at >= text.length) return { text, root: undefined, comments };
  const root = value(0);
  skip();
  if (at < text.length) fail('there is something after the end');
  return { text, root, comments };
}

/** The plain value. */
export function plainValue(node: Node): unknown {
  if (node.type === 'scalar') return node.value;
  if (node.type === 'array') return node.elements.map(({ value }) => plainValue(value));
  return Object.fromEntries(node.elements.map(({ key = '', value }) => [key, plainValue(value)]));
}

export function member(object: Container, name: string): Element | undefined {
  return object.elements.find(({ key }) => key === name);
}
