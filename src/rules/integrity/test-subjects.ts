// Tests that went with what they tested: `TestParseDate` with `parseDate`. A function or type is gone if the texts of code
// that were changed declare it less often than before: one that moved to another file is still there.
import type { Weakening } from '../evidence.ts';
import { nameWords } from '../path-match.ts';

const DECLARED =
  /\b(?:func|def|function|class|fn|fun|struct|interface|trait|sub)\s+(?:\([^)\n]{0,80}\)\s*)?(?:self\.)?(\w{4,80})/g;
const LONGEST = 512 * 1024;
const MOST_NAMES = 10_000;
/** Of a weakening no more lines are known: there may be others. */
const MOST_LINES = 5;

export class Subjects {
  readonly #balance = new Map<string, number>();

  /** Code, or a piece of it, became another. */
  changed(before: string, after: string): void {
    this.#count(before, -1);
    this.#count(after, 1);
  }

  #count(text: string, by: number): void {
    for (const [, name = ''] of text.slice(0, LONGEST).matchAll(DECLARED)) {
      const words = nameWords(name).join(' ');
      if (this.#balance.size < MOST_NAMES || this.#balance.has(words))
        this.#balance.set(words, (this.#balance.get(words) ?? 0) + by);
    }
  }

  /** What became weaker by more than the loss of its subject. */
  without(found: readonly Weakening[]): Weakening[] {
    const gone = [...this.#balance].filter(([, count]) => count < 0).map(([words]) => words);
    const isLeft = (line: string): boolean => {
      const words = nameWords(/\b[tT]est_?(\w{4,80})/.exec(line)?.[1] ?? '').join(' ');
      return gone.some((subject) => words === subject || words.startsWith(`${subject} `));
    };
    return found.filter(
      ({ what, lines }) =>
        what !== 'deleted' || lines.length === 0 || lines.length >= MOST_LINES || !lines.every(isLeft),
    );
  }
}
