// X13: what others' commits brought is no weakening by the session; what the session commits itself is.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findWeakening } from '../../src/gate/index.ts';
import { Project } from './git-project.ts';

const TWO = `it('adds', () => {
  expect(add(1, 2)).toBe(3);
});
it('carries', () => {
  expect(add(9, 1)).toBe(10);
});
`;
const ONE = TWO.slice(0, TWO.indexOf("it('carries"));
const FILE = 'test/add.test.ts';

/** As if it were done long before the session. */
function longAgo(project: Project, ...args: string[]): void {
  const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
  execFileSync('git', [...IDENTITY, ...args], {
    cwd: project.root,
    env: { PATH: process.env.PATH, HOME: project.root, GIT_COMMITTER_DATE: '2020-01-01T00:00:00Z' },
  });
}

/** `feature` has one test less than `main`, and was there before the session. */
async function session(): Promise<Project> {
  const project = new Project({ 'src/add.ts': 'export const add = 1;\n', [FILE]: ONE });
  project.write({ [FILE]: TWO });
  longAgo(project, 'commit', '-qam', 'base');
  longAgo(project, 'checkout', '-q', '-b', 'feature');
  project.write({ [FILE]: ONE });
  longAgo(project, 'commit', '-qam', 'Drop a test');
  longAgo(project, 'checkout', '-q', 'main');
  await project.begin();
  return project;
}

async function weaker(project: Project): Promise<string[] | undefined> {
  const state = await project.take();
  if (project.base === undefined) throw new Error('no session');
  const { weakened } = await findWeakening(project.root, project.base, state, {
    ...project.options,
    begun: Date.now() - 60_000,
  });
  return weakened?.map(({ path, what }) => `${path} ${what}`);
}

describe('X13 a branch of others is not the doing of the session', () => {
  it.each<[string, (project: Project) => void]>([
    ['checked out', (project) => project.git('checkout', '-q', 'feature')],
    ['merged by moving on', (project) => project.git('merge', '-q', 'feature', '-m', 'Merge')],
    [
      'merged by a commit',
      (project) => {
        project.write({ 'src/other.ts': 'export const other = 1;\n' });
        project.commit('other');
        project.git('merge', '-q', '--no-ff', 'feature', '-m', 'Merge');
      },
    ],
    [
      'rebased upon',
      (project) => {
        project.write({ 'src/other.ts': 'export const other = 1;\n' });
        project.commit('other');
        project.git('rebase', '-q', 'feature');
      },
    ],
    [
      'checked out, and code changed there',
      (project) => {
        project.git('checkout', '-q', 'feature');
        project.write({ 'src/add.ts': 'export const add = 2;\n' });
        project.commit('change');
      },
    ],
  ])('%s', async (_, act) => {
    const project = await session();
    act(project);
    expect(await weaker(project)).toEqual([]);
  });

  it.each<[string, (project: Project) => void]>([
    [
      'committed under an old date',
      (project) => {
        project.write({ [FILE]: ONE });
        longAgo(project, 'commit', '-qam', 'Drop');
      },
    ],
    [
      'committed on a branch of its own, and merged',
      (project) => {
        project.git('checkout', '-q', '-b', 'mine');
        project.write({ [FILE]: ONE });
        longAgo(project, 'commit', '-qam', 'Drop');
        project.git('checkout', '-q', 'main');
        project.git('merge', '-q', 'mine');
      },
    ],
    [
      'lost by going back to an older commit that had not got it',
      (project) => {
        project.git('reset', '-q', '--soft', 'HEAD~1');
        project.write({ [FILE]: ONE });
      },
    ],
    [
      'committed and pushed',
      (project) => {
        project.write({ [FILE]: ONE });
        project.commit('Drop');
        project.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
      },
    ],
    ['a file taken from the branch', (project) => project.git('checkout', '-q', 'feature', '--', FILE)],
    [
      'on the branch, once more',
      (project) => {
        project.git('checkout', '-q', 'feature');
        project.write({ [FILE]: 'export {};\n' });
      },
    ],
    [
      'with the log of HEAD gone',
      (project) => {
        project.git('checkout', '-q', 'feature');
        rmSync(join(project.root, '.git/logs'), { recursive: true });
      },
    ],
  ])('%s: it is', async (_, act) => {
    const project = await session();
    act(project);
    expect(await weaker(project)).toEqual([`${FILE} deleted`]);
  });
});
