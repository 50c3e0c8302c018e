// Words, numbers, signs and marks of a block, and the sentences they make. Code and quoted speech are one opaque token
// each. A file name, a version or an abbreviation does not end a sentence.
import { BLANK, CODE, isWordChar, PROSE } from './inline.ts';

export interface Token {
  /** Lower case; contractions are taken apart: `can` `not`, `i` `have`. */
  readonly text: string;
  readonly kind: 'word' | 'number' | 'code' | 'quote' | 'good' | 'bad' | 'sign';
  readonly start: number;
  readonly end: number;
}

export interface Sentence {
  readonly tokens: readonly Token[];
  readonly question: boolean;
}

/** Nobody writes a longer one. What looks back within a sentence stays bounded by it. */
const LONGEST_SENTENCE = 200;
const GOOD = '✅✔☑✓🟢💚';
const BAD = '❌✗✘⚠🔴🟡⏳🚧⬜☐';
const ABBREVIATIONS = new Set(['e.g', 'i.e', 'vs', 'cf', 'approx', 'incl', 'resp', 'fig', 'eg', 'ie']);
const SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['ve', 'have'],
  ['ll', 'will'],
  ['m', 'am'],
  ['re', 'are'],
  ['d', 'would'],
  ['s', "'s"],
]);
const JOINTS = new Set(['.', '-', '/', '_', ':', '@', '+', '\\', "'", '’', '#', '=', '‑']);

export function readTokens(text: string, start: number, end: number, marks: Uint8Array): Token[] {
  const tokens: Token[] = [];
  let at = start;
  while (at < end) {
    const mark = marks[at] ?? PROSE;
    const char = text[at] ?? '';
    let to = at + 1;
    if (mark !== PROSE) {
      while (to < end && marks[to] === mark) to++;
      const kind = mark === CODE ? 'code' : 'quote';
      if (mark !== BLANK)
        tokens.push({ text: text.slice(at, Math.min(to, at + 200)).toLowerCase(), kind, start: at, end: to });
    } else if (
      isWordChar(char) ||
      char === '_' ||
      (char === '.' && isWordChar(text[at + 1] ?? '')) ||
      (char === '-' && startsFlag(text, at))
    ) {
      // Of `\__init__` an underscore is left from which no word goes on: reading must still get past it.
      to = Math.max(to, wordEnd(text, at, end, marks));
      pushWord(tokens, text, at, to);
    } else if (char > ' ') {
      const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
      to = at + sign.length;
      const kind = GOOD.includes(sign) ? 'good' : BAD.includes(sign) ? 'bad' : 'sign';
      const dash = sign === '–' || (sign === '-' && /\s/.test(text[to] ?? ' ')) ? '—' : sign;
      // "Tests: ✅" is "Tests ✅".
      if (kind !== 'sign' && /^[:—→]$/.test(tokens.at(-1)?.text ?? '')) tokens.pop();
      // A variation selector, a joiner, or the second of two hyphens says nothing of its own.
      if (sign !== '\ufe0f' && sign !== '\u200d') tokens.push({ text: dash, kind, start: at, end: to });
    }
    at = to;
  }
  return tokens;
}

function startsFlag(text: string, at: number): boolean {
  return !isWordChar(text[at - 1] ?? ' ') && /^--?[a-zA-Z]/.test(text.slice(at, at + 3));
}

function wordEnd(text: string, at: number, end: number, marks: Uint8Array): number {
  let to = at;
  while (text[to] === '-' || text[to] === '.') to++;
  for (; to < end && marks[to] === PROSE; to++) {
    const char = text[to] ?? '';
    if (isWordChar(char) || char === '%') continue;
    const next = marks[to + 1] === PROSE && to + 1 < end ? (text[to + 1] ?? '') : '';
    if (JOINTS.has(char) && (isWordChar(next) || (char === '_' && next === '_'))) continue;
    if (char === ',' && isDigit(text[to - 1]) && isDigit(next)) continue;
    // A range: "T016–T018", "3–5".
    if (char === '–' && isDigit(text[to - 1]) && isWordChar(next)) continue;
    if (char === '(' && next === ')') {
      to++;
      continue;
    }
    break;
  }
  return to;
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9';
}

/** Nothing but letters, as most words are; `cannot` is two. */
function isPlain(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at) | 32;
    if (code < 97 || code > 122) return false;
  }
  return end - start < 200;
}

function pushWord(tokens: Token[], text: string, start: number, end: number): void {
  if (isPlain(text, start, end)) {
    const plain = text.slice(start, end).toLowerCase();
    if (plain === 'cannot') {
      tokens.push({ text: 'can', kind: 'word', start, end: start + 3 });
      tokens.push({ text: 'not', kind: 'word', start: start + 3, end });
    } else tokens.push({ text: plain, kind: 'word', start, end });
    return;
  }
  const word = text
    .slice(start, Math.min(end, start + 200))
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[‑–]/g, '-');
  const push = (part: string, from: number, to: number) =>
    tokens.push({ text: part, kind: kindOf(part), start: from, end: to });
  const apostrophe = word.lastIndexOf("'");
  if (apostrophe <= 0) {
    push(word, start, end);
    return;
  }
  const suffix = SUFFIXES.get(word.slice(apostrophe + 1));
  if (word.endsWith("n't")) {
    const stem = word.slice(0, -3);
    push(stem === 'ca' ? 'can' : stem === 'wo' ? 'will' : stem, start, end - 3);
    push('not', end - 3, end);
  } else if (suffix !== undefined) {
    push(word.slice(0, apostrophe), start, start + apostrophe);
    push(suffix, start + apostrophe, end);
  } else push(word, start, end);
}

function kindOf(word: string): Token['kind'] {
  if (/^\d[\d.,/%]*(?:x|×|ms|kb|mb|gb|mib|kib)?$/.test(word)) return 'number';
  if (/^-|[/_:@\\=]|\(\)|[^.]\.[^.]/.test(word) && !ABBREVIATIONS.has(word)) return 'code';
  return 'word';
}

function isTerminal(token: Token | undefined): boolean {
  return token !== undefined && token.kind === 'sign' && /^[.!?…]$/.test(token.text);
}

/** Cuts tokens into sentences. A line end does not; a full stop, `!`, `?` and a status mark between words do. */
export function splitSentences(tokens: readonly Token[]): Sentence[] {
  const sentences: Sentence[] = [];
  let from = 0;
  const cut = (to: number, question: boolean) => {
    let end = to;
    while (end > from && isTerminal(tokens[end - 1])) end--;
    if (end > from) sentences.push({ tokens: tokens.slice(from, end), question });
    from = to;
  };
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    const next = tokens[i + 1];
    if (token.kind === 'sign' && (token.text === '.' || token.text === '!' || token.text === '?')) {
      const before = tokens[i - 1];
      const dots = next !== undefined && next.text === '.' && next.start === token.end;
      if (dots || (token.text === '.' && before !== undefined && ABBREVIATIONS.has(before.text))) continue;
      cut(i + 1, token.text === '?');
    } else if (i - from >= LONGEST_SENTENCE) cut(i + 1, false);
    else if ((token.kind === 'good' || token.kind === 'bad') && i > from) {
      // `Tests ✅ Build ✅` has its marks behind, `✅ Tests ✅ Build` before.
      const leads = tokens[from]?.kind === 'good' || tokens[from]?.kind === 'bad';
      cut(leads ? i : i + 1, false);
    }
  }
  cut(tokens.length, false);
  return sentences;
}
