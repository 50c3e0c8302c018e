// What `find` does with what it finds: it tells names, deletes, or starts a command for them.
import type { CommandWords } from './authority/found-needs.ts';
import { withoutBrackets } from './meeting-globs.ts';

export interface FoundCommand {
  readonly words: CommandWords;
  /** It is started in the folder of what was found. */
  readonly isInPlace: boolean;
}

export interface Finding {
  /** Where it looks. */
  readonly starts: readonly string[];
  /** What the files are called that it acts on: a pattern, or `**` for all. */
  readonly named: string;
  readonly deletes: boolean;
  /** Files that it writes names to. */
  readonly writes: readonly string[];
  /** Commands that it starts, with `{}` for what it found. */
  readonly commands: readonly FoundCommand[];
  readonly hides: string | null;
}

const GLOBAL = /^-(?:[HLP]|O\d|D)$/;
const CHOOSES = /^(?:-o|-or|,|\(|\)|\\\(|!|-not)$/;
const STARTS = /^-(?:exec|execdir|ok|okdir)$/;

export function findingOf(words: CommandWords): Finding {
  const known = words.map((word) => word ?? '');
  const begin = known.findIndex((word) => !GLOBAL.test(word));
  const behind = begin < 0 ? [] : known.slice(begin);
  const end = behind.findIndex((word) => /^[-(!]/.test(word));
  const starts = end < 0 ? behind : behind.slice(0, end);
  const tests = end < 0 ? [] : behind.slice(end);
  const commands: FoundCommand[] = [];
  const writes: string[] = [];
  let hides: string | null = words.includes(null) ? 'a word of find is known only at run time' : null;
  for (let at = 0; at < tests.length; at++) {
    const word = tests[at] ?? '';
    if (/^-f(?:print0?|printf|ls)$/.test(word)) writes.push(tests[at + 1] ?? '');
    if (/^-files0-from$/.test(word)) hides ??= 'find reads where it looks';
    if (!STARTS.test(word)) continue;
    const last = tests.findIndex((each, i) => i > at && /^(?:;|\\;|\+)$/.test(each));
    if (last < 0) hides ??= 'what find starts has no end';
    const started = tests.slice(at + 1, last < 0 ? undefined : last);
    commands.push({ words: started, isInPlace: word.endsWith('dir') });
    at = last < 0 ? tests.length : last;
  }
  return {
    starts: starts.length === 0 ? ['.'] : starts,
    named: nameOf(tests),
    deletes: tests.includes('-delete'),
    writes,
    commands,
    hides,
  };
}

/** Alternatives and negations are not read. */
function nameOf(tests: readonly string[]): string {
  const at = tests.findIndex((word) => /^-i?name$/.test(word));
  const action = tests.findIndex((word) => STARTS.test(word) || word === '-delete');
  const isPlain = !tests.some((word) => CHOOSES.test(word)) && at >= 0 && at < action;
  return isPlain ? withoutBrackets(tests[at + 1] ?? '') : '**';
}
