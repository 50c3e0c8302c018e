// The results of a test run, told without a sentence: ticks and "ok" below a line that is of tests alone, and a count in the
// runner's own words. Whoever lists them says that they were seen.
import { kindOf } from '../ecosystems/index.ts';
import type { Said } from './said.ts';
import type { Token } from './tokens.ts';
import { TEST_NOUNS } from './words.ts';

type Listed = Pick<Said, 'tokens' | 'lead' | 'heading' | 'block'>;

/** "`7 passed`", "`12/12 tests passed`", with their quotes. */
const COUNT = /^`(?:all )?\d{1,6}(?:\/\d{1,6})? (?:tests? )?pass(?:ed|ing)?\b(?!.*\bfail)/;
/** Beside tests, what such a line may speak of. */
const RESULTS =
  /^(?:the|all|full|local|final|my|results?|runs?|ran|output|status|summary|packages?|suites?|unit|integration|per|by|after|from|of|now|with|go|npm|and|:|-)$/;
const GOOD = /^(?:ok|pass|passes|passed|passing|green)$/;
const UNREAL = /^(?:not|never|no|should|would|will|expect|expects|expected|if|until|was|were|instead|only)$/;
const SHORT = 5;

/** A count, or an item of a list of results: "- ✅ internal/store", "- api ok". */
export function isTestResult({ tokens, lead, heading, block }: Listed): boolean {
  if (tokens.some(({ text }) => UNREAL.test(text))) return false;
  if (tokens.some(({ kind, text }) => kind === 'code' && COUNT.test(text)))
    return tokens.every(({ kind }) => kind !== 'word') || tokens.length <= SHORT;
  if (block.kind !== 'item' || tokens.length > SHORT) return false;
  // "`cargo fmt --check` passed" in such a list is told of that command.
  if (tokens.some(({ kind, text }) => kind === 'code' && / /.test(text) && !runsTests(text))) return false;
  const isGood = tokens.some(({ kind }) => kind === 'good') || GOOD.test(tokens.at(-1)?.text ?? '');
  return isGood && isOfTests(lead.length > 0 ? lead : heading);
}

function isOfTests(above: readonly Token[]): boolean {
  const isTest = ({ kind, text }: Token): boolean =>
    kind === 'code' ? runsTests(text) : TEST_NOUNS.has(text);
  return above.some(isTest) && above.every((token) => isTest(token) || RESULTS.test(token.text));
}

const runsTests = (code: string): boolean =>
  (code.match(/[\w-]+/g) ?? []).some((word) => /^tests?$|^unittest$/.test(word) || kindOf(word) === 'test');

const SOME = /^(?:one|two|three|four|five|some|others|run)$/;
const DENIALS = /^(?:no|none|not|never|0|zero|neither|without|longer)$/;

/** "40 passed, 2 failed", "The tests fail: 2 of 2" claim no pass. */
export function hasFailures(tokens: readonly Token[]): boolean {
  return tokens.some(({ kind, text }, i) => {
    const next = tokens[i + 1]?.text ?? '';
    const isDenied = tokens.slice(Math.max(0, i - 5), i).some((before) => DENIALS.test(before.text));
    return (
      (/^fails?$/.test(text) && /^(?::|)$/.test(next) && !isDenied) ||
      (kind === 'number' && text !== '0' && /^fail/.test(next)) ||
      (SOME.test(text) && /^fail(?:s|ed)?$/.test(next))
    );
  });
}
