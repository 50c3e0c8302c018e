// Which tests a prompt wants skipped or removed, where it tells them from others. Read only where it wants some.

import { ACTIONS, wordsOf } from '../claims/index.ts';
import { wordSet } from '../core/index.ts';
import { isTestFile } from '../ecosystems/index.ts';
import { ARTICLES, BREAKS, OBJECTS, ONE, SORTS, TEST, VERBS } from './weakening-consent.ts';

const LEAVES_OUT =
  /\b(?:skip|remove|delete|disable|ignore|drop|exclude|deselect|xfail|mark|mute|quarantine|turn off) /gi;
const QUOTED =
  /["“`]([^"”`\n]{3,200})["”`]|(?<!\w)'([^'\n]{3,200})'(?!\w)|\b(test_\w+|[tT]est[A-Z]\w*)(?![\w/.])/g;
/** They tell no test from others. */
const ANY_TEST = wordSet(
  'flaky failing slow broken red old new outdated obsolete stale unused redundant duplicate remaining last first single one two this that its their hanging only same corresponding related and or',
);

/** What stands in quotes is a title only beside the word: `parse` in "remove `parse` and its tests" is none. */
function namesIn(clause: string): string[] {
  let end = -1;
  return [...clause.matchAll(QUOTED)].flatMap(({ 0: all, 1: title, 2: single, 3: name, index }) => {
    const text = title ?? single ?? name ?? '';
    const isTitle =
      /\b(?:tests?|specs?|testcases?)(?: (?:named|called|titled))?:? $/.test(clause.slice(0, index)) ||
      /^ (?:\w+ )?(?:test|spec)\b/.test(clause.slice(index + all.length)) ||
      (end >= 0 && /^(?:,|,? (?:and|or)) $/.test(clause.slice(end, index)));
    const last = text.split('::').at(-1) ?? text;
    if (isTestFile(text) || !(isTitle || TEST.test(last))) return [];
    end = index + all.length;
    return [last];
  });
}

/**
 * The tests that may be left out, where the prompt tells them from others: by titles or names, and files that are named
 * beside these and not as their place; else by what stands before "test": "disable the discount test".
 */
export function testsToLeaveOut(prompt: string): string[] {
  const text = prompt.slice(0, 16_384);
  return [...text.matchAll(LEAVES_OUT)].slice(0, 8).flatMap(({ 0: verb, index }) => {
    const rest = text.slice(index + verb.length, index + 600).replace(/(?:[.;!?]\s|\n).*/s, '');
    const next = [...rest.matchAll(/ (?:and|then|but) (?:then |also |please )*(\w+)/g)].find(
      ([, word = '']) => ACTIONS.has(word) && !VERBS.has(word) && word !== 'test',
    );
    const clause = rest.slice(0, next?.index);
    const names = namesIn(clause);
    if (names.length > 0) {
      const files = [...clause.matchAll(/[\w./-]+/g)].flatMap(({ 0: path, index: from }) =>
        isTestFile(path) && !/\b(?:in|of|from|inside|at) [`"']?$/.test(clause.slice(0, from)) ? [path] : [],
      );
      return [...names, ...files];
    }
    const words = wordsOf(clause);
    const at = words.findIndex((word) => OBJECTS.has(word) || BREAKS.has(word) || !/^[\w'-]+$/.test(word));
    return at > 0 && at < 6 && ONE.has(words[at] ?? '') && !OBJECTS.has(words[at + 1] ?? '')
      ? words
          .slice(0, at)
          .filter(
            (word) =>
              /^[a-z]{3,}$/.test(word) && !ARTICLES.has(word) && !SORTS.has(word) && !ANY_TEST.has(word),
          )
      : [];
  });
}
