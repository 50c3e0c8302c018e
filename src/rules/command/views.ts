// Programs behind a pipe that only show what comes in: `| tail -20`, `| tee log`, `| grep -E "passed|failed"`. What a
// runner says of itself is still its own behind them, if they would have shown a bad end as well. Programs that rewrite text
// (`sed`, `awk`, `perl`) show nothing of anybody.
import type { View } from './facts.ts';

/** Would this line have been seen, if so many came out? Null: a line of which nobody knows how it reads. */
export function isKept(line: string | null, view: View, lines: number): boolean {
  return view.every((words) => keeps(words, line, lines));
}

function keeps([path = '', ...args]: readonly string[], line: string | null, lines: number): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  switch (name) {
    case 'cat':
      return args.every((arg) => /^-[AbeEnstTuv]*$/.test(arg));
    case 'tee':
    case 'less':
    case 'more':
      return true;
    case 'tail':
      // `tail -n +5` shows all but the first lines.
      if (
        args.some(
          (arg) => /^(?:-[cf]|--bytes|--follow)/.test(arg) || !/^-/.test(arg) === !/^[+\d]+$/.test(arg),
        )
      )
        return false;
      return line !== null || lines < countOf(args);
    case 'head':
      return !args.some((arg) => /^(?:-c|--bytes)/.test(arg)) && lines < countOf(args);
    case 'grep':
    case 'egrep':
    case 'rg':
      return line !== null && matches(name, args, line);
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

/** Options that change which lines are shown, in one word: `-iE`. */
const FLAGS = /^-[EPFiIwnHhoxsa]+$/;
const TAKES_NUMBER = /^-[ABCm]\d*$/;
const LONG = /^--(?:color|colour|line-buffered|ignore-case|extended-regexp|no-filename|line-number)(?:=.*)?$/;

/** The pattern as `grep` reads it, where JavaScript reads it the same way. Whatever is not understood keeps nothing. */
function matches(name: string, args: readonly string[], line: string): boolean {
  let isExtended = name !== 'grep';
  let isFixed = false;
  let flags = '';
  const patterns: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (TAKES_NUMBER.test(arg)) {
      if (arg.startsWith('-m')) return false;
      if (arg.length === 2) at++;
    } else if (arg === '-e') patterns.push(args[++at] ?? '');
    else if (FLAGS.test(arg)) {
      isExtended ||= /[EP]/.test(arg);
      isFixed ||= arg.includes('F');
      if (/[xo]/.test(arg)) return false;
      if (arg.includes('i')) flags = 'i';
    } else if (arg.startsWith('--')) {
      if (!LONG.test(arg)) return false;
      if (arg === '--ignore-case') flags = 'i';
      isExtended ||= arg === '--extended-regexp';
    } else if (arg.startsWith('-')) return false;
    else patterns.push(arg);
  }
  // With a file behind the pattern it reads that file.
  return (
    patterns.length === 1 && toPattern(patterns[0] ?? '', isExtended, isFixed, flags)?.test(line) === true
  );
}

const LONGEST_PATTERN = 256;

function toPattern(text: string, isExtended: boolean, isFixed: boolean, flags: string): RegExp | null {
  // Nested repetition could take for ever.
  if (text.length > LONGEST_PATTERN || /[+*}]\)?[+*{]/.test(text)) return null;
  const source = isFixed
    ? text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    : isExtended
      ? text
      : text.replace(/\\?[+?|(){}]/g, (found) => (found.length === 2 ? found.charAt(1) : `\\${found}`));
  try {
    return new RegExp(source.replaceAll('[[:space:]]', '\\s').replaceAll('[[:digit:]]', '\\d'), flags);
  } catch {
    return null;
  }
}
