// Tests that went with what they tested: `TestParseDate` with `parseDate`, `slug.test.js` with `slug.js`. A function or type
// is gone if the texts of code that were changed declare it less often than before: one that moved to another file is still
// there. So is a file if another of its name was added, or what it declared is declared elsewhere.

import { isTrackedCode, nameWords, segments, stemWords } from '../../ecosystems/index.ts';
import { MOST_WEAKENED_LINES, type Weakening } from '../evidence.ts';

const DECLARED =
  /\b(?:func|def|function|class|fn|fun|struct|interface|trait|sub|export\s+(?:const|let))\s+(?:\([^)\n]{0,80}\)\s*)?(?:self\.)?(\w{2,80})/g;
const LONGEST = 512 * 1024;
const MOST_NAMES = 10_000;

export class Subjects {
  readonly #balance = new Map<string, number>();
  /** Files of code that are gone, with what they declared; and the names of those that are new. */
  readonly #removed = new Map<string, readonly string[]>();
  readonly #added = new Set<string>();

  /** Code, or a piece of it, became another. */
  changed(before: string, after: string): void {
    this.#count(before, -1);
    this.#count(after, 1);
  }

  /** A file was added, removed (null) or became another. */
  changedFile(path: string, before: string | null, after: string | null): void {
    this.changed(before ?? '', after ?? '');
    if (!isTrackedCode(path)) return;
    if (before === null) this.#added.add(stemWords(path).join());
    if (after === null) this.#removed.set(path, declaredIn(before ?? ''));
  }

  #count(text: string, by: number): void {
    for (const words of declaredIn(text)) {
      if (this.#balance.size < MOST_NAMES || this.#balance.has(words))
        this.#balance.set(words, (this.#balance.get(words) ?? 0) + by);
    }
  }

  /** Did the file of tests go with a source of its name, or with the package that both were in? */
  #isFileLeft(test: string, isGone: IsGone): boolean {
    const folder = folderOf(test);
    const isPackage = folder !== '' && isGone(folder);
    return [...this.#removed].some(
      ([path, names]) =>
        (stemWords(path).join() === stemWords(test).join() || (isPackage && folderOf(path) === folder)) &&
        !this.#added.has(stemWords(path).join()) &&
        names.every((name) => (this.#balance.get(name) ?? 0) < 0),
    );
  }

  /** What became weaker by more than the loss of its subject. */
  without(found: readonly Weakening[], isGone: IsGone = () => false): Weakening[] {
    const gone = [...this.#balance].filter(([, count]) => count < 0).map(([words]) => words);
    const isLeft = (line: string): boolean => {
      const words = nameWords(/\b[tT]est_?(\w{4,80})/.exec(line)?.[1] ?? '').join(' ');
      return gone.some((subject) => words === subject || words.startsWith(`${subject} `));
    };
    return found.filter(
      ({ path, what, lines }) =>
        what !== 'deleted' ||
        ((lines.length === 0 || lines.length >= MOST_WEAKENED_LINES || !lines.every(isLeft)) &&
          !(isGone(path) && this.#isFileLeft(path, isGone))),
    );
  }
}

/** Is a file or folder that was there no longer there? */
type IsGone = (path: string) => boolean;

function folderOf(path: string): string {
  return segments(path).slice(0, -1).join('/');
}

function declaredIn(text: string): string[] {
  return [...text.slice(0, LONGEST).matchAll(DECLARED)].map(([, name = '']) => nameWords(name).join(' '));
}
