// Source as far as its shape goes: the same text with everything inside comments and strings blanked out, so that a
// word in a comment is no test and a commented-out test is none either. One pass, no grammar: it may be wrong about a
// line, never about much more, as strings of one line end with it.
import type { Syntax } from '../../ecosystems/index.ts';

/** As long as the text itself, line by line; `keepsStrings`: comments alone are blanked out. */
export function sourceView(text: string, syntax: Syntax, keepsStrings = false): string {
  const out: string[] = [];
  let from = 0; // what is before it is in `out`
  let at = 0;
  const blank = (start: number, end: number, isString = true): void => {
    at = end;
    if (isString && keepsStrings) return;
    out.push(text.slice(from, start), text.slice(start, end).replace(/[^\n]/g, ' '));
    from = end;
  };
  const begins = beginningOf(syntax);
  for (;;) {
    begins.lastIndex = at;
    at = begins.exec(text)?.index ?? text.length;
    if (at === text.length) break;
    const char = text.charAt(at);
    const comment = commentEnd(text, at, char, syntax);
    if (comment !== undefined) {
      blank(at, comment, false);
      continue;
    }
    const long = syntax.long.find((quote) => text.startsWith(quote, at));
    const quote = long ?? (syntax.quotes.includes(char) ? char : undefined);
    if (quote !== undefined) {
      const start = at + quote.length;
      const end = stringEnd(text, start, quote, long !== undefined);
      blank(start, end);
      if (text.startsWith(quote, end)) at = end + quote.length;
    } else if (char === "'" && syntax.single) {
      const end = text.charAt(at + 1) === '\\' ? text.indexOf("'", at + 3) : at + 2;
      if (end !== -1 && end - at < 12 && text.charAt(end) === "'") blank(at + 1, end);
      at += 1;
    } else if (char === '/' && syntax.patterns && startsPattern(text, at)) {
      const end = patternEnd(text, at + 1);
      if (end === undefined) at += 1;
      else {
        blank(at + 1, end);
        at += 1;
      }
    } else at += 1;
  }
  out.push(text.slice(from));
  return out.join('');
}

/** What a comment, a string or a pattern begins with. */
function beginningOf({ line, long, quotes }: Syntax): RegExp {
  const first = [...line, ...long, ...quotes].map((start) => start.charAt(0));
  return new RegExp(`[/'${first.join('').replace(/[\\\]^-]/g, '\\$&')}]`, 'g');
}

function commentEnd(text: string, at: number, char: string, { line, block }: Syntax): number | undefined {
  if (block && char === '/' && text.charAt(at + 1) === '*') {
    const end = text.indexOf('*/', at + 2);
    return end === -1 ? text.length : end + 2;
  }
  for (const start of line) {
    if (!text.startsWith(start, at)) continue;
    if (start === '#' && line.length > 1 && text.charAt(at + 1) === '[') continue; // an attribute of PHP
    const end = text.indexOf('\n', at);
    return end === -1 ? text.length : end;
  }
  return undefined;
}

/** Where the closing quote stands, or the line or the text ends. */
function stringEnd(text: string, start: number, quote: string, long: boolean): number {
  const first = quote.charAt(0);
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '\n' && !long) return at;
    else if (char === first && text.startsWith(quote, at)) return at;
  }
  return text.length;
}

/** A slash after a value divides; after anything else it begins a pattern. */
function startsPattern(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && at - before < 64 && /[ \t]/.test(text.charAt(before))) before -= 1;
  return before < 0 || /[(,=:[!&|?{};\n>]/.test(text.charAt(before));
}

function patternEnd(text: string, start: number): number | undefined {
  let inClass = false;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\n') return undefined;
    if (char === '\\') at += 1;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) return at;
  }
  return undefined;
}
