// The story of a ledger in git, and the bytes it has there: vectors that any git agrees with.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GitStory, gitCommitObjects, isGitStoryRef } from '../../src/format/index.ts';
import { memoryLedger } from '../anchor/git/memory.ts';
import { Sessions } from '../anchor/git/sessions.ts';
import { readEntries } from '../read-log.ts';
import { type GitVector, tell } from './git-vectors.ts';

const path = join(import.meta.dirname, '../../spec/vectors/git-story.json');
const { vectors } = JSON.parse(readFileSync(path, 'utf8')) as { vectors: readonly GitVector[] };

describe('the story in git', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))(
    'G6b is as the vector says: %s',
    (_, vector) => {
      const { end, entries, commits, refs } = vector;
      expect(tell(end, entries)).toEqual({ commits, refs });
    },
  );

  it('G6b has the ids that git gives', () => {
    for (const { commits } of vectors) {
      for (const { commit, id, files, tree } of commits) {
        const ask = (args: readonly string[], input: string): string =>
          execFileSync('git', args, { input, encoding: 'utf8', cwd: '/' }).trim();
        expect(ask(['hash-object', '-t', 'commit', '--stdin'], commit)).toBe(id);
        const blobs = Object.entries(files).map(([name, line]) => {
          return `100644 ${name}\0${Buffer.from(ask(['hash-object', '--stdin'], `${line}\n`), 'hex').toString('latin1')}`;
        });
        const bytes = Buffer.from(blobs.join(''), 'latin1');
        const asked = execFileSync('git', ['hash-object', '-t', 'tree', '--stdin'], {
          input: bytes,
          cwd: '/',
        });
        expect(asked.toString().trim()).toBe(tree);
      }
    }
  });

  it('can be interrupted after any entry and gone on with', async () => {
    const sessions = new Sessions(await memoryLedger());
    const [a, b] = [await sessions.begin(1), await sessions.begin(null)];
    for (const session of [a, b, a]) await sessions.interact(session);
    await sessions.end(a, 2);
    await sessions.interact(b);
    await sessions.end(b, null);
    const entries = await readEntries(sessions.store);
    const whole = new GitStory('merge');
    const expected = entries.flatMap((entry) => whole.add(entry));
    expect(expected).toHaveLength(8);
    for (let at = 0; at <= entries.length; at++) {
      const first = new GitStory('merge');
      const head = entries.slice(0, at).flatMap((entry) => first.add(entry));
      const second = new GitStory('merge', JSON.parse(JSON.stringify(first.state)));
      expect([...head, ...entries.slice(at).flatMap((entry) => second.add(entry))]).toEqual(expected);
      expect(second.state).toEqual(whole.state);
    }
  });

  it('G6a gives a branch to a session only by the names there are', async () => {
    const sessions = new Sessions(await memoryLedger());
    const session = await sessions.begin(6);
    await sessions.interact(session);
    const entries = await readEntries(sessions.store);
    for (const branch of ['../../x', 'branch-8', 'branch-77', 'main', 'branch-4\n', '', null]) {
      const story = new GitStory('merge');
      const told = entries.map((entry) =>
        entry.kind === 'session.start' ? { ...entry, payload: { ...entry.payload, branch } } : entry,
      );
      expect(told.flatMap((entry) => story.add(entry)).map(({ ref }) => ref)).toEqual([
        'refs/heads/branch-0',
      ]);
    }
  });

  it('knows no time before 1970', async () => {
    const sessions = new Sessions(await memoryLedger(), Date.parse('1961-04-12T06:07:00.000Z'));
    await sessions.interact(await sessions.begin(1));
    const story = new GitStory('merge');
    const [commit] = (await readEntries(sessions.store)).flatMap((entry) => story.add(entry));
    expect(commit?.time).toBe(0);
    expect(gitCommitObjects(commit as NonNullable<typeof commit>, []).id).toMatch(/^[0-9a-f]{40}$/);
  });

  it('knows its own refs', () => {
    const own = [
      'refs/heads/main',
      'refs/heads/branch-0',
      'refs/heads/branch-7',
      'refs/archive/0123456789abcdef',
    ];
    const others = [
      'refs/heads/branch-8',
      'refs/heads/branch-',
      'refs/heads/mine',
      'refs/tags/main',
      'refs/archive/x',
    ];
    expect(own.filter(isGitStoryRef)).toEqual(own);
    expect(others.filter(isGitStoryRef)).toEqual([]);
  });
});
