// Paths whose meaning no text tells: those of /proc and /dev, a folder as standard input, wildcards that may find nothing or turn
// back, and links that lead elsewhere from another folder.
import { describe, expect, it } from 'vitest';
import { UNSEEN } from '../../src/policy/authority/files.ts';
import { encodeNeed } from '../../src/policy/authority/need.ts';
import { shellNeeds } from '../../src/policy/authority/shell-needs.ts';
import { readingsOf } from '../../src/policy/authority/tool-needs.ts';
import { fileView } from './file-view.ts';

const view = fileView(
  [
    '/w/',
    '/w/src/',
    '/w/src/a',
    '/w/src/b.ts',
    '/w/out/',
    '/w/out/e/',
    '/w/out/e/x',
    '/w/out/m/',
    '/dev/null',
  ],
  { '/w/out/q': '/w/secret/key', '/dev/stdin': '/proc/self/fd/0', '/dev/fd': '/proc/self/fd' },
);
const read = (line: string) => shellNeeds(line, { cwd: '/w', home: '/home/me', view });

describe('O4 a line that cannot be read', () => {
  it.each([
    ['cat /proc/self/cwd/../../w/src/a', '/proc or /dev'],
    ['cat /proc/cpuinfo', '/proc or /dev'],
    ['cd out && cat ../../proc/self/environ', '/proc or /dev'],
    ['echo x > /proc/self/cwd/../a', '/proc or /dev'],
    ['/proc/self/cwd/../cat src/a', '/proc or /dev'],
    ['cat /dev/sda', '/proc or /dev'],
    ['cat /dev/fd/0/../../x', '/proc or /dev'],
    ['cat /d*/f*/0', '/proc or /dev'],
    ['diff /dev/stdin src/a', '/proc or /dev'],
    ['grep -r K /dev/stdin', '/proc or /dev'],
    ['ls -R /dev/fd/0', '/proc or /dev'],
    ['cat /dev/stdin < src', 'its standard input is a folder'],
    ['cmp - src/a < out/e', 'its standard input is a folder'],
    ['cp -R out/e*/.. .', 'a wildcard in a path with . or ..'],
    ['ls -d .*', 'a wildcard in a path with . or ..'],
    ['cat src/./*.ts', 'a wildcard in a path with . or ..'],
    ['mkdir -p ou?/new/x', 'some of that is not there'],
    ['rm -f out/*.none', 'some of that is not there'],
    ['touch out/?/x', 'some of that is not there'],
    ['ln -s src/?.ts out', 'makes links of what its wildcards find'],
    ['cp -s /w/src/?.ts out', 'makes links of what its wildcards find'],
    ['cp -l src/?.ts out', 'makes links of what its wildcards find'],
    ['mv out/q src/q', 'it moves or copies a link'],
    ['mv out new', 'it moves or copies a link'],
    ['cp -P out/q src/q', 'it moves or copies a link'],
    ['ln out/q src/q', 'it moves or copies a link'],
  ])('%s: %s', (line, why) => expect(read(line).unread).toContain(why));

  it.each([
    'cat src/a > /dev/null 2>&1',
    'cat src/a | cat /dev/stdin',
    'head -c 8 /dev/urandom',
    'cat < src/a',
    'cat ../w/src/*.ts ./src/?',
    'rm -f out/e/?',
    'mv src/a src/b',
    'ls .env*',
    'cat /dev/shm/x',
  ])('is not this one: %s', (line) => expect(read(line).unread).toBeNull());

  it('needs the word itself, too, where its wildcard may find nothing', () => {
    expect(read('cat out/*/x').needs.map(encodeNeed)).toContain('fs:read:/w/out/\\*/x');
  });
});

it('O4 a path of a tool may be any file behind a link of a process', () => {
  expect(readingsOf('/proc/self/cwd/../../w/secret', '/w', view)).toContain(UNSEEN);
});
