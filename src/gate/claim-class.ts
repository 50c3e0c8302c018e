// Which of three things a transcript says of a claim that nothing backs: a run says otherwise, nothing was found, or it
// can't tell. A transcript is not all there is, and the first two accuse somebody. So each of them needs a ground that a
// reader would agree with; whatever else a claim is held for, and whatever may lie where nobody looks, is the third.
import type { CheckKind, Claim } from '../format/index.ts';
import { type Evidence, isOfNoCommand, type JudgedClaim, type Run } from '../rules/index.ts';
import { isLook, isUntouched, type Touched } from './untouched-files.ts';

export type ClaimClass = 'contradicted' | 'nothing_found' | 'cant_tell';

export interface ClassContext extends Touched {
  readonly unsure: boolean;
  readonly evidence: Evidence;
  /** The message that makes it, and the prompt that it answers. */
  readonly message: string;
  readonly prompt: string;
  /** Of the newest prompt: what came later is of this turn. */
  readonly since: number;
  /** When something was done that the transcript does not show whole, by a tool that is not known or an agent; 0: never. */
  readonly outsideAt: number;
  /** All kinds of checks that ran in the session. */
  readonly kinds: ReadonlySet<CheckKind>;
}

/** Null of a claim that is backed or excused. */
export function classOf(judged: JudgedClaim, context: ClassContext): ClaimClass | null {
  const { status, code, claim } = judged;
  if (status === 'backed' || status === 'excused') return null;
  // What is said in another script is not read well enough to accuse anybody.
  if (context.unsure || OTHER_SCRIPT.test(claim.quote)) return 'cant_tell';
  if (status === 'failed') return isContradicted(judged, context) ?? 'cant_tell';
  // Who only answers may tell of what others did; and what an act might have been, a reader sees otherwise.
  if (!context.isWork || isOfNoCommand(judged)) return 'cant_tell';
  const nothing =
    code === 'no-change'
      ? context.outsideAt === 0 && isUntouched(claim, context)
      : status === 'stale'
        ? isOvertaken(claim, context)
        : NO_RUN.includes(code ?? '') && context.outsideAt === 0 && !mayBeElsewhere(claim, context);
  return nothing ? 'nothing_found' : 'cant_tell';
}

const OTHER_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}\p{Script=Arabic}]{2}/u;
/** Of a hidden exit code or an edit that nobody tried, something was found. */
const NO_RUN: readonly string[] = ['nothing-ran', 'not-a-check', 'dry-run', 'only-skips'];

const SORTS: Readonly<Record<string, readonly CheckKind[]>> = {
  build: ['build', 'types'],
  types: ['types', 'build'],
  lint: ['lint'],
  format: ['format', 'lint'],
};

/** Checks that could show it; none where any could. */
function kindsFor({ type, about }: Claim): readonly CheckKind[] {
  if (type === 'tested') return ['test'];
  if (type === 'shipped') return ['ship'];
  return type === 'checked' ? (SORTS[about ?? ''] ?? []) : [];
}

function isOfKind({ checks }: Run, kinds: readonly CheckKind[]): boolean {
  return checks.some(({ kind }) => kinds.includes(kind));
}

function isPassed({ exit }: Run): boolean {
  return exit.code === 0;
}

/** Who says so has not hidden it. */
const OWNS_UP =
  /\b(?:fail(?:s|ed|ing|ures?)?|broken?|errors?|pre-?existing|unrelated|flaky|issues?|not yet|timed? ?out|except)\b/i;
const NONE_OF_IT = /\b(?:no|0|zero|without|any) (?:\w+ ){0,2}(?:fail\w*|errors?|issues?)|\b0 failed\b/gi;

