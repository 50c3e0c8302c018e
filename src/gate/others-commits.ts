// What came into a work tree by commits that are not the session's: a branch that was checked out, merged or pulled. HEAD's
// own log says which commits were made here since the session began. Any other is somebody else's if it is older than the
// session or came by a fetch. A commit that was made elsewhere under a false date is not told from these.

import { findGit } from './git-door.ts';
import { askRepository } from './private-index.ts';
import { findRepository } from './repository.ts';
import type { Base } from './tree-state.ts';

/** A commit of others that HEAD rests on. */
export interface OthersCommit {
  readonly commit: string;
  /** What it has in common with the session's beginning; null where it was checked out: then it is all that counts. */
  readonly since: string | null;
  /** From the top of its tree to the root. */
  readonly prefix: string;
}

const MOST_COMMITS = 500;
const MOST_TIPS = 4;
/** They lead to a commit that is there already. */
const MOVES =
  /^(?:(?:checkout|reset): moving|clone: |(?:pull|merge)\b[^:]*: Fast-forward(?: \(no commit created; -m option ignored\))?$|(?:pull|rebase)\b[^:]*\((?:start|finish)\): )/;
const CHECKOUT = /^checkout: moving/;

export interface Moves {
  readonly tips: readonly OthersCommit[];
  /** A commit was taken back. */
  readonly isTakenBack: boolean;
}

const NO_MOVES: Moves = { tips: [], isTakenBack: false };
const TAKES_BACK = /^(?:revert: |reset: moving)/;

/** Empty where HEAD is as it was, where all that is new was made here, and where nobody can tell. */
export async function othersCommits(
  root: string,
  base: Base,
  begun: number | null,
  timeoutMs: number,
): Promise<Moves> {
  const git = findGit(root);
  const repository = findRepository(root);
  const { commit: start } = base;
  if (git === undefined || repository === undefined || start === null || begun === null) return NO_MOVES;
  const ask = async (...args: string[]): Promise<string[] | null> => {
    const printed = await askRepository({ root, git, left: () => timeoutMs }, repository, args);
    return printed?.toString('utf8').split('\n').filter(Boolean) ?? null;
  };
  const most = `--max-count=${MOST_COMMITS}`;
  const moves = await ask('log', '-g', most, '--date=unix', '--format=%H %gd %gs', 'HEAD');
  const log = moves?.map(readMove) ?? [];
  const began = log.findIndex(({ at }) => at * 1000 <= begun);
  // An older line than the session that is not of its beginning has a false date.
  if (began <= 0 || log[began]?.commit !== start) return NO_MOVES;
  const recent = log.slice(0, began);
  const own = new Set(recent.filter(({ how }) => !MOVES.test(how)).map(({ commit }) => commit));
  const [commits, unfetched] = await Promise.all([
    ask('log', most, '--format=%H %ct %P', 'HEAD'),
    ask('rev-list', most, 'HEAD', '--not', '--remotes'),
  ]);
  if (commits === null || unfetched === null || !commits[0]?.startsWith(recent[0]?.commit ?? '?'))
    return NO_MOVES;
  const isOthers = (commit: string, time: number): boolean =>
    !own.has(commit) && (time * 1000 <= begun || !unfetched.includes(commit));
  const tips: OthersCommit[] = [];
  for (const commit of tipsOf(commits, isOthers).filter((each) => each !== start)) {
    const isCheckedOut = recent.some((move) => move.commit === commit && CHECKOUT.test(move.how));
    const [since] = isCheckedOut ? [] : ((await ask('merge-base', start, commit)) ?? []);
    // Who only goes back, and not by a checkout, may have kept the code.
    if (isCheckedOut || (since !== undefined && since !== commit))
      tips.push({ commit, since: since ?? null, prefix: repository.prefix });
  }
  return { tips, isTakenBack: recent.some(({ how }) => TAKES_BACK.test(how)) };
}

function readMove(line: string): { commit: string; at: number; how: string } {
  const [, commit = '', at = '', how = ''] = /^(\w+) \S*@\{(\d+)\} (.*)$/.exec(line) ?? [];
  return { commit, at: Number(at), how };
}

/** The first ones on each way back from HEAD. */
function tipsOf(commits: readonly string[], isOthers: (commit: string, time: number) => boolean): string[] {
  const known = new Map(commits.map((line) => [line.split(' ')[0] ?? '', line.split(' ').slice(1)]));
  const tips = new Set<string>();
  const seen = new Set<string>();
  const next = [known.keys().next().value ?? ''];
  for (let commit = next.pop(); commit !== undefined; commit = next.pop()) {
    const [time, ...parents] = known.get(commit) ?? [];
    if (time === undefined || seen.has(commit)) continue;
    seen.add(commit);
    if (isOthers(commit, Number(time))) tips.add(commit);
    else next.push(...parents);
  }
  return tips.size > MOST_TIPS ? [] : [...tips];
}
