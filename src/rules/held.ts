// Why a claim is held before any validator is asked: nothing on record can have made it true.
import { asksForChange } from '../claims/index.ts';
import { isCode, isDocument, isFileOf, isTestFile, samePath, segments } from '../ecosystems/index.ts';
import { type Check, type Claim, isOwn } from '../format/index.ts';
import { BY_GIT, MADE, mayTellAct, RESEARCHED } from './act-words.ts';
import { changesNothing, isOfTree, isTidying, isUnchanging, writesNothing } from './changing-commands.ts';
import { type Change, type Evidence, evidenceSince, isBornSkipped } from './evidence.ts';
import { editsSince } from './freshness.ts';
import { untriedHindrance } from './hindrances.ts';
import { type Held, type JudgeInput, noSuchCommand, type SaidClaim } from './judge-input.ts';
import { isForgetful, isFull } from './memory.ts';
import { missingAct } from './named-acts.ts';
import { namesOthers } from './named-files.ts';
import { listed } from './run-assessment.ts';
import { keptTests } from './state-evidence.ts';
import {
  besideTheCode,
  hasFailed,
  kindsOf,
  madeToPass,
  OF_TESTS,
  stubBehind,
} from './unchanged-behaviour.ts';
import { undoneForPrompt, unmadeDeed } from './unmade-deeds.ts';

function noChange(reason: string): Held {
  return { status: 'unbacked', code: 'no-change', reason, validator: 'file_diff_present' };
}

const NOTHING_DONE = 'Nothing was changed in this session, and nothing was run that could change anything.';

/** "`/healthz` answers 200", where the requests for this prompt got other answers. */
function ofOtherStatus({ type, quote }: Claim, { evidence, since = 0 }: JudgeInput): Held | null {
  const said = /\b(?:answers?|returns?|responds?(?: with)?|gives?|got|HTTP) (?:an? )?`?([1-5]\d\d)\b/i.exec(
    quote,
  )?.[1];
  if (type !== 'checked' || said === undefined) return null;
  const asked = evidenceSince(evidence, since).runs.flatMap((run) =>
    run.checks.filter(({ kind }) => kind === 'http'),
  );
  const last = asked.findLast(({ status }) => typeof status === 'number');
  if (last === undefined || asked.some(({ status }) => status === null || String(status) === said))
    return null;
  const reason = `The request to ${last.url} got ${last.status}.`;
  return { status: 'failed', code: 'failed', reason, validator: 'http_2xx' };
}

export const WENT_WELL =
  /\b(?:successfully|succeeded|without (?:any )?(?:errors?|problems?|issues?|failures?))\b/i;

/** "I ran the CLI against `a.json` successfully", where the last command that names it failed. */
function ofFailedRun({ quote }: Claim, { evidence, since = 0 }: JudgeInput): Held | null {
  const names = WENT_WELL.test(quote) ? (quote.match(/[\w@-][\w@./-]*\.[a-z]\w{0,5}\b/gi) ?? []) : [];
  const last = evidenceSince(evidence, since).runs.findLast(({ checks }) =>
    checks.some(({ command }) => names.length > 0 && names.every((name) => command.includes(name))),
  );
  const check = last?.checks.find(({ kind }) => kind === 'run');
  if (last === undefined || check === undefined || !isOwn(check) || (last.exit.code ?? 0) === 0) return null;
  const reason = `\`${check.command}\` failed with exit code ${last.exit.code}.`;
  return { status: 'failed', code: 'failed', reason, validator: 'command_zero_exit' };
}

