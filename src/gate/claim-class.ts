// Which of three things a transcript says of a claim that nothing backs: a run says otherwise, nothing was found, or it
// can't tell. A transcript is not all there is, and the first two accuse somebody: what may be a description, what code
// that changed since may have mended, and what may have happened where the transcript does not look, is the third.
import type { CheckKind, Claim } from '../format/index.ts';
import type { Evidence, JudgedClaim, Run } from '../rules/index.ts';

export type ClaimClass = 'contradicted' | 'nothing_found' | 'cant_tell';

export interface ClassContext {
  readonly unsure: boolean;
  readonly evidence: Evidence;
  /** The message that makes it. */
  readonly message: string;
  /** Of the newest prompt: what came later is of this turn. */
  readonly since: number;
  /** Something was done that the transcript does not show whole: by a tool that is not known, an agent, the user. */
  readonly outside: boolean;
  /** All kinds of checks that ran in the session. */
  readonly kinds: ReadonlySet<CheckKind>;
  /** Commands of this turn, as they were written. */
  readonly lines: readonly string[];
}

/** Null of a claim that is backed or excused. */
export function classOf(judged: JudgedClaim, context: ClassContext): ClaimClass | null {
  const { status, code, claim } = judged;
  if (status === 'backed' || status === 'excused') return null;
  if (context.unsure) return 'cant_tell';
  if (status === 'failed') return ofFailure(judged, context);
  const nothing = OF_FILES.includes(claim.type) ? code === 'no-change' : NO_RUN.includes(code ?? '');
  return nothing && !context.outside && !isElsewhere(claim, context) ? 'nothing_found' : 'cant_tell';
}

const OF_FILES: readonly Claim['type'][] = ['done', 'changed'];
/** Of a pass that went stale, a hidden exit code or an edit that nobody tried, something was found. */
const NO_RUN: readonly string[] = ['nothing-ran', 'not-a-check', 'dry-run', 'only-skips'];
/** Who says so has not hidden it. */
const OWNS_UP =
  /\b(?:fail(?:s|ed|ing|ures?)?|broken?|errors?|pre-?existing|unrelated|flaky|issues?|not yet)\b/i;
const NONE_OF_IT = /\b(?:no|0|zero|without|any) (?:\w+ ){0,2}(?:fail\w*|errors?|issues?)|\b0 failed\b/gi;

const SORTS: Readonly<Record<string, readonly CheckKind[]>> = {
  build: ['build', 'types'],
  types: ['types', 'build'],
  lint: ['lint'],
  format: ['format', 'lint'],
};

function ofFailure({ claim, evidence: seqs }: JudgedClaim, context: ClassContext): ClaimClass {
  const { runs, changes } = context.evidence;
  if (OWNS_UP.test(context.message.replace(NONE_OF_IT, ''))) return 'cant_tell';
  const failed = runs.findLast(({ seq }) => seqs.includes(seq));
  if (failed === undefined || !isAbout(claim, failed) || isOfAnother(claim, failed)) return 'cant_tell';
  const kinds = failed.checks.map(({ kind }) => kind);
  const passedLater = runs.some(
    (run) =>
      run.seq > failed.seq && run.exit.code === 0 && run.checks.some(({ kind }) => kinds.includes(kind)),
  );
  if (passedLater) return 'cant_tell';
  if (!changes.some(({ seq }) => seq > failed.seq)) return 'contradicted';
  // It failed, was worked on, and never ran again.
  return claim.type === 'tested' && !context.outside ? 'nothing_found' : 'cant_tell';
}

/** Does the run say anything of what is claimed? */
function isAbout({ type, about }: Claim, { checks, tests }: Run): boolean {
  const has = (...kinds: readonly CheckKind[]): boolean => checks.some(({ kind }) => kinds.includes(kind));
  switch (type) {
    case 'tested':
      return has('test');
    case 'done':
      return has('test') && (tests?.failed ?? 0) > 0;
    case 'checked':
      return has(...(SORTS[about ?? ''] ?? []));
    case 'shipped':
      return has('ship');
    default:
      return false;
  }
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

/** Words that speak of tests and of nothing else that could be green. */
const OF_TESTS = /\btests?\b|\btest(?:ed|ing)\b|\bspecs?\b|\bsuites?\b/i;
/** Programs that print nothing of what somebody else has tested. */
const PLAIN =
  /^(?:ls|cat|head|tail|sed|awk|rg|grep|find|wc|echo|printf|pwd|cd|mkdir|rm|cp|mv|touch|chmod|which|git|diff|tree|sort)\b/;

/** What backs it may be in the transcript in a form that no rule reads, or on a server, or with somebody else. */
function isElsewhere(claim: Claim, { evidence, since, kinds, lines }: ClassContext): boolean {
  const ofTurn = evidence.runs.filter(({ seq }) => seq > since);
  if (commandsNamed(claim.quote).some((text) => lines.some((line) => line.includes(text)))) return true;
  switch (claim.type) {
    // "PASS" in a table may be the result of whatever was run; "CI is green" is seen on a server.
    case 'tested': {
      if (!OF_TESTS.test(claim.quote)) return evidence.runs.length > 0;
      const others = ofTurn.some(({ checks }) => checks.some(({ command }) => !PLAIN.test(command)));
      return kinds.has('test') || others || /\bCI\b/.test(claim.quote);
    }
    case 'checked':
      if (claim.about === null) return ofTurn.length > 0;
      return (SORTS[claim.about] ?? []).some((kind) => kinds.has(kind)) || evidence.runs.some(isEverything);
    // What was pushed may be deployed and released by others; who looked may have seen it merged.
    case 'shipped': {
      const may = LEAVES.test(claim.about ?? '') ? /^(?:git push|gh|glab)\b/ : /^(?:git|gh|glab)\b/;
      return evidence.runs.some(({ checks }) => checks.some(({ runner }) => may.test(runner)));
    }
    // Whether it could have been tried, only the user knows.
    case 'blocked':
    case 'delegation':
      return true;
    default:
      return evidence.changes.some(({ seq }) => seq > since) || ofTurn.length > 0;
  }
}

/** What git alone does not do. */
const LEAVES = /deploy|publish|releas|migrat/i;

/** `make check`, a script of the project's or a commit with its hooks: any sort of check may be in it. */
function isEverything({ checks }: Run): boolean {
  return checks.some(({ kind, runner }) => kind === 'run' || /^(?:make|just|git commit)\b/.test(runner));
}
