// What the words of a well-known file command touch.
import {
  FILE_COMMANDS,
  type FileUse,
  type FileWords,
  isOn,
  readWords,
  type Switch,
} from './file-commands.ts';
import { resolved, turnsBack } from './files.ts';
import type { FoundNeeds, Reach } from './found-needs.ts';
import { toLateTarget, touchLate } from './late-options.ts';
import { type StaticWord, textOf } from './static-words.ts';
import { toTarget } from './target-operands.ts';
import { type Folders, listed, namesOf, STDIN, touch } from './touched-files.ts';
import { Wildcards } from './wildcards.ts';

type Word = StaticWord | null;

/** Options of commands that go through all that is below a folder, and through its links. */
const GREP: Switch = { letters: 'R', long: ['dereference-recursive'] };
const FOLLOWS: Readonly<Record<string, Switch>> = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  diff: { letters: 'r', long: ['recursive'] },
  cp: { letters: 'L', long: [] },
  ls: { letters: 'L', long: [] },
  du: { letters: 'L', long: [] },
};

const HARD: Switch = { letters: 'l', long: [] };
/** Of `cp`. */
const LINKS: Switch = { letters: 'ls', long: [] };
const AS_LINKS: Switch = { letters: 'adP', long: ['archive'] };

/** False where nothing is known of the program. */
export function fileOperands(found: FoundNeeds, name: string, args: readonly Word[], at: Folders): boolean {
  const row = FILE_COMMANDS.get(name);
  if (row === undefined) return false;
  const words = readWords(row, args.map(optionOf));
  if ('unknown' in words) {
    found.lose(`${name} has the unknown option ${words.unknown.slice(0, 40)}`, 'files');
    return true;
  }
  if (args.some((arg) => arg !== null && 'glob' in arg && /^-(?!-(?:in|ex)clude)/.test(startOf(arg))))
    found.lose('an option of it has wildcards', 'files');
  if (args.some((arg) => mayBeOption(found, arg, at)))
    found.lose('a name that its wildcards find begins with -, which makes it an option', 'files');
  const isPattern = row.operands === 'pattern';
  const skipped = (row.operands === 'mode' || isPattern) && !words.hasFirst ? 1 : 0;
  const first = args[words.operands[0] ?? -1];
  if (skipped === 1 && (first === null || isWild(first)))
    found.lose('its first word may stand for several, and the others are files', 'files');
  const reach: Reach = words.isDeep ? 'below' : row.inside ? 'inside' : 'itself';
  // diff reads the file of the same name where one of its operands is a folder.
  const isReader = name !== 'diff' && /^(?:read|list|pattern|none)$/.test(row.operands);
  if (!isReader && found.place.readsChoices !== true && words.operands.some((place) => isWild(args[place]))) {
    asNamed(found, name, words, args, at);
    return true;
  }
  if (name === 'mkdir') {
    found.effects.makesFolder();
    if (args.some((arg) => turnsBack(textOf(arg) ?? '')))
      found.lose('it may make folders on its way', 'files');
  }
  // To keep links as they are is what the others say.
  if (name === 'cp' && words.isDeep && isOn(HARD, words) && !isOn(AS_LINKS, words))
    found.lose('cp -l follows the links below a folder', 'variable');
  const follows = FOLLOWS[name];
  if (follows !== undefined && (words.isDeep || follows.letters === 'L') && isOn(follows, words))
    found.lose(`${name} follows the links below a folder`, 'variable');
  for (const { at: place, from, use } of words.optionFiles) {
    const text = textOf(args[place] ?? null);
    const file = text?.slice(from) ?? null;
    // `sort -o -` writes a file of that name.
    touch(found, use, file === null ? null : { text: file === '-' ? './-' : file }, at, 'itself');
  }
  const isStream = isPattern || row.operands === 'read';
  const fileOf = (word: Word): Word => (isStream || textOf(word) !== '-' ? word : { text: './-' });
  const operands = words.operands.slice(skipped).map((place) => fileOf(args[place] ?? null));
  const late = words.behind.map((place) => fileOf(args[place] ?? null));
  if (row.operands === 'none') {
    // It prints them, or tells them in an error.
    listed(found, operands, at);
    return true;
  }
  if (name === 'strings' && args.some((word) => word === null || /^@/.test(textOf(word) ?? '@')))
    found.lose('strings takes its options from a file', 'files');
  if (row.operands === 'copy' || row.operands === 'move' || row.operands === 'link') {
    toTarget(found, { kind: row.operands, ...words }, operands, at);
    if (late.length > 0) toLateTarget(found, row, words, args.map(fileOf), at);
    return true;
  }
  const isHere = operands.length === 0 && (row.here || (isPattern && words.isDeep));
  const use: FileUse = isPattern ? 'read' : row.operands === 'mode' ? 'write' : (row.operands as FileUse);
  if (name === 'diff' && [...operands, ...late].some((operand) => isFolder(found, operand, at)))
    found.lose('diff follows the links in a folder', 'variable');
  for (const operand of isHere ? [{ text: '.' }] : operands)
    touch(found, use, operand, at, reach, words.only);
  touchLate(found, { use, makes: row.operands === 'write', reach }, late, at);
  return true;
}

