// Rules about commands, held against those of a line.
import { matchesText, mayMatchText } from '../core/index.ts';
import type { CommandWords } from './authority/found-needs.ts';
import type { LineCommand, ReadLine } from './read-line.ts';

/** No text of a command holds it, so only a wildcard of a pattern can stand for it. */
const UNKNOWN = '\uffff';

/** Does the line run a command like the pattern? Null where it may. */
export function runsCommand(pattern: string, { commands, perhaps, hidesCommands }: ReadLine): boolean | null {
  let isMaybe = hidesCommands !== null;
  for (const command of commands) {
    const judged = isLike(pattern, command);
    if (judged === true) return true;
    if (judged === null) isMaybe = true;
  }
  return isMaybe || perhaps.some((command) => isLike(pattern, command) !== false) ? null : false;
}

function isLike(pattern: string, { words, meant }: LineCommand): boolean | null {
  const [program = null, ...others] = words;
  if (program === null) return mayMatchText(pattern, piecesOf(words)) ? null : false;
  const base = program.slice(program.lastIndexOf('/') + 1);
  const written = [words, [base, ...others]];
  const text = (each: CommandWords): string => each.map((word) => word ?? UNKNOWN).join(' ');
  if (written.some((each) => matchesText(pattern, text(each)))) return true;
  const mayBe =
    meant !== 'never' && written.some((each) => each.includes(null) && mayMatchText(pattern, piecesOf(each)));
  // Some systems ignore the case of a program's name.
  const isOtherCase = matchesText(pattern, text([base.toLowerCase(), ...others]));
  return mayBe || isOtherCase || isMeant(pattern, [base, ...others], meant) ? null : false;
}

function piecesOf(words: CommandWords): (string | null)[] {
  return words.flatMap((word, i) => (i === 0 ? [word] : [' ', word]));
}

/**
 * The words of the pattern are there, with others between them, or its options are written in another way: `git -C . push`
 * for `git push *`, `rm -r -f` for `rm -rf *`.
 */
function isMeant(pattern: string, [program, ...words]: CommandWords, meant: LineCommand['meant']): boolean {
  if (meant === 'never') return false;
  const [named = '', ...wanted] = pattern.split(' ').filter((word) => word !== '*' && word !== '');
  if (wanted.length === 0 || program === null || program === undefined || !matchesText(named, program))
    return false;
  const letters = words.flatMap((word) => (word !== null && /^-\w+$/.test(word) ? [...word.slice(1)] : []));
  const isLetter = (letter: string): boolean =>
    letters.includes(letter) || (/[rR]/.test(letter) && letters.some((each) => /[rR]/.test(each)));
  const [first = null] = words;
  const firstWanted = wanted.find((want) => !want.startsWith('-'));
  if (meant === 'behind' && firstWanted !== undefined && (first === null || !matchesText(firstWanted, first)))
    return false;
  const hasLong = words.some((word) => word === null || word.startsWith('--'));
  let at = 0;
  return wanted.every((want) => {
    if (/^-\w+\*?$/.test(want))
      return hasLong || [...want.slice(1)].every((letter) => letter === '*' || isLetter(letter));
    const place = words.findIndex((word, i) => i >= at && (word === null || matchesText(want, word)));
    at = place + 1;
    return place >= 0;
  });
}
