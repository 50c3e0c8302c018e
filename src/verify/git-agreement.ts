// Does the git repository tell of a session what the ledger does? Commit by commit: each interaction, and the end. That
// branches lead where they must, and in which order, is for the verification of the whole ledger.
import type { Closing } from '../format/index.ts';
import type { GitEvidence, GitEvidenceCommit } from './git-check.ts';
import type { SessionAudit, Turn } from './session-audit.ts';

export interface GitAgreement {
  /** `lags`: commits are not there yet. `unreadable`: not all of the repository could be read. */
  readonly status: 'agrees' | 'lags' | 'disagrees' | 'unreadable';
  /** Commits of the session that are what they must be. */
  readonly commits: number;
  readonly missing: number;
  /** Commits that name the session, and that the ledger does not know. */
  readonly extra: number;
}

const ZEROS = '0'.repeat(64);

/** `git` is what the repository held before the entries were read. */
export function compareWithGit(audit: SessionAudit, git: GitEvidence): GitAgreement {
  const { session, turns, interactions, closing } = audit;
  const due = turns.filter(({ isApart }) => !isApart).map((turn) => turnKey(session, turn));
  if (closing !== null) due.push(endKey(session, closing));
  const held = new Map<string, number>();
  for (const commit of git.commits.values()) {
    // A merge says what the end says. What a fault is with is none of ours.
    if (commit.files.session !== session || commit.message.startsWith('merge:')) continue;
    const key = commit.fault === null ? keyOf(commit) : '';
    held.set(key, (held.get(key) ?? 0) + 1);
  }
  let commits = 0;
  let missing = 0;
  let isHole = false;
  for (const key of due) {
    const left = held.get(key) ?? 0;
    if (left === 0) missing++;
    else {
      held.set(key, left - 1);
      commits++;
      // What lags is not there at the end.
      isHole ||= missing > 0;
    }
  }
  let extra = 0;
  for (const left of held.values()) extra += left;
  // What is past the listed ones is known to neither side here.
  const isListed = turns.length === interactions;
  const isOther = isHole || (extra > 0 && isListed);
  if (isOther && git.unreadable === null) return { status: 'disagrees', commits, missing, extra };
  if (git.unreadable !== null || !isListed) return { status: 'unreadable', commits, missing, extra: 0 };
  return { status: missing > 0 ? 'lags' : 'agrees', commits, missing, extra };
}

function turnKey(session: string, { sequence, chainHash, promptHash, responseHash }: Turn): string {
  const files = [chainHash, promptHash ?? ZEROS, responseHash ?? ZEROS, session];
  return `interaction-${sequence} ${files.join(' ')}`;
}

function endKey(session: string, { block, chainHash, finalHash }: Closing): string {
  const message = `session_end:${finalHash.slice(0, 16)}:btc-${block?.height ?? 'none'}`;
  return `${message} ${[chainHash ?? ZEROS, finalHash, session].join(' ')}`;
}

function keyOf({ message, files }: GitEvidenceCommit): string {
  const words = Object.keys(files)
    .sort()
    .map((name) => files[name]);
  return `${message} ${words.join(' ')}`;
}
