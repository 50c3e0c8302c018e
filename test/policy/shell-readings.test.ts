// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines for a shell
// Lines that one shell reads in another way than the next one, or than the parser: words that go on behind a line break, braces
// that end a command, brackets that hold code. And lines that look like them and stay what they are.
import { describe, expect, it } from 'vitest';
import { Grants, parseGrants } from '../../src/policy/authority/match-grants.ts';
import { shellNeeds } from '../../src/policy/authority/shell-needs.ts';
import { fileView } from './file-view.ts';

const view = fileView(
  ['/w/', '/w/src/', '/w/src/a', '/w/src/b.ts', '/w/out/', '/w/out/s', '/w/secret/', '/w/secret/key'],
  {},
);
const PROGRAMS =
  'cat cd echo grep ls sort cp mv mkdir printf true rm touch tee ln chmod tr git seq sleep pwd timeout command npm';
const GRANTS = parseGrants({
  allow: [
    'fs:read:src/**',
    'fs:*:out/**',
    'fs:*:/dev/null',
    ...PROGRAMS.split(' ').map((name) => `process:exec:${name}`),
  ],
  deny: ['fs:*:secret/**'],
});

function isAllowed(line: string): boolean {
  const { needs } = shellNeeds(line, { cwd: '/w', home: '/home/me', view });
  const grants = new Grants(GRANTS.allow, GRANTS.deny, '/w');
  return needs.every((need) => grants.decide(need).allowed);
}

function refuses(lines: readonly string[]): void {
  it.each(lines)('O4 refuses %j', (line) => expect(isAllowed(line)).toBe(false));
}

function allows(lines: readonly string[]): void {
  it.each(lines)('O4 allows %j', (line) => expect(isAllowed(line)).toBe(true));
}

describe('a line break behind a backslash, within a word', () => {
  refuses([
    'cat src/$\\\n1../secret/key',
    'rm -rf out/$\\\n1../secret',
    'cat src/a > out/$\\\n9../secret/x',
    'cd src/$\\\n9../secret && cat key',
    'cat "src/$\\\n{x-../secret/key}"',
    'cat src/a$\\\n{IFS}secret/key',
    'for f in q; do cat src/$f\\\noo../secret/key; done',
    'for f in out/q; do rm -r out/"$f\\\nz../secret"; done',
    'cat src/\\\na',
    'echo \\ \\\n$x',
    'echo a &\\\n& touch out/x',
    'echo a |\\\n| touch out/x',
    "cat <<'E'\nx\\\ny\nE\ncat src/$\\\n1",
    "cat <<'E'\n\\\nE\ncat src/$\\\n1",
    "cat <<'E' |\\\n|\\\nE\ncat src/$\\\n1",
    "echo `cat <<'E'\nx\\\ny\nE\n`",
    'cat <<E\nsrc/$\\\n{x}\nE',
  ]);
  allows([
    'npm test \\\n  -- --run',
    'git log \\\n  --oneline \\\n src',
    'echo a && \\\n  echo b',
    'echo a &&\\\n  echo b',
    'cat src/a |\\\n  sort',
    "cat > out/x.h <<'E'\n#define A(x) \\\n  do { x } while (0);\\\nE",
  ]);
});

describe('a brace that is part of a word', () => {
  refuses([
    'echo a}\\\n rm -r secret',
    'grep -r "" src/..}\\\n',
    'echo a}',
    'echo }',
    'echo a{',
    '{ echo a} always { touch secret/x; }',
    'echo $x} y',
    'echo [}]',
    'echo "a"} b',
    'echo a\\\\} b',
  ]);
  allows(['git stash show \'stash@{0}\' && git diff "@{u}"', 'echo \'a}\' "b}" \\} ${x}']);
  refuses(['git add {src/*(e:touch\\ secret/x:),b}', 'git add {"a b",$x}']);
});

describe('brackets that hold code', () => {
  refuses([
    'echo ${x:-src/a(e:touch secret/x:)}',
    'echo ${x-src/a(e:cat secret/key:)}',
    'true ${HOME:+src/a(e:touch secret/x:)}',
    'for f in ${x:-src/a(e:touch secret/x:)}; do echo "$f"; done',
    'git add ${x+src/a(e:touch secret/x:)}',
    'echo ${x:-secret/(K|J)ey}',
    'echo ${x:-=ls}',
    'echo ${x:-~root}',
    'echo ${x:-{}',
    'echo ${HOME%(a)} ${HOME/a/(b)}',
    "git status src/*(e:'touch secret/x':)",
    'git add src/?(e:touch secret/x:)',
    "tr *(e:'touch secret/x':) x",
    'npm test @(a|b)',
    'case x in +(a)) echo a;; esac',
  ]);
  allows(['git commit -m "fix (all)" ${x}', 'grep "a[0-9]*(b|c)$" src/a']);
});

