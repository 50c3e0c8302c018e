// Whether an act that a message tells of can have been: a command, a tool or a script on record could be it. What may have
// been done where nothing is recorded, and what may be forgotten, is held against nobody.

import { asksForChange } from '../claims/index.ts';
import { isDocument, isTestFile } from '../ecosystems/index.ts';
import { type Check, type Claim, isOwn } from '../format/index.ts';
import { isPart } from './coverage.ts';
import { type Evidence, evidenceSince, type Run } from './evidence.ts';
import { ofAnotherFile } from './held.ts';
import { hasFailure, isElsewhere } from './hindrances.ts';
import { type Held, type JudgeInput, noSuchCommand } from './judge-input.ts';
import { isForgetful } from './memory.ts';
import { actsOfSession, missingRuns } from './named-acts.ts';
import { missingChecker } from './named-checkers.ts';
import { commandsOf, isOnRecord, mayHold, noFile, wordsOf } from './on-record.ts';
import { failedChecker, inventedFailure, neverMade, uncommitted, unseenLook } from './result-evidence.ts';
import { listed } from './run-assessment.ts';
import { absentValue, otherFile, otherTests } from './state-evidence.ts';
import type { ToldAct } from './told-act.ts';
import { isStatusNamed } from './validators/http-2xx.ts';

/** Why its author is held to it; null where it is on record, or may be. */
export function heldAct(claim: Claim, act: ToldAct, input: JudgeInput): Held | null {
  const { evidence, outside, unseen } = input;
  if (outside === true || unseen === true || evidence.background.length > 0) return null;
  if (act.what === 'old failure') return newFailure(evidence);
  if (act.what === 'a reproduction' && evidence.runs.some(hasFailed)) return null;
  if (act.what === 'a search' && hasReadSeveral(evidence)) return null;
  if (act.what === 'rerun') return noRerun(evidence);
  if (act.what === 'document') return noDocument(act, input);
  if (act.what === 'hindrance') return untried(claim, act, input);
  if (act.what === 'obstacle') return input.idle === true ? untried(claim, act, input) : null;
  if (act.what === 'answer') return otherAnswer(input);
  if (act.what === 'changed file') return isAtWork(input) ? ofAnotherFile(claim, input) : null;
  if (act.what === 'made file') return noFile(act, evidence);
  if (act.what === 'named file') return neverMade(act, input);
  if (act.what === 'stated file') return neverMade(act, input) ?? otherFile(claim, act, input);
  const failed = act.what === 'clean checker' ? failedChecker(claim, evidence) : null;
  if (failed !== null) return failed;
  if (act.what === 'look') return unseenLook(act, input);
  if (act.what === 'clean tree') return uncommitted(input);
  if (act.what === 'failure') return inventedFailure(claim, act, input);
  if (act.what === 'a look at the code of before' && evidence.runs.some(({ old }) => old !== undefined))
    return null;
  if (act.what === 'value') return absentValue(act, input);
  if (act.what === 'same tests') return otherTests(input);
  // Who asked how it is built is told what the code says.
  if (act.what === 'a start of the server, or a look at it' && input.contract.intent === 'investigate')
    return null;
  if (act.what === 'line')
    return act.line === undefined || isOnRecord(act.line, evidence) ? null : noSuchCommand(`\`${act.line}\``);
  const missing =
    act.what === 'runs'
      ? missingRuns(act.quote, evidence)
      : act.what === 'checker' || act.what === 'clean checker'
        ? missingChecker(claim, evidence.runs)
        : actsOfSession(evidence).includes(act.what)
          ? null
          : act.what;
  return missing === null ? null : noSuchCommand(missing);
}

const isTest = ({ kind, flaw }: Check): boolean => kind === 'test' && flaw?.code !== 'not-a-check';
const hasFailed = ({ checks, exit, tests }: Run): boolean =>
  (exit.code ?? 0) !== 0 || (tests?.failed ?? 0) > 0 || checks.some(({ summary }) => summary === 'failed');

const hasPassed = ({ checks, exit }: Run): boolean =>
  checks.some((check) => isTest(check) && (check.summary === 'passed' || (isOwn(check) && exit.code === 0)));
/** It brings the code of before back. */
const PUTS_BACK = /^git (?:-\S+ )*(?:stash|checkout|switch|worktree|restore|reset|clone)\b/;

/** "It failed before I began", where these tests passed first, alone or among all, then code changed, and they fail since. */
function newFailure(evidence: Evidence): Held | null {
  const runs = evidence.runs.filter(({ checks }) => checks.some(isTest));
  const failed = runs.find(hasFailed);
  const lineOf = ({ command }: Check) => command.replace(/\s*\d?>.*$/, '');
  const lines = failed?.checks.filter(isTest).map(lineOf) ?? [];
  const isOfThese = (check: Check): boolean =>
    isTest(check) && (lines.includes(lineOf(check)) || (!isPart(check) && check.directory === ''));
  const passed = runs.findLast(
    (run) => run.seq < (failed?.seq ?? 0) && hasPassed(run) && run.checks.some(isOfThese),
  );
  const last = runs.at(-1);
  if (passed === undefined || failed === undefined || last === undefined || !hasFailed(last)) return null;
  const edits = evidence.changes
    .filter(({ seq, path }) => seq > passed.seq && seq < failed.seq && !isTestFile(path))
    .map(({ path }) => path);
  const isBack = evidence.attempts.some(({ target }) => PUTS_BACK.test(target));
  if (edits.length === 0 || isForgetful(evidence) || isBack) return null;
  const reason = `\`${passed.checks.filter(isOfThese).map(lineOf)[0] ?? ''}\` passed before ${listed(edits)} changed, and tests have failed since.`;
  return { status: 'failed', code: 'failed', reason, validator: 'test_pass' };
}

