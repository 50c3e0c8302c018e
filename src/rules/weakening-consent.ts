// Does the prompt ask that tests be skipped, removed or loosened? Only then is it no weakening to do so. Read
// narrowly: "remove the flag and run the tests" and "don't skip tests" allow nothing.
import { isTestFile } from './file-kinds.ts';
import { ACTIONS, sentencesOf, wordsOf } from './intent.ts';

const VERBS = new Set(
  'skip remove delete disable loosen relax ignore drop exclude deselect xfail comment mark lower reduce quarantine mute'.split(
    ' ',
  ),
);
const OBJECTS = new Set(
  'test tests spec specs testcase testcases assertion assertions suite suites threshold thresholds snapshot snapshots coverage'.split(
    ' ',
  ),
);
const NEGATIONS = new Set(
  "not never don't dont without avoid instead rather no cannot can't won't".split(' '),
);
/** Between verb and object these make the object another one: "remove logs from the tests". */
const BREAKS = new Set(
  'from in inside within by with using for under via during when while but keep until so that which where if unless'.split(
    ' ',
  ),
);
/** After the object these make it the subject of something else: "…, tests must pass". */
const AFTER = new Set(
  'should must need needs still pass passes passing green will have stay remain button page helper helpers data user account'.split(
    ' ',
  ),
);
const NEAR = 8;

export function allowsWeakening(prose: string, paths: readonly string[]): boolean {
  const sentences = sentencesOf(prose);
  if (sentences.some((sentence) => asksIn(wordsOf(sentence)))) return true;
  // "Delete test/old.test.ts": the object is a path.
  return (
    paths.some((path) => isTestFile(path)) &&
    sentences.some((sentence) =>
      /^(?:please |now |also |then )*(?:delete|remove|skip|disable|drop)\b/i.test(sentence),
    ) &&
    !sentences.some((sentence) => wordsOf(sentence).some((word) => NEGATIONS.has(word)))
  );
}

function asksIn(words: readonly string[]): boolean {
  return words.some((word, i) => {
    if (!VERBS.has(word) || words.slice(Math.max(0, i - 3), i).some((before) => NEGATIONS.has(before)))
      return false;
    for (let j = i + 1; j < words.length && j <= i + NEAR; j++) {
      const next = words[j] ?? '';
      if (OBJECTS.has(next)) return !AFTER.has(words[j + 1] ?? '');
      if (BREAKS.has(next) || NEGATIONS.has(next)) return false;
      if (ACTIONS.has(next) && !VERBS.has(next)) return false;
    }
    return false;
  });
}
