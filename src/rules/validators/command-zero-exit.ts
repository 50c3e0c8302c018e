// command_zero_exit {command}: a command of the sort that the claim speaks of ended with its own exit code 0: a build for
// "it builds", a push for "pushed". Fresh, but for what was shipped. For "done" it stands in where no test failed.

import { isEveryCheck, nameWords, runsTests, scriptKind } from '../../ecosystems/index.ts';
import type { Check, CheckKind, Claim } from '../../format/index.ts';
import { asRunOfLoaded, isLineCode } from '../../shell/index.ts';
import { isBuiltFirst, isNamedBy } from '../command-match.ts';
import { gapOf } from '../coverage.ts';
import type { Run } from '../evidence.ts';
import { changedDuring } from '../freshness.ts';
import { isOutdated, shortfallOf } from '../run-assessment.ts';
import { ASKS, COMPILES, GIT_HOOKS, isAbout, OF_SYNTAX, OF_TREE, PARSES } from './aside.ts';
import { commandRefusal } from './binding.ts';
import { mostTelling, unanswered } from './choice.ts';
import { asServed, CLIENT, isProgramElsewhere, isScratch } from './shown-work.ts';
import {
  type Fail,
  failOf,
  type Outcome,
  textArguments,
  type Validator,
  type ValidatorContext,
} from './validator.ts';

const NEWEST = 10;

export const commandZeroExit: Validator = {
  id: 'command_zero_exit',
  version: NEWEST,
  words: 'a command of the claimed kind (build, types, lint, a push) that ended with 0',
  fields: ['command_hints', 'backtick_tokens', 'paths'],
  needs: ['command'],
  judge(args, context) {
    const texts = textArguments(args, ['command']);
    if ('outcome' in texts) return texts;
    const { command } = texts;
    const unbound = command === undefined ? null : commandRefusal(command, context);
    if (unbound !== null) return unbound;
    const { claim, evidence, version = NEWEST } = context;
    if (version > 5 && claim.type === 'checked' && OF_TREE.test(claim.quote)) return ofTree(context);
    const fails: Fail[] = [];
    const isQuoted = ({ command: line, runner }: Check) =>
      claim.quote.includes(`\`${line}\``) || (version > 9 && claim.quote.includes(`\`${runner}\``));
    // "`git diff --check` passes" is said of that command alone, and "`docker build` succeeds" of that program.
    const isOne = claim.type === 'checked' && evidence.runs.some(({ checks }) => checks.some(isQuoted));
    let passed: number | null = null;
    let failedAt = 0;
    let isThere = false;
    for (const run of evidence.runs) {
      for (const check of claim.type === 'shipped' ? run.checks : run.checks.map(asWork)) {
        if (command !== undefined && !isNamedBy(check.command, command)) continue;
        isThere = true;
        if (!isAbout(check, context) || (isOne && !isQuoted(check))) continue;
        if (version > 2 && isSentElsewhere(check, claim)) continue;
        const mended = claim.type === 'done' && failedBefore(check, run, context);
        if (!mended && (!isOfSort(check, claim, version) || isBuiltAnyway(run, check, claim))) continue;
        const need = needOf(check, claim);
        const fail = shortfallOf(
          run,
          asEnded(check, claim, version),
          mended ? { ...need, covers: false } : need,
          context,
        );
        // What was not found never ran.
        if (fail?.status === 'failed' && run.exit.code === 127) continue;
        // That a module wasn't found says nothing about what was tried instead.
        if (fail?.status === 'failed' && isProbe(check, claim)) continue;
        // A service that was started is no check.
        if (claim.type !== 'shipped' && check.kind === 'run' && fail?.code === 'background') continue;
        if (claim.type === 'done' && !mended && isBeside(run, check, fail, context)) continue;
        if (version > 3 && isLineCode(check) && fail?.status !== 'failed' && isIdle(run, check, context))
          continue;
        if (fail === null) passed = run.seq;
        else fails.push(fail);
        if (fail?.status === 'failed' && !isPastSyntax(check, context)) failedAt = run.seq;
      }
    }
    const contradiction = claim.type === 'done' ? failingTests(context) : null;
    // The newest word counts: a build that broke after it had passed is broken.
    if (passed !== null && failedAt <= passed && contradiction === null)
      return { outcome: 'pass', evidence: [passed] };
    return (
      contradiction ??
      mostTelling(unanswered(fails, evidence.runs, claim)) ??
      nothingRan(claim, isThere, command)
    );
  },
};

