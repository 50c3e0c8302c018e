// A small lexer for TypeScript source, enough to find imports, globals and test titles without a compiler.
// It knows comments, strings, templates and regular expressions, so that text inside them is never taken for code.
// It does not parse: what a token means is for the caller to decide.

/** Stands in a template's text for each `${…}`; the expression's own tokens follow the template's. */
export const HOLE = '\ufffc';

export type Token = { type: 'word' | 'string' | 'template' | 'regex' | 'number' | 'punct'; text: string };

// After one of these a slash begins a regular expression; after any other word it divides.
const BEFORE_REGEX = new Set(
  'return typeof case do else in of instanceof new delete void throw yield await'.split(' '),
);

const WORD = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /\.?\d(?:[\w.]|(?<=[eE])[+-])*/y;
const PUNCT = /\?\.(?!\d)|\.\.\.|=>|[^\s]/uy;

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  lex(source, 0, tokens, false);
  return tokens;
}

/** Lexes from `at`; inside a template expression it stops at the closing brace. Returns where it stopped. */
function lex(source: string, start: number, tokens: Token[], inTemplate: boolean): number {
  let at = start;
  let depth = 0;
  if (at === 0 && source.startsWith('#!')) at = lineEnd(source, at);
  while (at < source.length) {
    const char = source[at] as string;
    if (/\s/.test(char)) at++;
    else if (source.startsWith('//', at)) at = lineEnd(source, at);
    else if (source.startsWith('/*', at)) at = blockEnd(source, at);
    else if (char === "'" || char === '"') at = quoted(source, at, tokens);
    else if (char === '`') at = template(source, at, tokens);
    else if (char === '/' && regexMayStart(tokens.at(-1))) at = regex(source, at, tokens);
    else {
      if (inTemplate && char === '}' && depth === 0) return at + 1;
      if (char === '{') depth++;
      if (char === '}') depth--;
      at = plain(source, at, tokens);
    }
  }
  return at;
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end < 0 ? source.length : end + 1;
}

function blockEnd(source: string, at: number): number {
  const end = source.indexOf('*/', at + 2);
  return end < 0 ? source.length : end + 2;
}

function quoted(source: string, at: number, tokens: Token[]): number {
  const quote = source[at];
  let end = at + 1;
  while (end < source.length && source[end] !== quote && source[end] !== '\n')
    end += source[end] === '\\' ? 2 : 1;
  tokens.push({ type: 'string', text: source.slice(at + 1, end) });
  return end + 1;
}

function template(source: string, at: number, tokens: Token[]): number {
  const token: Token = { type: 'template', text: '' };
  tokens.push(token);
  let end = at + 1;
  while (end < source.length && source[end] !== '`') {
    if (source.startsWith('${', end)) {
      token.text += HOLE;
      end = lex(source, end + 2, tokens, true);
    } else {
      const width = source[end] === '\\' ? 2 : 1;
      token.text += source.slice(end, end + width);
      end += width;
    }
  }
  return end + 1;
}

function regexMayStart(before: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.type === 'word') return BEFORE_REGEX.has(before.text);
  return before.type === 'punct' && !/^[)\]}]$/.test(before.text);
}

function regex(source: string, at: number, tokens: Token[]): number {
  let end = at + 1;
  let inClass = false;
  while (end < source.length && source[end] !== '\n' && (inClass || source[end] !== '/')) {
    if (source[end] === '[') inClass = true;
    if (source[end] === ']') inClass = false;
    end += source[end] === '\\' ? 2 : 1;
  }
  tokens.push({ type: 'regex', text: source.slice(at, end + 1) });
  return end + 1;
}

function plain(source: string, at: number, tokens: Token[]): number {
  for (const [type, pattern] of [
    ['word', WORD],
    ['number', NUMBER],
    ['punct', PUNCT],
  ] as const) {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    if (text !== undefined) {
      tokens.push({ type, text });
      return at + text.length;
    }
  }
  return at + 1;
}

/** The index after the bracket that closes the one at `open`. */
export function afterBracket(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    const token = tokens[i];
    if (token?.type !== 'punct') continue;
    if ('([{'.includes(token.text)) depth++;
    else if (')]}'.includes(token.text) && --depth === 0) return i + 1;
  }
  return tokens.length;
}
