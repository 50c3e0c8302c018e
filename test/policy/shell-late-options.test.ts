// Words that begin with `-` behind a file: options to some programs, files to others. And options that reach further than they look.
import { describe, expect, it } from 'vitest';
import { Grants, parseGrants } from '../../src/policy/authority/match-grants.ts';
import { shellNeeds } from '../../src/policy/authority/shell-needs.ts';
import { denialOf } from '../../src/record/authority.ts';
import { fileView } from './file-view.ts';

const view = fileView(
  ['/w/', '/w/src/', '/w/src/a', '/w/top', '/w/out/', '/w/out/o', '/w/out/d/', '/w/secret/', '/w/secret/key'],
  { '/w/out/d/up': '/w/secret' },
);
const PROGRAMS =
  'arch cat chmod cp cut diff echo grep head ls mkdir mv rm sort tail tee touch wc nice command'.split(' ');

function isAllowed(line: string, ...more: string[]): boolean {
  const { needs } = shellNeeds(line, { cwd: '/w', home: '/home/me', view });
  const texts = ['fs:read:src/**', 'fs:read:out/**', 'fs:write:out/**', ...more];
  const { allow } = parseGrants({
    allow: [...texts, ...PROGRAMS.map((name) => `process:exec:${name}`)],
    deny: [],
  });
  const grants = new Grants(allow, [], '/w');
  return needs.every((need) => grants.decide(need).allowed);
}

describe('O4 an option behind a file is a file as well', () => {
  it.each([
    'head src/a -n secret/key',
    'tail src/a -n secret/key',
    'head src/a -c /etc/passwd',
    'head src/a -n ../x',
    'head src/a -n TOP',
    'cut -f1 src/a -d secret/key',
    'grep src/a -e secret/key',
    'cd src && head a -n ../secret/key',
    'touch out/a -t secret/key',
    'touch out/a -d top',
    'mkdir out/e -m secret/x',
    'mkdir out/e -p',
    'mkdir -p ./-v/x; cp src/a out/b -v',
    'tee out/x -a',
    'cp src/a -v',
    'cp src/a top out/d -v out/d',
  ])('%s', (line) => expect(isAllowed(line)).toBe(false));

  it.each([
    'ls src -la',
    'head src/a -n 20',
    'head src/a -20',
    'tail src/a -f',
    'cp src/a out/b -v',
    'cp src/a -v out/b',
    'cp -v src/a out/d',
    'mv out/o out/b -f',
    'grep foo src -rn',
    'grep -rn foo src --include=*.ts',
    'rm out/o -f',
    'chmod 600 out/o -v',
    'cut src/a -d , -f 1',
    'sort src/a -k 2 -n',
    'wc src/a -l',
    'head -n secret/key src/a',
    'mkdir -p out/e',
    'mkdir -p out/e && cp src/a out/e -v',
  ])('nothing of that name is there, or it is none behind a file: %s', (line) =>
    expect(isAllowed(line)).toBe(true),
  );

  it('and is allowed with a grant for it', () => {
    expect(isAllowed('mkdir out/e -p', 'fs:write:**')).toBe(true);
    expect(isAllowed('head src/a -n top', 'fs:read:**')).toBe(true);
    expect(isAllowed('cp src/a -v', 'fs:write:**')).toBe(false);
  });

  it('which the refusal says', () => {
    expect(denialOf({ missing: ['fs:write:/w/-p'], unread: null })).toContain('write options first');
    expect(denialOf({ missing: ['fs:write:/w/p'], unread: null })).not.toContain('option');
  });
});

describe('O4 what reaches further than it looks', () => {
  it.each([
    'sort src/a -o -',
    'sort -o- src/a',
    'cp -rl out/d out/n',
    'cp -Rl out/d/. out/n/',
    'cp -rul out/d out/n',
    'cp -l -r out/d out/n',
    'cp --recursive -l out/d out/n',
    'cp -r out/d out/n',
    'cp -r out/? out/n',
    'cp -rp out/d/up out/n',
    'cp -Rr out/d out/n',
    'cp -r --link out/d out/n',
    'arch -x86_64 sh -c evil',
    'arch -arm64 evil',
    'nice arch -x86_64 sh',
    'arch -e A=b cat src/a',
    'command :',
  ])('%s', (line) => expect(isAllowed(line)).toBe(false));

  it.each(['sort src/a -o out/s', 'arch', 'arch -arm64 cat src/a', ': > out/e', 'true && false || :'])(
    '%s as before',
    (line) => expect(isAllowed(line)).toBe(true),
  );

  it.each(['$[', '$\\\n[', '$[1+', '`$['])(
    'and brackets that take long to read are given up: %j',
    (opener) => {
      for (const start of ['echo ', 'echo `echo ', 'echo "'])
        expect(
          shellNeeds(`evil\n${start}${opener.repeat(4000)}`, { cwd: '/w', home: null, view }).unread,
        ).toMatch(/brackets|long/);
    },
  );
});