const isWild = (word: Word | undefined): boolean => word !== null && word !== undefined && 'glob' in word;

/**
 * A command that does more than read the files of its words is read as if the names that its wildcards find were written out.
 * Nothing that the line does before may decide which these are.
 */
function asNamed(
  found: FoundNeeds,
  name: string,
  words: FileWords,
  args: readonly Word[],
  at: Folders,
): void {
  const kind = FILE_COMMANDS.get(name)?.operands ?? '';
  if (kind === 'link' || (kind === 'copy' && isOn(LINKS, words)))
    found.lose(`${name} makes links of what its wildcards find`, 'files');
  const { operands, behind } = words;
  const hasTarget = /^(?:copy|move|link)$/.test(kind);
  if (behind.length > 0 || (hasTarget && isWild(args[operands.at(-1) ?? 0])))
    found.lose('it has a wildcard for its target, or options behind wildcards', 'files');
  else if (found.effects.goesOn(found.shape.repeats))
    found.lose(
      `${name} has wildcards, and what the line does besides may decide what they find (give it a call of its own)`,
      'files',
    );
  else
    for (const cwd of at) {
      const named = args.flatMap<Word>((word, place) =>
        word !== null && 'glob' in word && operands.includes(place) ? namesOf(found, word, cwd) : [word],
      );
      fileOperands(found, name, named, new Set([cwd]));
    }
}

export function isFolder({ place: { view } }: FoundNeeds, word: Word, at: Folders): boolean {
  const text = textOf(word);
  return (
    text !== null && !STDIN.test(text) && [...at].some((cwd) => view.isFolder(resolved(text, cwd, view)))
  );
}

/** What it surely begins with. */
function startOf(word: StaticWord): string {
  if ('text' in word) return word.text;
  const [first] = word.glob;
  return first instanceof Wildcards ? first.text : (first ?? '');
}

/** `ls *` where a file is called `-R`. */
function mayBeOption({ place: { view } }: FoundNeeds, word: Word, at: Folders): boolean {
  if (word === null || 'text' in word || word.isAbsolute) return false;
  const [first] = word.glob;
  if (!(first instanceof Wildcards) || first.startsWith('-')) return false;
  return [...at].some((cwd) =>
    (view.names(view.real(cwd), first) ?? []).some((name) => name.startsWith('-') && first.test(name)),
  );
}

/** Is the same done to each of its operands? */
export function takesAlike(name: string): boolean {
  return /^(?:read|list|write|remove)$/.test(FILE_COMMANDS.get(name)?.operands ?? '');
}

/** `--include=*.ts` is an option: its wildcards find nothing that does not begin like it. */
function optionOf(word: Word): string | null {
  if (word === null || 'text' in word) return textOf(word);
  const [first, ...others] = word.glob;
  const isOption = first instanceof Wildcards && first.startsWith('-') && others.length === 0;
  return isOption ? first.text : null;
}
