// One word of a line that names a file, or several with wildcards, and what is done to them.
import type { FileUse } from './file-commands.ts';
import { expanded, type FileAction, fileNeed, isThere, resolved } from './files.ts';
import type { FoundNeeds, Reach } from './found-needs.ts';
import { ALL_BELOW } from './need.ts';
import { globText, type StaticWord, textOf } from './static-words.ts';
import { Wildcards } from './wildcards.ts';

/** The folders that the shell may be in. */
export type Folders = ReadonlySet<string>;

const TOO_MANY = 'what its wildcards stand for is too much to be listed';
const NO_FILE = /^\/dev\/(?:null|tty)$/;
export const STDIN = /^\/dev\/(?:stdin|fd\/0)$/;
const OUTPUT = /^\/dev\/(?:stdout|stderr|fd\/[12])$/;

/** Reading that reads what the line needed a grant for when it opened it. Whoever goes through a folder may find one there. */
function isStdin(found: FoundNeeds, word: StaticWord): boolean {
  return STDIN.test(textOf(word) ?? '') && !found.shape.movesDescriptors;
}

/** The same for the target of a redirection. A command that is given this name may remove the file, or change its mode. */
export function isWrittenFreely(found: FoundNeeds, path: string): boolean {
  return NO_FILE.test(path) || (OUTPUT.test(path) && !found.shape.movesDescriptors);
}

export function touch(
  found: FoundNeeds,
  use: FileUse,
  word: StaticWord | null,
  at: Folders,
  reach: Reach,
  only: readonly string[] | null = null,
): void {
  if (word === null) {
    found.lose('the name of a file is known only at run time', 'files');
    return;
  }
  if (use === 'read' && reach === 'itself' && isStdin(found, word)) return;
  noteWay(found, word, at, use);
  const action: FileAction = use === 'read' || use === 'list' ? 'read' : 'write';
  for (const cwd of at) {
    const paths = pathsOf(found, word, cwd, use === 'remove');
    // Where they find nothing, most shells leave them as they are, and that name is meant. What has a name behind them may find nothing.
    if ('glob' in word && (paths?.length === 0 || !(word.glob.at(-1) instanceof Wildcards)))
      found.need(fileNeed(action, resolved(globText(word), cwd, found.place.view)));
    if (use === 'remove') {
      for (const path of paths ?? []) noteRemoved(found, path);
      noteSlash(found, word, cwd);
    }
    if (paths === null) found.lose(TOO_MANY, 'files');
    for (const path of paths ?? []) {
      if (action === 'read' && NO_FILE.test(path)) continue;
      const isBelow = !/^(?:itself|linked)$/.test(reach) && found.place.view.isFolder(path);
      found.need(fileNeed(action, path, isBelow ? ALL_BELOW : undefined));
      found.file({ path, use, reach, only });
    }
  }
}

/** `echo secret/*` tells the names. */
export function listed(found: FoundNeeds, words: readonly (StaticWord | null)[], at: Folders): void {
  for (const word of words) {
    if (word === null || !('glob' in word)) continue;
    found.effects.acts();
    touch(found, 'list', word, at, 'itself');
  }
}

/** `rm link/`: to some programs that is what it leads to, to some the link. */
function noteSlash(found: FoundNeeds, word: StaticWord, cwd: string): void {
  const { view } = found.place;
  const text = textOf(word) ?? '';
  const name = text.replace(/(?:\/\.?)+$/, '');
  const path = resolved(name, cwd, view, true);
  if (name !== '' && name !== text && view.real(path) !== path)
    found.lose('it removes or moves a link by a name with a slash behind it', 'files');
}

/** What is put in its place may lead elsewhere. */
function noteRemoved(found: FoundNeeds, path: string): void {
  const { view } = found.place;
  if (view.real(path) !== path) found.effects.makesLink();
  else if (view.isFolder(path)) found.effects.takesFolder(path);
}

/** What of it the line itself may change before it comes to it. */
function noteWay(found: FoundNeeds, word: StaticWord, at: Folders, use: FileUse): void {
  if ('text' in word) {
    for (const cwd of at) found.effects.passes(word.text, cwd, found.place.view);
    if (use === 'write' && /(?:^|\/)-/.test(word.text)) found.effects.makesDash();
    return;
  }
  const wild = word.glob.findIndex((segment) => segment instanceof Wildcards);
  const way = [...word.glob.slice(0, wild), '*'].join('/');
  for (const cwd of at) found.effects.passes(word.isAbsolute ? `/${way}` : way, cwd, found.place.view);
  if (wild === 0 && !word.isAbsolute) found.effects.matchesAny();
}

/** What a word with wildcards finds, each as if it were written out. If that may be nothing, shells leave the word as it is, or don't. */
export function namesOf(
  found: FoundNeeds,
  word: Extract<StaticWord, { glob: unknown }>,
  cwd: string,
): readonly StaticWord[] {
  noteWay(found, word, new Set([cwd]), 'list');
  const { view } = found.place;
  const paths = expanded(word.glob, word.isAbsolute ? '/' : view.real(cwd), view, true);
  if (paths === null) found.lose(TOO_MANY, 'files');
  else if (paths.length === 0 || !paths.every((path) => isThere(path, view)))
    found.lose('it may write what a wildcard names, and some of that is not there', 'files');
  return (paths ?? []).map((text) => ({ text: word.isFolder ? `${text}/` : text }));
}

/** Null where they are too many. With `itself`, a link at the end is meant, and not what it leads to. */
export function pathsOf(
  { place }: FoundNeeds,
  word: StaticWord,
  cwd: string,
  itself: boolean,
): readonly string[] | null {
  const { view } = place;
  if ('glob' in word)
    return expanded(word.glob, word.isAbsolute ? '/' : view.real(cwd), view, itself && !word.isFolder);
  if (word.text === '-') return [];
  return [resolved(word.text, cwd, view, itself)];
}
