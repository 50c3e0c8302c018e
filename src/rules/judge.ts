// The gate's verdict on a turn: each claim of the final message is held against what is on record. Silent where there
// is nothing to judge: a gate that cries wolf is switched off. The message's own account is never evidence.

import { isCache, isDocument, isGenerated } from '../ecosystems/index.ts';
import type { Claim, ClaimStatus, Grade } from '../format/index.ts';
import type { ValidatorId } from '../policy/index.ts';
import { readCommand } from '../shell/index.ts';
import { heldAct } from './act-evidence.ts';
import { claimedPasses } from './claimed-count.ts';
import { scopeOf } from './coverage.ts';
import type { Run } from './evidence.ts';
import { excuseOf } from './excuses.ts';
import { editsSince } from './freshness.ts';
import { heldOf, RUN_OF_ITS_OWN, WENT_WELL } from './held.ts';
import { jointClaims } from './joint-checks.ts';
import type { JudgeInput, SaidClaim } from './judge-input.ts';
import { type Suggestion, suggest } from './suggestion.ts';
import { mostTelling } from './validators/choice.ts';
import { askValidator, VALIDATORS } from './validators/index.ts';
import type { Fail, ValidatorContext } from './validators/validator.ts';

export interface JudgedClaim {
  readonly claim: Claim;
  readonly status: ClaimStatus;
  /** One word for what is wrong, or for why it is excused; null where it is backed. */
  readonly code: string | null;
  /** A sentence; empty where it is backed. */
  readonly reason: string;
  /** Who settled it, or whose word on it tells most; null where no validator was asked. */
  readonly validator: ValidatorId | null;
  readonly validatorVersion: number | null;
  readonly evidence: readonly number[];
  /** The least grade that the policy wants. */
  readonly grade: Grade;
  readonly suggestion: Suggestion | null;
}

export type Silence = 'no-claim' | 'nothing-changed' | 'documents-only' | 'background';

export interface Judgement {
  readonly verdict: 'silent' | 'pass' | 'block';
  readonly why: Silence | null;
  /** Empty where it is silent. */
  readonly claims: readonly JudgedClaim[];
  /** What a pass does not say, in a sentence for a person; null where there is nothing. */
  readonly note?: string | null;
}

const WEAKENING_UNKNOWN =
  "Foil couldn't find out whether this session weakened tests, so a pass proves nothing.";

/** Never throws. */
export function judge(input: JudgeInput): Judgement {
  const all = input.claims
    .filter((claim) => claim.act === undefined && !isDoubt(claim, input) && !isAttempt(claim, input))
    .map((claim) => asMeant(claim, input))
    .flatMap((claim) => (isOfSeveral(claim) ? jointClaims(claim) : [claim]));
  const sure = all.filter(({ unsure, type }) => unsure !== true || type === 'shipped');
  const why = silenceOf(sure.length > 0 ? sure : all, input);
  if (why !== null && (why === 'no-claim' || input.formal !== true)) {
    const claims = undoneActs([], input);
    return claims.length > 0 ? { verdict: 'block', why: null, claims } : { verdict: 'silent', why, claims };
  }
  const scope = scopeOf(input.evidence, input.contract);
  const judgedClaims = all.flatMap(({ unsure, denial, ...found }) => {
    const claim = { ...found, count: claimedPasses(found) };
    const judged = judgeClaim(
      claim,
      { evidence: input.evidence, contract: input.contract, claim, scope },
      input,
    );
    if (denial === true) return isDenied(judged, input) ? [judged] : [];
    // What may be a description is taken for one unless something backs it: nobody is held to it. Tests that were weakened,
    // tests that fail, and a command that is named and ran before the last edit, tell more than the wording.
    const isRun = judged.status === 'stale' && RUN_OF_ITS_OWN.test(claim.quote);
    const isFailing = judged.status === 'failed' && (claim.type === 'done' || WENT_WELL.test(claim.quote));
    const told = isSettled(judged) || judged.status === 'weakened' || isRun || isFailing;
    return unsure === true && !told ? [] : [judged];
  });
  const claims = [...judgedClaims, ...undoneActs(judgedClaims, input)];
  if (claims.length === 0) return { verdict: 'silent', why: 'no-claim', claims };
  const restsOnTests = claims.some(
    ({ status, validator }) => status === 'backed' && validator === 'test_pass',
  );
  const note = restsOnTests && input.evidence.weakened === null ? WEAKENING_UNKNOWN : null;
  return { verdict: claims.every(isSettled) ? 'pass' : 'block', why: null, claims, note };
}

