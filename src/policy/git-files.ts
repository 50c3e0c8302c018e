// What git does to files: which ones it looks through, and under which names.
import type { CommandWords } from './authority/found-needs.ts';
import { withoutBrackets } from './meeting-globs.ts';

/** A folder that is looked through. */
export interface GitLooks {
  readonly folder: string;
  /** Files of this name alone; null for all. */
  readonly only: string | null;
}

export interface GitFiles {
  /** Why it may read files that its words do not name, or give them other names. */
  readonly hidesFiles: string | null;
  /** Folders among its words are taken with all that is in them. */
  readonly takesAll: boolean;
  /** What it makes a copy of, under another name. */
  readonly copies: string | null;
  readonly looks: readonly GitLooks[];
}

/** Which files it is about is what it reads. */
const READS_NAMES = /^--(?:stdin|batch|pathspec-from-f)/;
const COPIES = /^(?:am|apply|archive)$/;
/** With these alone it tells about an object, and does not print it. */
const TELLS = /^-(?:t|s|e)$/;
/** `:/x` and `:(top)x` are paths from another folder than the one it is in. A text with blanks and no folder is one of a
 * message. */
const FROM_TOP = /^:(?:\/(?:\S+$|.*\/)|\((?!exclude\)))/s;
const OUTSIDE = /^[/~]|(?:^|\/)\.\.(?:\/|$)|^\.$/;

/** `before`: the words before what it does; `words`: those behind. */
export function gitFiles(does: string, before: CommandWords, words: CommandWords): GitFiles {
  const has = (what: RegExp): boolean => words.some((word) => word !== null && what.test(word));
  const looks = does === 'grep' ? grepLooks(words) : [];
  return {
    hidesFiles:
      hiddenBy(does, before, words) ?? (looks === null ? 'git grep looks through everything' : null),
    takesAll: has(/^--no-index$/),
    copies: copiedBy(does, words),
    looks: looks ?? [],
  };
}

function hiddenBy(does: string, before: CommandWords, words: CommandWords): string | null {
  const has = (what: RegExp): boolean => words.some((word) => word !== null && what.test(word));
  if (before.some((word) => word !== null && /^--(?:git-dir|work-tree)/.test(word)))
    return 'git takes other folders for its own';
  if (has(READS_NAMES)) return 'git reads which files it is about';
  if (COPIES.test(does)) return `git ${does} may give any file another name`;
  if (does === 'cat-file' && !has(TELLS)) return 'git cat-file prints any object';
  if (does === 'diff' && comparesFiles(words)) return 'git diff compares folders that are not of the project';
  return has(FROM_TOP) ? 'git takes a path from another folder' : null;
}

/** With two paths, one of them outside of the project, `git diff` does what `git diff --no-index` does. */
function comparesFiles(words: CommandWords): boolean {
  const first = words.findIndex((word) => word === null || word === '--' || !word.startsWith('-'));
  const paths = first < 0 ? [] : words.slice(words[first] === '--' ? first + 1 : first);
  const isMagic = paths.some((path) => path?.startsWith(':'));
  return paths.length === 2 && !isMagic && paths.some((path) => path !== null && OUTSIDE.test(path));
}

function copiedBy(does: string, words: CommandWords): string | null {
  const [first = null, second = null] = words.filter((word) => word === null || !word.startsWith('-'));
  if (first === null) return null;
  if (does === 'clone') return /^(?!file:)[\w.@+-]+:/.test(first) ? null : first.replace(/^file:\/\//, '');
  if (does === 'worktree') return first === 'add' && second !== null ? '.' : null;
  return does === 'mv' ? first : null;
}

/** Null where it may look through everything: only what stands behind `--` is a path for sure. */
function grepLooks(words: CommandWords): readonly GitLooks[] | null {
  const end = words.indexOf('--');
  const paths = end < 0 ? [] : words.slice(end + 1);
  if (paths.length === 0) return null;
  const looks: GitLooks[] = [];
  for (const path of paths) {
    // A wildcard of git stands for folders, too.
    const [, folder, only = null] = /^((?:[\w.-]+\/)*)(?:(\*\.\w+)|[\w.-]+)?$/.exec(path ?? ':') ?? [];
    if (folder === undefined || path === null) return null;
    looks.push({ folder: only === null ? path : folder || '.', only });
  }
  return looks;
}

/** `-L1,5:FILE` names a file, as `-L 1,5:FILE` does. A path may be a glob, and what `git grep` looks for is none. */
export function namedByGit(does: string, words: CommandWords): CommandWords {
  return words.flatMap((word) => {
    if (word === null) return [word];
    const named = word.replace(/^-L.*:|^:\//s, '');
    const glob = does === 'grep' ? named : withoutBrackets(named);
    // A wildcard of git stands for folders, too.
    return [...new Set([named, glob, glob.replace(/(?<=[^*/])\*(?=[^*/.])/g, '*/**/*')])];
  });
}
