// How many tests a claim says have passed: "47 tests pass", "12 passed", "61/61 green". Read narrowly, because a number
// in a sentence may be of anything: files, runs, seconds, a version. What is not plainly a number of tests that passed
// is null, and is compared with nothing.
import type { Claim } from '../format/index.ts';

/** A quote is a sentence; of a longer one the end is not read. */
const LONGEST = 1000;

const NUMBER = String.raw`(?<![\w.,/:#$~+-])(\d{1,3}(?:,\d{3}){1,2}|\d{1,9})`;
const OF_ALL = String.raw`(?: ?(?:\/|of|out of) ?[\d,]{1,11})?`;
const OTHERS = '(?!(?:ms|s|secs?|seconds?|mins?|minutes?|hours?|times?|runs?|files?|suites?|packages?)\\b)';
const OF_WHAT = `(?:${OTHERS}[\\w.\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u1fff\\u2c00-\\u2dff\\u3040-\\ud7ff-]{1,24} ){0,2}?`;
const TESTS = '(?:tests?|specs?|test cases?|examples?)';
const BETWEEN = '(?:(?:are|is|all|now|still|have|has|were|do|again|in total) ){0,3}';
const PASS = '(?:pass|passed|passing|passes|green|succeed|succeeded)';

const WORDS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const WORD = new RegExp(`\\b(?:${WORDS.join('|')})(?= (?:[\\w-]+ )?${TESTS}\\b)`, 'g');

/** For lower case: to compile them for any case of any script takes longer than all else that is judged. */
const FORMS: readonly RegExp[] = [
  // 47 tests pass, 47 of 47 parser tests are still green
  new RegExp(`${NUMBER}${OF_ALL} ${OF_WHAT}${TESTS} ${BETWEEN}${PASS}\\b`, 'g'),
  // 47 tests, all passing
  new RegExp(`${NUMBER} ${TESTS},? (?:and )?all (?:of them )?${BETWEEN}${PASS}\\b`, 'g'),
  // three passing tests
  new RegExp(`${NUMBER} (?:passing|green) ${TESTS}\\b`, 'g'),
  // 12 passed, 19/19 pass
  new RegExp(`${NUMBER}${OF_ALL} ${BETWEEN}${PASS}\\b`, 'g'),
  // The suite passes (40 tests); passes now, 70 tests
  new RegExp(`\\b${PASS}(?: now| again| too)?(?:, | \\(|: )(\\d{1,9}) ${TESTS}\\b(?! files)`, 'g'),
];

/** Before the number: what it is the version of, or that it is none but a guess. A name may be of anything. */
const NO_COUNT =
  /(?:\b(?:node|python|php|java|jdk|ruby|api|version|release|phase|step|issue|pr|about|around|roughly|approximately|over|almost|nearly|than|least|most|some) |\b(?!All |The |Its |These |Those |Now |Still |Tests |And )\p{Lu}[\p{L}\d]* )$/u;

export function claimedPasses({ type, quote, count }: Claim): number | null {
  if (count !== undefined) return count;
  if (type !== 'tested') return null;
  const text = quote
    .slice(0, LONGEST)
    .replace(/[`*_]+/g, '')
    .replace(/\s+/g, ' ');
  const lower = text
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replace(WORD, (word) => `${WORDS.indexOf(word) + 2}`);
  if (!/\d/.test(lower)) return null;
  let most: number | null = null;
  for (const form of FORMS) {
    for (const match of lower.matchAll(form)) {
      const said = Number((match[1] ?? '').replaceAll(',', ''));
      const before = text.slice(Math.max(0, match.index - 32), match.index);
      if (said > (most ?? 0) && !NO_COUNT.test(before)) most = said;
    }
  }
  return most;
}