/** Why a claim is held before any validator is asked; null where it is not. */
export function heldOf(claim: SaidClaim, input: JudgeInput): Held | null {
  const failed = claim.type === 'blocked' || claim.type === 'delegation' ? null : ofFailedRun(claim, input);
  if (failed !== null) return failed;
  switch (claim.type) {
    case 'done':
    case 'changed':
      // "I reviewed the parser" doesn't say that a file was changed.
      if (RESEARCHED.test(claim.quote)) return null;
      if (isStill(claim, input)) return noChange('Nothing was run for this prompt, and no tool was called.');
      if (input.evidence.changes.length === 0)
        return (
          unmadeOf(claim, input) ??
          withoutChange(claim, input) ??
          ofEarlierPrompt(claim, input) ??
          withoutAct(claim, input)
        );
      return (
        unmadeOf(claim, input) ??
        ofEarlierPrompt(claim, input) ??
        ofSkipped(claim, input) ??
        ofNoDifference(claim, input) ??
        (claim.type === 'done' ? ofTestsAlone(input) : null) ??
        ofSameBehaviour(claim, input) ??
        ofAnotherFile(claim, input) ??
        ofNoTest(claim, input) ??
        ofAbsentName(input) ??
        withoutAct(claim, input)
      );
    case 'tested':
    case 'checked':
      return (
        ofOlderCode(claim, input.evidence) ??
        ofOtherStatus(claim, input) ??
        withoutAct(claim, input) ??
        (claim.type === 'tested' ? ofStub(claim, input) : null) ??
        (input.contract.keepsTests === true ? keptTests(input) : null)
      );
    case 'blocked':
      return untriedHindrance(claim, input);
    case 'shipped':
      return unmadeOf(claim, input) ?? withoutAct(claim, input);
    default:
      return null;
  }
}

function unmadeOf(claim: Claim, input: JudgeInput): Held | null {
  const { evidence, outside, unseen } = input;
  const isOfTag = claim.about === 'push' && /\btags?\b/i.test(claim.quote);
  if (outside === true || unseen === true) return null;
  const isOfGone = /\b(?:removed|deleted)\b/i.test(claim.quote);
  const isUnmade = isOfTag || isOfGone || BY_GIT.test(claim.quote) || (evidence.unmade ?? []).length > 0;
  return isUnmade ? unmadeDeed(claim, evidence) : null;
}

/** "Fixed the total as well", "Rebase completed", where nothing was done for the prompt but looks and checks. */
function ofEarlierPrompt(claim: SaidClaim, input: JudgeInput): Held | null {
  const { evidence, contract, outside, unseen, since = 0 } = input;
  const now = evidenceSince(evidence, since);
  const mayBe = outside === true || unseen === true || evidence.background.length > 0 || isForgetful(now);
  if (mayBe || since === 0 || now.changes.length > 0 || contract.intent === 'investigate') return null;
  const isLook = writesNothing(now) && !now.attempts.some((attempt) => isTidying(attempt, now));
  return isLook ? undoneForPrompt(claim, input) : null;
}

/** "Tested in `tests/test_export.py`", which is new and skips all there is in it. */
function ofSkipped({ quote }: Claim, { evidence }: JudgeInput): Held | null {
  const skipped = evidence.weakened?.find(
    (each) => isBornSkipped(each) && quote.includes(segments(each.path).at(-1) ?? each.path),
  );
  const prose = quote.replace(/`[^`]*`/g, '');
  if (skipped === undefined || !/\b(?:tests?|tested|cover\w*)\b/i.test(prose)) return null;
  const reason = `${skipped.path} is new and skips its tests, so none of them ran.`;
  return { status: 'unbacked', code: 'only-skips', reason, validator: 'test_pass' };
}

function withoutAct(claim: Claim, { evidence, outside, unseen }: JudgeInput): Held | null {
  const { type, quote } = claim;
  const isOfRun = type === 'checked' || type === 'tested' || type === 'shipped' || TELLS_RUN.test(quote);
  const mayBe = outside === true || unseen === true || evidence.background.length > 0;
  const act =
    isOfRun && !mayBe && mayTellAct(quote)
      ? (missingAct(claim, evidence) ?? missingTrial(quote, evidence))
      : null;
  return act === null ? null : noSuchCommand(act);
}

const TRIAL =
  /\b(?:with|using|via|by|through) an? (?:new|quick|small|short|little|temporary|throwaway|one-off|ad[- ]hoc) (?:[\w-]+ )?`(\w[\w.-]{2,40})` (?:tests?|script|snippet|check|assertion)\b/i;

/** "Verified with a quick `caplog` test", where neither what ran nor what is new has that word. */
function missingTrial(quote: string, evidence: Evidence): string | null {
  const name = TRIAL.exec(quote)?.[1];
  const added = name === undefined ? null : evidence.added?.();
  if (name === undefined || added === null || added === undefined || !writesNothing(evidence)) return null;
  const isThere = name.split(/\W/).some((word) => added.has(word.toLowerCase()));
  const isRun = evidence.runs.some(({ checks }) => checks.some(({ command }) => command.includes(name)));
  return isThere || isRun || evidence.undone?.length ? null : `a \`${name}\` test`;
}

