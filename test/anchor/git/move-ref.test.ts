// One ref moved as git moves it: only from where it was seen, only by who has its lock.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { moveRef } from '../../../src/anchor/git/move-ref.ts';
import { makeRepository } from '../../../src/anchor/git/repository.ts';
import { temporary } from '../../temporary.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string];
const REF = 'refs/heads/branch-4';

function repository(): string {
  const ledger = temporary();
  makeRepository(ledger, 'merge');
  return join(ledger, 'git');
}

it('G7c a ref is moved from where it was seen, and from nowhere else', async () => {
  const git = repository();
  const at = (): string => readFileSync(join(git, REF), 'utf8');
  expect(await moveRef(git, REF, A, B)).toBe(false);
  expect(existsSync(join(git, REF))).toBe(false);
  expect(await moveRef(git, REF, undefined, A)).toBe(true);
  expect(at()).toBe(`${A}\n`);
  expect(await moveRef(git, REF, undefined, B)).toBe(false);
  expect(await moveRef(git, REF, C, B)).toBe(false);
  expect(at()).toBe(`${A}\n`);
  expect(await moveRef(git, REF, A, B)).toBe(true);
  expect(at()).toBe(`${B}\n`);
  expect(existsSync(join(git, `${REF}.lock`))).toBe(false);
  expect(existsSync(join(git, 'foil-ref.tmp'))).toBe(false);
});

it('G7c one that git has packed is seen where it is', async () => {
  const git = repository();
  writeFileSync(join(git, 'packed-refs'), `# pack-refs with: peeled fully-peeled sorted\n${A} ${REF}\n`);
  expect(await moveRef(git, REF, undefined, B)).toBe(false);
  expect(await moveRef(git, REF, A, B)).toBe(true);
  expect(await moveRef(git, REF, A, C)).toBe(false);
});

it('G7c while somebody has its lock nobody moves it', async () => {
  const git = repository();
  writeFileSync(join(git, `${REF}.lock`), '');
  await expect(moveRef(git, REF, undefined, A)).rejects.toMatchObject({ problem: 'LOCKED' });
  expect(existsSync(join(git, REF))).toBe(false);
  expect(existsSync(join(git, `${REF}.lock`))).toBe(true);
});
