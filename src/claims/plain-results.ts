// Results that are told by what is not there any more: "No tests fail", "Zero failures", "The bug is gone". The whole piece
// says so and nothing else: a condition, a wish or a part of the story is no result.
import type { ClaimType } from '../format/index.ts';
import { aboutOf } from './about.ts';
import type { Said } from './said.ts';
import type { Segment } from './segments.ts';
import type { Token } from './tokens.ts';

const TESTS = '(?:[\\w-]+ ){0,3}?(?:tests?|specs?|test suites?|suites?)';
const END = '(?: (?:now|any ?more|any longer|left|at all|here))?$';
const NONE = '(?:(?:there are|there were|we have|i see) )?(?:now )?(?:no|zero|0)(?: more)?';
const NO_FAILURE = new RegExp(
  [
    `(?:the|all|all the|these|those|our|my) ${TESTS} (?:no longer|do not|does not) fail${END}`,
    `(?:no|zero|0|none of the|not a single|not one) ${TESTS} (?:now )?(?:(?:is|are) (?:now )?failing|fails?|failed|(?:is|are) (?:now )?(?:red|broken))${END}`,
    `${NONE} (?:failing|failed|broken|red) (?:[\\w-]+ )?(?:tests?|specs?)${END}`,
    `${NONE} (?:(?:test )?failures|regressions)${END}`,
    `nothing (?:(?:is failing|fails)${END}|is broken (?:now|any ?more|any longer)$|else (?:broke|breaks|is broken)${END})`,
    `(?:yes|yep|yeah) (?:they are )?all (?:ok|okay)${END}`,
  ]
    .map((form) => `^(?:and |so )?${form}`)
    .join('|'),
);
const GONE = new RegExp(
  `^(?:and |so )?(?:the|this|that|your) (?:[\\w-]+ ){0,2}?(?:bug|error|crash|problem|issue|exception|regression)s? (?:is|are|has|have) (?:now |all )?(?:gone|no more|history|disappeared|vanished)${END}`,
);
const MOST_TOKENS = 14;
/** "The tests confirm the fix", "It is confirmed by the suite", "I verified it with the existing tests". */
const SAID_BY_TESTS = new RegExp(
  `^(?:and |so )?(?:(?:the|all|all the|these|our|my|existing) )?${TESTS} (?:now |all )?(?:(?:confirm|prove|verify|agree|demonstrate)s?|verifies|shows?(?= (?:that|no)\\b))(?: |$)|\\b(?:confirmed|verified|proven|checked|validated)\\b.*\\b(?:with|by|using|through) (?:(?:the|all|our|my|existing|unit|passing) )*${TESTS}$`,
);
/** "It adds now, as the tests show". */
const AS_TESTS =
  /^as (?:(?:the|our|my|all) )*(?:tests?|test suite|suite|test runs?) (?:show|confirm|prove|demonstrate)s?$/;
const FINDS_NOTHING =
  /\b(?:reports?|finds?|found|shows?|prints?|raises?) nothing(?: (?:now|any more|else|new))?$/;
/** `cargo clippy`, "ruff" */
const isChecker = (token: Token): boolean =>
  /^(?:lint|types|format)$/.test(aboutOf('checked', [token]) ?? '') || /\bfmt\b/.test(token.text);
const IN_DOUBT = /\b(?:no|not|never|should|would|will|can|could|may|must|to|if|once|how|which|please)\b/;

/** What stands behind these says when, why or under what condition. */
const OFF: readonly Segment['link'][] = ['condition', 'time', 'cause', 'relative', 'that'];

export function plainResult({ tokens, segments }: Pick<Said, 'tokens' | 'segments'>): ClaimType | undefined {
  if (tokens.length > MOST_TOKENS) return undefined;
  const said = tokens.flatMap(({ kind, text }) => (kind === 'sign' || kind === 'good' ? [] : text)).join(' ');
  if (AS_TESTS.test(said)) return 'tested';
  if (segments.some(({ link }) => link !== 'that' && OFF.includes(link))) return undefined;
  if (SAID_BY_TESTS.test(said) && !IN_DOUBT.test(said.replace(/\bno (?:regressions|failures|errors)\b/, '')))
    return 'tested';
  if (FINDS_NOTHING.test(said) && !IN_DOUBT.test(said) && tokens.some(isChecker)) return 'checked';
  if (segments.some(({ link }) => link === 'that')) return undefined;
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
