// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines for a shell
// Words and files that shells take for something else than they look like: a tilde behind a backslash, what a descriptor is
// open on, a coprocess that sets a variable, wildcards in words whose value is not known.
import { describe, expect, it } from 'vitest';
import { Grants, parseGrants } from '../../src/policy/authority/match-grants.ts';
import { shellNeeds } from '../../src/policy/authority/shell-needs.ts';
import { fileView } from './file-view.ts';

const view = fileView(
  ['/w/src/a', '/w/src/w/d/x', '/w/out/s', '/w/secret/key', '/home/me/.ssh/id_rsa', '/dev/null', '/dev/tty'],
  { '/dev/stdin': '/proc/self/fd/0', '/dev/stdout': '/proc/self/fd/1', '/dev/fd': '/proc/self/fd' },
);
const PROGRAMS = [
  'cat',
  'cd',
  'cp',
  'echo',
  'tee',
  'rm',
  'mv',
  'chmod',
  'unlink',
  'true',
  'sleep',
  'ls',
  'touch',
  'command',
];
const GRANTS = parseGrants({
  allow: [
    'fs:read:src/**',
    'fs:write:out/**',
    'fs:write:src/w/**',
    ...PROGRAMS.map((name) => `process:exec:${name}`),
  ],
  deny: ['fs:*:secret/**'],
});

function isAllowed(line: string): boolean {
  const { needs } = shellNeeds(line, { cwd: '/w', home: '/home/me', view });
  const grants = new Grants(GRANTS.allow, GRANTS.deny, '/w');
  return needs.every((need) => grants.decide(need).allowed);
}

describe('O4 what a shell takes for something else', () => {
  it.each([
    'cd src && cat ~/.ssh/id_rs\\a',
    'cd src/w && echo x > ~/.bashr\\c',
    'cd src && cd ~/.ss\\h && cat id_rsa',
    'cd src && cat ~root/.bashr\\c',
    'cd src && cat ~+/a\\b',
    'cd src; cat \\\n~/.ssh/id_rsa',
    'cat src/\\~/../../b',
  ])('a tilde, and a backslash somewhere behind it: %j', (line) => expect(isAllowed(line)).toBe(false));

  it.each([
    'echo x < src/a > /dev/stdin',
    'true < src/a > /dev/fd/0',
    'tee /dev/stdin < src/a',
    'echo x 1< src/a > /dev/stdout',
    'echo x 2< src/a > /dev/stderr',
    'echo x 1<> src/a > /dev/stdout',
    'echo x < src/a 1<&0 > /dev/stdout',
    'echo x < src/a >&0 > /dev/stdout',
    'cat /dev/fd/3 3>> out/s',
    'cat /dev/stdin 0> out/s',
    'cat /dev/stdout > out/s',
    'echo x > out/s <&1; cat /dev/stdin <&1',
    'cat /dev/./fd/3 3>> out/s',
    'cd /dev && cat fd/3',
  ])('a descriptor stands for whatever is open there: %s', (line) => expect(isAllowed(line)).toBe(false));

  it.each([
    'rm /dev/null',
    'rm -f /dev/tty',
    'unlink /dev/stdin',
    'chmod 600 /dev/null',
    'mv /dev/null out/x',
    'cp src/a /dev/null',
  ])('a device is a file to what removes or changes it: %s', (line) => expect(isAllowed(line)).toBe(false));

  it.each([
    'cat src/a > /dev/null 2>&1',
    'cat src/a 2> /dev/null | cat > out/x',
    'cat < /dev/null',
    'cat src/a | cat /dev/stdin',
    'echo x > /dev/stderr',
    'echo x >&2',
    'cat src/a > /dev/stdout 2>/dev/null',
    'cat src/a > /dev/tty',
  ])('what reads and writes no file stays as it was: %s', (line) => expect(isAllowed(line)).toBe(true));

  it.each([
    'cd src/w && coproc CDPATH { sleep 1; } && cd d && cat x',
    '((1>2))',
    '((1/2))',
    'select f in src/*; do true; done',
  ])('shells that have another meaning for it: %s', (line) => expect(isAllowed(line)).toBe(false));

  it.each([
    'echo $PWD/secret/*',
    'echo $HOME/.ssh/*',
    'echo ~root/*',
    'echo {secret/*,x}',
    'true ${x:-secret/*}',
    'echo ${x/y/secret/*}',
    "for f in 'secret/*'; do echo $f; done",
    'for x in $PWD/secret/*; do echo "$x"; done',
    "f() { echo $1; }; f 'secret/*'",
    "echo $(echo 'secret/*')",
    '/bin/echo $PWD/secret/*',
    'command echo $PWD/secret/*',
  ])('wildcards that are not known tell names: %s', (line) => expect(isAllowed(line)).toBe(false));

  it.each([
    "true 'secret/*'; echo $_",
    'echo ${_-}',
    "for f in 'secret/*'; do for g in $f; do echo $g; done; done",
    'ls() { echo "$@"; }; ls ${x-secret/*}',
    "ls() { echo ${1:-x}; }; ls 'secret/*'",
    "ls() { for x; do echo $x; done; }; ls 'secret/*'",
    "set -f; echo 'x'",
  ])('nor are those in the words of functions and loops: %s', (line) => expect(isAllowed(line)).toBe(false));

  it.each([
    'echo "$(; cat secret/key)"',
    'echo $(if true; then; python3; fi)',
    'echo `true; ; rm -r secret`',
    'echo $(() { python3 -c x })',
    'cat <<E\n$(; cat secret/key)\nE',
    'cat <(; cat secret/key)',
  ])('what the reader leaves out of a part of it: %j', (line) => expect(isAllowed(line)).toBe(false));

  it.each([
    'cd src && { cd /home/me/.ssh && false & cat id_rsa; }',
    'cd /home/me/.ssh && false & cat id_rsa',
    'cd src && cd /home/me/.ssh; cd /w/src &>/dev/null && cat id_rsa',
    'cd src && ! ! cd /home/me/.ssh && cat id_rsa',
    'cd /home/me/.ssh; command cd /w/src && cat id_rsa',
    'rm 10>/dev/null',
    'cat 10</dev/null',
    'cp src/a out/log 12>/dev/null',
    'touch -h src/w/d',
  ])('where it goes, and what is a word, is not the same in all shells: %s', (line) =>
    expect(isAllowed(line)).toBe(false),
  );

  it.each([
    'echo $PWD',
    'echo "$HOME" ${USER} "$PWD/*"',
    'for f in src/a out/x; do echo $f; done',
    'echo src/*',
    'cd src && cat a 2>&1 | cat',
    'cat src/a 2>&1 | cat &',
    '! cat src/a',
    'command cat src/a; for f in src/a; do cat "$f"; done',
    'echo "$(cat src/a)" && cat src/a > out/x 2>&1',
  ])('words without any are read as before: %s', (line) => expect(isAllowed(line)).toBe(true));
});
