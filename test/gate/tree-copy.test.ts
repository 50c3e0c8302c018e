// The copy that a check is run in: what is in it, and what an agent can't get into it.
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CopyOptions, copyTree, ExecutionQueue } from '../../src/gate/index.ts';
import { temporary } from '../temporary.ts';
import { Project } from './git-project.ts';

function copying(root: string, more: Partial<CopyOptions> = {}): CopyOptions {
  return { root, to: join(temporary(), 'tree'), hidden: [], notOwnedBy: null, ...more };
}

describe('a copy of a work tree', () => {
  it('has everything: ignored files, modes, links as links, times, and the repository', async () => {
    const project = new Project({ '.gitignore': 'node_modules\n', 'a.sh': '#!/bin/sh\n', 'src/b.js': 'b\n' });
    project.write({ 'node_modules/x/index.js': 'x\n', '.foil/keys/k': 'private\n' });
    project.shell('chmod 755 a.sh; ln -s src/b.js link; mkfifo pipe; touch -d 2001-01-01 src/b.js');
    const options = copying(project.root);
    expect(await copyTree(options)).toMatchObject({ state: 'copied', unread: [] });
    const { to } = options;
    expect(readFileSync(join(to, 'node_modules/x/index.js'), 'utf8')).toBe('x\n');
    expect(statSync(join(to, 'a.sh')).mode & 0o777).toBe(0o755);
    expect(readlinkSync(join(to, 'link'))).toBe('src/b.js');
    expect(statSync(join(to, 'src/b.js')).mtime.getFullYear()).toBeLessThan(2002);
    expect(existsSync(join(to, '.git/HEAD'))).toBe(true);
    expect(existsSync(join(to, 'pipe'))).toBe(false);
    // A ledger in the project is not the project.
    expect(existsSync(join(to, '.foil'))).toBe(false);
    // Changing it changes nothing.
    writeFileSync(join(to, 'src/b.js'), 'changed');
    expect(readFileSync(join(project.root, 'src/b.js'), 'utf8')).toBe('b\n');
  });

  it('B5c is not made of what must not be seen, by whatever name', async () => {
    const home = temporary();
    const [secret, work] = [join(home, 'secret'), join(home, 'work')];
    for (const path of [secret, work, join(secret, 'inner'), join(work, 'kept')]) mkdirSync(path);
    writeFileSync(join(secret, 'key'), 'private');
    expect(await copyTree(copying(secret, { hidden: [secret] }))).toEqual({ state: 'hidden' });
    expect(await copyTree(copying(join(secret, 'inner'), { hidden: [secret] }))).toEqual({ state: 'hidden' });
    symlinkSync(secret, join(home, 'alias'));
    expect(await copyTree(copying(join(home, 'alias'), { hidden: [secret] }))).toEqual({ state: 'hidden' });
    expect(await copyTree(copying('/', { hidden: [secret] }))).toEqual({ state: 'hidden' });
    renameSync(secret, join(work, 'secret'));
    const options = copying(work, { hidden: [join(work, 'secret')] });
    expect(await copyTree(options)).toMatchObject({ state: 'copied' });
    expect([existsSync(join(options.to, 'kept')), existsSync(join(options.to, 'secret'))]).toEqual([
      true,
      false,
    ]);
  });

  it('B5c never holds what a directory leads to that became a link while it was copied', async () => {
    const home = temporary();
    const [secret, work] = [join(home, 'secret'), join(home, 'work')];
    for (const path of [secret, work, join(work, 'a')]) mkdirSync(path);
    for (const directory of [secret, join(work, 'a')])
      writeFileSync(join(directory, 'key'), directory === secret ? 'private' : 'plain');
    let asked = 0;
    // Asked before each directory is listed: the second time is right before `a` is.
    const signal = {
      get aborted(): boolean {
        if (++asked === 2) {
          renameSync(join(work, 'a'), join(home, 'was'));
          symlinkSync(secret, join(work, 'a'));
        }
        return false;
      },
    } as AbortSignal;
    const options = copying(work, { signal });
    expect(await copyTree(options)).toMatchObject({ state: 'copied', unread: ['a/key'] });
    expect(asked).toBe(2);
    expect(existsSync(join(options.to, 'a'))).toBe(true);
    expect(existsSync(join(options.to, 'a/key'))).toBe(false);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'leaves out files of a user who is not the agent (needs root)',
    async () => {
      const work = temporary();
      writeFileSync(join(work, 'ours.js'), 'private');
      writeFileSync(join(work, 'theirs.js'), 'plain');
      linkSync(join(work, 'ours.js'), join(work, 'linked.js'));
      chownSync(join(work, 'theirs.js'), 54_321, 54_321);
      const options = copying(work, { notOwnedBy: 0 });
      const copied = await copyTree(options);
      expect(copied.state === 'copied' && [...copied.unread].sort()).toEqual(['linked.js', 'ours.js']);
      expect([existsSync(join(options.to, 'ours.js')), existsSync(join(options.to, 'theirs.js'))]).toEqual([
        false,
        true,
      ]);
    },
  );

  it('has its bounds, and can be cancelled', async () => {
    const project = new Project({ a: 'a'.repeat(1000), b: 'b', 'c/d': 'd' }, { git: false });
    expect(await copyTree(copying(project.root, { mostFiles: 2 }))).toEqual({ state: 'too-large' });
    expect(await copyTree(copying(project.root, { mostBytes: 900 }))).toEqual({ state: 'too-large' });
    expect(await copyTree(copying(project.root, { signal: AbortSignal.abort() }))).toEqual({
      state: 'cancelled',
    });
  });
});

describe('the queue of runs', () => {
  it('B5c runs one at a time, lets a few wait, and turns the rest away', async () => {
    const queue = new ExecutionQueue(2);
    let running = 0;
    let most = 0;
    const work = async (): Promise<number> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      return running--;
    };
    const added = [1, 2, 3, 4].map(() => queue.add(work));
    expect(added.map((each) => each === undefined)).toEqual([false, false, false, true]);
    expect(await Promise.all(added)).toEqual([1, 1, 1, undefined]);
    expect(most).toBe(1);
    expect(await queue.add(work)).toBe(1);
  });

  it('ends what runs and what waits, and one that fails stops nobody', async () => {
    const queue = new ExecutionQueue();
    const failed = queue.add(() => Promise.reject(new Error('no')));
    await expect(failed).rejects.toThrow('no');
    const untilEnd = (signal: AbortSignal): Promise<string> =>
      new Promise((resolve) => {
        if (signal.aborted) resolve('ended');
        signal.addEventListener('abort', () => resolve('ended'));
      });
    const gone = new AbortController();
    const [first, second] = [queue.add(untilEnd, gone.signal), queue.add(untilEnd)];
    gone.abort();
    expect(await first).toBe('ended');
    queue.end();
    expect(await second).toBe('ended');
    expect(queue.add(untilEnd)).toBeUndefined();
    await queue.idle();
  });
});
