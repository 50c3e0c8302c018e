// What `cp`, `mv` and `ln` touch: their sources, and the name that they write, which is the target's or one in it. `cp` writes
// through a link at its target; the others put another thing in the link's place.
import type { FileWords } from './file-commands.ts';
import { isOn } from './file-commands.ts';
import { fileNeed, hasLinks, resolved } from './files.ts';
import type { FoundNeeds, Reach } from './found-needs.ts';
import { ALL_BELOW } from './need.ts';
import { type StaticWord, textOf } from './static-words.ts';
import { type Folders, pathsOf, touch } from './touched-files.ts';

interface Given extends FileWords {
  readonly kind: 'copy' | 'move' | 'link';
}

const ITSELF = { letters: 'T', long: ['no-target-directory'] };
const NO_DEREFERENCE = { letters: 'n', long: ['no-dereference'] };
const SYMBOLIC = { letters: 's', long: ['symbolic'] };
const RELATIVE = { letters: 'r', long: ['relative'] };
const HARD = { letters: 'l', long: [] };
/** A link among the sources is copied as a link. */
const AS_LINKS = { letters: 'adPrR', long: ['archive', 'recursive'] };

export function toTarget(
  found: FoundNeeds,
  given: Given,
  operands: readonly (StaticWord | null)[],
  at: Folders,
): void {
  const sources = operands.slice(0, -1);
  const target = textOf(operands.at(-1) ?? null);
  const { kind, isDeep } = given;
  const isSymbolic = kind !== 'move' && isOn(SYMBOLIC, given);
  const isHard = kind === 'link' ? !isSymbolic : kind === 'copy' && isOn(HARD, given);
  if (sources.length === 0 || target === null)
    found.lose('where it writes is known only at run time', 'files');
  const reach: Reach = kind === 'move' ? 'moved' : isDeep ? 'below' : 'itself';
  for (const cwd of at) {
    const here = new Set([cwd]);
    const end = target === null ? null : endOf(found, given, target, cwd);
    if (target !== null) found.effects.passes(target, cwd, found.place.view);
    for (const source of sources) {
      const from = isSymbolic && !isOn(RELATIVE, given) ? new Set(end?.folders ?? here) : here;
      touch(found, 'read', source, from, isSymbolic ? 'linked' : reach);
      if (kind === 'move') touch(found, 'remove', source, here, reach);
      // Two names of one file: who writes to the one writes to the other.
      if (isHard) touch(found, 'write', source, here, reach);
      // A relative one leads elsewhere from another folder, and `cp -r` follows them in some systems.
      const keepsLinks = kind === 'move' || isHard || (kind === 'copy' && isOn(AS_LINKS, given));
      if (keepsLinks && isLinked(found, source, cwd))
        found.lose('it moves or copies a link, or a folder that has links in it', 'variable');
      if (isSymbolic || isHard) {
        found.effects.makesLink();
        // The next one may lead through what became of it.
        if (sources.length > 1) found.lose('it makes several names, and one of them may be a link', 'files');
      }
      if (kind === 'move' && source !== null)
        for (const path of pathsOf(found, source, cwd, true) ?? []) found.effects.moves(path);
      if (end !== null) write(found, given, end, source, reach, cwd);
    }
  }
}

interface End {
  /** Where names are written, and from where links lead: the target itself if it is a folder, and the one that it is in. */
  readonly folders: readonly [string, ...string[]];
  /** The names that are written, absolute; none where each source keeps its own. */
  readonly names: readonly string[];
}

/** `cp a b`: to `b`, or to `b/a` where `b` is a folder. */
function endOf({ place: { view } }: FoundNeeds, given: Given, target: string, cwd: string): End {
  const led = resolved(target, cwd, view);
  const named = resolved(target, cwd, view, true);
  const isLinkItself = given.kind === 'link' && isOn(NO_DEREFERENCE, given) && led !== named;
  const above = named.slice(0, Math.max(1, named.lastIndexOf('/')));
  if (view.isFolder(led) && !isOn(ITSELF, given) && !isLinkItself)
    return { folders: [led, above], names: [] };
  return { folders: [above], names: given.kind === 'copy' ? [...new Set([led, named])] : [named] };
}

function write(
  found: FoundNeeds,
  given: Given,
  end: End,
  source: StaticWord | null,
  reach: Reach,
  cwd: string,
): void {
  const { view } = found.place;
  const { kind } = given;
  const [folder] = end.folders;
  const text = textOf(source);
  const name = (text ?? '').split('/').findLast((part) => part !== '');
  const isOwn = end.names.length === 0;
  if (isOwn && (name === undefined || name === '..' || name === '.')) {
    found.need(fileNeed('write', folder, ALL_BELOW));
    found.file({ path: folder, use: 'write', reach: 'below', only: null });
    // Whatever they are called, they are in that folder now.
    found.effects.makesFolder();
    found.effects.makesDash();
    if (kind === 'copy' && given.isDeep) copiesOver(found, folder);
    return;
  }
  // `cp -R src/ out` copies what is in it, on a Mac.
  if (isOwn && kind === 'copy' && given.isDeep && text?.endsWith('/') === true) {
    found.need(fileNeed('write', folder, ALL_BELOW));
    copiesOver(found, folder);
  }
  // A folder that is copied or moved brings what is below it.
  const isFolder = reach !== 'itself' && text !== null && view.isFolder(resolved(text, cwd, view));
  const own = `${folder === '/' ? '' : folder}/${name}`;
  const paths = isOwn ? new Set([own, ...(kind === 'copy' ? [resolved(own, '/', view)] : [])]) : end.names;
  // What is below a folder is needed anyway, and its names are anybody's.
  if (isFolder) {
    found.effects.makesFolder();
    found.effects.makesDash();
  } else if (!isOwn && name !== undefined)
    for (const target of end.names)
      found.effects.mayLandIn(
        fileNeed('write', `${target}/${name}`, reach === 'itself' ? undefined : ALL_BELOW),
      );
  for (const path of paths) {
    if (/\/-[^/]*$/.test(path)) found.effects.makesDash();
    if (kind === 'copy' && given.isDeep) copiesOver(found, path);
    found.need(fileNeed('write', path, isFolder ? ALL_BELOW : undefined));
    found.file({ path, use: 'write', reach, only: null });
  }
}

/** What is copied onto a folder is written through the links in it. */
function copiesOver(found: FoundNeeds, folder: string): void {
  const { view, readsChoices } = found.place;
  if (readsChoices !== true && view.isFolder(folder) && hasLinks(view, folder))
    found.lose('it copies onto a folder that has links in it', 'files');
}

/** Is it a link, or a folder that has links in it? */
function isLinked(found: FoundNeeds, source: StaticWord | null, cwd: string): boolean {
  const { view, readsChoices } = found.place;
  const paths = source === null ? null : pathsOf(found, source, cwd, true);
  if (paths === null) return true;
  const holdsLinks = (path: string): boolean =>
    readsChoices !== true && view.isFolder(path) && hasLinks(view, path);
  return paths.some((path) => view.real(path) !== path || holdsLinks(path));
}
