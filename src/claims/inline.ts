// What within a line of Markdown is not the writer's own prose: code, quoted speech, struck text, link targets, tags,
// comments. It is marked in place, character by character, so that a quote is always cut from the message itself.
// Linear on any input: no marker is searched for again once it is known that none follows.

/** What a character is: prose, nothing at all, code, or somebody's quoted words. */
export const PROSE = 0;
export const BLANK = 1;
export const CODE = 2;
export const QUOTED = 3;

/** Longer quotes, targets and tags are taken for prose: nobody writes them, and a stray mark must not hide a page. */
const LONGEST_SPEECH = 600;
const LONGEST_SINGLE = 200;
const LONGEST_TARGET = 2000;
const LONGEST_TAG = 300;

/** Marks the characters of a block, which ends at `end`. */
export function markInline(text: string, start: number, end: number, marks: Uint8Array): void {
  // All is searched in the block alone: to the end of the message, for each block, would be quadratic.
  const block = text.slice(start, end);
  const fences = closingBackticks(block, start);
  const none = new Set<string>();
  /** Where `closer` comes next, or -1. */
  const next = (closer: string, from: number, limit: number): number => {
    if (none.has(closer)) return -1;
    const found = block.indexOf(closer, from - start);
    if (found === -1) none.add(closer);
    return found === -1 || found + closer.length > from - start + limit ? -1 : start + found;
  };
  const fill = (from: number, to: number, mark: number): number => {
    marks.fill(mark, from, to);
    return to;
  };
  let at = start;
  while (at < end) {
    const char = text[at] ?? '';
    const before = at === start ? ' ' : (text[at - 1] ?? ' ');
    let to = at + 1;
    if (marks[at] !== PROSE) {
      at++;
      continue;
    }
    if (char === '\\' && isPunctuation(text.charCodeAt(at + 1))) {
      fill(at, at + 1, BLANK);
      to = at + 2;
    } else if (char === '`') {
      const run = runOf(text, at, end, '`');
      const close = fences.get(at);
      to = close === undefined ? fill(at, at + run, BLANK) : fill(at, close, CODE);
    } else if (char === '"' && !isWordChar(before)) {
      const close = next('"', at + 1, LONGEST_SPEECH);
      if (close !== -1) to = fill(at, close + 1, QUOTED);
    } else if (char === '“') {
      const close = next('”', at + 1, LONGEST_SPEECH);
      if (close !== -1) to = fill(at, close + 1, QUOTED);
    } else if ((char === "'" || char === '‘') && !isWordChar(before) && isWordChar(text[at + 1] ?? '')) {
      const close = closingSingle(text, at + 1, Math.min(end, at + LONGEST_SINGLE));
      if (close !== -1) to = fill(at, close + 1, QUOTED);
    } else if (char === '~' && text[at + 1] === '~') {
      const close = next('~~', at + 2, LONGEST_SPEECH);
      to = close === -1 ? fill(at, at + 2, BLANK) : fill(at, close + 2, BLANK);
    } else if (char === '<') {
      const close = isTagStart(text[at + 1] ?? '') ? next('>', at + 1, LONGEST_TAG) : -1;
      if (close !== -1) to = fill(at, close + 1, text.startsWith('http', at + 1) ? CODE : BLANK);
    } else if (char === '!' && text[at + 1] === '[') {
      const close = next(']', at + 2, LONGEST_SINGLE);
      if (close !== -1) to = fill(at, close, BLANK);
    } else if (char === '[') {
      fill(at, at + 1, BLANK);
    } else if (char === ']') {
      const close = text[at + 1] === '(' ? next(')', at + 2, LONGEST_TARGET) : -1;
      to = fill(at, close === -1 ? at + 1 : close + 1, BLANK);
    } else if (char === '*') {
      fill(at, at + 1, BLANK);
    } else if (char === '_' && !(isWordChar(before) && isWordChar(text[at + 1] ?? ''))) {
      fill(at, at + 1, BLANK);
    } else if (char === 'h' && /^https?:\/\//.test(text.slice(at, at + 8)) && !isWordChar(before)) {
      while (to < end && !/[\s)>\]"|]/.test(text[to] ?? ' ')) to++;
      while (/[.,;:!?]/.test(text[to - 1] ?? '')) to--;
      fill(at, to, CODE);
    }
    at = to;
  }
}

/** The end of each code span that is closed, by where it begins: its run of backticks comes again, equally long. */
function closingBackticks(block: string, start: number): Map<number, number> {
  const runs: [number, number][] = [];
  for (let at = block.indexOf('`'); at !== -1; ) {
    const length = runOf(block, at, block.length, '`');
    runs.push([start + at, length]);
    at = block.indexOf('`', at + length);
  }
  const closes = new Map<number, number>();
  const latest = new Map<number, number>();
  for (const [at, length] of runs.reverse()) {
    const close = latest.get(length);
    if (close !== undefined) closes.set(at, close + length);
    latest.set(length, at);
  }
  return closes;
}

function closingSingle(text: string, from: number, limit: number): number {
  for (let at = from; at < limit; at++) {
    const char = text[at];
    if ((char === "'" || char === '’') && !isWordChar(text[at + 1] ?? '')) {
      // `the users' rights`: a plural owner, not the end of speech that never began as such.
      return text[at - 1] === ' ' ? -1 : at;
    }
  }
  return -1;
}

function runOf(text: string, at: number, end: number, char: string): number {
  let to = at;
  while (to < end && text[to] === char) to++;
  return to - at;
}

function isTagStart(char: string): boolean {
  return char === '/' || char === '!' || (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z');
}

function isPunctuation(code: number): boolean {
  return (
    (code > 32 && code < 48) ||
    (code > 57 && code < 65) ||
    (code > 90 && code < 97) ||
    (code > 122 && code < 127)
  );
}

export function isWordChar(char: string): boolean {
  const code = char.charCodeAt(0);
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    (code >= 0xc0 && code < 0x2000)
  );
}
