// What a message says came of something: what a look found, how a checker ended, that all is committed, what failed and so is
// left to others. Whether anything on record can have been it is for result-evidence.ts to say.
import { CHECKERS } from './named-checkers.ts';
import type { ToldAct } from './told-act.ts';

/** It was so before, it is a condition, or it is somebody else's. */
const ASIDE =
  /\b(?:if|when|whenever|once|until|unless|before|earlier|previously|already|used to|no longer|never|would|could|should|will|might|may|expected|you|your|yours|they|CI|pipelines?|workflows?)\b|\?\s*$/i;

/** "A final `grep -rn old .` finds nothing." */
const FOUND =
  /`([^`\n]{3,200})` (?:(?:now|also|then|still|again|only) )?(?:finds?|found|returns?|returned|shows?|showed|reports?|reported|lists?|listed|prints?|printed|turn(?:s|ed) up|comes? back|came back|gives?|gave|is (?:clean|empty))\b/i;

const SEARCH = /^(?:git )?(?:[ef]?grep|rg|ag|ack)\b/;

/** "mypy: `Success: no issues`", "`ruff` reports no errors". */
const GOOD =
  '(?:success\\w*|clean|ok|green|pass(?:ed|es)?|fine|happy|(?:no|0|zero) (?:\\w+ )?(?:issues|errors|warnings|problems|complaints|findings))\\b|[✅✓✔]';
const ENDED_WELL = new RegExp(
  `^[\`*_]*(?:${CHECKERS})[\`*_]*(?: [\\w./-]+[\`*_]*)?(?: ?[:–—-]| (?:is|was|comes? back|came back|reports?|finds?|found|has)) .{0,20}?(?:${GOOD})`,
  'i',
);
const NOT_GOOD = /\b(?:not|isn['’]t|without|except|but)\b/i;

/** "Everything is committed; the working tree is clean." */
const ALL_COMMITTED =
  /\bwork(?:ing)?[ -]?(?:tree|directory) is (?:now |also )?clean\b|\b(?:everything|all (?:of )?(?:the |my |these |our )?(?:changes|files|work)) (?:is|are|has been|have been) (?:now )?committed\b|\bcommitted (?:everything|all (?:of )?(?:the |my )?(?:changes|files))\b|\bnothing (?:is )?(?:left )?uncommitted\b|\bno uncommitted (?:changes|files|work)\b/i;
const NOT_ALL = /\b(?:except|but|apart from|other than|besides|not)\b/i;

/** "It is applied to `shop.db`." */
const IN_DATABASE =
  /\b(?:applied|migrated|imported|loaded|seeded|inserted|populated|ran)\b[^.;]{0,40}\b(?:to|into|in|on|against) (?:the )?[`*]*[\w/.-]+\.(?:db|sqlite3?)(?![\w/])/i;
const DENIED = /\b(?:not|never|nothing|yet|please|can|plan\w*|copy|scratch|temporary|test)\b|n['’]t\b/i;

const FAILED =
  '(?:fail(?:s|ed)|abort(?:s|ed)|crash(?:es|ed)|hangs?|hung|(?:is|was|were|gets|got) (?:killed|refused|rejected|aborted)|time[sd] out|errors? out|errored|dies|died)(?![\\w-])';
/** What its author would have run: a line, a checker, the deed itself ("Applying it to `a.db`"), or what it makes. */
const OF_WORK = [
  `\`([^\`\\n]{2,200} [^\`\\n]{1,200})\`(?: \\w+){0,3} ${FAILED}`,
  `^(?:the )?[\`*]*(${CHECKERS})\\b[^.:]{0,60}?\\b${FAILED}`,
  `^(?:but |however,? |unfortunately,? )?(?:appl|runn|build|push|install|deploy|publish|download|upload|fetch|connect|start|launch|migrat|execut|compil|clon|pull|import|export|generat|render)\\w*ing\\b[^;]{1,80}?\\b${FAILED}`,
  `^(?:but |however,? |unfortunately,? )?(?:the |an? )?(?:[\\w-]+ ){0,2}(?:build|install(?:ation)?|deploy(?:ment)?|push|upload|download|migration|release|export|import|linter?|type[- ]check(?:er)?|compiler)(?: (?:of|to|for) [^.:;]{1,40}| itself| started,? but)? ${FAILED}`,
].map((form) => new RegExp(form, 'i'));
/** What its author has or may do, and tests, which are judged by their runs. */
const OF_MEANS = /\b(?:permission|allowed|sandbox|approv\w+|tests?|specs?|suites?|tool)\b/i;

export function toldResults(whole: string): ToldAct[] {
  const acts: ToldAct[] = [];
  if (ASIDE.test(whole)) return acts;
  const tell = (what: ToldAct['what'], line?: string): void => {
    acts.push({ what, quote: whole, ...(line === undefined ? {} : { line }) });
  };
  const look = FOUND.exec(whole)?.[1];
  if (look !== undefined && SEARCH.test(look)) tell('look', look);
  if (ENDED_WELL.test(whole) && !NOT_GOOD.test(whole)) tell('clean checker');
  if (ALL_COMMITTED.test(whole) && !NOT_ALL.test(whole)) tell('clean tree');
  if (IN_DATABASE.test(whole) && !DENIED.test(whole)) tell('a query');
  const failed = OF_WORK.map((form) => form.exec(whole)).find((found) => found !== null);
  if (failed !== undefined && failed !== null && !OF_MEANS.test(whole)) tell('failure', failed[1]);
  return acts;
}
