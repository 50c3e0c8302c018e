// Programs behind a pipe that only show what comes in: `| tail -20`, `| tee log`, `| grep -E "passed|failed"`. What a
// runner says of itself is still its own behind them, if they would have shown a bad end as well. Programs that rewrite text
// (`sed`, `awk`, `perl`) show nothing of anybody.
import type { View } from './facts.ts';

/** What is known of an output as it came out of them. */
export interface Shown {
  readonly lines: number;
  /** Between the words stand colours, which a pattern has to match as well. */
  readonly coloured: boolean;
}

/**
 * Would this line have been seen, if so many came out? Null: a line of which nobody knows how it reads. `depth`: it is at
 * least so far from the end.
 */
export function isKept(line: string | null, view: View, shown: Shown, depth = 1): boolean {
  return view.every((words) => keeps(words, line, shown, depth));
}

/** Whatever it leaves out, what is in view is the program's own. */
export function onlyShows([path = '', ...args]: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    /^(?:cat|tee|less|more|tail|head|[ef]?grep|rg|sort|uniq|wc|cut|column|nl|jq)$/.test(name) ||
    (name === 'sed' && args[0] === '-n')
  );
}

/** `tr -s ' '` makes one blank of several, and `tr -d '\\r'` takes no word away. */
export function tidiesBlanks(args: readonly string[]): boolean {
  return /^(?:-s (?: |\\t|\[:blank:\])|-d \\r)$/.test(args.join(' '));
}

/** No line of a summary is as long. */
const WIDE = 100;

function keeps(
  [path = '', ...args]: readonly string[],
  line: string | null,
  shown: Shown,
  depth: number,
): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  switch (name) {
    case 'cat':
      return args.every((arg) => /^-[AbeEnstTuv]*$/.test(arg));
    case 'tee':
    case 'less':
    case 'more':
      return true;
    case 'tail':
      if (
        args.some(
          (arg) => /^(?:-[cf]|--bytes|--follow)/.test(arg) || !/^-/.test(arg) === !/^[+\d]+$/.test(arg),
        )
      )
        return false;
      // `tail -n +5` shows all but the first lines.
      if (args.some((arg) => arg.includes('+'))) return line !== null;
      return shown.lines < countOf(args) || (line !== null && countOf(args) >= depth);
    case 'head':
      return !args.some((arg) => /^(?:-c|--bytes)/.test(arg)) && shown.lines < countOf(args);
    case 'tr':
      return tidiesBlanks(args);
    case 'cut':
      return args.length === 1 && Number(/^-c1-(\d{3,5})$/.exec(args[0] ?? '')?.[1] ?? 0) >= WIDE;
    case 'grep':
    case 'egrep':
    case 'rg':
      return line !== null && passes(name, args, forms(line, shown));
    default:
      return false;
  }
}

/** How many lines `head` shows. A number below zero leaves out the last ones, where summaries stand. */
function countOf(args: readonly string[]): number {
  for (const [at, arg] of args.entries()) {
    const [, number] = /^(?:-n|-|--lines=)(-?\d{1,9})$/.exec(arg) ?? [];
    if (number !== undefined) return Number(number);
    if (arg === '-n' || arg === '--lines') return Number(args[at + 1] ?? 0);
  }
  return 10;
}

/** The line with other numbers, too: a pattern that is made for one failure would hide two. */
function forms(line: string, { coloured }: Shown): string[] {
  const counted = ['1', '27', '104', '1093'].map((count) => line.replace(/\b1\b/g, count));
  const colour = (text: string): string =>
    `\u001b[2m${text.replace(/\d+ [a-z]+/g, '\u001b[31m$&\u001b[39m')}\u001b[22m`;
  return coloured ? [...counted, ...counted.map(colour)] : counted;
}

/** Options that change which lines are shown, in one word: `-iE`. */
const FLAGS = /^-[EPFiIwnHhoxsav]+$/;
const TAKES_NUMBER = /^-[ABCm]\d*$/;
const LONG =
  /^--(?:color|colour|line-buffered|ignore-case|extended-regexp|no-filename|line-number|invert-match)(?:=.*)?$/;

/** What is left out by a number, by signs that stand for any, or by a word for failures may be the very line that tells. */
const MAY_HIDE =
  /\d|\\[dDwWsSbB](?![*]?\$)|(?<!\\)[[{]|fail|err(?:or)?\b|panic|fatal|reject|not ok|[✗✘×✖❌]/i;

/** Does `grep` let all these lines through? The pattern is read as JavaScript reads it; what is not understood keeps nothing. */
function passes(name: string, args: readonly string[], lines: readonly string[]): boolean {
  let isExtended = name !== 'grep';
  let isFixed = false;
  let isInverted = false;
  let isWord = false;
  let flags = '';
  const given: string[] = [];
  const bare: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (TAKES_NUMBER.test(arg)) {
      if (arg.startsWith('-m')) return false;
      if (arg.length === 2) at++;
    } else if (arg === '-e') given.push(args[++at] ?? '');
    else if (FLAGS.test(arg)) {
      isExtended ||= /[EP]/.test(arg);
      isFixed ||= arg.includes('F');
      isInverted ||= arg.includes('v');
      isWord ||= arg.includes('w');
      if (/[xo]/.test(arg)) return false;
      if (arg.includes('i')) flags = 'i';
    } else if (arg.startsWith('--')) {
      if (!LONG.test(arg)) return false;
      if (arg === '--ignore-case') flags = 'i';
      isExtended ||= arg === '--extended-regexp';
      isInverted ||= arg === '--invert-match';
    } else if (arg.startsWith('-')) return false;
    else bare.push(arg);
  }
  const texts = given.length > 0 ? given : bare;
  // With a file behind the pattern it reads that file.
  if (texts.length === 0 || (given.length > 0 ? bare.length > 0 : bare.length > 1)) return false;
  if (isInverted && texts.some((text) => MAY_HIDE.test(text))) return false;
  const patterns = texts.map((text) => toPattern(text, isExtended, isFixed, isWord, flags));
  return lines.every(
    (line) =>
      patterns.every((pattern) => pattern !== null) &&
      patterns.some((pattern) => pattern?.test(line)) !== isInverted,
  );
}

const LONGEST_PATTERN = 256;

function toPattern(
  text: string,
  isExtended: boolean,
  isFixed: boolean,
  isWord: boolean,
  flags: string,
): RegExp | null {
  // Nested repetition could take for ever.
  if (text.length > LONGEST_PATTERN || /[+*}]\)?[+*{]/.test(text)) return null;
  const source = isFixed
    ? text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    : isExtended
      ? text
      : text.replace(/\\?[+?|(){}]/g, (found) => (found.length === 2 ? found.charAt(1) : `\\${found}`));
  try {
    const read = source.replaceAll('[[:space:]]', '\\s').replaceAll('[[:digit:]]', '\\d');
    return new RegExp(isWord ? `(?<!\\w)(?:${read})(?!\\w)` : read, flags);
  } catch {
    return null;
  }
}