describe('what other shells than bash have no word for', () => {
  refuses([
    'echo x &>out/z touch secret/x',
    'git status &>/dev/null rm -r secret',
    'echo x &>>out/z touch secret/x',
    '{ echo x &>out/z touch secret/x; }',
    'echo x &>/dev/null 2>&1 touch secret/x',
    'echo x >out/y &>out/z touch secret/x',
    'echo x &>/dev/null x=1 touch secret/x',
    '&>/dev/null echo x',
    "echo $'a\\'; cat secret/key #'",
    "git commit -m $'a\\'; touch secret/x #'",
    "tr $'a\\'; touch secret/x #' x",
    "case $'a\\' in *) touch secret/x;; esac #' in x) ;; esac",
    "for f in $'a\\'; do touch secret/x; done #'; do true; done",
    'echo x >&2-',
    'cat src/a 2>&1-',
    'cat src/a <&0-',
    'echo x >&p',
  ]);
  allows([
    'npm test >/dev/null 2>&1',
    'npm test >out/a 2>&1; echo x >&2',
    "printf 'a\\tb\\n' && echo 'it is'",
  ]);
});

describe('variables that zsh has a meaning for', () => {
  refuses([
    'for histchars in \'!^%\'; do echo "$(echo a #; cat secret/key\n)"; done',
    'for histchars in out/top; do rm -r "$histchars"; done',
    'for pipestatus in out/x; do true; cat src/a > "$pipestatus"; done',
    'for status in a; do echo "$status"; done',
    'for prompt2 in a; do echo x; done',
    'for galiases in a; do echo x; done',
    'for precmd_functions in a; do echo x; done',
    'for zsh_eval_context in a; do echo x; done',
  ]);
  allows(
    ['f', 'file', 'i', 'pkg', 'dir', 'name', 'word', 'test_file', 'module'].map(
      (name) => `for ${name} in src/a src/b.ts; do cat "$${name}"; done`,
    ),
  );
});

describe('everyday words of the shell', () => {
  refuses([
    'timeout 5 exit',
    'command -p break',
    '[[ -f src/a && -f src/b.ts ]]',
    '[[ -f secret/* ]]',
    "for f in 'secret/*'; do [[ -f $f ]]; done",
    '[[ -v x ]]',
    '[[ -n "$(touch secret/x)" ]]',
    "for i in $(seq 1 2) 'secret/*'; do echo $i; done",
    "seq() { echo 'secret/*'; }; for i in $(seq 1 2); do echo $i; done",
    'for i in $(seq 1 100000); do echo $i; done',
    'wait $x',
  ]);
  allows([
    'cd src || exit 1',
    'for i in 1 2 3; do npm test && break || continue; done',
    'for i in $(seq 1 5); do echo $i; cat src/$i; done',
    'true || exit $?',
  ]);
});

describe('O4 a line that takes long to read is given up', () => {
  const files = Array.from({ length: 900 }, (_, n) => `/w/src/f${n}`);
  const many = fileView(['/w/', '/w/src/', ...files, `/w/src/${'a'.repeat(200)}`]);
  let asked = 0;
  const counting: typeof many = {
    real: (path) => {
      asked++;
      return path;
    },
    isFolder: (path) => many.isFolder(path),
    names: (folder, wildcards) => many.names(folder, wildcards),
  };
  const unreadOf = (line: string): string | null => {
    asked = 0;
    return shellNeeds(line, { cwd: '/w', home: null, view: counting }).unread;
  };

  it.each<[string, string]>([
    ['a long line', `echo ${'a'.repeat(40_000)}`],
    ['wildcards', `ls src/${'*a'.repeat(8000)}b`],
    ['a path of many folders', `cat ${'a/'.repeat(600)}x`],
    ['many long paths', `cat ${Array.from({ length: 60 }, (_, n) => `b${n}/${'a/'.repeat(240)}`).join(' ')}`],
    ['braces', `echo ${'{'.repeat(16_000)}`],
    ['wrappers', `${'nice '.repeat(6000)}true`],
    ['loops in loops', `${'while cd a; do '.repeat(200)}ls x;${' done;'.repeat(200)}`],
    ['many wildcards', `cat ${'src/* '.repeat(5000)}`],
    ['a name behind folders', `${'cd d;'.repeat(9)}cp src/${'a'.repeat(30_000)}/b out/`],
    ['functions in functions', 'f()'.repeat(8000)],
  ])('%s', (_, line) => {
    expect(unreadOf(line)).not.toBeNull();
    expect(asked).toBeLessThan(50_001);
  });

  it('at once where nothing can be told of wildcards', () => {
    const { needs } = shellNeeds(`ls src/${'*a'.repeat(16)}b`, { cwd: '/w', home: null, view: many });
    expect(needs).toHaveLength(2);
  });

  it('and is read where it is only long', () => {
    expect(unreadOf(`git commit -m '${'a word '.repeat(4000)}'`)).toBeNull();
    expect(unreadOf(`cat > out/x <<'E'\n${'{"a": {}},\n'.repeat(2000)}E`)).toBeNull();
    expect(unreadOf(`echo "$(cat <<'E'\n${'\n'.repeat(30_000)}x\nE\n)"`)).toBeNull();
    expect(unreadOf(`ls ${'src/a '.repeat(300)}`)).toBeNull();
    expect(unreadOf(`${'if true; then :; fi; '.repeat(20)}echo 'x${'='.repeat(30_000)}'`)).toBeNull();
  });
});
