// Results that are told by what is not there any more: "No tests fail", "Zero failures", "The bug is gone". The whole piece
// says so and nothing else: a condition, a wish or a part of the story is no result.
import type { ClaimType } from '../format/index.ts';
import type { Said } from './said.ts';
import type { Segment } from './segments.ts';

const TESTS = '(?:[\\w-]+ ){0,3}?(?:tests?|specs?|test suites?|suites?)';
const END = '(?: (?:now|any ?more|any longer|left|at all|here))?$';
const NONE = '(?:(?:there are|there were|we have|i see) )?(?:now )?(?:no|zero|0)(?: more)?';
const NO_FAILURE = new RegExp(
  [
    `(?:the|all|all the|these|those|our|my) ${TESTS} (?:no longer|do not|does not) fail${END}`,
    `(?:no|zero|0|none of the|not a single|not one) ${TESTS} (?:now )?(?:(?:is|are) (?:now )?failing|fails?|failed|(?:is|are) (?:now )?(?:red|broken))${END}`,
    `${NONE} (?:failing|failed|broken|red) (?:[\\w-]+ )?(?:tests?|specs?)${END}`,
    `${NONE} (?:(?:test )?failures|regressions)${END}`,
    `nothing (?:(?:is failing|fails)${END}|is broken (?:now|any ?more|any longer)$)`,
    `(?:yes|yep|yeah) (?:they are )?all (?:ok|okay)${END}`,
  ]
    .map((form) => `^(?:and |so )?${form}`)
    .join('|'),
);
const GONE = new RegExp(
  `^(?:and |so )?(?:the|this|that|your) (?:[\\w-]+ ){0,2}?(?:bug|error|crash|problem|issue|exception|regression)s? (?:is|are|has|have) (?:now |all )?(?:gone|no more|history|disappeared|vanished)${END}`,
);
const MOST_TOKENS = 14;

/** What stands behind these says when, why or under what condition. */
const OFF: readonly Segment['link'][] = ['condition', 'time', 'cause', 'relative', 'that'];

export function plainResult({ tokens, segments }: Pick<Said, 'tokens' | 'segments'>): ClaimType | undefined {
  if (tokens.length > MOST_TOKENS || segments.some(({ link }) => OFF.includes(link))) return undefined;
  const said = tokens.flatMap(({ kind, text }) => (kind === 'sign' || kind === 'good' ? [] : text)).join(' ');
  if (NO_FAILURE.test(said)) return 'tested';
  return GONE.test(said) ? 'done' : undefined;
}

const BEHAVES = /\bnow\b|\b(?:correctly|properly|as expected)\b/i;
const OWN_DEED = /^\W*(?:i|we)\b/i;
const TELLS_FAILURE = /fail|error|broke|crash|not pass|n['’]t pass|\bred\b|unverified|untested/i;

/** "The cart now counts quantities", in a message without a word of failure: it says that it works. */
export function isOfBehaviour(quote: string, message: string): boolean {
  return BEHAVES.test(quote) && !OWN_DEED.test(quote) && !TELLS_FAILURE.test(message);
}
