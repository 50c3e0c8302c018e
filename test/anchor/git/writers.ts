// Writers of one repository, and what their repository must hold afterwards.
import { expect } from 'vitest';
import { gitDirectory } from '../../../src/anchor/git/index.ts';
import { bundle, Child } from '../../fault/child.ts';
import { seeded } from '../../fault/kill.ts';
import { createFileLedger, reopen } from '../../file-ledger.ts';
import { fastDirectory, temporary } from '../../temporary.ts';
import { expectSound, git, updated } from './repository.ts';
import type { GitWriterOptions } from './writer.ts';

export async function newLedger(): Promise<string> {
  const directory = temporary(fastDirectory);
  await (await createFileLedger(directory)).store.close();
  return directory;
}

export function commitsOf(directory: string, ref: string): string[] {
  return git(gitDirectory(directory), 'log', '--format=%an %s', ref)
    .split('\n')
    .filter((line) => line.includes(' interaction-'));
}

/** What a writer said was durable, as its commit tells of it. */
export function acknowledged(children: readonly Child[]): string[] {
  const lines = children.flatMap(({ lines: all }) => all.slice(1));
  expect(lines.filter((line) => line.startsWith('problem'))).toEqual([]);
  return lines.map((line) => {
    const [session = '', sequence = ''] = line.split(' ');
    return `${session.slice(0, 16)} interaction-${sequence}`;
  });
}

/** Two writers are killed in each round, wherever they are; then the next one makes it good. */
export async function killWriters(seed: number, rounds: number): Promise<void> {
  const directory = await newLedger();
  const random = seeded(seed);
  const writer = await bundle('writer', 'anchor/git');
  const said: string[] = [];
  const end = seed % 2 === 0 ? 'archive' : 'merge';
  for (let round = 0; round < rounds; round++) {
    const options: GitWriterOptions = { directory, height: 3, sessions: 0, interactions: 3, end };
    const children = Array.from({ length: 2 }, () => new Child(writer, [JSON.stringify(options)]));
    for (const child of children) {
      const target = child.lines.length + 1 + Math.floor(random() * 12);
      await child.until(() => child.lines.length >= target);
      await child.kill();
    }
    said.push(...acknowledged(children));
  }
  const { store } = reopen(directory);
  // Whoever opens it next adopts what was durable and not yet published.
  await store.append(() => undefined);
  await updated({ directory, store });
  const commits = new Set(commitsOf(directory, 'branch-4'));
  expect(said.filter((line) => !commits.has(line))).toEqual([]);
  expect(commits.size).toBe(commitsOf(directory, 'branch-4').length);
  expectSound(gitDirectory(directory));
}