/** The newest run of just that has failed in this turn; null where that is not so, or where something may have answered it. */
function isContradicted(judged: JudgedClaim, context: ClassContext): ClaimClass | null {
  const { claim, evidence: seqs } = judged;
  const { evidence, since, message, outsideAt } = context;
  const { runs, changes } = evidence;
  if (OWNS_UP.test(message.replace(NONE_OF_IT, ''))) return null;
  if (claim.type === 'done') {
    const last = runs.at(-1);
    const ofTurn = last !== undefined && last.seq > since && (last.exit.code ?? 0) > 0;
    return ofTurn && namesDeed(claim.quote, last) ? 'contradicted' : null;
  }
  const failed = runs.findLast(({ seq }) => seqs.includes(seq));
  const kinds = kindsFor(claim);
  if (failed === undefined || failed.seq <= since || !isOfKind(failed, kinds)) return null;
  if (isOfAnother(claim, failed) || runs.some((run) => run.seq > failed.seq && mayShow(run, kinds)))
    return null;
  if (!changes.some(({ seq }) => seq > failed.seq)) return 'contradicted';
  // It failed, was worked on, and never ran again.
  return claim.type === 'tested' && outsideAt < failed.seq ? 'nothing_found' : null;
}

/** "Handoff complete", where `crew handoff` was the last thing that ran, and failed. */
function namesDeed(quote: string, { checks }: Run): boolean {
  const command = checks.at(-1)?.command ?? '';
  const deed = /^[\w./-]+ (?:run )?([a-z][a-z-]{4,})(?= |$)/.exec(command)?.[1];
  return deed !== undefined && new RegExp(`\\b${deed}\\b`, 'i').test(quote);
}

/** "`git diff --check` passes" says nothing of `make check`. */
function isOfAnother({ quote }: Claim, { checks }: Run): boolean {
  const named = commandsNamed(quote);
  return named.length > 0 && !named.some((text) => checks.some(({ command }) => command.includes(text)));
}

