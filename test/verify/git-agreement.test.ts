// One session in the ledger and in git: agreement, lag, holes, what is there too much.
import { describe, expect, it } from 'vitest';
import { auditSession, compareWithGit, type GitEvidence, type SessionAudit } from '../../src/verify/index.ts';
import { block, Entries } from '../format/session-entries.ts';

const HASHES = ['a1', 'b2', 'c3'].map((pair) => pair.repeat(32));
const ZEROS = '0'.repeat(64);
type Commit = GitEvidence['commits'] extends ReadonlyMap<string, infer C> ? C : never;

async function audited(ended = true): Promise<SessionAudit> {
  const log = new Entries();
  const session = log.session({ block: block(930_226) });
  for (const hash of HASHES) session.response(hash, hash === HASHES[2] ? null : hash);
  if (ended) session.end(block(930_227));
  const content = async () => 'absent' as const;
  return auditSession(session.id, log.all, { salt: undefined, content });
}

/** What git must have, by the words of the specification. */
function commitsOf({ session, turns, closing }: SessionAudit): Commit[] {
  const commit = (message: string, files: Record<string, string>): Commit => ({
    parents: [],
    author: session.slice(0, 16),
    time: 0,
    message,
    files,
    fault: null,
  });
  const told = turns.map(({ sequence, chainHash, promptHash, responseHash }) =>
    commit(`interaction-${sequence}`, {
      chain_entry: chainHash,
      prompt_hash: promptHash ?? ZEROS,
      response_hash: responseHash ?? ZEROS,
      session,
    }),
  );
  if (closing === null) return told;
  const { finalHash, chainHash, block: at } = closing;
  const files = { chain_entry: chainHash ?? ZEROS, final_hash: finalHash, session };
  const end = commit(`session_end:${finalHash.slice(0, 16)}:btc-${at?.height ?? 'none'}`, files);
  return [...told, end, commit(`merge:${finalHash.slice(0, 16)}:branch-4`, files)];
}

const evidence = (commits: readonly Commit[], unreadable: string | null = null): GitEvidence => ({
  end: 'merge',
  refs: new Map(),
  commits: new Map(commits.map((commit, i) => [i.toString(16).padStart(40, '0'), commit])),
  written: new Map(),
  unreadable,
});

describe('compareWithGit', () => {
  it('G11d: agrees, in whatever order commits were read, and with others of other sessions', async () => {
    for (const ended of [true, false]) {
      const audit = await audited(ended);
      const commits = commitsOf(audit);
      const other = commitsOf({ ...audit, session: 'd4'.repeat(32) });
      expect(compareWithGit(audit, evidence([...other, ...commits].reverse()))).toEqual({
        status: 'agrees',
        commits: ended ? 4 : 3,
        missing: 0,
        extra: 0,
      });
    }
  });

  it('G11d: lags only where the last ones are missing', async () => {
    const audit = await audited();
    const commits = commitsOf(audit);
    for (let length = 0; length < 4; length++)
      expect(compareWithGit(audit, evidence(commits.slice(0, length)))).toMatchObject({
        status: 'lags',
        commits: length,
        missing: 4 - length,
      });
    for (const gone of [0, 1, 2])
      expect(compareWithGit(audit, evidence(commits.filter((_, i) => i !== gone)))).toMatchObject({
        status: 'disagrees',
        missing: 1,
      });
  });

  it('G11d: disagrees where one says otherwise, is there twice, or is broken', async () => {
    const audit = await audited();
    const commits = commitsOf(audit);
    const [first] = commits as [Commit, ...Commit[]];
    const other = (change: Partial<Commit>): GitEvidence =>
      evidence(commits.map((commit, i) => (i === 2 ? { ...commit, ...change } : commit)));
    const files = { ...commits[2]?.files, prompt_hash: ZEROS };
    for (const git of [
      other({ message: 'interaction-4' }),
      other({ files }),
      other({ fault: 'its tree is missing' }),
      evidence([...commits, first]),
      evidence([...commits, { ...first, message: 'interaction-9' }]),
    ])
      expect(compareWithGit(audit, git).status).toBe('disagrees');
  });

  it('concludes nothing from what could not be read', async () => {
    const audit = await audited();
    const git = evidence(commitsOf(audit).slice(1), 'a pack is damaged');
    expect(compareWithGit(audit, git)).toMatchObject({ status: 'unreadable', commits: 3 });
  });
});
