// Every way a module of this project can name another: static, type-only and dynamic imports, re-exports, require,
// `import.meta.resolve` and `new URL(…, import.meta.url)`.
import { afterBracket, HOLE, type Token } from './tokens.ts';

export type ImportForm = 'import' | 'export' | 'import()' | 'require' | 'import.meta.resolve' | 'URL';

/** `specifier` is undefined where it is computed. */
export type Import = { form: ImportForm; specifier: string | undefined };

export function readImports(tokens: readonly Token[]): Import[] {
  const imports: Import[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'word' || isMember(tokens, at)) continue;
    const found =
      token.text === 'import'
        ? afterImport(tokens, at + 1)
        : token.text === 'export'
          ? afterExport(tokens, at + 1)
          : token.text === 'require'
            ? afterRequire(tokens, at + 1)
            : token.text === 'URL'
              ? afterUrl(tokens, at)
              : undefined;
    if (found !== undefined) imports.push(found);
  }
  return imports;
}

function afterImport(tokens: readonly Token[], at: number): Import | undefined {
  if (is(tokens, at, '(')) return { form: 'import()', specifier: argument(tokens, at) };
  if (is(tokens, at, '.')) {
    const resolves =
      word(tokens, at + 1, 'meta') && is(tokens, at + 2, '.') && word(tokens, at + 3, 'resolve');
    return resolves && is(tokens, at + 4, '(')
      ? { form: 'import.meta.resolve', specifier: argument(tokens, at + 4) }
      : undefined;
  }
  // `import 'x'`, or names up to `from 'x'`; a clause holds nothing but words, commas, braces, a star and strings.
  if (tokens[at]?.type === 'string') return { form: 'import', specifier: tokens[at]?.text };
  for (let i = at; i < tokens.length && !is(tokens, i, ';') && !is(tokens, i, '='); i++) {
    if (word(tokens, i, 'from') && tokens[i + 1]?.type === 'string') {
      return { form: 'import', specifier: tokens[i + 1]?.text };
    }
  }
  return undefined;
}

function afterExport(tokens: readonly Token[], start: number): Import | undefined {
  let at = word(tokens, start, 'type') ? start + 1 : start;
  if (is(tokens, at, '{')) at = afterBracket(tokens, at);
  else if (is(tokens, at, '*')) at += word(tokens, at + 1, 'as') ? 3 : 1;
  else return undefined;
  if (!word(tokens, at, 'from') || tokens[at + 1]?.type !== 'string') return undefined;
  return { form: 'export', specifier: tokens[at + 1]?.text };
}

function afterRequire(tokens: readonly Token[], start: number): Import | undefined {
  const at = is(tokens, start, '.') && word(tokens, start + 1, 'resolve') ? start + 2 : start;
  return is(tokens, at, '(') ? { form: 'require', specifier: argument(tokens, at) } : undefined;
}

function afterUrl(tokens: readonly Token[], at: number): Import | undefined {
  if (!word(tokens, at - 1, 'new') || !is(tokens, at + 1, '(')) return undefined;
  const inside = tokens.slice(at + 2, afterBracket(tokens, at + 1));
  const isModule = inside.some((_, i) => word(inside, i, 'import') && word(inside, i + 2, 'meta'));
  const specifier = inside[0]?.type === 'string' ? inside[0].text : undefined;
  return isModule && specifier !== undefined ? { form: 'URL', specifier } : undefined;
}

/** The literal that is a call's whole first argument. */
function argument(tokens: readonly Token[], open: number): string | undefined {
  const token = tokens[open + 1];
  const isLiteral = token?.type === 'string' || (token?.type === 'template' && !token.text.includes(HOLE));
  return isLiteral && (is(tokens, open + 2, ')') || is(tokens, open + 2, ',')) ? token.text : undefined;
}

function is(tokens: readonly Token[], at: number, punct: string): boolean {
  return tokens[at]?.type === 'punct' && tokens[at]?.text === punct;
}

function word(tokens: readonly Token[], at: number, text: string): boolean {
  return tokens[at]?.type === 'word' && tokens[at]?.text === text;
}

function isMember(tokens: readonly Token[], at: number): boolean {
  return is(tokens, at - 1, '.') || is(tokens, at - 1, '?.');
}
