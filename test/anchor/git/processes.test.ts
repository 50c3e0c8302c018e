// Many processes on one repository, and processes that are killed: nothing is lost, nothing is there twice.
import { expect, it } from 'vitest';
import { gitDirectory } from '../../../src/anchor/git/index.ts';
import { bundle, Child } from '../../fault/child.ts';
import { reopen } from '../../file-ledger.ts';
import { expectSound, git, updated } from './repository.ts';
import type { GitWriterOptions } from './writer.ts';
import { acknowledged, commitsOf, killWriters, newLedger } from './writers.ts';

it('G7a sessions of many processes on one branch lose no commit', async () => {
  const directory = await newLedger();
  const writer = await bundle('writer', 'anchor/git');
  const options: GitWriterOptions = { directory, height: 3, sessions: 3, interactions: 4, end: 'merge' };
  const children = Array.from({ length: 6 }, () => new Child(writer, [JSON.stringify(options)]));
  for (const child of children) expect((await child.ended).code, child.errors).toBe(0);
  await updated({ directory, store: reopen(directory).store });
  const commits = commitsOf(directory, 'branch-4');
  expect(commits.sort()).toEqual(acknowledged(children).sort());
  expect(commits).toHaveLength(6 * 3 * 4);
  expect(
    git(gitDirectory(directory), 'log', '--format=%s', '--first-parent', 'main').match(/^merge:/gm),
  ).toHaveLength(18);
  expectSound(gitDirectory(directory));
});

it.each([1, 2])('G7b writers that are killed leave what the next one makes good, seed %i', (seed) =>
  killWriters(seed, 2),
);
