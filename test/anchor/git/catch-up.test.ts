import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catchUp } from '../../../src/anchor/git/index.ts';
import { GitIds, GitStory } from '../../../src/format/index.ts';
import { gitLock } from '../../../src/store/files/index.ts';
import { readEntries } from '../../read-log.ts';
import { temporary } from '../../temporary.ts';
import { expectSound, git, newScene, type Scene, update, updated } from './repository.ts';

/** Ids of the story's refs, computed from the entries alone. */
async function expectedRefs(
  { store }: Scene,
  end: 'merge' | 'archive' = 'merge',
): Promise<Record<string, string>> {
  const story = new GitStory(end);
  const ids = new GitIds();
  const archive: Record<string, string> = {};
  for (const entry of await readEntries(store)) {
    for (const commit of story.add(entry)) {
      const { id } = ids.add(commit);
      if (commit.archive !== null) archive[commit.archive] = id;
    }
  }
  return { ...ids.ids, ...archive };
}

function refsOf(directory: string): Record<string, string> {
  const lines = git(directory, 'for-each-ref', '--format=%(refname) %(objectname)').split('\n');
  return Object.fromEntries(
    lines.filter((line) => line !== '').map((line) => line.split(' ') as [string, string]),
  );
}

async function expectInStep(scene: Scene, end: 'merge' | 'archive' = 'merge'): Promise<void> {
  expect(refsOf(scene.git)).toEqual(await expectedRefs(scene, end));
  expectSound(scene.git);
}

