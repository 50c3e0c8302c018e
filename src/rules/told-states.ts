// How a message says that things stand now: which files say what, values that were set, tests that were left as they were.
// Whether that is so is for state-evidence.ts to say.
import type { Said } from '../claims/index.ts';
import { MADE } from './act-words.ts';
import type { ToldAct } from './told-act.ts';

const FILE =
  /(?<![\w@./-])(?:[\w@.-]+\/)*(?:[\w@-][\w@.-]*\.[a-z]\w{0,6}|\.[a-z][\w.-]{2,20})(?![\w/(])|\b(?:readme|changelog)\b(?!\.)/gi;
/** It was so before, it is left to others, or another thing is only compared with it. */
const ASIDE =
  /\b(?:not|never|no|none|nothing|neither|already|still|unchanged|untouched|as is|left|before|earlier|previously|see|should|would|could|will|can|may|might|if|unless|please|instead|you|your|from|based|according|per|as|like|same|match(?:es)?|consistent|read|looked|checked|compared|remains?|stays?|only|run|loads?|reads?|imports?|parses?)\b|n['’]t\b/i;
/** It is not there, or not yet, or it is left to others. */
const OPEN =
  /\b(?:not|never|no|none|without|missing|yet|still|later|todo|skipped|left|already|would|should|could|will|can|may|might|if|unless|please|instead|removed|deleted|gone|renamed|moved|dropped|you|your)\b|n['’]t\b/i;
const STANDS =
  /\b(?:documented|described|listed|mentioned|noted|explained|recorded|set|bumped|updated|raised|added|now|both|all (?:two|three|four|five)|has|have|lists?|contains?|includes?|documents?|describes?|mentions?|explains?|covers?|shows?|says?|got|gained|new|in sync)\b/i;
const MOST_FILES = 6;
const LONGEST = 600;
/** What another is told to do. */
const ORDERS = /^(?:set|add|put|run|update|use|make|open|edit)\b/i;

const SAME_TESTS = [
  /\bwith (?:their|its|the|all) (?:original|existing|old|previous|same) (?:expect|assert|value)\w*/i,
  /\b(?:tests?|specs?|expectations?|assertions?)\b(?! (?:for|of|that|which))[^.;,]{0,30}\b(?:unchanged|unmodified|untouched|as they (?:are|were)|not (?:been )?(?:changed|touched|modified))\b/i,
  /\b(?:unchanged|unmodified|untouched|original) (?:\w+ ){0,2}(?:tests?|specs?|expectations?|assertions?)\b/i,
  /\bwithout (?:any )?(?:chang|touch|modif|edit|adjust)\w+ (?:to )?(?:\w+ ){0,3}(?:tests?|specs?|expectations?|assertions?)\b/i,
  /\b(?:no|none of the) (?:existing |old )?(?:tests?|specs?|expectations?|assertions?) (?:was|were|had to be|needed to be|has been|have been) (?:changed|touched|modified|adjusted|adapted)\b/i,
  /\bdid(?:n['’]t| not) (?:change|touch|modify|adjust|edit) (?:\w+ ){0,3}(?:tests?|specs?|expectations?|assertions?)\b/i,
];
const NOT_ALL =
  /\b(?:if|should|would|will|could|might|please|except|but|apart|besides|other|others|rest|remaining)\b|\?/i;

/** An item that is a name and its value: "memory limit 256Mi", "3 replicas", "`timeout`: 30s". */
const VALUE = '[`*]{0,2}([$€£]?\\d[\\d.,_]*\\d|\\d)[A-Za-z]{0,4}[`*]{0,2}(?: ?[%€$£])?';
const ITEM = new RegExp(
  `^[\`*\\w][\\w \`*/_.-]{1,40}?(?::|=| is| to| at| from|→|->)?[\`*]{0,2}:?\\s+(?:is |to |at |now )?${VALUE}(?: (?:EUR|USD|GBP|euros?|dollars?|or more|and up|now))?\\W*$|^${VALUE} [a-z][a-z -]{2,30}\\W*$`,
  'i',
);
const SAYS_SET =
  /\b(?:updated?|changed?|set|bumped|adjusted|configured|applied|added|are in|is in|in place|now|new|all|done)\b/i;
/** What was counted or measured was not written anywhere. */
const COUNTED =
  /\b(?:tests?|specs?|pass(?:ed|es|ing)?|fail(?:ed|s|ing)?|lines?|files?|commits?|runs?|took|ms|seconds?|minutes?|coverage|warnings?|errors?|results?|measured|before|after|was|were|total|found|rows?)\b/i;

export function toldStates({ block, lead, heading }: Said, whole: string): ToldAct[] {
  const acts: ToldAct[] = [];
  if (whole.length > LONGEST) return acts;
  if (SAME_TESTS.some((form) => form.test(whole)) && !NOT_ALL.test(whole))
    acts.push({ what: 'same tests', quote: whole });
  const bare = whole.replace(FILE, ' file ');
  // What begins with a deed is a claim of its own.
  const isStated = STANDS.test(bare) && !ASIDE.test(bare) && !MADE.test(whole) && !ORDERS.test(whole);
  if (isStated || !OPEN.test(bare))
    for (const [name] of [...whole.matchAll(FILE)].slice(0, MOST_FILES))
      acts.push({ what: isStated ? 'stated file' : 'named file', quote: whole, line: name });
  const above = (lead.length > 0 ? lead : heading).map(({ text }) => text).join(' ');
  const found = block.kind === 'item' ? ITEM.exec(whole) : null;
  const value = found?.slice(1).find((each) => each !== undefined);
  if (value !== undefined && SAYS_SET.test(above) && !COUNTED.test(`${above} ${whole}`) && !ASIDE.test(bare))
    acts.push({ what: 'value', quote: whole, line: value });
  return acts;
}