/** "I also ran the tests with …" says what was run, whatever else it is taken for. */
const TELLS_RUN =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:also |then |even |just )?(?:re-?)?(?:ran|measured|benchmarked|profiled|installed)\b|\binstalled[\s.!]*$/i;

export const RUN_OF_ITS_OWN =
  /^`([^`\n]{3,200})`(?:(?: —| –|:) \S|(?::| —| –| -)? (?:passed|passes|ok|green|succeeded|succeeds|is green)\b)/i;

/** "`make e2e`: passed", where that command ran before the last change and another that passed later is not it. */
function ofOlderCode({ quote }: Claim, evidence: Evidence): Held | null {
  const command = RUN_OF_ITS_OWN.exec(quote)?.[1];
  const named = (check: Check) => check.command === command;
  const run = evidence.runs.findLast(({ checks }) => checks.some(named));
  const check = run?.checks.find(named);
  if (run === undefined || check === undefined) return null;
  const wider = evidence.runs.some(
    ({ seq, checks }) => seq > run.seq && checks.some(({ runner }) => runner === check.runner),
  );
  const edits = wider ? null : editsSince(run, evidence, check);
  if (edits === null || edits.length === 0) return null;
  const reason = `\`${check.command}\` was last run before ${listed(edits)} changed. Run it again.`;
  return { status: 'stale', code: 'stale', reason, validator: 'command_zero_exit' };
}

/** "Fixed." where a fix was asked for and nothing was done; "Done" where the last thing that was done has failed. */
function withoutChange(claim: Claim, input: JudgeInput): Held | null {
  const { evidence, contract, idle, outside, unseen, since = 0 } = input;
  if (WITHOUT_FILE.test(claim.quote)) return null;
  const unmade = noChange(NOTHING_DONE);
  const asked = asksForChange(contract.intent);
  if (idle === true && asked) return unmade;
  const test = evidence.runs.findLast(({ checks }) => checks.some(({ kind }) => kind === 'test'));
  const failing = test !== undefined && hasFailed(test);
  const end = evidence.runs.findLast(({ checks }) => !checks.some(({ kind }) => kind === 'http'));
  // A search that finds nothing ends with 1.
  const failed =
    failing && asked ? test : end !== undefined && end.seq > since && (end.exit.code ?? 0) > 1 ? end : null;
  if (failed === null) {
    const mayBeElsewhere = outside === true || unseen === true || evidence.background.length > 0;
    const nothing = changesNothing(claim, input) && !mayBeElsewhere;
    const isIt =
      claim.type !== 'done' || isVague(contract)
        ? MADE.test(claim.quote.replace(/^(?:all )?done\W+/i, ''))
        : asked;
    return nothing && (isIt || isPutRight(claim, input)) ? unmade : null;
  }
  const command = failed.checks.at(-1)?.command ?? 'the last command';
  return {
    status: 'failed',
    code: 'failed',
    reason: `\`${command}\` failed with exit code ${failed.exit.code ?? 'unknown'}, and nothing has changed since.`,
    validator: claim.type === 'done' ? 'command_zero_exit' : 'file_diff_present',
  };
}