describe('the git repository', () => {
  it('G6b, G6d tells of a session, interaction by interaction, to plain git', async () => {
    const scene = await newScene();
    const { sessions } = scene;
    const session = await sessions.begin(930_226);
    await sessions.interact(session, 'hello', 'world');
    await sessions.interact(session, 'more', null);
    const final = await sessions.end(session, 930_227);
    const [short, end] = [session.slice(0, 16), final.slice(0, 16)];
    expect(await updated(scene)).toMatchObject({ commits: 4, end: 'merge' });
    await expectInStep(scene);
    expect(
      git(scene.git, 'log', '--format=%s|%an|%ae|%cn|%ad', '--date=iso', 'branch-4').split('\n'),
    ).toEqual([
      `session_end:${end}:btc-930227|${short}|${short}@counterfoil|${short}|2026-11-15 10:00:09 +0000`,
      `interaction-2|${short}|${short}@counterfoil|${short}|2026-11-15 10:00:07 +0000`,
      `interaction-1|${short}|${short}@counterfoil|${short}|2026-11-15 10:00:04 +0000`,
    ]);
    const file = (commit: string, name: string): string => git(scene.git, 'show', `${commit}:${name}`);
    expect(git(scene.git, 'ls-tree', '--name-only', 'branch-4~1').split('\n')).toEqual([
      'chain_entry',
      'prompt_hash',
      'response_hash',
      'session',
    ]);
    expect(file('branch-4~1', 'response_hash')).toBe('0'.repeat(64));
    expect(file('branch-4', 'final_hash')).toBe(final);
    expect(file('branch-4', 'session')).toBe(session);
    expect(file('branch-4', 'chain_entry')).toBe(file('branch-4~1', 'chain_entry'));
    expect(git(scene.git, 'log', '--first-parent', '--format=%s', 'main').split('\n')[0]).toBe(
      `merge:${end}:branch-4`,
    );
    expect(git(scene.git, 'rev-parse', 'main^{tree}')).toBe(git(scene.git, 'rev-parse', 'branch-4^{tree}'));
  });

  it('G6d can be cloned', async () => {
    const scene = await newScene();
    const session = await scene.sessions.begin(null);
    await scene.sessions.interact(session);
    await scene.sessions.end(session);
    await updated(scene);
    const clone = join(temporary(), 'clone');
    git('/', 'clone', '-q', scene.git, clone);
    expect(readFileSync(join(clone, 'session'), 'utf8')).toBe(`${session}\n`);
    expect(git(clone, 'log', '--format=%s', 'origin/branch-0').split('\n')).toEqual([
      expect.stringMatching(/^session_end:[0-9a-f]{16}:btc-none$/),
      'interaction-1',
    ]);
  });

  it('G6c merges each session into main, on top of the one before', async () => {
    const scene = await newScene();
    for (const height of [7, 8, 7]) {
      const session = await scene.sessions.begin(height);
      await scene.sessions.interact(session);
      await scene.sessions.end(session, height);
      await updated(scene);
    }
    await expectInStep(scene);
    expect(git(scene.git, 'log', '--first-parent', '--format=%s', 'main', '-3').split('\n')).toEqual([
      expect.stringMatching(/:branch-1$/),
      expect.stringMatching(/:branch-2$/),
      expect.stringMatching(/:branch-1$/),
    ]);
    // All that is on a branch is in main.
    expect(git(scene.git, 'rev-list', 'branch-1', 'branch-2', '--not', 'main')).toBe('');
  });

  it('G6c archives where that is chosen, once for a repository', async () => {
    const scene = await newScene();
    const session = await scene.sessions.begin(3);
    await scene.sessions.interact(session);
    await scene.sessions.end(session, 3);
    await updated(scene, { end: 'archive' });
    const second = await scene.sessions.begin(3);
    await scene.sessions.interact(second);
    await scene.sessions.end(second, 3);
    expect(await updated(scene, { end: 'merge' })).toMatchObject({ end: 'archive' });
    await expectInStep(scene, 'archive');
    expect(git(scene.git, 'for-each-ref', '--format=%(refname)').split('\n').sort()).toEqual(
      [
        `refs/archive/${session.slice(0, 16)}`,
        `refs/archive/${second.slice(0, 16)}`,
        'refs/heads/branch-4',
      ].sort(),
    );
    const clone = join(temporary(), 'clone');
    git('/', 'clone', '-q', scene.git, clone);
    expect(git(clone, 'symbolic-ref', 'HEAD')).toBe('refs/heads/branch-4');
  });

  it('G6b keeps sessions apart that share a branch', async () => {
    const scene = await newScene();
    const { sessions } = scene;
    const [a, b] = [await sessions.begin(6), await sessions.begin(13)];
    for (const session of [a, b, a, a, b]) await sessions.interact(session);
    await sessions.end(b, 14);
    await sessions.interact(a);
    await updated(scene);
    await expectInStep(scene);
    const lines = git(scene.git, 'log', '--reverse', '--format=%an %s', 'branch-7').split('\n');
    const of = (session: string): string[] =>
      lines.filter((line) => line.startsWith(session.slice(0, 16))).map((line) => line.split(' ')[1] ?? '');
    expect(of(a)).toEqual(['interaction-1', 'interaction-2', 'interaction-3', 'interaction-4']);
    expect(of(b)).toEqual(['interaction-1', 'interaction-2', expect.stringContaining('session_end:')]);
  });

  it('makes no commit for a session that was cut, nor for what can not be read', async () => {
    const scene = await newScene();
    const { sessions } = scene;
    const cut = await sessions.begin(1);
    await sessions.interact(cut);
    await sessions.cut(cut);
    await sessions.interact(cut);
    const other = await sessions.begin(1);
    await sessions.write('response', other, { sequence: 0, chain_hash: 'x' });
    await sessions.write('response', 'f'.repeat(64), {
      sequence: 1,
      chain_hash: 'f'.repeat(64),
      prompt_hash: null,
    });
    await sessions.write('session.end', other, { reason: 'an older form' });
    await sessions.interact(other);
    expect(await updated(scene)).toMatchObject({ commits: 1 });
    await expectInStep(scene);
  });

  it('is not written again where nothing is new', async () => {
    const scene = await newScene();
    const session = await scene.sessions.begin(1);
    await scene.sessions.interact(session);
    await updated(scene);
    const packs = git(scene.git, 'count-objects', '-v');
    expect(await updated(scene)).toMatchObject({ commits: 0 });
    await scene.sessions.write('note', null, { text: 'nothing of a session' });
    expect(await updated(scene)).toMatchObject({ commits: 0 });
    expect(git(scene.git, 'count-objects', '-v')).toBe(packs);
  });

  it('goes on in a repository that git has packed anew', async () => {
    const scene = await newScene();
    const session = await scene.sessions.begin(2);
    await scene.sessions.interact(session);
    await updated(scene);
    git(scene.git, 'gc', '-q', '--prune=now');
    git(scene.git, 'pack-refs', '--all');
    expect(existsSync(join(scene.git, 'refs/heads/branch-3'))).toBe(false);
    await scene.sessions.interact(session);
    await scene.sessions.end(session, 2);
    expect(await updated(scene)).toMatchObject({ commits: 3 });
    await expectInStep(scene);
  });

  it('has its packs made fewer when there are many', async () => {
    const scene = await newScene();
    const session = await scene.sessions.begin(2);
    for (let i = 0; i < 45; i++) {
      await scene.sessions.interact(session);
      await updated(scene);
    }
    await expectInStep(scene);
    const packs = Number(/^packs: (\d+)$/m.exec(git(scene.git, 'count-objects', '-v'))?.[1]);
    expect(packs).toBeLessThan(40);
  });
});

