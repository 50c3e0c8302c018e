// Why nobody is held to a claim that no validator settled: what would show it is not known. An excuse is no pass, and nothing
// is signed for it. The gate loads this where a claim is open.

import { asksForChange } from '../claims/index.ts';
import { isCode, isDocument, isManifest, isPlain, nameWords } from '../ecosystems/index.ts';
import { type Check, type Claim, isOwn } from '../format/index.ts';
import { RESEARCHED } from './act-words.ts';
import { isAttemptAt, isReached, speaksOf } from './attempt-match.ts';
import { LOOK } from './changing-commands.ts';
import { gapOf, scopeOf } from './coverage.ts';
import { type Evidence, evidenceSince, type Run } from './evidence.ts';
import type { Excuse } from './excuse-kinds.ts';
import { editsSince } from './freshness.ts';
import { hasFailure, isElsewhere, isSought } from './hindrances.ts';
import type { JudgeInput } from './judge-input.ts';
import { onlyReads } from './only-reads.ts';
import {
  isAnswer,
  isAskedAndShown,
  isOfFailingLine,
  isOfOthers,
  isOfTreeElsewhere,
  isRunBefore,
  namesFailing,
  TIDIES,
  tellsCounts,
} from './shown-by-run.ts';
import {
  changesCode,
  isOfAnotherPage,
  isOfPrograms,
  isOvertakenBy,
  isOvertakenByPass,
  isText,
  mayBeDeployed,
} from './unknown-end.ts';
import { isForUser, isNamedWay } from './user-requests.ts';
import type { Fail } from './validators/validator.ts';

