// What the words of a well-known file command, and the targets of redirections, touch.
import { FILE_COMMANDS, type FileCommand, type FileUse, readWords } from './file-commands.ts';
import { expanded, type FileAction, fileNeed, resolved } from './files.ts';
import type { FoundNeeds, Reach } from './found-needs.ts';
import { ALL_BELOW } from './need.ts';
import { type StaticWord, textOf, wildcardText } from './static-words.ts';

/** The folders that the shell may be in. */
export type Folders = ReadonlySet<string>;
type Word = StaticWord | null;

const NO_FILE = /^\/dev\/(?:null|stdin|stdout|stderr|tty|fd\/\d+)$/;

/** Options of commands that go through all that is below a folder, and through its links. */
const FOLLOWS: Readonly<Record<string, RegExp>> = {
  grep: /^-[a-zA-Z]*R|^--dereference-recursive$/,
  egrep: /^-[a-zA-Z]*R|^--dereference-recursive$/,
  fgrep: /^-[a-zA-Z]*R|^--dereference-recursive$/,
  diff: /^-[a-zA-Z]*r|^--recursive$/,
  cp: /^-[a-zA-Z]*L/,
  ls: /^-[a-zA-Z]*L/,
};

/** False where nothing is known of the program. */
export function fileOperands(found: FoundNeeds, name: string, args: readonly Word[], at: Folders): boolean {
  const row = FILE_COMMANDS.get(name);
  if (row === undefined) return false;
  const words = readWords(row, args.map(optionOf));
  if ('unknown' in words) {
    found.lose(`${name} has the option ${words.unknown.slice(0, 40)}, which is not known`, 'files');
    return true;
  }
  if (words.isDeep && args.some((arg) => FOLLOWS[name]?.test(optionOf(arg) ?? '') === true))
    found.lose(`${name} follows the links below a folder`, 'variable');
  for (const { at: place, from, use } of words.optionFiles) {
    const text = textOf(args[place] ?? null);
    touch(found, use, text === null ? null : { text: text.slice(from) }, at, 'itself');
  }
  const isPattern = row.operands === 'pattern';
  const skipped = row.operands === 'mode' || (isPattern && !words.hasPattern) ? 1 : 0;
  const operands = words.operands.slice(skipped).map((place) => args[place] ?? null);
  if (row.operands === 'none') return true;
  if (row.operands === 'copy' || row.operands === 'move' || row.operands === 'link') {
    const reach = row.operands === 'move' ? 'moved' : words.isDeep ? 'below' : 'itself';
    toTarget(found, row.operands, operands, at, reach);
    return true;
  }
  const isHere = operands.length === 0 && (row.here || (isPattern && words.isDeep));
  const use: FileUse = isPattern ? 'read' : row.operands === 'mode' ? 'write' : (row.operands as FileUse);
  const reach = words.isDeep ? 'below' : row.inside ? 'inside' : 'itself';
  for (const operand of isHere ? [{ text: '.' }] : operands)
    touch(found, use, operand, at, reach, words.only);
  return true;
}

/** Is the same done to each of its operands? */
export function takesAlike(name: string): boolean {
  return /^(?:read|list|write|remove)$/.test(FILE_COMMANDS.get(name)?.operands ?? '');
}

/** `--include=*.ts` is an option: its wildcards find nothing that does not begin like it. */
function optionOf(word: Word): string | null {
  if (word === null || 'text' in word) return textOf(word);
  const [first, ...others] = word.glob;
  const isOption = first instanceof RegExp && first.source.startsWith('^-') && others.length === 0;
  return isOption ? wildcardText(first) : null;
}

/** `cp a b`: to `b`, or to `b/a` where `b` is a folder. */
function toTarget(
  found: FoundNeeds,
  kind: FileCommand['operands'],
  operands: readonly Word[],
  at: Folders,
  reach: Reach,
): void {
  const { view } = found.place;
  const sources = operands.slice(0, -1);
  const target = textOf(operands.at(-1) ?? null);
  for (const source of sources) {
    touch(found, 'read', source, at, kind === 'link' ? 'linked' : reach);
    if (kind === 'move') touch(found, 'remove', source, at, reach);
  }
  if (sources.length === 0 || target === null) {
    found.lose('where it writes follows only when it runs', 'files');
    return;
  }
  for (const cwd of at) {
    const into = resolved(target, cwd, view);
    if (!view.isFolder(into)) {
      touch(found, 'write', { text: target }, new Set([cwd]), reach);
      continue;
    }
    for (const source of sources) {
      const name = /[^/]+(?=\/*$)/.exec(textOf(source) ?? '')?.[0];
      if (name === undefined || name === '..' || name === '.') {
        found.need(fileNeed('write', into, ALL_BELOW));
        found.file({ path: into, use: 'write', reach: 'below', only: null });
      } else touch(found, 'write', { text: name }, new Set([into]), reach);
    }
  }
}

/** One word that names a file, or several with wildcards. */
export function touch(
  found: FoundNeeds,
  use: FileUse,
  word: Word,
  at: Folders,
  reach: Reach,
  only: readonly string[] | null = null,
): void {
  if (word === null) {
    found.lose('the name of a file follows only when it runs', 'files');
    return;
  }
  const action: FileAction = use === 'read' || use === 'list' ? 'read' : 'write';
  for (const cwd of at) {
    const paths = pathsOf(found, word, cwd, use === 'remove');
    if (paths === null) found.lose('what its wildcards stand for is too much to be listed', 'files');
    for (const path of paths ?? []) {
      if (NO_FILE.test(path)) continue;
      const isBelow = !/^(?:itself|linked)$/.test(reach) && found.place.view.isFolder(path);
      found.need(fileNeed(action, path, isBelow ? ALL_BELOW : undefined));
      found.file({ path, use, reach, only });
    }
  }
}

function pathsOf(
  { place }: FoundNeeds,
  word: StaticWord,
  cwd: string,
  itself: boolean,
): readonly string[] | null {
  const { view } = place;
  if ('glob' in word) return expanded(word.glob, word.isAbsolute ? '/' : view.real(cwd), view);
  if (word.text === '-') return [];
  return [NO_FILE.test(word.text) ? word.text : resolved(word.text, cwd, view, itself)];
}
