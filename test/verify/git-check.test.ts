// The check of a git repository without git: evidence is made from the story itself, then harmed.
import { describe, expect, it } from 'vitest';
import { type GitCommit, type GitEnd, GitIds, GitStory } from '../../src/format/index.ts';
import { GitCheck } from '../../src/verify/git-check.ts';
import { Findings, type GitEvidence, type GitEvidenceCommit } from '../../src/verify/index.ts';
import { memoryLedger } from '../anchor/git/memory.ts';
import { Sessions } from '../anchor/git/sessions.ts';
import { readEntries } from '../read-log.ts';

interface Told {
  readonly story: readonly GitCommit[];
  readonly ids: readonly string[];
  readonly evidence: GitEvidence;
}

/** Two sessions on branch-4 and one on branch-5, all ended, in a repository that has all of it. */
async function told(end: GitEnd = 'merge'): Promise<Told> {
  const sessions = new Sessions(await memoryLedger());
  const [a, b] = [await sessions.begin(3), await sessions.begin(4)];
  for (const session of [a, b, a, a]) await sessions.interact(session);
  await sessions.end(a, 5);
  await sessions.end(b, 5);
  const c = await sessions.begin(10);
  await sessions.interact(c);
  await sessions.end(c, null);
  const teller = new GitStory(end);
  const story = (await readEntries(sessions.store)).flatMap((entry) => teller.add(entry));
  const named = new GitIds();
  const ids = story.map((commit) => named.add(commit).id);
  const refs = new Map(Object.entries(named.ids));
  for (const { archive, index } of story) if (archive !== null) refs.set(archive, ids[index] ?? '');
  const commits = new Map(
    story.map(({ author, time, message, files, parents, index }): [string, GitEvidenceCommit] => [
      ids[index] ?? '',
      { author, time, message, files, parents: parents.map((parent) => ids[parent] ?? ''), fault: null },
    ]),
  );
  return { story, ids, evidence: { end, refs, commits, written: new Map(refs), unreadable: null } };
}

function found(story: readonly GitCommit[], evidence: GitEvidence): string[] {
  const findings = new Findings();
  const check = new GitCheck(evidence, findings);
  for (const commit of story) check.commit(commit);
  check.finish();
  return findings.of('sessions').map(({ code, seq, message }) => `${code} ${seq} ${message}`);
}

const moved = (evidence: GitEvidence, ref: string, to: string): GitEvidence => ({
  ...evidence,
  refs: new Map([...evidence.refs, [ref, to]]),
});

