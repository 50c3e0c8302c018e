// C9: a file that is read through a link is recorded under both of its names.
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linkTargets } from '../../src/record/host/link-targets.ts';
import { temporary } from '../temporary.ts';

it('C9 tells where links lead, and nothing of what is no link', () => {
  const root = realpathSync(temporary());
  mkdirSync(join(root, 'secrets'));
  writeFileSync(join(root, '.env'), '');
  writeFileSync(join(root, 'a'), '');
  symlinkSync('.env', join(root, 'notes'));
  symlinkSync('secrets', join(root, 'docs'));
  symlinkSync('/etc', join(root, 'system'));
  symlinkSync(root, join(root, 'again'));

  expect(linkTargets(['a', '.env', 'gone', '/etc/passwd'], null, root, root)).toEqual([]);
  expect(linkTargets(['notes'], null, root, root)).toEqual(['.env']);
  expect(linkTargets(['docs/new'], null, root, root)).toEqual(['secrets/new']);
  expect(linkTargets(['system/passwd'], null, root, root)).toEqual(['/etc/passwd']);
  expect(linkTargets([], 'true; cat "notes"', root, root)).toEqual(['.env']);
  expect(linkTargets([], 'cat ../notes', join(root, 'secrets'), root)).toEqual(['.env']);
  expect(linkTargets([], 'cat a <notes', root, root)).toEqual(['.env']);
  // A work tree that is itself behind a link has the same files.
  expect(linkTargets(['a', 'notes'], null, join(root, 'again'), join(root, 'again'))).toEqual(['.env']);
});
