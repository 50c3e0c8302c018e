// The parser is linear on what people write. On some shapes it is not: each open brace or here-document may be looked
// for to the end of the text. So such shapes are counted first, in one pass, and a line that has too many is not parsed.
// The bodies of here-documents are files that agents write, full of braces; they cost nothing and are left out.

/** Of steps that the parser could take for the open braces, in the worst case. */
const MOST_STEPS = 8_000_000;
const MOST_DOCUMENTS = 64;

export function isHeavy(text: string): boolean {
  let braces = 0;
  let documents = 0;
  let outside = 0;
  let quote = '';
  /** Past here quotes within quotes may mislead this pass: nothing more is left out. */
  let unsure = false;
  const waiting: Mark[] = [];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    outside++;
    // Between single quotes they are only text, to the parser, too.
    const isText = quote === "'" && !unsure;
    if (!isText && (sign === '{' || (sign === '(' && text[at - 1] === '$'))) braces++;
    if (sign === '(' && text[at + 1] === '(') unsure = true;
    if (sign === '<' && text[at - 1] === '<' && ++documents > MOST_DOCUMENTS) return true;
    if (sign === '\\' && quote !== "'") at++;
    else if (quote !== '') {
      if (sign === quote) quote = '';
      else if (quote === '"' && (sign === '`' || (sign === '$' && /[({]/.test(text[at + 1] ?? ''))))
        unsure = true;
    } else if (sign === "'" || sign === '"') {
      if (text[at - 1] === '$') unsure = true;
      quote = sign;
    } else if (sign === '`') unsure = true;
    else if (sign === '#' && /[\s;&|(]/.test(text[at - 1] ?? '\n')) {
      const end = text.indexOf('\n', at);
      at = (end < 0 ? text.length : end) - 1;
    } else if (sign === '<' && text[at - 1] === '<' && text[at + 1] !== '<' && text[at - 2] !== '<') {
      const mark = markOf(text, at + 1);
      if (mark === null) unsure = true;
      else waiting.push(mark);
    } else if (sign === '\n' && waiting.length > 0 && !unsure) {
      for (const { name, tabs } of waiting.splice(0)) at = bodyEnd(text, at, name, tabs);
    }
  }
  return braces * outside > MOST_STEPS;
}

export interface Mark {
  readonly name: string;
  readonly tabs: boolean;
  /** Nothing in the body is expanded. */
  readonly quoted: boolean;
}

/** The word behind `<<`, by which the body ends. */
export function markOf(text: string, at: number): Mark | null {
  const found = /^-?[ \t]*(?:'([^'\n]{1,64})'|"([^"\n$`]{1,64})"|(\\?)([\w.-]{1,64}))/.exec(
    text.slice(at, at + 95),
  );
  const name = found?.[1] ?? found?.[2] ?? found?.[4];
  if (name === undefined) return null;
  return { name, tabs: text[at] === '-', quoted: found?.[4] === undefined || found[3] !== '' };
}

/** The end of the line that closes the body; where it began if none does. */
export function bodyEnd(text: string, start: number, name: string, tabs: boolean): number {
  for (let at = start; at < text.length; ) {
    const end = text.indexOf('\n', at + 1);
    const line = text.slice(at + 1, end < 0 ? text.length : end);
    if ((tabs ? line.replace(/^\t+/, '') : line) === name) return end < 0 ? text.length : end;
    if (end < 0) break;
    at = end;
  }
  return start;
}