/** Why nobody is held to a claim that no validator settled; null where its author is. */
export function excuseOf(claim: Claim, telling: Fail | null, input: JudgeInput): Excuse | null {
  const { evidence, contract, disclosures, failures = [], called, since = 0 } = input;
  const { type, about, quote } = claim;
  if (isForUser(claim, telling, contract)) return 'asked';
  // "There is no Chrome MCP here", where the prompt names that way, and tools that it would have were asked for.
  if (type === 'blocked' && called === true && isNamedWay(quote, contract)) return 'tried';
  const isOfFiles = type === 'done' || type === 'changed';
  if (type === 'done' && RESEARCHED.test(quote) && looked(evidenceSince(evidence, since))) return 'looked';
  if (type === 'blocked' && isSought(quote, input)) return 'tried';
  if (type === 'blocked' && isElsewhere(claim, input) && !isUntried(quote, evidence)) return 'disclosed';
  // What stands in the way is none of what the prompt names, and something has failed.
  const isAnother =
    type === 'blocked' ? telling !== null && isNotNamed(quote, input) : telling?.code === 'nothing-named';
  // Who worked for this prompt may ask for what only the user has; who did nothing may not.
  const now = evidenceSince(evidence, since);
  const worked = now.runs.length + now.changes.length + now.attempts.length > 0;
  if (isAnother && isUntried(quote, evidence)) return null;
  if (isAnother) return hasFailure(input, quote) || (type === 'delegation' && worked) ? 'tried' : null;
  if (type === 'delegation' && telling?.code === 'not-tried' && isNowhere(input)) return 'tried';
  // "Not verified" is no word for a check that ran on this code and failed.
  if (isOfFiles && disclosures.length > 0 && !hasFailedNow(telling, evidence)) return 'disclosed';
  // "It is running": what was looked at may be what still runs.
  const isLook = type === 'checked' && about === null;
  if ((isOfFiles || isLook) && evidence.background.length > 0) return 'background';
  const isBut = namesFailing(telling, input);
  const isFailing = telling?.status === 'failed' || isOfFailingLine(telling, evidence);
  const isTold =
    telling !== null &&
    isFailing &&
    (failures.length > 0 || isBut || tellsEnd(telling, input) || tellsCounts(telling, input));
  if (isOfFiles && isTold) return 'disclosed';
  // "My new test passes; that other one fails, as before."
  const isPassed = ({ seq, tests }: Run): boolean =>
    telling?.evidence.includes(seq) === true && tests?.passed !== 0;
  const isOfPart = isBut || !EVERY.test(quote) || (isTold && tellsCounts(telling, input, quote));
  if (isTold && isOfPart && evidence.runs.some(isPassed)) {
    if (type === 'tested') return 'disclosed';
    if (isLook && OF_A_TEST.test(quote)) return 'looked';
  }
  if (isRunBefore(claim, telling)) return type === 'tested' ? 'disclosed' : 'looked';
  if (type === 'tested' && isOfTreeElsewhere(claim, telling, input)) return 'looked';
  if (type === 'tested' && isOfOthers(claim, telling, input)) return 'disclosed';
  if (isLook && isAskedAndShown(telling, now)) return 'looked';
  if ((type === 'done' || isLook) && isAnswer(telling, input)) return 'looked';
  if (type === 'done' && telling?.status === 'failed' && isOfBefore(telling, input)) return 'earlier-prompt';
  if (telling !== null && type !== 'blocked' && type !== 'delegation') {
    if ((type === 'done' || isLook) && isOfAnotherPage(telling, claim, evidence)) return 'looked';
    if (isOvertakenBy(isText, telling, evidence)) return 'looked';
    if (isLook && isOvertakenByPass(telling, evidence)) return 'looked';
  }
  if (telling === null || SPEAKS_AGAINST.includes(telling.status)) return null;
  // What was done for the prompt was no work on code, and a program that checks none of it tells nothing of it.
  if (type === 'done' && worked && !changesCode(now) && isOfPrograms(telling, evidence)) return 'looked';
  const asked = asksForChange(contract.intent);
  if (type === 'tested' && NO_TESTS.includes(telling.code) && isOtherCheck(claim, input)) return 'looked';
  if (type === 'tested' && isOfNamedTests(claim, input)) return 'looked';
  // A value in a style sheet or a manifest: a test run that never reads it would show nothing.
  if (type === 'done' && ['change-only', 'nothing-ran', 'stale'].includes(telling.code)) {
    const { changes, attempts } = now;
    // Of documents that a command wrote there is no change: no fingerprint of the code shows them.
    const wrote =
      changes.length > 0 || attempts.some(({ way, ok, target }) => ok && way === 'write' && target !== '$');
    // A version that was asked for is shown by no run either.
    const isOfVersion = contract.fields.keywords.includes('version');
    const isAside = (path: string): boolean =>
      isPlain(path) ||
      (isOfVersion && (isManifest(path) || /(?:^|\/)(?:__init__|_?_?version\w*)\.\w+$/.test(path)));
    if (wrote && changes.every(({ path }) => isAside(path))) return 'declarative';
    // Nothing was changed for this prompt, and nothing else for those before it.
    if (!asked && changes.length === 0 && evidence.changes.every(({ path }) => isAside(path)))
      return 'declarative';
  }
  if ((type === 'done' || isLook) && GIT.test(quote) && (called === true || ranGit(now))) return 'looked';
  if (type === 'shipped' && PUT_BACK.test(quote) && ranGit(now)) return 'looked';
  // "Done." where no code was changed for the prompt, and something was sent away for it, is said of that.
  if (type === 'done' && telling.status !== 'narrow' && isSentAway(now)) return 'shipped';
  // The prompt asks for no change and got none: the message repeats what was said before, or what the user said.
  if (
    type === 'done' &&
    (telling.code === 'change-only' || isOfPrograms(telling, evidence)) &&
    !asked &&
    !changesCode(now)
  )
    return 'recap';
  // Style sheets, settings and data: no run of the code would show them.
  if (type === 'done' && isOvertakenBy(isPlain, telling, evidence)) return 'declarative';
  // "I checked the page", "Sent the notes": what a tool showed that is no check is not known, and is held against nobody.
  if ((type === 'done' || isLook) && endedUnseen(telling, evidence, isLook)) return 'looked';
  // "Posted it to the channel": by a call that may have done so, not by one that reads.
  if (type === 'shipped' && about === null && DEED.test(quote) && !ALREADY.test(quote))
    return mayHaveActed(now, input) ? 'looked' : null;
  if (type === 'shipped' && mayBeDeployed(claim, evidence)) return 'looked';
  // "It's on main now", by one who was told to merge it, is said of an own deed.
  const isOwnDeed = contract.intent === 'ship' && !mayHaveActed(now, input);
  const isState = about === null || (REQUEST.test(quote) && ran(now.runs, ASKS_REQUESTS));
  const isUnknown =
    isLook ||
    (type === 'shipped' && (ALREADY.test(quote) || (isState && !isOwnDeed))) ||
    (type === 'tested' && CI.test(quote));
  return isUnknown && (called === true || looked(now) || isShownBy(quote, now)) ? 'looked' : null;
}