function commandsNamed(quote: string): string[] {
  return [...quote.matchAll(/`([^`]{2,200})`/g)]
    .map(([, text = '']) => text.trim())
    .filter((text) => /^[\w./-]+ [\w./-]/.test(text));
}

/** Could that run show it, by itself or by what it runs? A commit that the hooks refused shows no test that passes. */
function mayShow(run: Run, kinds: readonly CheckKind[]): boolean {
  if (kinds.includes('ship')) return isPassed(run) && run.checks.some(({ runner }) => SHIPS.test(runner));
  const isRefused = !isPassed(run) && run.checks.every(({ runner }) => /^git\b/.test(runner));
  if (isRefused && kinds.includes('test')) return false;
  return isOfKind(run, kinds) || isEverything(run) || (!kinds.includes('lint') && isOfKind(run, ['test']));
}

/** `make check`, a script or a commit with its hooks: any sort of check may be in it. */
function isEverything({ checks }: Run): boolean {
  return checks.some(
    ({ kind, runner, command }) =>
      (kind === 'run' && MAY_CHECK.test(unquoted(command))) ||
      /^(?:make|just|git (?:commit|push))\b/.test(runner),
  );
}

/** A script, an interpreter, another machine; or it says so. */
const MAY_CHECK =
  /^(?:\.{0,2}\/|[\w./-]+\.(?:sh|py|[cm]?[jt]s|ps1|rb)\b|(?:ba|z|pw)?sh\b|node|python|bunx?|npm|npx|pnpm|yarn|deno|ruby|go|cargo|docker|podman|ssh|kubectl|mise|task|tox|nox|rake|gradle|mvn|dotnet|php|mix|uv)|test|check|build|verif|lint|valid|\bci\b/i;

/** A source file was edited after the newest run that could show it, in this turn, and nothing ran that could show it anew. */
function isOvertaken(claim: Claim, { evidence, since, outsideAt, message }: ClassContext): boolean {
  const { runs, changes } = evidence;
  const kinds = kindsFor(claim);
  if (kinds.length === 0 || claim.type === 'shipped' || EARLIER.test(message)) return false;
  const edit = changes.findLast(
    ({ by, path, seq }) => by === 'tool' && seq > since && SOURCE.test(path) && !APART.test(path),
  );
  const shown = edit === undefined ? [] : runs.filter((run) => run.seq > edit.seq && mayShow(run, kinds));
  return (
    edit !== undefined &&
    outsideAt < edit.seq &&
    shown.length === 0 &&
    runs.some((run) => isOfKind(run, kinds))
  );
}

const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|java|kts?|scala|cs|fs|php|c|h|cc|cpp|hpp|m|mm|swift|dart|exs?|erl|clj|hs|ml|lua|pl|sql|zig)$/i;
/** What no check of the project is about, or lies in another one. */
const APART = /^(?:\/|[a-z]:)|(?:^|\/)(?:te?mp|scratch|docs?|examples?|scripts?)\//i;
/** Who says when it was has not hidden that. */
const EARLIER =
  /\b(?:before (?:the|this|that|my) (?:last|final|edit|change|fix|commit)|previous run|earlier run)\b/i;

/** Words that speak of tests and of nothing else that could be green, and say that they pass. */
const OF_TESTS = /\btests?\b|\btest(?:ed|ing)\b|\bspecs?\b|\bsuites?\b/i;
const PASSES = /pass|green|succe|work|\bok\b|✓|✅|0 fail|tested/i;
/** Programs that print nothing of what somebody else has tested. */
const PLAIN =
  /^(?:ls|cat|head|tail|sed|awk|rg|grep|find|wc|echo|printf|pwd|cd|mkdir|rm|cp|mv|touch|chmod|which|git|diff|tree|sort)\b/;
const SHIPS = /^(?:git|gh|glab)\b/;

/** What backs it may be in the transcript in a form that no rule reads, or on a server, or with somebody else. */
function mayBeElsewhere(claim: Claim, context: ClassContext): boolean {
  const { evidence, since, kinds, lines, prompt } = context;
  const { type, about, quote } = claim;
  const ofTurn = evidence.runs.filter(({ seq }) => seq > since);
  if (commandsNamed(quote).some((text) => lines.some((line) => line.includes(text)))) return true;
  switch (type) {
    // "PASS" in a table may be the result of whatever was run; "CI is green" is seen on a server.
    case 'tested': {
      if (!OF_TESTS.test(quote) || !PASSES.test(quote) || /\bCI\b/.test(quote)) return true;
      const others = ofTurn.some(({ checks }) => checks.some(({ command }) => !PLAIN.test(command)));
      return kinds.has('test') || others || (OF_TESTS.test(prompt) && PASSES.test(prompt));
    }
    // What was verified in an earlier turn is told again.
    case 'checked':
      if (about === null) return evidence.runs.length > 0;
      if (!OF_CHECKS.test(quote)) return true;
      return kindsFor(claim).some((kind) => kinds.has(kind)) || evidence.runs.some(isEverything);
    case 'shipped':
      return mayBeShipped(claim, context);
    // Whether it could have been tried, only the user knows.
    default:
      return true;
  }
}

const OF_CHECKS = /\b(?:buil[dt]s?|compil\w+|type-?\s?checks?|lint\w*|tsc|mypy|ruff|clippy|formatt\w+)\b/i;

/** What git alone does not do. */
const LEAVES = /deploy|publish|releas|migrat/i;
const SHIPPED =
  /\b(?:push|committ|merg|deploy|publish|releas|shipp|tagg|open|creat|upload|migrat)ed\b|\blive\b/i;
const BEFORE = /\b(?:already|earlier|previous(?:ly)?|before)\b/i;
/** Anything that may have sent it somewhere. */
const SENDS = /push|\b(?:gh|glab|hub|jj|gt|sl)\b|sync|submit|deploy|publish|releas|ship/i;

/** What was pushed may be deployed and released by others; who looked may have seen it merged. */
function mayBeShipped({ quote, about }: Claim, { lines, turnLines, message }: ClassContext): boolean {
  if (!SHIPPED.test(quote)) return true;
  // What this turn committed is not pushed by itself.
  const isCommitted = turnLines.some((line) => /\bgit (?:-\S+ )*commit\b/.test(line));
  if (/\bpushed\b/i.test(quote) && isCommitted && !BEFORE.test(message))
    return lines.some((line) => SENDS.test(unquoted(line)));
  // Any program may deploy or publish.
  if (LEAVES.test(about ?? '')) return !lines.every(isLook);
  return lines.some((line) => /\b(?:git|gh|glab)\b/.test(line));
}

const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'|<<-?\s*'?(\w+)'?[\s\S]*?\n\1\b/g;

/** A command without the texts that it is given. */
function unquoted(command: string): string {
  return command.replace(QUOTED, "''");
}