describe('G6d the check of a git repository', () => {
  it.each(['merge', 'archive'] as const)('finds nothing where it is as it should be: %s', async (end) => {
    const { story, evidence } = await told(end);
    expect(story.map(({ kind }) => kind).filter((kind) => kind === 'merge')).toHaveLength(
      end === 'merge' ? 3 : 0,
    );
    expect(found(story, evidence)).toEqual([]);
  });

  it('GIT_COMMIT_MISSING where it never got so far', async () => {
    const { story, ids, evidence } = await told();
    const upTo = (commits: readonly GitCommit[]): GitEvidence => {
      const refs = new Map(commits.map(({ ref, index }) => [ref, ids[index] ?? '']));
      return { ...evidence, refs, written: refs };
    };
    for (let length = 0; length < story.length; length++) {
      const lines = found(story, upTo(story.slice(0, length)));
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.every((line) => line.startsWith('GIT_COMMIT_MISSING '))).toBe(true);
    }
  });

  it('GIT_BRANCH_MOVED where it had got further', async () => {
    const { story, ids, evidence } = await told();
    const [first] = story.filter(({ ref }) => ref === 'refs/heads/branch-4');
    const lines = found(story, moved(evidence, 'refs/heads/branch-4', ids[first?.index ?? 0] ?? ''));
    expect(lines).toEqual([
      expect.stringMatching(/^GIT_BRANCH_MOVED \d+ branch-4 was moved back: it had interaction-2 /),
    ]);
  });

  it('GIT_COMMIT_DIFFERS for each commit that is another, whatever differs in it', async () => {
    const { story, ids, evidence } = await told();
    const harms: readonly ((commit: GitEvidenceCommit) => GitEvidenceCommit)[] = [
      (commit) => ({ ...commit, message: 'interaction-77' }),
      (commit) => ({ ...commit, time: commit.time + 1 }),
      (commit) => ({ ...commit, author: '0'.repeat(16) }),
      (commit) => ({ ...commit, files: { ...commit.files, session: '0'.repeat(64) } }),
      (commit) => ({ ...commit, fault: 'it has another committer' }),
    ];
    for (const { index, ref, seq, kind, message } of story) {
      for (const harm of harms) {
        // The same commit under another id, and all after it on its branch as well.
        const forged = new Map(evidence.commits);
        let before: string | undefined;
        for (const later of story.filter((commit) => commit.ref === ref && commit.index >= index)) {
          const commit = evidence.commits.get(ids[later.index] ?? '') as GitEvidenceCommit;
          const id = later.index.toString(16).padStart(40, 'f');
          const parents = before === undefined ? commit.parents : [before, ...commit.parents.slice(1)];
          forged.set(id, later.index === index ? harm(commit) : { ...commit, parents });
          before = id;
        }
        const lines = found(story, { ...moved(evidence, ref, before ?? ''), commits: forged });
        expect(lines).toHaveLength(1);
        expect(lines[0]).toMatch(new RegExp(`^GIT_(COMMIT_DIFFERS|BRANCH_MOVED) ${seq} `));
        if (kind === 'interaction') expect(lines[0]).toContain(message);
      }
    }
  });

  it('GIT_EXTRA_COMMIT for what the ledger does not know', async () => {
    const { story, ids, evidence } = await told('archive');
    const [first = ''] = ids;
    expect(found(story, moved(evidence, 'refs/heads/branch-1', first))).toEqual([
      expect.stringMatching(/^GIT_EXTRA_COMMIT null branch-1 continues with 1 commit /),
    ]);
    expect(found(story, moved(evidence, 'refs/archive/00112233aabbccdd', first))).toEqual([
      expect.stringMatching(/^GIT_EXTRA_COMMIT null refs\/archive\/00112233aabbccdd /),
    ]);
    expect(found([], { ...evidence, refs: new Map([['refs/heads/main', first]]) })).toHaveLength(1);
  });

  it('GIT_UNREADABLE where something could not be read, and no more is said of it', async () => {
    const { story, ids, evidence } = await told();
    const unread = { ...evidence, refs: new Map(), commits: new Map(), unreadable: 'git is not here' };
    expect(found(story, unread)).toEqual(['GIT_UNREADABLE null git is not here']);
    expect(found(story, { ...evidence, commits: new Map(), unreadable: 'x' })).toEqual([
      'GIT_UNREADABLE null x',
    ]);
    const [id = ''] = ids;
    const holed = new Map(evidence.commits);
    holed.delete(id);
    expect(found(story, { ...evidence, commits: holed })).toEqual([
      `GIT_UNREADABLE null branch-4: commit ${id} can't be read`,
    ]);
    const faulty = new Map(evidence.commits);
    faulty.set(id, { ...(faulty.get(id) as GitEvidenceCommit), fault: 'session can not be read' });
    expect(found(story, { ...evidence, commits: faulty })).toEqual([
      expect.stringMatching(
        /^GIT_UNREADABLE \d+ interaction-1 of session [0-9a-f]{16}: session can not be read$/,
      ),
    ]);
  });

  it('does not loop on commits that lead to each other', async () => {
    const { story, evidence } = await told();
    const [a, b] = ['a'.repeat(40), 'b'.repeat(40)];
    const commits = new Map(evidence.commits);
    const odd = { author: '', time: 0, message: '', files: {}, fault: null };
    commits.set(a, { ...odd, parents: [b] });
    commits.set(b, { ...odd, parents: [a] });
    expect(found(story, { ...moved(evidence, 'refs/heads/branch-4', a), commits })).toHaveLength(1);
  });
});