/** Git was asked, or made a commit, and no tool has changed a file since. */
function ofTree(context: ValidatorContext): Outcome {
  const { runs, attempts, changes } = context.evidence;
  const asked = attempts.filter(({ ok, target }) => ok && /^git (?:-C \S+ )?status\b/.test(target));
  const isMade = (run: Run, check: Check): boolean =>
    check.runner === 'git commit' && shortfallOf(run, check, UNBOUND, context) === null;
  const made = runs.filter((run) => run.checks.some((check) => isMade(run, check)));
  const seq = Math.max(0, ...[...asked, ...made].map((each) => each.seq));
  return seq > 0 && !changes.some((change) => change.by === 'tool' && change.seq > seq)
    ? { outcome: 'pass', evidence: [seq] }
    : failOf('unbacked', 'nothing-ran', 'No `git status` since the last change is on record.');
}

const UNBOUND = { tests: false, fresh: false, covers: false };

/** A script that was changed and run, `deploy.sh`, is the work, whatever its name: it stands in for nothing. */
function asWork(check: Check): Check {
  const { kind, flaw, targets } = check;
  const isWork = kind === 'ship' && flaw?.code === 'shadowed' && targets.includes(flaw.detail);
  return isWork ? { ...check, kind: 'run', flaw: null } : check;
}

/** `docker compose up -d` ends once its services are started. */
function asEnded(check: Check, { type }: Claim, version: number): Check {
  const isStarted = version > 8 && type === 'done' && SERVICE.test(check.command);
  return isStarted && check.flaw?.code === 'background' ? { ...check, flaw: null } : check;
}

/** Tests that were built first, ran, and failed: they say nothing against "it builds". */
function isBuiltAnyway({ tests }: Run, { kind }: Check, { about }: Claim): boolean {
  return about === 'build' && kind === 'test' && (tests?.failed ?? 0) > 0;
}

/** "Its syntax is fine": what was parsed without running it, and failed when it ran, failed for another reason. */
function isPastSyntax({ command }: Check, { claim, evidence, version = NEWEST }: ValidatorContext): boolean {
  if (version < 3 || !OF_SYNTAX.test(claim.quote) || PARSES.test(command)) return false;
  return evidence.runs.some(
    ({ exit, checks }) => exit.code === 0 && checks.some((check) => PARSES.test(check.command)),
  );
}

