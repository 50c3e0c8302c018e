// Which of many shortfalls to tell: the one from which most can be learned.
import { type Check, type Claim, type ClaimStatus, isOwn } from '../../format/index.ts';
import type { Run } from '../evidence.ts';
import type { Fail } from './validator.ts';

const ORDER: readonly ClaimStatus[] = [
  'weakened',
  'stale',
  'failed',
  'trick',
  'narrow',
  'unbacked',
  'not-tried',
];

function newest({ evidence }: Fail): number {
  return Math.max(0, ...evidence);
}

/**
 * Null of none. Of the same status the newest; a pass that went stale tells nothing once it was run again, and failed or
 * proved nothing.
 */
export function mostTelling(fails: readonly Fail[]): Fail | null {
  const again = fails.filter(({ status }) => status === 'failed' || status === 'trick').map(newest);
  const ranAt = Math.max(0, ...again);
  let best: Fail | null = null;
  for (const fail of fails) {
    if (fail.status === 'stale' && newest(fail) < ranAt) continue;
    if (
      best === null ||
      rank(fail) < rank(best) ||
      (rank(fail) === rank(best) && newest(fail) > newest(best))
    )
      best = fail;
  }
  return best;
}

function rank({ status }: Fail): number {
  return ORDER.indexOf(status);
}

/** A merge that met conflicts goes on with a commit, or with `--continue`. */
function isResolved(failed: string, { runner, command }: Check): boolean {
  return (
    /^git (?:merge|pull|rebase|cherry-pick|revert|am)$/.test(failed) &&
    (runner === 'git commit' || / --continue\b/.test(command))
  );
}

/** Without failures that a later run of the same command answered, or, of whatever was checked, of the same program. */
export function unanswered(
  fails: readonly Fail[],
  runs: readonly Run[],
  { type, about }: Claim,
): readonly Fail[] {
  const isGeneral = type === 'checked' && about === null;
  return fails.filter(({ status, evidence: [seq = 0] }) => {
    if (status !== 'failed') return true;
    const failed = runs.filter((run) => run.seq === seq).flatMap(({ checks }) => checks);
    return !runs.some(
      (run) =>
        run.seq > seq &&
        run.genuine &&
        run.checks.some(
          (later) =>
            ((run.exit.code === 0 && isOwn(later)) || later.summary === 'passed') &&
            failed.some(
              ({ command, runner }) =>
                command === later.command ||
                (isGeneral && runner === later.runner) ||
                isResolved(runner, later),
            ),
        ),
    );
  });
}
