// Tests that went with a part of the code: the words that the code had and has no longer, and that each of these tests used.
// Whether that part was to go, the prompt says.
import { MOST_WEAKENED_LINES, type Weakening } from '../evidence.ts';

const WORD = /[A-Za-z_]\w{2,}/g;
const LONGEST_TEST = 200;

/** In texts of changed files as they were, and in none of them as they are. */
export function goneWords(changed: readonly (readonly [before: string, now: string])[]): ReadonlySet<string> {
  const left = new Set(changed.flatMap(([, now]) => now.match(WORD) ?? []));
  return new Set(changed.flatMap(([before]) => before.match(WORD) ?? []).filter((word) => !left.has(word)));
}

/** With the words that all the tests that are gone have used, of those that are gone from the code. */
export function withGone(found: Weakening, before: string, gone: ReadonlySet<string>): Weakening {
  const { what, lines, of } = found;
  if (what !== 'deleted' || of !== undefined || lines.length === 0 || lines.length >= MOST_WEAKENED_LINES)
    return found;
  const [first = [], ...others] = lines.map((line) => wordsOfTest(line, before.split('\n')));
  const common = [...new Set(first)].filter(
    (word) => gone.has(word) && others.every((words) => words.includes(word)),
  );
  return common.length === 0 ? found : { ...found, beside: { ...found.beside, gone: common } };
}

/** Of the test that begins with that line, as far as the lines below are indented; `_` parts words of its name. */
function wordsOfTest(line: string, texts: readonly string[]): string[] {
  const at = texts.findIndex((text) => text.trim().startsWith(line));
  if (at < 0) return [];
  const indentOf = (text: string): number => text.length - text.trimStart().length;
  const indent = indentOf(texts[at] ?? '');
  const body = texts.slice(at + 1, at + LONGEST_TEST);
  const end = body.findIndex((text) => /\w/.test(text) && indentOf(text) <= indent);
  return [line, ...body.slice(0, end < 0 ? undefined : end)].join('\n').match(WORD) ?? [];
}