describe('a repository that is not what it should be', () => {
  async function recorded(): Promise<Scene & { readonly session: string }> {
    const scene = await newScene();
    const session = await scene.sessions.begin(930_226);
    for (let i = 0; i < 4; i++) await scene.sessions.interact(session);
    await updated(scene);
    return { ...scene, session };
  }

  it('G6e is made anew where it is missing', async () => {
    const scene = await recorded();
    const before = refsOf(scene.git);
    rmSync(scene.git, { recursive: true });
    expect(await updated(scene)).toMatchObject({ commits: 4 });
    expect(refsOf(scene.git)).toEqual(before);
    await expectInStep(scene);
  });

  it.each([
    ['a branch is behind', (dir: string) => git(dir, 'update-ref', 'refs/heads/branch-4', 'branch-4~2')],
    ['a branch is gone', (dir: string) => git(dir, 'update-ref', '-d', 'refs/heads/branch-4')],
    ['nobody knows how far it was written', (dir: string) => rmSync(join(dir, 'foil.json'))],
    ['what is known of that is torn', (dir: string) => writeFileSync(join(dir, 'foil.json'), '{"v":1,')],
  ])('G6e is repaired where %s', async (_, harm) => {
    const scene = await recorded();
    harm(scene.git);
    await scene.sessions.interact(scene.session);
    await updated(scene);
    await expectInStep(scene);
  });

  it('G6e is repaired where a session is missing from the archive, and named where one was moved', async () => {
    const scene = await newScene();
    const session = await scene.sessions.begin(3);
    await scene.sessions.interact(session);
    await scene.sessions.end(session, 3);
    await updated(scene, { end: 'archive' });
    const name = `refs/archive/${session.slice(0, 16)}`;
    git(scene.git, 'update-ref', '-d', name);
    await updated(scene);
    await expectInStep(scene, 'archive');
    git(scene.git, 'update-ref', name, 'branch-4~1');
    rmSync(join(scene.git, 'foil.json'));
    expect(await update(scene)).toMatchObject({ problem: 'CONTRADICTION', refs: [name] });
    // Named again, and others go on.
    await scene.sessions.interact(await scene.sessions.begin(3));
    expect(await update(scene)).toMatchObject({ problem: 'CONTRADICTION', refs: [name] });
    expect(git(scene.git, 'rev-list', '--count', 'branch-4')).toBe('3');
  });

  it('has its objects written again on request', async () => {
    const scene = await recorded();
    rmSync(join(scene.git, 'objects/pack'), { recursive: true });
    mkdirSync(join(scene.git, 'objects/pack'));
    await updated(scene, { rewrite: true });
    await expectInStep(scene);
  });

  it('G6e is named and left alone where a branch was rewritten', async () => {
    const scene = await recorded();
    const tree = git(scene.git, 'rev-parse', 'branch-4^{tree}');
    const forged = git(scene.git, 'commit-tree', tree, '-p', 'branch-4~3', '-m', 'interaction-4');
    git(scene.git, 'update-ref', 'refs/heads/branch-4', forged);
    const other = await scene.sessions.begin(930_227);
    await scene.sessions.interact(other);
    for (let time = 0; time < 2; time++) {
      await scene.sessions.interact(scene.session);
      await scene.sessions.interact(other);
      const result = await update(scene);
      expect(result).toMatchObject({ problem: 'CONTRADICTION', refs: ['refs/heads/branch-4'] });
      expect(git(scene.git, 'rev-parse', 'branch-4')).toBe(forged);
      expect(git(scene.git, 'rev-parse', 'branch-5')).toBe(
        (await expectedRefs(scene))['refs/heads/branch-5'],
      );
    }
    // The end is merged all the same: main leads to what the ledger says.
    await scene.sessions.end(scene.session, 930_230);
    await update(scene);
    expectSound(scene.git);
    expect(git(scene.git, 'rev-parse', 'main')).toBe((await expectedRefs(scene))['refs/heads/main']);
    // Put right by hand, it goes on.
    git(scene.git, 'update-ref', '-d', 'refs/heads/branch-4');
    await updated(scene);
    await expectInStep(scene);
  });

  it('is named where a ledger was put back to before what git knows', async () => {
    const scene = await recorded();
    const head = await scene.store.head();
    const older = {
      head: async () => ({
        seq: head.seq - 1,
        hash: (await readEntries(scene.store)).at(-2)?.entry_hash ?? '',
      }),
      read: (from: number, to: number) => scene.store.read(from, to),
    };
    const put = { directory: scene.directory, store: older, lock: gitLock(scene.directory) };
    expect(await catchUp(put)).toMatchObject({ problem: 'CONTRADICTION' });
    // It was only that this one did not know yet.
    await updated(scene);
    await expectInStep(scene);
  });

  it('G7c is left alone while a lock of git is there', async () => {
    const scene = await recorded();
    const lock = join(scene.git, 'refs/heads/branch-4.lock');
    writeFileSync(lock, '');
    await scene.sessions.interact(scene.session);
    const result = await update(scene);
    expect(result).toMatchObject({ problem: 'LOCKED', message: expect.stringContaining(lock) });
    expect(existsSync(lock)).toBe(true);
    rmSync(lock);
    await updated(scene);
    await expectInStep(scene);
  });

  it('is freed of the lock that a writer of ours left when it was killed', async () => {
    const scene = await recorded();
    const ours = join(scene.git, 'foil-ref.tmp');
    writeFileSync(ours, 'half an id');
    linkSync(ours, join(scene.git, 'refs/heads/branch-4.lock'));
    await scene.sessions.interact(scene.session);
    await updated(scene);
    await expectInStep(scene);
    expect(existsSync(ours)).toBe(false);
  });

  it('is left to who is at it', async () => {
    const scene = await recorded();
    const release = gitLock(scene.directory)();
    expect(await update(scene)).toMatchObject({ problem: 'BUSY' });
    release?.();
    await updated(scene);
  });

  it.each([
    ['a file', (dir: string) => writeFileSync(dir, '')],
    ['an empty directory', (dir: string) => mkdirSync(dir)],
    ['another repository', (dir: string) => git('/', 'init', '-q', '--bare', dir)],
    [
      'a repository of another form',
      (dir: string) => git('/', 'init', '-q', '--bare', '--object-format=sha256', dir),
    ],
  ])('is named where %s is in its place', async (_, make) => {
    const scene = await newScene();
    make(scene.git);
    await scene.sessions.interact(await scene.sessions.begin(1));
    expect(await update(scene)).toMatchObject({ problem: 'FOREIGN' });
  });

  it('is named where it can not be written', async () => {
    const scene = await recorded();
    rmSync(join(scene.git, 'objects/pack'), { recursive: true });
    writeFileSync(join(scene.git, 'objects/pack'), 'no directory');
    await scene.sessions.interact(scene.session);
    expect(await update(scene)).toMatchObject({ problem: 'IO' });
  });
});
