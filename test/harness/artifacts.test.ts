// Which files of a work tree are artifacts, and what of an agent's making is refused.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findArtifacts } from '../../src/harness/index.ts';
import { temporary } from '../temporary.ts';

function tree(paths: readonly string[]): string {
  const root = temporary();
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `// ${path}\n`);
  }
  return root;
}

const found = (root: string, ...outputs: string[]): string[] =>
  findArtifacts(root, outputs).map(({ path }) => path);

describe('C10 artifacts of a work tree', () => {
  it('are the files that outputs name, sorted, and no others', () => {
    const root = tree([
      ...['src/b.js', 'src/a.js', 'src/deep/c.js', 'docs/x.md', 'README.md', 'other/a.js'],
      ...['src/node_modules/evil.js', 'src/.git/config', 'src/__pycache__/a.pyc'],
    ]);
    expect(found(root, 'src/**', 'README.md')).toEqual([
      'README.md',
      'src/a.js',
      'src/b.js',
      'src/deep/c.js',
    ]);
    expect(found(root, '*/a.js')).toEqual(['other/a.js', 'src/a.js']);
    expect(found(root, '**/c.js')).toEqual(['src/deep/c.js']);
    expect([found(root), found(root, 'no/**')]).toEqual([[], []]);
    expect(Buffer.from(findArtifacts(root, ['src/a.js'])[0]?.bytes ?? []).toString()).toBe('// src/a.js\n');
  });

  it('are no links, neither files nor folders, wherever these lead', () => {
    const root = tree(['src/a.js', 'real/b.js']);
    symlinkSync('/etc/hostname', join(root, 'aside'));
    expect(found(root, 'src/**')).toEqual(['src/a.js']);
    symlinkSync('a.js', join(root, 'src/link.js'));
    expect(() => found(root, 'src/**')).toThrow(/^src\/link\.js: an output is a link\. Replace it/);
    symlinkSync('real', join(root, 'lib'));
    expect(() => found(root, 'lib/b.js')).toThrow(/^lib: an output is a link/);
    expect(found(root, 'src/a.js')).toEqual(['src/a.js']);
  });

  it('are no pipes, and a pipe aside is not waited for', () => {
    const root = tree(['src/a.js']);
    execFileSync('mkfifo', [join(root, 'src/pipe')]);
    expect(found(root, 'src/*.js')).toEqual(['src/a.js']);
    expect(() => found(root, 'src/*')).toThrow(/^src\/pipe: an output is not a plain file/);
  });

  it('are bounded in depth and size', () => {
    const root = tree([`src/${'d/'.repeat(32)}a.js`, 'big/a', 'big/b']);
    expect(() => found(root, 'src/**')).toThrow(/deeper than 32 folders/);
    for (const name of ['a', 'b']) truncateSync(join(root, 'big', name), 150 * 1024 * 1024);
    expect(() => found(root, 'big/*')).toThrow(/the outputs have more than 268435456 bytes\. Name fewer/);
    truncateSync(join(root, 'big/a'), 300 * 1024 * 1024);
    expect(() => found(root, 'big/*')).toThrow(/big\/a is larger than/);
  });

  it('have names that mean the same file everywhere', () => {
    const root = tree(['src/a.js', 'src/A.js']);
    expect(() => found(root, 'src/**')).toThrow(/same file/);
    expect(found(root, 'src/a.js')).toEqual(['src/a.js']);
  });
});
