// Trees of git, as git itself writes them, and whatever else is given in their place.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import { ParseError } from '../../src/core/index.ts';
import { gitObjectHash, readTree } from '../../src/format/index.ts';

let root = '';
const git = (...words: string[]): Buffer => execFileSync('git', words, { cwd: root });

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'counterfoil-tree-'));
  git('init', '-q');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('C16 reads what git writes: files, folders and links, by the names that git gives them', () => {
  writeFileSync(join(root, 'a.txt'), 'made\n');
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src/ü b.mjs'), '');
  symlinkSync('a.txt', join(root, 'link'));
  git('add', '.');
  const tree = git('write-tree').toString().trim();
  const entries = readTree(tree, git('cat-file', 'tree', tree));
  expect(entries.map(({ kind, name }) => [kind, name])).toEqual([
    ['file', 'a.txt'],
    ['other', 'link'],
    ['folder', 'src'],
  ]);
  expect(entries[0]?.hash).toBe(gitObjectHash('blob', utf8Encode('made\n'), tree));
  const folder = entries[2]?.hash ?? '';
  expect(readTree(folder, git('cat-file', 'tree', folder))[0]?.name).toBe('ü b.mjs');
});

const row = (mode: string, name: string): Uint8Array =>
  new Uint8Array([...utf8Encode(`${mode} ${name}\0`), ...new Uint8Array(20)]);

it.each([
  ['a name twice', [row('100644', 'a'), row('100755', 'a')]],
  ['a path in place of a name', [row('100644', 'src/a')]],
  ['a folder above', [row('40000', '..')]],
  ['no name', [row('100644', '')]],
  ['a hash that is cut short', [row('100644', 'a').subarray(0, -1)]],
])('refuses %s, also under the name that git would give it', (_, rows) => {
  const object = new Uint8Array(rows.flatMap((each) => [...each]));
  const name = gitObjectHash('tree', object, 'a'.repeat(40));
  expect(() => readTree(name, object)).toThrow(ParseError);
});

it('throws nothing but ParseError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(40, 64), (object, length) => {
      try {
        readTree(gitObjectHash('tree', object, 'a'.repeat(length)), object);
      } catch (error) {
        expect(error).toBeInstanceOf(ParseError);
      }
    }),
  );
});
