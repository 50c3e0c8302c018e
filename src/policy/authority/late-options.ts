// Options behind a file: `head a -n 5`. GNU programs know them wherever they stand. Those of a Mac, and all of them where
// POSIXLY_CORRECT is set, take everything behind the first file for files. So a line needs what it does in either reading.
import { type FileCommand, type FileUse, type FileWords, readWords } from './file-commands.ts';
import { fileNeed, resolved } from './files.ts';
import type { FoundNeeds, Reach } from './found-needs.ts';
import { type StaticWord, textOf } from './static-words.ts';
import { toTarget } from './target-operands.ts';
import { type Folders, pathsOf, touch } from './touched-files.ts';
import { ANY_NAME } from './wildcards.ts';

type Word = StaticWord | null;

/** What isn't there is no file to a program, unless it makes one. */
export function touchLate(
  found: FoundNeeds,
  { use, makes, reach }: { readonly use: FileUse; readonly makes: boolean; readonly reach: Reach },
  words: readonly Word[],
  at: Folders,
): void {
  for (const cwd of at)
    for (const word of words)
      if (makes || mayBeThere(found, word, cwd)) touch(found, use, word, new Set([cwd]), reach);
}

/** `cp a b -v`: a and b may be copied into a folder of that name. */
export function toLateTarget(
  found: FoundNeeds,
  row: FileCommand,
  { operands: [first = 0], behind }: FileWords,
  args: readonly Word[],
  at: Folders,
): void {
  const before = readWords(row, args.slice(0, first).map(textOf));
  const { operands: kind } = row;
  if ('unknown' in before || (kind !== 'copy' && kind !== 'move' && kind !== 'link')) return;
  const { view } = found.place;
  const late = new Set(behind);
  const [last = null] = args.slice(-1);
  const target = textOf(last);
  for (const cwd of at) {
    const sources = args
      .slice(first, -1)
      .filter((word, i) => !late.has(first + i) || mayBeThere(found, word, cwd));
    // Several are copied to a folder only.
    if (args.length - first > 2 && target !== null && !view.isFolder(resolved(target, cwd, view))) {
      found.effects.passes(target, cwd, view);
      for (const text of sources.map(textOf)) {
        if (text === null) continue;
        const need = fileNeed('read', resolved(text, cwd, view));
        if (target.startsWith('-')) found.effects.mayLandInDash(need);
        else found.effects.mayLandIn(need);
      }
    } else toTarget(found, { kind, ...before }, [...sources, last], new Set([cwd]));
  }
}

/** Names that differ in case or in the form of accents are one on a Mac. */
function mayBeThere(found: FoundNeeds, word: Word, cwd: string): boolean {
  const { view, readsChoices } = found.place;
  if (word === null) return true;
  if ('glob' in word) return readsChoices !== true && pathsOf(found, word, cwd, true)?.length !== 0;
  const [first = ''] = word.text.split('/');
  if (/^\.{0,2}$/.test(first)) return true;
  const folded = (name: string): string => name.normalize('NFC').toLowerCase();
  const names = view.names(view.real(cwd), ANY_NAME);
  return names === null || names.some((name) => folded(name) === folded(first));
}