/** What is made without a file: "I've created a todo list", "Noted". */
const WITHOUT_FILE =
  /^(?:noted|understood|got it)\b|^(?:(?:i|we)(?:['’]ve| have)? )?(?:created|made|prepared|updated) (?:an?|the|this|your|my) (?:[\w-]+ ){0,2}(?:todo|task) list\b/i;

/** "Yes, please": what was offered is not known, and may have been a look. */
function isVague({ intent, fields }: JudgeInput['contract']): boolean {
  return intent === 'change' && Object.values(fields).flat().length === 0;
}

const PUT_RIGHT =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:just |now |also )?(?:fixed|repaired|corrected|implemented|patched)\b|\b(?:is|are|been) (?:now )?fixed\b/i;

/** "Fixed the button", where the prompt tells what goes wrong and orders nothing. "Thanks" tells nothing, and who asks a question may be told of older work. */
function isPutRight({ quote }: Claim, { contract: { intent, fields } }: JudgeInput): boolean {
  return intent === 'other' && Object.values(fields).flat().length > 1 && PUT_RIGHT.test(quote);
}

/** "Restarted.", where a restart was asked for, and no tool was called. */
function isStill({ quote }: Claim, { contract, still, outside }: JudgeInput): boolean {
  if (!['operate', 'test'].includes(contract.intent) || still !== true || outside === true) return false;
  return (MADE.test(quote) || /^(?:all )?done\b/i.test(quote)) && !/\balready\b/i.test(quote);
}

/** "The bug is fixed", where tests failed, and since then nothing but tests was changed, of which no word is said. */
function ofTestsAlone(input: JudgeInput): Held | null {
  const paths = input.contract.intent === 'fix' ? madeToPass(input) : null;
  if (paths === null) return null;
  return noChange(
    `Nothing but ${listed(paths)} was changed since the tests failed. Fix the code, or say that the test was wrong.`,
  );
}

/** "It now raises", where the code does what it did, or nothing yet. */
function ofSameBehaviour(claim: SaidClaim, input: JudgeInput): Held | null {
  const stub = ofStub(claim, input);
  if (stub !== null) return stub;
  const { runs } = evidenceSince(input.evidence, input.since ?? 0);
  const isHere = runs.every(({ checks }) => checks.every((check) => isUnchanging(check) || isOfTree(check)));
  const paths = isHere ? besideTheCode(claim, input) : null;
  // Who asks for a test to be skipped asks for no change of the code.
  const isOfTests = input.contract.allowsWeakening && paths?.every((path) => isTestFile(path)) === true;
  return paths === null || isOfTests
    ? null
    : noChange(
        `For this prompt, only ${kindsOf(paths)} changed (${listed(paths)}), so the code still does what it did before.`,
      );
}

function ofStub(claim: SaidClaim, input: JudgeInput): Held | null {
  const stub = stubBehind(claim, input);
  if (stub === undefined) return null;
  return noChange(
    `\`${stub.name}\` in ${stub.path} ${stub.why ?? `does nothing yet, as it says itself (\`${stub.line}\`)`}.`,
  );
}

/** "Added a guard in `mul.js`", where others were changed and that was not: for this prompt, if files were changed for it. */
export function ofAnotherFile(
  claim: SaidClaim,
  { evidence, contract, outside, since = 0 }: JudgeInput,
): Held | null {
  const { type, quote, listed: items } = claim;
  // A subagent whose work isn't on record may have changed it.
  if (outside === true) return null;
  const changes = lastingChanges(quote, evidence);
  const lost = evidence.changes.filter((change) => !changes.includes(change));
  const isOf =
    (name: string) =>
    ({ path }: Change): boolean =>
      isFileOf(name, path, evidence.root);
  const recent = changes.filter(({ seq }) => seq > since);
  const paths = (recent.length > 0 ? recent : changes).map(({ path }) => path);
  // What a command wrote is known of code alone, and of many changes those of documents are forgotten first.
  const isAllKnown = !isFull(evidence) && writesNothing(evidenceSince(evidence, since));
  const others = namesOthers(
    claim,
    recent.length > 0 ? paths : [...paths, ...(evidence.changed ?? [])],
    (name) => isAllKnown || isCode(name) || lost.some(isOf(name)),
    evidence,
  )
    .filter(({ name, partly, isState }) => {
      // "Added `a.ts` to the table", where documents were written, and the file was there before.
      const isContent =
        recent.length > 0 && recent.every(({ path }) => isDocument(path)) && isListed(quote, name);
      const was =
        evidence.isThere?.(name) ?? evidence.attempts.some((each) => each.ok && samePath(each.target, name));
      if (isContent && was) return false;
      // What was added for an earlier prompt may be told again, but for what this one asks for by name. "Updated" is of now.
      const isAsked = contract.fields.paths.some((path) => samePath(name, path));
      // "Fixed `a.js`" may be fixed elsewhere, unless that file was to be changed.
      if (type === 'done' ? isState || (!isAsked && !partly) : isState && !isAsked) return false;
      return isAsked || (REVISED.test(quote) && items === undefined) || !changes.some(isOf(name));
    })
    .map(({ name }) => name);
  if (others.length === 0) return null;
  if (lost.some((change) => others.some((name) => isOf(name)(change)))) return noneLeft(others);
  const when = recent.length > 0 ? 'for this prompt' : 'in this session';
  return noChange(`No change to ${listed(others)} is on record ${when}.`);
}

/** "All three commands are in", where one of those that the message lists stands in nothing that is new. */
function ofAbsentName({ evidence, outside, unseen }: JudgeInput): Held | null {
  const { absent = [], background } = evidence;
  if (absent.length === 0 || outside === true || unseen === true || background.length > 0) return null;
  return noChange(`No line that this session added contains ${listed(absent.map((name) => `\`${name}\``))}.`);
}

const ADDS_TESTS =
  /(?:^|, |\b(?:i|we|and|also|have|['’]ve) )(?:added|wrote|written|created|updated|extended|adjusted|adapted) (?:[\w-]+ ){0,4}tests?\b(?=\W*$|[,:]? ["“'`(]|,? (?:for|that|which|covering|of|and|accordingly|as well|too|so|to (?!the\b))\b)|\b(?:[\w-]+ ){0,2}tests? (?:(?:was|were|has been|have been) )?(?:added|written)\b|\bincluding (?:\w+ ){0,2}tests\b/i;
/** Languages whose tests may stand in the code. */
const OWN_TESTS = /\.(?:rs|zig|nim|d)$/;

/** "Added tests for total", where no file of tests was changed; for this prompt, if it asks for some. */
function ofNoTest(
  { quote }: Claim,
  { evidence, contract, outside, unseen, since = 0 }: JudgeInput,
): Held | null {
  if (!ADDS_TESTS.test(quote) || outside === true || unseen === true || isFull(evidence)) return null;
  const now = evidenceSince(evidence, since);
  const isAsked = now.changes.length > 0 && contract.fields.keywords.some((word) => OF_TESTS.test(word));
  const { changes, runs, attempts } = isAsked ? now : evidence;
  if (changes.some(({ path }) => isTestFile(path) || OWN_TESTS.test(path))) return null;
  const when = isAsked ? 'for this prompt' : 'in this session';
  return writesNothing({ runs: runs.filter(({ checks }) => !checks.every(isOfTree)), attempts })
    ? noChange(`No change to a test file is on record ${when}.`)
    : null;
}

const PUT_BACK = /\b(?:revert|undid|undo|restor|reset|roll|discard|back|again|original|drop)[a-z]*/i;
const TAKEN_AWAY = /\b(?:remov|delet|clean|gone|drop|mov|renam|replac|merg|inlin)[a-z]*/i;
const BROUGHT = /\b(?:creat|add|wrote|writ)[a-z]*/i;

/** Changes that are still there, as far as a claim says that they are: "Removed `a.js`" leaves no file, "Reverted it" no difference. */
export function lastingChanges(
  quote: string,
  { changes, undone = [], isThere }: Evidence,
): readonly Change[] {
  if (PUT_BACK.test(quote)) return changes;
  const isTaken = TAKEN_AWAY.test(quote);
  return changes.filter(({ path, op }) => {
    if (undone.includes(path)) return isTaken && isThere?.(path) === false;
    return op !== 'delete' || isTaken || !BROUGHT.test(quote);
  });
}

function noneLeft(paths: readonly string[]): Held {
  return noChange(
    `Nothing is left of the change to ${listed(paths)}: the content is as it was when the session began, or the file is gone.`,
  );
}

/** "Renamed the constant", where what was changed for the prompt is again as it was when the session began. */
function ofNoDifference({ quote }: Claim, { evidence, contract, since = 0 }: JudgeInput): Held | null {
  const recent = evidence.changes.filter(({ seq }) => seq > since);
  if (recent.length === 0 || !asksForChange(contract.intent)) return null;
  const lasting = lastingChanges(quote, evidence);
  if (recent.some((change) => lasting.includes(change))) return null;
  return noneLeft(recent.map(({ path }) => path));
}

/** The message says that the file was added to something, and not that it was changed. */
function isListed(quote: string, name: string): boolean {
  const before = quote.slice(0, quote.indexOf(name));
  return /\b(?:added|included|listed|mentioned|documented|described)\W+$/i.test(before);
}

const REVISED =
  /\b(?:updat|expand|extend|tweak|chang|modif|edit|rework|refactor|adjust|improv|rewr|polish|simplif|clean)[a-z]*/i;
