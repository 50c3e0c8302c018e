// A command line and the here-documents in it, apart: the files that agents write make a line long, and are no part of
// what has to be parsed. Only what is a here-document beyond doubt is taken out. From the first sign on that could
// mislead this pass (a substitution, a quote within quotes) the rest of the line stays as it is.
import { bodyEnd, type Mark, markOf } from '../../shell/index.ts';

export interface Parted {
  /** The line; of each body that was taken out, the closing mark is left. */
  readonly plain: string;
  readonly bodies: readonly string[];
}

export function partDocuments(text: string): Parted {
  const kept: string[] = [];
  const bodies: string[] = [];
  const waiting: Mark[] = [];
  let from = 0;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (sign === '\\' && quote !== "'") at++;
    else if (quote !== '') {
      if (sign === quote) quote = '';
      else if (quote === '"' && (sign === '`' || sign === '$')) break;
    } else if (sign === "'" || sign === '"') {
      if (text[at - 1] === '$') break;
      quote = sign;
    } else if (sign === '`' || sign === '(') break;
    else if (sign === '#' && /[\s;&|]/.test(text[at - 1] ?? '\n')) {
      const end = text.indexOf('\n', at);
      at = (end < 0 ? text.length : end) - 1;
    } else if (sign === '<' && text[at + 1] === '<') {
      // `<<<` hands over a word.
      if (text[at + 2] === '<') at += 2;
      else {
        const mark = markOf(text, at + 2);
        if (mark === null) break;
        waiting.push(mark);
        at++;
      }
    } else if (sign === '\n' && waiting.length > 0) {
      for (const { name, tabs, quoted } of waiting.splice(0)) {
        const end = bodyEnd(text, at, name, tabs);
        if (end === at) return { plain: kept.join('') + text.slice(from), bodies };
        const last = text.lastIndexOf('\n', end - 1);
        const body = text.slice(at + 1, last + 1);
        // What is expanded may run something.
        if (quoted || !/[$`]/.test(body)) {
          kept.push(text.slice(from, at + 1));
          bodies.push(body);
          from = last + 1;
        }
        at = end;
      }
      // The line break that ends the mark begins the next line.
      if (text[at] === '\n') at--;
    }
  }
  return { plain: kept.join('') + text.slice(from), bodies };
}
