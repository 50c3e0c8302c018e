// Finds the titles of tests in test sources, and the ids of promises they cite. Titles are read, not run, so that a
// promise can be checked against every suite, the slow ones included.
import { afterBracket, type Token, tokenize } from './tokens.ts';

/** `runs` is false for a title marked skip or todo: it keeps nothing. */
export type Title = { text: string; runs: boolean };

export function readTitles(source: string): Title[] {
  const tokens = tokenize(source);
  const titles: Title[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'word' || !/^(describe|it|test)$/.test(token.text)) continue;
    if (isPunct(tokens[at - 1], '.') || isPunct(tokens[at - 1], '?.')) continue;
    const found = titleAfter(tokens, at + 1);
    if (found !== undefined) titles.push(found);
  }
  return titles;
}

/** Reads `.skip`, `.each([…])` and the like, then the title in `('…'`. */
function titleAfter(tokens: readonly Token[], start: number): Title | undefined {
  let at = start;
  let runs = true;
  while (isPunct(tokens[at], '.') && tokens[at + 1]?.type === 'word') {
    const modifier = tokens[at + 1]?.text ?? '';
    if (modifier === 'skip' || modifier === 'todo') runs = false;
    at += 2;
    if (/^(each|for|skipIf|runIf)$/.test(modifier)) at = afterTable(tokens, at);
  }
  const title = tokens[at + 1];
  if (!isPunct(tokens[at], '(') || (title?.type !== 'string' && title?.type !== 'template')) return undefined;
  return { text: title.text, runs };
}

/** After `([…])`, `<T>([…])` or a template table with its expressions: at the bracket that opens the title's call. */
function afterTable(tokens: readonly Token[], start: number): number {
  let at = start;
  if (tokens[at]?.type === 'template') {
    while (
      at < tokens.length &&
      !(isPunct(tokens[at], '(') && /^(string|template)$/.test(tokens[at + 1]?.type ?? ''))
    )
      at++;
    return at;
  }
  while (at < tokens.length && !isPunct(tokens[at], '(')) at++;
  return afterBracket(tokens, at);
}

function isPunct(token: Token | undefined, text: string): boolean {
  return token?.type === 'punct' && token.text === text;
}

/** Ids such as K6 or K6a, anywhere in a title. */
export function citedIds(title: string): string[] {
  return title.match(/(?<![\w.-])[GCKBOX][1-9]\d?[a-z]?(?![\w-])/g) ?? [];
}
