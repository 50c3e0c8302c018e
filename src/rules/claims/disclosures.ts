// Where a message says itself that something was not verified: "untested", "I have not run the tests", "couldn't run the
// suite here". It excuses `done` and `changed`; so it must be said of this work, and not as a condition or a question.
import { type Clause, hasWord, kindAt, leftOf, wordAt } from './clause.ts';
import { BE, FIRST, words } from './lexicon.ts';

const CHECKING =
  words(`run ran test tested verify verified check checked execute executed validate validated confirm confirmed exercise exercised
  rerun re-run start try tried compile compiled build built tests running testing verifying checking executing
  validating retest`);
const UNCHECKED = words('untested unverified unchecked unconfirmed unvalidated');
/** What is done to see whether something works; what was not checked or validated may be a finding in the code. */
const TRIED = words('run executed built compiled tested exercised tried deployed started rendered installed');
const SUBJECTS =
  words(`this it that they these change changes fix code tests suite test everything nothing patch migration build
  script`);

export function isDisclosure(clause: Clause): boolean {
  const { segment } = clause;
  if (segment.off || segment.conditional) return false;
  for (let at = segment.from; at < segment.to; at++) {
    if (kindAt(clause, at) !== 'word') continue;
    const word = wordAt(clause, at);
    const next = wordAt(clause, at + 1);
    if (UNCHECKED.has(word) && !isAttributive(clause, at)) return true;
    if (word === 'not' || word === 'never' || word === 'unable' || word === 'without' || word === 'skipped') {
      if (isUnchecked(clause, at, word)) return true;
    }
    if (word === 'yet' && next === 'to' && CHECKING.has(wordAt(clause, at + 3) || wordAt(clause, at + 2)))
      return true;
    if (
      word === 'no' &&
      /^(?:tests?|verification|checks?)$/.test(next) &&
      BE.has(wordAt(clause, at + 2)) &&
      CHECKING.has(wordAt(clause, at + 3))
    )
      return true;
    if (word === 'nothing' && BE.has(next) && CHECKING.has(wordAt(clause, at + 2))) return true;
  }
  return false;
}

function isAttributive(clause: Clause, at: number): boolean {
  return (
    kindAt(clause, at + 1) === 'word' &&
    !/^(?:on|in|here|against|so|and|at|for|by|with|yet|as|locally)$/.test(wordAt(clause, at + 1))
  );
}

function isUnchecked(clause: Clause, at: number, word: string): boolean {
  const { segment } = clause;
  let checks = false;
  for (let i = at + 1; i <= Math.min(at + 4, segment.to - 1); i++) {
    const candidate = wordAt(clause, i);
    if (FIRST.has(candidate) || candidate === 'that') break;
    checks ||= CHECKING.has(candidate) && kindAt(clause, i) === 'word' && !isMaking(clause, i);
    if (checks) break;
  }
  if (!checks) return false;
  if (word === 'without')
    return (
      clause.before === 'first' ||
      hasWord(clause, FIRST, segment.from, at) ||
      segment.from === at ||
      clause.tokens[segment.from]?.text.endsWith('ed') === true
    );
  if (hasWord(clause, FIRST, segment.from, at)) return true;
  const auxiliary = leftOf(clause, at);
  const before = wordAt(clause, auxiliary);
  // Telegraphic: "Not verified", "Did not run the tests", "Couldn't run …".
  if (auxiliary < segment.from || leftOf(clause, auxiliary) < segment.from)
    return before !== 'do' && before !== 'does' && before !== 'will';
  if (before !== 'have' && before !== 'has' && before !== 'could' && !BE.has(before)) return false;
  if (/^(?:was|were)$/.test(before) && TRIED.has(wordAt(clause, at + 1))) return true;
  return before === 'have' || before === 'has' || hasWord(clause, SUBJECTS, segment.from, auxiliary);
}

/** "I can't build the navbar": that is the work itself, not a check of it. */
function isMaking(clause: Clause, at: number): boolean {
  return (
    /^(?:build|built|start)$/.test(wordAt(clause, at)) &&
    /^(?:the|a|an|any)$/.test(wordAt(clause, at + 1)) &&
    !/^(?:project|app|application|image|package|solution|target|binary|server|container|program|code)$/.test(
      wordAt(clause, at + 2),
    )
  );
}

const FAILS = /\b(?:fails?|failing|failures?)\b/i;
const NONE =
  /\b(?:no|zero|0|without|not|never|any)\s+(?:\w+\s+){0,2}(?:failures?|failing|fails?)\b|\bno longer\b/i;
/** Of another's making, or left as it was: not how something used to be, nor why. */
const APART =
  /\b(?:still|elsewhere|unrelated|un-related|pre-?existing|flaky|nothing to do with|not related|on (?:main|master)|without my changes?|before (?:my|this|these|the) changes?|in the (?:complete|full|whole|entire) (?:test )?(?:run|suite)|already failed|already failing)\b/i;

/** Does a sentence tell that something fails, and that this stays? "`TestMailer` still fails: it wants a server." */
export function tellsFailure(sentence: string): boolean {
  return FAILS.test(sentence) && APART.test(sentence) && !NONE.test(sentence);
}
