// `foil audit session` about sessions that went as sessions go: answers that came behind the end, an end told twice, one
// that began before sessions were bound. None of that is a broken chain, with a git repository beside it or not. And what
// a block of a test network is worth is said of every session that names one.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { type Entry, encodeSessionCut, type GitCommit, GitIds, GitStory } from '../../src/format/index.ts';
import {
  auditSession,
  compareWithGit,
  type GitEvidence,
  type GitEvidenceCommit,
  type SessionAudit,
} from '../../src/verify/index.ts';
import { Entries, type SessionEntries } from '../format/session-entries.ts';
import { testBlock } from '../verify/make-sessions.ts';

const [P, R] = ['b2'.repeat(32), 'c3'.repeat(32)];

const audit = (log: Entries, session: SessionEntries): Promise<SessionAudit> =>
  auditSession(
    session.id,
    log.all.filter(({ session_id: id }) => id === session.id),
    {
      salt: undefined,
      content: async () => 'absent',
    },
  );

/** What a repository that was brought up to the ledger holds. */
function gitOf(entries: readonly Entry[]): GitEvidence {
  const story = new GitStory('merge');
  const ids = new GitIds();
  const commits = new Map<string, GitEvidenceCommit>();
  const refs = new Map<string, string>();
  const named: string[] = [];
  const add = (commit: GitCommit): void => {
    const { id } = ids.add(commit);
    named[commit.index] = id;
    refs.set(commit.ref, id);
    const { author, time, message, files } = commit;
    const parents = commit.parents.map((index) => named[index] ?? '');
    commits.set(id, { author, time, message, files, parents, fault: null });
  };
  for (const entry of entries) for (const commit of story.add(entry)) add(commit);
  return { end: 'merge', refs, commits, written: refs, unreadable: null };
}

const codes = ({ findings }: SessionAudit): string[] => findings.map(({ code }) => code);

describe('audit of a session that somebody outlived', () => {
  it('G11d an answer behind the end is late, and git, which has no commit of it, still agrees', async () => {
    const log = new Entries();
    const session = log.session();
    session.response(P, R);
    session.end();
    session.response(P, R);
    session.response(P, R);
    const found = await audit(log, session);
    expect(found.chain).toBe('VALID');
    expect(new Set(codes(found))).toEqual(new Set(['SESSION_LATE']));
    expect(compareWithGit(found, gitOf(log.all))).toMatchObject({ status: 'agrees', commits: 2, missing: 0 });
  });

  it('G11d the same of one that was cut', async () => {
    const log = new Entries();
    const session = log.session();
    session.response(P, R);
    const hostProcess = { pid: 1, started: '1', boot: 'x' };
    const cut = { reason: 'process-gone', hostProcess, interactions: 1, chainHash: session.chain } as const;
    session.entry('session.cut', encodeSessionCut(cut));
    session.response(P, R);
    const found = await audit(log, session);
    expect(compareWithGit(found, gitOf(log.all))).toMatchObject({ status: 'agrees', commits: 1, missing: 0 });
  });

  it('G11d an end that is told twice: the first is what was sealed', async () => {
    const log = new Entries();
    const session = log.session();
    session.response(P, R);
    const { payload } = session.end();
    session.response(P, R);
    session.end();
    const found = await audit(log, session);
    expect(found.chain).toBe('VALID');
    expect(found.closing?.finalHash).toBe(payload.final_hash);
    expect(compareWithGit(found, gitOf(log.all))).toMatchObject({ status: 'agrees', missing: 0, extra: 0 });
  });

  it('but an answer that git has and the ledger has not is named', async () => {
    const log = new Entries();
    const session = log.session();
    for (let i = 0; i < 3; i++) session.response(P, R);
    session.end();
    const git = gitOf(log.all);
    const less = log.all.filter(({ payload }) => payload.sequence !== 2);
    const found = await auditSession(session.id, less, { salt: undefined, content: async () => 'absent' });
    expect(found.chain).toBe('BROKEN');
    expect(compareWithGit(found, git).status).toBe('disagrees');
  });
});

describe('audit of a session of before', () => {
  it('G11b says nothing of members that were not there yet', async () => {
    const log = new Entries();
    const session = log.session();
    const [start] = log.all;
    const { auth_key: _, block: __, branch: ___, interaction_kind: ____, ...before } = start?.payload ?? {};
    const old = { ...(start as Entry), payload: before as JsonObject };
    session.entry('prompt', { prompt_hash: P, text: null });
    session.entry('response', { response_hash: R, text: null });
    session.entry('session.end', { reason: 'exit', counts: {} });
    const found = await auditSession(session.id, [old, ...log.all.slice(1)], {
      salt: undefined,
      content: async () => 'absent',
    });
    expect(found).toMatchObject({ chain: 'VALID', findings: [], state: 'ended', interactions: 0 });
  });

  it('one that went on after the upgrade has a chain, and none in git', async () => {
    const log = new Entries();
    const session = log.session();
    const [start] = log.all;
    const { auth_key: _, ...before } = start?.payload ?? {};
    log.all[0] = { ...(start as Entry), payload: before as JsonObject };
    session.response(P, R);
    session.end();
    const found = await audit(log, session);
    expect(found).toMatchObject({ chain: 'VALID', findings: [], interactions: 1 });
  });
});

describe('audit of a session with a block of a test network', () => {
  it('G12 says so of each session, not of the first alone', async () => {
    const log = new Entries();
    const block = testBlock(930_226, 1_763_200_000);
    const [first, second] = [log.session({ block }), log.session({ block })];
    for (const session of [first, second])
      expect(codes(await audit(log, session))).toEqual(['BLOCK_REGTEST']);
    const entries = log.all.filter(({ session_id: id }) => id === second.id);
    const ports = { salt: undefined, content: async () => 'absent' as const, network: 'regtest' as const };
    expect(codes(await auditSession(second.id, entries, ports))).toEqual([]);
  });
});