/** "It passed on the rerun", where the last run of tests is one that failed. */
function noRerun(evidence: Evidence): Held | null {
  const last = evidence.runs.findLast(({ checks }) => checks.some(isTest));
  if (last === undefined || !hasFailed(last) || isForgetful(evidence)) return null;
  const line = last.checks.find(isTest)?.command ?? '';
  const reason = `\`${line}\` failed, and no test run after it is on record.`;
  return { status: 'failed', code: 'failed', reason, validator: 'test_pass' };
}

const HAS_COMMENT = /^\s*(?:\/\/|\/?\*|#|--|;|%)|"""|'''|\/\*/m;
const HAS_NAME = /^(?:readme|changelog)$/i;

/** "The README describes it", where no document was changed; "the docs" may be comments in the code, unless they were asked for. */
function noDocument({ line = '' }: ToldAct, { evidence, contract, since = 0 }: JudgeInput): Held | null {
  const { intent, fields } = contract;
  const isAsked = fields.keywords.some((word) => /^(?:docs?|document\w*|readme|changelog)$/i.test(word));
  // Code without any comment has no docs in it.
  const isBare = evidence.changes.every(({ path }) => !HAS_COMMENT.test(evidence.read?.(path) ?? '#'));
  const isMeant = isAsked || isBare || HAS_NAME.test(line);
  if (!asksForChange(intent) || !isMeant || isForgetful(evidence)) return null;
  // What was written for an earlier prompt may be told again, but for what this one asks for.
  const { changes, attempts, runs } = isAsked ? evidenceSince(evidence, since) : evidence;
  const mayBeWritten =
    changes.some(({ path }) => isDocument(path)) ||
    attempts.some(({ way, target }) => way === 'write' || WRITES.test(target)) ||
    runs.some(({ checks }) => checks.some((check) => mayHold(check) || WRITES.test(check.command)));
  if (mayBeWritten || changes.length === 0) return null;
  const reason = `No change to ${HAS_NAME.test(line) ? `the ${line}` : 'a document'} is on record ${isAsked ? 'for this prompt' : 'in this session'}.`;
  return { status: 'unbacked', code: 'no-change', reason, validator: 'file_diff_present' };
}

/** Who was asked for a change, and made one, tells of that: another may list what a commit of somebody else's has. */
function isAtWork({ contract, evidence, since = 0 }: JudgeInput): boolean {
  return asksForChange(contract.intent) && evidence.changes.some(({ seq }) => seq > since);
}

/** Programs that may write any text: code that they are handed, what puts files in order, or makes documents. */
const WRITES =
  /^(?:python[\d.]*|node|ruby|perl|php|deno|bun) (?:-\S*[ce]\b|-(?!\S)|<)|^(?:perl|ed|ex|tee|cp|mv|patch|git (?:apply|checkout|restore|merge|pull|stash|cherry-pick|rebase|mv))\b|\.md\b|doc|\bgen|prettier|format|release|changeset|bump/i;

/** Who read several files may have gone through them all. */
function hasReadSeveral({ attempts }: Evidence): boolean {
  const read = attempts.filter(({ capability }) => capability === 'read');
  return new Set(read.map(({ target }) => target)).size > 1;
}

/** "Both came back with a 200", where all that was asked last was answered with an error, of which no word is said. */
function otherAnswer({ evidence, claims, failures = [], since = 0 }: JudgeInput): Held | null {
  const last = evidence.runs.findLast(
    ({ seq, checks }) => seq > since && checks.some(({ status }) => status !== null),
  );
  const asked = last?.checks.filter(({ kind }) => kind === 'http') ?? [];
  const [{ url, status } = { url: null, status: null }] = asked;
  const texts = [...claims.map(({ quote }) => quote), ...failures];
  if (status === null || status < 400 || !asked.every((check) => (check.status ?? 0) >= 400)) return null;
  if (texts.some((text) => isStatusNamed(status, text))) return null;
  const reason = `The last request, to ${url ?? 'it'}, got ${status}.`;
  return { status: 'failed', code: 'failed', reason, validator: 'http_2xx' };
}

/** "`go`: command not found", where nothing failed for this prompt, and nobody called it. */
function untried(claim: Claim, { line }: ToldAct, input: JudgeInput): Held | null {
  const { evidence, since = 0 } = input;
  if (hasFailure(input, '') || isElsewhere(claim, input) || isForgetful(evidence)) return null;
  const name = line?.toLowerCase() ?? '';
  const { attempts } = evidenceSince(evidence, since);
  const texts = [...commandsOf(evidence), ...attempts.flatMap(({ way, target }) => [way, target])];
  if (name !== '' && texts.some((text) => wordsOf(text).includes(name))) return null;
  // How a command behind a pipe ended is not known, nor how one that is no check did.
  const isOpen = evidence.runs.some((run) => run.seq > since && run.checks.some(({ flaw }) => flaw !== null));
  const isNoCheck = attempts.some(
    ({ capability, target }) => capability === 'run' && !commandsOf(evidence).includes(target),
  );
  if (name === '' && (isOpen || isNoCheck)) return null;
  const reason = `Nothing that was tried for this prompt has failed${line === undefined ? '' : `, and no command on record calls ${line}`}.`;
  return { status: 'not-tried', code: 'not-tried', reason, validator: 'ladder_exhaustion_proof' };
}