const PROBES =
  /^(?:node -(?:p|e|pe) (["'])(?:console\.log\()?require\.resolve\([^;]*\1|python[\d.]* -c (["'])(?:import|from) [\w., ]+(?:; ?print\([^;]*\))?\2)(?: 2?>.*)?$/;

/** It asks whether a module can be found. A no counts only against a claim that it can. */
function isProbe({ command }: Check, { type, quote }: Claim): boolean {
  return (
    type === 'checked' && PROBES.test(command) && !/\b(?:import|resolv|install|load|requir)/i.test(quote)
  );
}

/** The same command failed earlier in the session: that it no longer does is what was worked for. */
function failedBefore(check: Check, run: Run, { evidence, version = NEWEST }: ValidatorContext): boolean {
  return (
    check.kind !== 'format' &&
    // A commit that succeeded at the second try fixed nothing.
    (version < 8 || !check.runner.startsWith('git ')) &&
    evidence.runs.some(
      (other) =>
        other.seq < run.seq &&
        other.exit.code !== null &&
        other.exit.code !== 0 &&
        other.checks.some(({ command }) => command === check.command),
    )
  );
}

/** To look at what is there proves nothing of the code, so no change of the code overtakes it. */
function isLook({ kind, runner, command }: Check): boolean {
  if (kind !== 'run') return false;
  if (CLIENT.test(runner)) return /\bselect\b/i.test(command);
  return ASKS.test(command) && !runsTests(runner);
}

function needOf(check: Check, { type }: Claim): { tests: boolean; fresh: boolean; covers: boolean } {
  const shipped = type === 'shipped';
  return {
    tests: check.kind === 'test' && type === 'done',
    fresh: !shipped && !isLook(check),
    covers: !shipped && check.kind !== 'run' && check.kind !== 'ship' && check.kind !== 'http',
  };
}

const KINDS: Readonly<Record<string, readonly CheckKind[]>> = {
  build: ['build'],
  types: ['types', 'build'],
  lint: ['lint'],
  format: ['format', 'lint'],
};
/** A type checker builds nothing, so it backs a claim of a build only if the claim names the checker. */
const OF_BUILD = /^(?!.*\b(?:tsc|type-?\s?(?:script|check\w*))\b).*\bbuil(?:ds?|t|ding)\b/is;
const DONE_KINDS: readonly CheckKind[] = ['build', 'types', 'lint', 'run'];
/** To start a service again shows that it starts, and not what it does. */
const SERVICE = /^(?:sudo )?(?:pm2|docker[ -]compose up|docker(?:[ -]compose)? (?:re)?start) /;
const STARTED = /\b(?:re-?)?(?:start(?:ed|s)?|launched|deployed|rebuilt|running|live|recreated|up and)\b/i;
function isOfSort(check: Check, claim: Claim, version: number): boolean {
  switch (claim.type) {
    case 'shipped':
      return (check.kind === 'ship' || check.kind === 'run') && isShipping(check, claim);
    case 'done':
      if (version > 8 && SERVICE.test(check.command)) return STARTED.test(claim.quote);
      return DONE_KINDS.includes(check.kind) && !isLook(check);
    default: {
      if (claim.quote.includes(`\`${check.command}\``) || isNamed(check, claim.quote)) return true;
      // "`tools/lint.py`: no findings", where that script was run.
      if (
        version > 8 &&
        check.kind === 'run' &&
        check.targets.some((each) => claim.quote.includes(`\`${each}\``))
      )
        return true;
      if (GIT_HOOKS.test(claim.quote)) return /^git (?:commit|push)$/.test(check.runner);
      const kinds = KINDS[claim.about ?? ''];
      // What was sent away was not looked at.
      if (kinds === undefined) return check.kind !== 'http' && check.kind !== 'ship';
      if (claim.about === 'build' && check.kind === 'test') return isBuiltFirst(check.command);
      if (claim.about === 'build' && check.kind === 'types')
        return COMPILES.test(claim.quote) && (version < 8 || !OF_BUILD.test(claim.quote));
      return kinds.includes(check.kind) || isEveryCheck(check) || hasGoal(check, kinds);
    }
  }
}

/** `make lint test`, `nox -s tests lint`: one command, several goals. */
function hasGoal({ kind, command, runner }: Check, kinds: readonly CheckKind[]): boolean {
  // The words of a commit message aren't goals.
  if (kind === 'ship') return false;
  // `pants lint check test`: what it checks is types.
  if (runner.startsWith('pants ') && kinds.includes('types') && /\scheck\s/.test(command)) return true;
  return command
    .split(/[\s,=]+/)
    .slice(1, 32)
    .some((word) => /^[\w:.-]+$/.test(word) && !word.startsWith('-') && kinds.includes(scriptKind(word)));
}

/** "latexmk compiles it": of a program that no table knows, its name in the claim says what it is for. */
export function isNamed({ kind, runner }: Check, quote: string): boolean {
  const [name = ''] = runner.split(' ');
  return kind === 'run' && name.length > 2 && nameWords(quote).join(' ').includes(nameWords(name).join(' '));
}

/** What a command must say of itself to be the one that a claim speaks of. */
const SHIPPING: readonly (readonly [about: RegExp, command: RegExp])[] = [
  [/commit/, /\b(?:commit|revert|cherry-pick|merge|rebase|am)\b|^npm version/],
  [/push/, /\bpush\b|\b[pm]r create\b|\bstack (?:submit|sync)\b/],
  [/\bpr\b|pull|request|\bmr\b/, /\b(?:pr|mr|pull-request|stack submit)\b/],
  // A merge with conflicts ends with a commit.
  [/merge/, /\b(?:merge|rebase|pull|cherry-pick)\b|\bcommit\b.* --no-edit\b|\bcommit\b.*\bMerge\b/],
  [/tag/, /\btag\b|release|\bversion\b/],
  [/releas/, /release|publish|\btag\b|\bpush\b|upload/],
  [/publish/, /publish|\bpush\b|upload|release/],
  [/migrat/, /migrat|upgrade|\bdb\b|alembic|prisma|flyway|liquibase|psql|sqlite3|mysql/],
  [
    /deploy|appl|roll/,
    /deploy|apply|rollout|vercel|netlify|\bfly\b|flyctl|kubectl|helm|terraform|wrangler|ansible|rsync|scp|ssh|heroku|sls/,
  ],
];

const TO_MAIN = /^git push\b.*\b(?:main|master)\b/;
const SOMEWHERE = /\b(?:to|on|at|via|with|live|production|staging)\b/i;

/** What a program that no table knows says of itself. */
const SENDS = /\b(?:upload|publish|deploy|release|push|sync|apply|migrate|import|restore|promote|submit)\b/;
/** To look at what is there, or at what would be done. */
const LOOKS =
  /\b(?:validate|status|info|check|list|ls|show|plan|diff|lint|history|current|logs?|get|describe|view)\b/;

function isShipping(check: Check, { about, quote }: Claim): boolean {
  if (check.kind === 'run' && LOOKS.test(check.command)) return false;
  // Many a host deploys what comes to the main branch; that it did so there, a push does not show.
  if (/deploy/i.test(about ?? '') && TO_MAIN.test(check.command) && !SOMEWHERE.test(quote)) return true;
  const sort = about === null ? undefined : SHIPPING.find(([words]) => words.test(about.toLowerCase()));
  if (sort?.[1].test(`${check.runner} ${check.command}`)) return true;
  // Whatever left the work tree by another tool than git's may be what was deployed, published or migrated.
  const away = check.kind === 'ship' && !/^git /.test(check.runner);
  if (sort !== undefined) return away && /deploy|publish|releas|migrat/.test(about ?? '');
  if (check.kind === 'run' && SENDS.test(check.command)) return true;
  // What a client of a database is given is applied there.
  return check.kind === 'ship' || (CLIENT.test(check.runner) && check.targets.length > 0);
}

const REGISTRY = /\b(?:npm|pypi|crates\.io|rubygems|maven|nuget|docker ?hub|registry|marketplace)\b/i;

/** "Published to npm": whatever a push sets off, it is not known to have come there. */
function isSentElsewhere({ runner }: Check, { type, about, quote }: Claim): boolean {
  return (
    type === 'shipped' && /publish|releas/.test(about ?? '') && REGISTRY.test(quote) && /^git /.test(runner)
  );
}

/** It shows nothing of what was done, however it ended; what failed is told. */
function isBeside(run: Run, check: Check, fail: Fail | null, context: ValidatorContext): boolean {
  if (isOutdated(fail, run, context)) return true;
  if (fail?.status === 'failed') return false;
  if ((context.version ?? NEWEST) < 5) return isProgramElsewhere(check, context);
  const served = asServed(check, run.seq, context);
  const isLost = served.targets.length === 0 && check.targets.length > 0;
  return isLost || isProgramElsewhere(served, context) || isScratch(served, context);
}

/** Code on the line that made the change itself, or that neither is nor loads any of it: it shows nothing of the work. */
function isIdle(run: Run, check: Check, context: ValidatorContext): boolean {
  const { claim, evidence, scope, version = NEWEST } = context;
  if (scope.changed.length === 0 || claim.type === 'shipped' || claim.quote.includes(`\`${check.command}\``))
    return false;
  const loaded = version < 5 ? asRunOfLoaded(check) : asServed(check, run.seq, context);
  return changedDuring(run, evidence) || loaded.targets.length === 0 || isProgramElsewhere(loaded, context);
}

/** Where tests ran and failed, a build is no answer. */
function failingTests(context: ValidatorContext): Fail | null {
  const need = { tests: true, fresh: false, covers: true };
  for (const run of context.evidence.runs.toReversed()) {
    for (const check of run.checks) {
      const unknown = check.kind === 'run' && run.tests !== null && runsTests(check.runner);
      if (check.kind !== 'test' && !unknown) continue;
      const fail = shortfallOf(run, check, need, context);
      if (fail === null) return null;
      const isAnswered = unanswered([fail], context.evidence.runs, context.claim).length === 0;
      if (fail.status === 'failed' && !isAnswered && gapOf(check, context.scope) === null) return fail;
    }
  }
  return null;
}

/** What a command does that would show it. */
const SHIPS: readonly (readonly [about: RegExp, does: string])[] = [
  [/commit/, 'commits'],
  [/push/, 'pushes'],
  [/\bpr\b|pull/, 'opens a pull request'],
  [/request|\bmr\b/, 'opens a merge request'],
  [/merge/, 'merges'],
  [/tag/, 'makes the tag'],
  [/releas|publish/, 'publishes it'],
  [/migrat/, 'migrates'],
  [/deploy|appl|roll/, 'deploys it'],
  [/^/, 'does it'],
];
const CHECKS: readonly (readonly [about: RegExp, does: string])[] = [
  [/build$/, 'builds it'],
  [/types$/, 'checks the types'],
  [/lint$/, 'lints'],
  [/format$/, 'checks the formatting'],
  [/^/, 'checks it'],
];

function nothingRan(claim: Claim, isThere: boolean, command: string | undefined): Fail {
  if (isThere && command !== undefined)
    return failOf(
      'unbacked',
      'another-sort',
      `\`${command}\` is on record, but that kind of command does not settle this claim. For tests, use test_pass.`,
    );
  const about = (claim.about ?? '').toLowerCase();
  const does = (claim.type === 'shipped' ? SHIPS : CHECKS).find(([words]) => words.test(about))?.[1];
  const what = command !== undefined ? `run of \`${command}\`` : `command that ${does}`;
  return failOf('unbacked', 'nothing-ran', `No ${what} is on record.`);
}