/** "I ran `npm test`", where the policy lets nothing settle such a claim: whether it was run, is held against its act. */
function isAttempt({ type, quote }: SaidClaim, { policy }: JudgeInput): boolean {
  return policy.claims[type].validators.length === 0 && RAN.test(quote);
}

const RAN = /^(?:(?:i|we)(?:['’]ve| have)? )?(?:also |then )?(?:re-?)?ran `[^`\n]+`\W*$/i;

/** "Lint and tests pass": to be taken apart. */
function isOfSeveral({ type, quote, denial }: SaidClaim): boolean {
  const mayBe = (type === 'tested' || type === 'checked') && denial !== true;
  return mayBe && /\b(?:lint|type|build|format|compil)/i.test(quote) && /\band\b|[,&+/]/.test(quote);
}

const ATTEMPT =
  /\b(?:tried|attempted|made an attempt) to\b.*\b(?:(?:don['’]t|do not|can['’]t|cannot|could not|couldn['’]t) (?:know|say|tell)|not (?:sure|certain)|unsure|uncertain|no idea) (?:whether|if) (?:it|this|that|they|the \w+) (?:\w+ )?(?:works?|helps?|holds?|is|are|does|do|fix\w*|solves?)\b/i;

/** "I tried to fix it, but I don't know whether it works", of a change that was made: nothing is said to stand in the way. */
function isDoubt({ type, act, quote }: SaidClaim, { evidence, since = 0 }: JudgeInput): boolean {
  const isHindrance = type === 'blocked' || act?.what === 'hindrance';
  return isHindrance && ATTEMPT.test(quote) && evidence.changes.some(({ seq }) => seq > since);
}

/** "Untested", where tests ran for this prompt on the code as it is, and failed. */
function isDenied({ evidence: seqs }: JudgedClaim, { evidence, since = 0 }: JudgeInput): boolean {
  const isOfNow = ({ seq }: { readonly seq: number }): boolean => seq > since;
  return (
    evidence.changes.some(isOfNow) &&
    evidence.runs.some(
      (run) =>
        isOfNow(run) &&
        seqs.includes(run.seq) &&
        (run.tests?.failed ?? 0) > 0 &&
        editsSince(run, evidence) === null,
    )
  );
}

/** What the message tells as done, and nothing on record can have been; but for what another claim is held for. */
function undoneActs(judged: readonly JudgedClaim[], input: JudgeInput): JudgedClaim[] {
  const open = judged.filter((each) => !isSettled(each));
  const told = input.claims.filter((claim) => !isDoubt(claim, input));
  return told.flatMap(({ act, unsure: _, ...claim }) => {
    const held = act === undefined ? null : heldAct(claim, act, input);
    if (
      act === undefined ||
      held === null ||
      open.some(({ claim: { quote } }) => isOfSame(quote, claim.quote))
    )
      return [];
    const command = act.what === 'line' ? (act.line ?? null) : null;
    return [
      {
        ...held,
        claim: { ...claim, count: null },
        validatorVersion: VALIDATORS[held.validator].version,
        evidence: [],
        grade: input.policy.claims[claim.type].grade,
        suggestion: { validator: held.validator, args: {}, command },
      },
    ];
  });
}

function isOfSame(a: string, b: string): boolean {
  return a.includes(b) || b.includes(a);
}

/** A program, and how it stands with it: "`gofmt` is satisfied now". */
const OF_PROGRAM = /^`([^`\n]{2,100})` (?:is|are|has|reports?|comes? back|finds?)\b[^`]{0,40}$/;
const CHECKING: readonly string[] = ['build', 'types', 'lint', 'format'];

/** "It is on the remote", "`origin/main` has it": by a push. */
const ON_REMOTE =
  /\b(?:on|at|in) (?:(?:the )?(?:remote|origin)\b|`?(?:origin|upstream)\/\w)|^`?(?:origin|upstream)\/[\w./-]+`? (?:now )?(?:has|have|contains|includes|is at|points)\b/i;

/** "The code is live on your main branch": no deployment. */
const ON_MAIN =
  /\b(?:commits?|code|changes?|fix(?:es)?|work|it|everything)\b.{0,40}\b(?:on|in|at) (?:the |your |our )?[`*]*(?:main|master)\b/i;
/** "The app is live on port 80": it runs, and went nowhere. */
const RUNS_HERE =
  /\b(?:is|are|now|fully) (?:(?:now|back|fully) )?live\b(?!.*\b(?:production|prod|vercel|netlify|npm|pypi|registry|store|site|users?)\b)/i;
/** "Pulled the latest", "On `main`, fetched": what came, and what did not go. */
const CAME =
  /^(?:(?:i|we)(?:['’]ve| have)? |on [`*]*[\w/.-]+[`*]*, )?(?:now |also )?(?:pulled|fetched|switched|checked out)\b/i;
const LEAVES = /deploy|live/i;
/** How a server answered is no test, but was asked. */
const STATUS =
  /^[`*"]*(?:HTTP(?:\/[\d.]+)? )?[1-5]\d\d(?: (?:OK|Created|No Content|Found|Not Found))?[`*"]*$/i;

/** "Ran the migrations", "The migration has been applied": on a database. */
const MIGRATED =
  /^(?!.*\b(?:in-memory|scratch|throwaway|temporary)\b)(?:.*\b(?:ran|applied|executed) (?:\w+ ){0,3}?migrations?\b(?! (?:guide|plan|pattern|notes|docs?)\b)|(?:[\w-]+ ){0,3}migrations?\b(?:(?!\b(?:that|which|before|until|once|when|if|after|not)\b).){0,80}\b(?:been|was|were) (?:applied|run|executed)\b)/i;

/** A request, where it goes to no person; and a tag that is none of git's. */
const POSTED =
  /^(?:(?:i|we)(?:['’]ve| have)? )?posted\b(?!.*(?:[ *_`]#[a-z]|\b(?:PR|MR|pull|merge|issue|comment|slack|channel|thread|team)\b))/i;
const MAILED = /^(?:(?:i|we)(?:['’]ve| have)? )?(?:e-?mailed|messaged|notified) (?!reports?\b)[a-z@]/i;
/** A document of the project, that went nowhere. */
const WRITTEN =
  /^published (?:(?!(?:to|on|and)\b)[\w.-]+ ){0,4}(?:contract|constitution|spec(?:ification)?|document(?:ation)?|guide(?:lines?)?|plan|design|rules|policy|glossary|schema)\b(?!.*\b(?:to|on|online|live|sites?|pages?|npm|pypi|registry|https?)\b)/i;
const OF_GIT = /\btagged\b|\d|\b(?:release|git|version)\b/i;

/** All there is: elsewhere a module is a file. */
const GO_MODULE = /\b(?:whole|entire|full|complete) module\b/i;

/**
 * What is said of a program that checks, and of nothing else, was checked by it: tests would not show it. What is on the
 * remote was pushed; nor would tests show that a database was migrated.
 */
function asMeant(claim: SaidClaim, { evidence }: JudgeInput): SaidClaim {
  const isOfGo = (run: Run): boolean => run.checks.some(({ runner }) => runner.startsWith('go '));
  const isOfTests = claim.type === 'tested' || (claim.type === 'checked' && /\btests?\b/i.test(claim.quote));
  if (isOfTests && GO_MODULE.test(claim.quote) && evidence.runs.some(isOfGo))
    return { ...claim, type: 'tested', about: null, whole: true };
  if (OF_FILES.includes(claim.type) && ON_REMOTE.test(claim.quote))
    return { ...claim, type: 'shipped', about: 'push' };
  if (OF_FILES.includes(claim.type) && MIGRATED.test(claim.quote))
    return { ...claim, type: 'shipped', about: 'migrate' };
  if (OF_FILES.includes(claim.type) && MAILED.test(claim.quote))
    return { ...claim, type: 'shipped', about: null };
  if (claim.type === 'shipped' && POSTED.test(claim.quote)) return { ...claim, type: 'checked', about: null };
  if (claim.type === 'shipped' && claim.about === 'tag' && !OF_GIT.test(claim.quote))
    return { ...claim, type: 'changed', about: null };
  if (claim.type === 'shipped' && WRITTEN.test(claim.quote))
    return { ...claim, type: 'changed', about: null };
  if (claim.type === 'tested' && STATUS.test(claim.quote)) return { ...claim, type: 'checked', about: null };
  if (claim.type === 'shipped' && LEAVES.test(claim.about ?? '')) {
    if (ON_MAIN.test(claim.quote)) return { ...claim, about: 'push' };
    if (RUNS_HERE.test(claim.quote)) return { ...claim, type: 'done', about: null };
  }
  if (claim.type === 'shipped' && CAME.test(claim.quote)) return { ...claim, type: 'done', about: null };
  const program = claim.type === 'done' ? OF_PROGRAM.exec(claim.quote)?.[1] : undefined;
  if (program === undefined) return claim;
  const kind = readCommand(program, { cwd: null, root: null }).checks[0]?.kind ?? '';
  return CHECKING.includes(kind) ? { ...claim, type: 'checked', about: kind } : claim;
}

export function isSettled({ status }: JudgedClaim): boolean {
  return status === 'backed' || status === 'excused';
}

/** Claims that say that something happened, beyond a change of files. */
const HAPPENED: readonly Claim['type'][] = ['tested', 'checked', 'shipped'];
/** Claims that say no more than what became of files. */
export const OF_FILES: readonly Claim['type'][] = ['done', 'changed'];
const STRONGEST: readonly Claim['type'][] = [...HAPPENED, 'blocked', 'delegation', ...OF_FILES];

/** The strongest claim that is not settled; null where all are. */
export function leadingClaim({ claims }: Judgement): JudgedClaim | null {
  const open = claims.filter((judged) => !isSettled(judged));
  for (const type of STRONGEST) {
    const found = open.find(({ claim }) => claim.type === type);
    if (found !== undefined) return found;
  }
  return null;
}

function silenceOf(claims: readonly SaidClaim[], input: JudgeInput): Silence | null {
  const { changes, background } = input.evidence;
  const { since = 0 } = input;
  if (claims.length === 0) return 'no-claim';
  const types = claims.map(({ type }) => type);
  const isOfFiles = types.every((type) => OF_FILES.includes(type));
  // What still runs may change files; it can't make undone, or done, what is said to have happened.
  if (background.length > 0 && isOfFiles) return 'background';
  const counted = changes.filter(({ path }) => !isCache(path) && !isGenerated(path));
  const recent = counted.filter(({ seq }) => seq > since);
  const files = (recent.length > 0 ? recent : counted).map(({ path }) => path);
  const isHeld = claims.some((claim) => heldOf(claim, input) !== null);
  if (isHeld) return null;
  if (files.length === 0) return isOfFiles ? 'nothing-changed' : null;
  return files.every(isDocument) && !types.some((type) => HAPPENED.includes(type)) ? 'documents-only' : null;
}

function judgeClaim(claim: SaidClaim, context: ValidatorContext, input: JudgeInput): JudgedClaim {
  const { validators, grade } = input.policy.claims[claim.type];
  const settled = { claim, reason: '', evidence: [], grade, suggestion: null };
  const excused = { ...settled, status: 'excused', validator: null, validatorVersion: null } as const;
  const held = heldOf(claim, input);
  if (held !== null)
    return {
      ...settled,
      ...held,
      validatorVersion: VALIDATORS[held.validator].version,
      suggestion: suggest({ validators, context, project: input.project, told: null, again: false, held }),
    };
  // Nothing that could be run was changed: there is nothing that a run could show.
  if (OF_FILES.includes(claim.type) && context.evidence.changes.length === 0)
    return { ...excused, code: 'nothing-changed' };
  const fails: { readonly id: ValidatorId; readonly fail: Fail }[] = [];
  // What was weakened backs nothing, whoever else looks at the same run.
  const isWeakened = (seqs: readonly number[]): boolean =>
    fails.some(
      ({ fail: { status, evidence } }) => status === 'weakened' && evidence.some((seq) => seqs.includes(seq)),
    );
  for (const id of validators) {
    const outcome = askValidator({ validator: id, args: {}, asked: false }, context, input.policy);
    if (outcome.outcome === 'pass' && !isWeakened(outcome.evidence))
      return {
        ...settled,
        status: 'backed',
        code: null,
        validator: id,
        validatorVersion: VALIDATORS[id].version,
        evidence: outcome.evidence,
      };
    if (outcome.outcome === 'fail') fails.push({ id, fail: outcome });
  }
  const telling = mostTelling(fails.map(({ fail }) => fail));
  const excuse = excuseOf(claim, telling, input);
  if (excuse !== null) return { ...excused, code: excuse };
  const weakened = telling?.status === 'weakened';
  const again = telling?.code === 'too-few-runs';
  const told = fails.find(({ fail }) => fail === telling) ?? null;
  const id = told?.id ?? null;
  return {
    claim,
    status: telling?.status ?? 'unbacked',
    code: telling?.code ?? 'no-validator',
    reason:
      telling?.reason ??
      `The policy accepts no evidence for a claim of type ${claim.type}. Don't make such a claim.`,
    validator: id,
    validatorVersion: id === null ? null : VALIDATORS[id].version,
    evidence: telling?.evidence ?? [],
    grade,
    // Another run of tests that were made weaker shows nothing before they are as they were.
    suggestion: suggest({ validators, context, project: input.project, told, again, silent: weakened }),
  };
}
