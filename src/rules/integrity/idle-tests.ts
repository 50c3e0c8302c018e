// New tests that ask nothing of what they call. Such a test may be meant to show that nothing crashes; where the message says
// that it checks a result, it does not.
import { languageOf } from '../../ecosystems/index.ts';
import type { Stub } from '../evidence.ts';
import { codeIn } from './inert-changes.ts';
import { endOf } from './stubs.ts';

const LONGEST = 256 * 1024;
const MOST = 20;
const DECLARES = /^\s*(?:(?:async )?def (test\w*)\(|func (Test\w+)\(|(?:it|test)\((?=["'`]))/;
const TITLE = /\((["'`])(.{1,120}?)\1/;
/** Words of what asks by itself, and what a helper that may ask is called or given. */
const ASKS =
  /assert|expect|check|verif|should|must|requir|raise|throw|fail|match|compare|ensure|snapshot|approx|equal|[(,]\s*(?:self|t)\s*[,)]|\bt\.[A-Z]/i;

const IF = /^if\b/;
/** By its name it may be yes or no, which is all there is to ask. */
const PLAIN =
  '(?!(?:is|has|can|did|was|ok|valid|found|equal|same|match|eq)\\w*(?:[;)\\s]|$)|[tT]rue|[fF]alse)[\\w.$]+';
const SOME = '(?:>|>=|!==?|==) ?[01]';
/** Nearly everything that comes out of a call is so. */
const WEAK = new RegExp(
  `^(?:${[
    `(?:assert(?:\\.ok)?|ok)\\((?:.*\\.(?:length|size) (?:>|>=|!==?) ?[01]|${PLAIN})(?:, ?["'\`].*)?\\);?`,
    `expect\\(.*\\.(?:length|size)(?: (?:>|>=) ?[01])?\\)\\.(?:toBeGreaterThan(?:OrEqual)?\\([01]\\)|toBe\\(true\\)|toBeTruthy\\(\\));?`,
    `expect\\(.*\\)\\.(?:toBeDefined|not\\.toBe(?:Null|Undefined))\\(\\);?`,
    `expect\\(${PLAIN}\\)\\.toBeTruthy\\(\\);?`,
    `(?:assert\\.\\w*[eE]qual\\(|expect\\()typeof .*`,
    `assert (?:len\\(.*\\) ${SOME}|.* is not None|isinstance\\(.*\\)|${PLAIN})`,
    `self\\.assert(?:IsNotNone|IsInstance)\\(.*\\)`,
    `self\\.assertTrue\\((?:len\\(.*\\) ${SOME}|${PLAIN})\\)`,
    `self\\.assertGreater(?:Equal)?\\(len\\(.*\\), ?[01]\\)`,
    `if (?:len\\(\\w+\\) == 0|(?!err\\b)\\w+ == (?:nil|"")) \\{`,
  ].join('|')})$`,
);
/** Of Go: a step that must work, and what a test says where it fails. */
const ASIDE = /^if err != nil \{$|^t\.(?:Fatal|Error|Log|Helper|Parallel|Cleanup)/;

function weakIn(asks: readonly string[]): string {
  return (asks.find((each) => WEAK.test(each)) ?? '').slice(0, 100).toWellFormed();
}

/** Those of a version that an older one has not. Never throws. */
export function idleTests(path: string, before: string | null, now: string): Stub[] {
  const { syntax } = languageOf(path) ?? {};
  if (syntax === undefined || now.length > LONGEST) return [];
  const code = codeIn(now, syntax);
  const known = new Set((before ?? '').split('\n'));
  const found: Stub[] = [];
  for (const [at, line] of code.entries()) {
    const declared = DECLARES.exec(line.slice(0, 200));
    const name = declared?.[1] ?? declared?.[2] ?? TITLE.exec(line)?.[2];
    if (declared === null || name === undefined || known.has(line) || found.length >= MOST) continue;
    const body = code.slice(at + 1, endOf(code, at)).filter((each) => each.trim() !== '');
    const asks = body.map((each) => each.trim()).filter((each) => ASKS.test(each) || IF.test(each));
    const test = { path, name, line: line.trim().slice(0, 120).toWellFormed() };
    if (body.length > 0 && asks.every((each) => IF.test(each) && !ASKS.test(each)))
      found.push({ ...test, why: 'asserts nothing, so it passes whatever comes out' });
    else if (
      asks.some((each) => WEAK.test(each)) &&
      asks.every((each) => WEAK.test(each) || ASIDE.test(each))
    )
      found.push({ ...test, why: `asks only whether there is something (\`${weakIn(asks)}\`)`, weak: true });
  }
  return found;
}
