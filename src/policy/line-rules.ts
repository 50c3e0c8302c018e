// Rules about commands, compared with the commands of a line.
import { matchesText, mayMatchText } from '../core/index.ts';
import type { CommandWords } from './authority/found-needs.ts';
import { globsMeet } from './meeting-globs.ts';
import type { LineCommand, ReadLine } from './read-line.ts';

/** No text of a command holds it, so only a wildcard of a pattern can stand for it. */
const UNKNOWN = '\uffff';

/** Where programs of the system are. */
const SYSTEM_FOLDER = /^\/(?:usr\/(?:local\/)?|opt\/.*\/)?s?bin$/;

/** What a rule says of a line. */
export interface Judged {
  /** Null where it may be. */
  readonly isBroken: boolean | null;
  /** The command or the file that breaks it, or may; empty where none is known. */
  readonly by: string;
}

/** Does the line run a command like the pattern? */
export function runsCommand(pattern: string, line: ReadLine): Judged {
  let maybe: string | null = line.hidesCommands === null ? null : '';
  for (const command of line.commands) {
    const isBroken = isLike(pattern, command);
    if (isBroken === true) return { isBroken, by: written(command) };
    if (isBroken === null) maybe ??= written(command);
  }
  for (const command of line.perhaps) if (isLike(pattern, command) !== false) maybe ??= written(command);
  maybe ??= takenProgram(pattern, line);
  return { isBroken: maybe === null ? false : null, by: maybe ?? '' };
}

const written = ({ words }: LineCommand): string => words.map((word) => word ?? '…').join(' ');

/** A program that is copied or linked to runs under another name, then. */
function takenProgram(pattern: string, { files }: ReadLine): string | null {
  const [named = ''] = pattern.split(' ');
  if (/^\*+$/.test(named)) return null;
  const taken = files.find(({ path, use, reach }) => {
    if (use !== 'read' && use !== 'mentions') return false;
    if (reach === 'below' && SYSTEM_FOLDER.test(path)) return true;
    const [, folder = '', name] = /^(.*\/s?bin)\/([^/]+)$/.exec(path) ?? [];
    if (name === undefined) return false;
    return name.includes('*')
      ? SYSTEM_FOLDER.test(folder) && globsMeet(named, name)
      : matchesText(named, name);
  });
  return taken?.path ?? null;
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
