// Which of three things a transcript says of a claim that nothing backs: a run says otherwise, nothing was found, or it
// can't tell. A transcript is not all there is, and the first two accuse somebody: what may be a description, what code
// that changed since may have mended, and what may have happened where the transcript does not look, is the third.
import type { CheckKind, Claim } from '../format/index.ts';
import type { Evidence, JudgedClaim, Run } from '../rules/index.ts';

export type ClaimClass = 'contradicted' | 'nothing_found' | 'cant_tell';

export interface ClassContext {
  readonly unsure: boolean;
  readonly evidence: Evidence;
  /** The message itself says that something failed. */
  readonly owns: boolean;
  /** Of the newest prompt: what came later is of this turn. */
  readonly since: number;
  /** Something was done that the transcript does not show whole: by a tool that is not known, an agent, the user. */
  readonly outside: boolean;
  /** All kinds of checks that ran in the session. */
  readonly kinds: ReadonlySet<CheckKind>;
}

/** Null of a claim that is backed or excused. */
export function classOf(judged: JudgedClaim, context: ClassContext): ClaimClass | null {
  const { status, code, claim } = judged;
  if (status === 'backed' || status === 'excused') return null;
  if (context.unsure || context.owns) return 'cant_tell';
  if (status === 'failed') return ofFailure(judged, context);
  return NOTHING.includes(code ?? '') && !context.outside && !isElsewhere(claim, context)
    ? 'nothing_found'
    : 'cant_tell';
}

/** Of a pass that went stale, a hidden exit code or an edit that nobody tried, something was found. */
const NOTHING: readonly string[] = [
  'nothing-ran',
  'no-change',
  'not-tried',
  'not-a-check',
  'dry-run',
  'only-skips',
];

const SORTS: Readonly<Record<string, readonly CheckKind[]>> = {
  build: ['build', 'types'],
  types: ['types', 'build'],
  lint: ['lint'],
  format: ['format', 'lint'],
};

function ofFailure({ claim, evidence: seqs }: JudgedClaim, context: ClassContext): ClaimClass {
  const { runs, changes } = context.evidence;
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
  const named = [...quote.matchAll(/`([^`]{2,200})`/g)].map(([, text = '']) => text.trim());
  const commands = named.filter((text) => /^[\w./-]+ [\w./-]/.test(text));
  return (
    commands.length > 0 && !commands.some((text) => checks.some(({ command }) => command.includes(text)))
  );
}

/** Words that speak of tests and of nothing else that could be green. */
const OF_TESTS = /\btests?\b|\btest(?:ed|ing)\b|\bspecs?\b|\bsuites?\b/i;

/** What backs it may be in the transcript, in a form that no rule reads, or on a server. */
function isElsewhere(claim: Claim, { evidence, since, kinds }: ClassContext): boolean {
  const ofTurn = evidence.runs.filter(({ seq }) => seq > since);
  switch (claim.type) {
    // "PASS" in a table may be the result of whatever was run; "CI is green" is seen on a server.
    case 'tested':
      if (!OF_TESTS.test(claim.quote)) return evidence.runs.length > 0;
      return kinds.has('test') || /\bCI\b/.test(claim.quote);
    case 'checked':
      if (claim.about === null) return ofTurn.length > 0;
      return (SORTS[claim.about] ?? []).some((kind) => kinds.has(kind)) || evidence.runs.some(isEverything);
    // What was pushed may be deployed, merged and released by others; who looked has seen it.
    case 'shipped':
      return evidence.runs.some(({ checks }) =>
        checks.some(({ runner }) => /^(?:git|gh|glab)\b/.test(runner)),
      );
    case 'blocked':
    case 'delegation':
      return evidence.attempts.some(({ seq }) => seq > since) || ofTurn.length > 0;
    default:
      return evidence.changes.some(({ seq }) => seq > since) || ofTurn.length > 0;
  }
}

/** `make check`, a script of the project's or a commit with its hooks: any sort of check may be in it. */
function isEverything({ checks }: Run): boolean {
  return checks.some(({ kind, runner }) => kind === 'run' || /^(?:make|just|git commit)\b/.test(runner));
}