/** "`git ls-remote` lists it", where that was asked: what it showed is not known. Of a check, the validators judge. */
function isShownBy(quote: string, { attempts, runs }: Evidence): boolean {
  const [, line] = /`([^`]{4,100})`/.exec(quote) ?? [];
  const isCheck = (target: string): boolean =>
    runs.some(({ checks }) => checks.some(({ command }) => command.includes(target)));
  return attempts.some(
    ({ ok, target }) =>
      ok && line !== undefined && target.startsWith(line) && onlyReads(target) && !isCheck(target),
  );
}

function hasFailedNow(telling: Fail | null, evidence: Evidence): boolean {
  if (telling?.status !== 'failed') return false;
  const runs = evidence.runs.filter(({ seq }) => telling.evidence.includes(seq));
  return runs.length === 0 || runs.some((run) => editsSince(run, evidence) === null);
}

const FAILS = /\b(?:fail(?:s|ed|ing|ures?)?|(?:is|are|stays?) (?:still )?(?:red|broken))\b/i;
const MENDED = /\b(?:no|not|never|any|longer|fix\w*|resolv\w+|now|pass\w*|so)\b|n['’]t\b/i;

/** "The build fails because …": the message names the check that failed, and it isn't a test run. */
function tellsEnd({ evidence: seqs }: Fail, { evidence, message = '' }: JudgeInput): boolean {
  const checks = evidence.runs.filter(({ seq }) => seqs.includes(seq)).flatMap((run) => run.checks);
  return message.split(/[.;!?]\s|\n/).some((part) => {
    const told = FAILS.test(part) && !MENDED.test(part.replace(/\bbecause\b.*/i, '')) ? nameWords(part) : [];
    return checks.some(
      ({ kind, runner }) =>
        kind !== 'test' &&
        [kind, ...nameWords(runner)].some((name) => name.length > 3 && told.includes(name)),
    );
  });
}

/** A program ran, and its line showed what it printed, or went on to tidy up: how it ended is not known. */
function endedUnseen({ code, evidence: seqs }: Fail, { runs }: Evidence, isLook: boolean): boolean {
  return (
    (code === 'unclear-end' || (isLook && code === 'no-status')) &&
    runs.some(
      ({ seq, exit, checks }) =>
        seqs.includes(seq) &&
        exit.code === 0 &&
        checks.some(
          ({ kind, summary, flaw }) =>
            kind !== 'test' &&
            kind !== 'ship' &&
            summary === 'unclear' &&
            (flaw === null || TIDIES.test(flaw.detail) || flaw.detail.startsWith('|| echo ')),
        ),
    )
  );
}

/** All that the prompt names are files that are not there, and each was tried or looked for in two ways. */
function isNowhere({ evidence, contract }: JudgeInput): boolean {
  const targets = contract.ladder.filter(({ capability }) => capability !== 'run');
  return targets.every((hop) => {
    const tried = evidence.attempts.filter((attempt) => isAttemptAt(attempt, hop));
    const ways = new Set(tried.map(({ way }) => way));
    const isSought = tried.some(({ capability }) => capability === 'search');
    return evidence.isThere?.(hop.target) === false && isSought && ways.size > 1;
  });
}

/** It is none of what the prompt names; or it is a program that was run in vain, and all else that is spoken of was had. */
function isNotNamed(quote: string, { evidence, contract }: JudgeInput): boolean {
  const failed = evidence.runs.filter(({ exit }) => exit.code !== 0).flatMap(({ checks }) => checks);
  const words = quote.replace(/[\w-]+/g, (word) =>
    failed.some(({ runner }) => runner === word) ? '' : word,
  );
  return !contract.ladder.some(
    ({ capability, target }) =>
      speaksOf(capability === 'run' ? quote : words, target) &&
      (words === quote || !isReached(target, evidence)),
  );
}

const IS_MISSING = /`([\w.-]{2,40})`[^.]{0,40}\b(?:un|not |isn['’]t )(?:available|installed|found)\b/i;

/** "`terraform` isn't installed", where nobody asked for it. */
function isUntried(quote: string, { attempts, runs }: Evidence): boolean {
  const program = IS_MISSING.exec(quote)?.[1];
  if (program === undefined) return false;
  const asked = [
    ...attempts.map(({ target }) => target),
    ...runs.flatMap(({ checks }) => checks.map(({ command }) => command)),
  ];
  const words = new RegExp(`(?:^|[\\s'"/])${program.replaceAll('.', '\\.')}(?:$|[\\s'";])`);
  return !asked.some((text) => words.test(text));
}

/** Tests failed for an earlier prompt, which this one does not ask to mend; what was changed for it passed a check. */
function isOfBefore({ evidence: seqs }: Fail, { evidence, contract, since = 0 }: JudgeInput): boolean {
  if (contract.intent === 'fix' || seqs.some((seq) => seq > since)) return false;
  const { changes, runs } = evidenceSince(evidence, since);
  return (
    changes.some(({ path }) => isCode(path)) &&
    runs.some(
      (run) =>
        editsSince(run, evidence) === null &&
        run.checks.some(
          (check) =>
            check.kind !== 'ship' &&
            check.kind !== 'http' &&
            ((isOwn(check) && run.exit.code === 0) || check.summary === 'passed'),
        ),
    )
  );
}

const NO_TESTS: readonly string[] = ['not-a-check', 'nothing-ran'];
const OF_TESTS = /\b(?:tests?|testing|specs?|suites?)\b|\b(?:unit|integration)[- ]tested\b/i;
const OF_HEALTH = /^[\w./-]+(?: [\w-]+){0,2} (?:doctor|check|verify|validate|audit|health|status|diagnose)\b/;

/**
 * "PASS", "All validations pass", "55 passed", without a word of tests, where another thing was checked and ended well; "tested",
 * where what changed was run or loaded.
 */
function isOtherCheck(
  { quote, count = null }: Claim,
  { evidence, contract, outside, since = 0 }: JudgeInput,
): boolean {
  if (OF_TESTS.test(quote)) return false;
  const isOfWork = /\btested\b/i.test(quote);
  const scope = scopeOf(evidence, contract);
  const isIt = (check: Check) =>
    check.kind === 'run' &&
    (!isOfWork || (check.targets.length > 0 && gapOf(check, scope) === null)) &&
    (count === null ? !LOOK.test(check.command) : OF_HEALTH.test(check.command));
  return (
    (outside === true && count === null) ||
    evidenceSince(evidence, since).runs.some(
      (run) =>
        run.exit.code === 0 &&
        (editsSince(run, evidence) ?? []).every(isManifest) &&
        run.checks.some((check) => (isOwn(check) || check.summary === 'passed') && isIt(check)),
    )
  );
}

const OF_THESE = /^(?:(?:and|now) )?(?:it|that|this|they|both|the (?:[\w`-]+ )?(?:test|case)s?)\b/i;

/** "Added `TestLast`. It passes", where the tests of that name alone were run since. */
function isOfNamedTests({ quote }: Claim, { evidence, claims }: JudgeInput): boolean {
  if (!OF_THESE.test(quote) || EVERY.test(quote)) return false;
  const isNamed = (name: string): boolean =>
    name.length > 3 && claims.some((claim) => claim.quote.includes(name));
  const isIt = ({ exit, tests }: Run, check: Check): boolean =>
    check.kind === 'test' &&
    check.selectors.length > 0 &&
    check.selectors.flatMap((each) => each.replace(/[\^$()]/g, '').split(/\||,| or | and /)).every(isNamed) &&
    tests?.failed === 0 &&
    tests.passed > 0 &&
    (check.summary === 'passed' || (isOwn(check) && exit.code === 0));
  return evidence.runs.some(
    (run) => run.genuine && editsSince(run, evidence) === null && run.checks.some((each) => isIt(run, each)),
  );
}

/** "… with a test (`keeps order`) that passes", "(`test_keeps` passes)". */
const OF_A_TEST = /^\W*test_?\w|\btest\b|\btest_\w|\w_test\b|\bTest[A-Z]/i;

const CLIENT = /^(?:psql|mysql|sqlite3|redis-cli|mongosh|duckdb|kubectl|docker|gh|glab|aws|gcloud|az|ssh)\b/;
/** What was found says otherwise. */
const SPEAKS_AGAINST: readonly Fail['status'][] = ['failed', 'weakened'];

/** Programs that list files show nothing of what is in them. */
const SEEKS = /^(?:find|fd|locate|git)$/;

/** Something was read, searched, fetched or asked for this prompt; or nothing but documents was changed for it. */
function looked({ attempts, runs, changes }: Evidence): boolean {
  return (
    // What a command showed is the validators' to judge.
    attempts.some(({ seq, ok, way }) => ok && !SEEKS.test(way) && !runs.some((run) => run.seq === seq)) ||
    runs.some(
      ({ exit, outcome, checks }) =>
        outcome === 'ok' &&
        (exit.code ?? 0) === 0 &&
        checks.some(({ runner }) => CLIENT.test(runner) || runner === 'git pull'),
    ) ||
    (changes.length > 0 && changes.every(({ path }) => isDocument(path)))
  );
}

const DEED =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:just |now |also )?(?:[a-z]{2,}ed|sent|left|put|made|wrote)\b|\b(?:was|were|been|is|are|got) (?:now |just |also )?(?:posted|sent|opened|filed|created|closed|assigned|shared|notified|added|submitted|published|uploaded)\b/i;

/** They leave nothing anywhere else. */
const CHECKS_HERE: readonly Check['kind'][] = ['test', 'types', 'lint', 'format', 'build'];

/** A tool that may act, or a command that does not only read, came to its end. */
function mayHaveActed({ runs, attempts }: Evidence, { outside, unseen }: JudgeInput): boolean {
  const ended = runs.filter(({ exit, outcome }) => outcome === 'ok' && (exit.code ?? 0) === 0);
  const checks = ended.flatMap((run) => run.checks);
  return (
    outside === true ||
    unseen === true ||
    checks.some(({ kind, command }) => (kind === 'run' || kind === 'http') && !onlyReads(command)) ||
    attempts.some(
      ({ capability, ok, way, target }) =>
        capability === 'run' &&
        ok &&
        way !== 'write' &&
        !onlyReads(target) &&
        !checks.some(({ kind, command }) => command === target && CHECKS_HERE.includes(kind)),
    )
  );
}

/** What runs elsewhere is looked at, not run. */
const CI = /\b(?:CI|pipelines?|workflows?|GitHub Actions)\b/;

/** "PR #12 merged", "PR #12 is ready": how it stands, by whosever doing. "It was pushed already", "It is part of `1f3a…`": by an earlier one. */
const REQUEST =
  /\b(?:PRs?|MRs?|pull requests?|merge requests?)\b.*\b(?:merged|is|are)\b(?! (?:now )?(?:open|up|created|submitted))|\bmerged\b.*\b(?:PRs?|MRs?)\b/i;
const ASKS_REQUESTS = /\b(?:gh|glab) (?:pr|mr|api|stack)\b/;
const ALREADY = /\balready\b|\b(?:included in|part of) (?:commit )?`[0-9a-f]{7,40}`/i;

/** Nothing but a commit, a push or the like was done for the prompt. */
function isSentAway({ runs, changes }: Evidence): boolean {
  if (changes.some(({ path }) => isCode(path))) return false;
  return runs.some(({ exit, checks }) =>
    checks.some((check) => check.kind === 'ship' && isOwn(check) && exit.code === 0),
  );
}

/** "Rebase completed", "Switched to the branch": what git did, and no work on code. */
const GIT =
  /^(?:(?:i|we)(?:['’]ve| have)? |both |the |all |on [`*]*[\w/.-]+[`*]*, )?(?:(?:rebase|merge|cherry-pick) (?:is |was |has )?(?:complete|done|finished|clean|success)|rebased|pulled|fetched|cherry-picked|switched to|checked out|stashed|merge conflicts?|conflicts? (?:is|are|was|were|has|have)|reverted|rolled back|undid|restored|(?:its|their|your) changes are (?:still |now )?(?:un)?staged)/i;

/** "`a.ts` is as it was committed": nothing is said to have been committed now. */
const PUT_BACK =
  /\b(?:back to|as|match(?:es)?|same as|identical to) (?:\w+ ){0,4}(?:committed|HEAD|last commit)\b/i;

const GIT_ACT =
  /\bgit (?:-\S+ )*(?:rebase|merge|pull|checkout|switch|cherry-pick|stash|branch|restore|revert|reset)\b/;

function ranGit({ runs, changes, attempts }: Evidence): boolean {
  if (changes.length > 0 && changes.every(({ by }) => by === 'command')) return true;
  const passed = runs.filter(({ exit }) => (exit.code ?? 0) === 0);
  return ran(passed, GIT_ACT) || attempts.some(({ ok, target }) => ok && GIT_ACT.test(target));
}

function ran(runs: readonly Run[], form: RegExp): boolean {
  return runs.some(({ checks }) => checks.some(({ command }) => form.test(command)));
}

const EVERY =
  /\b(?:all|every|each|full|entire|whole|complete|everything|suite)\b(?! (?:the |of the |\d+ )?(?:others?|else|remaining|rest)\b)/i;
