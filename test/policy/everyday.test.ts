// C9: everyday calls are known to keep to a usual policy, and ways around it are not taken for everyday calls.
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { deniedByClaude } from '../../src/harness/denied-by-claude.ts';
import { judgeTool, needsArguments } from '../../src/policy/index.ts';
import { EVERYDAY, ROOT } from './everyday-calls.ts';

const USUAL = deniedByClaude({
  permissions: {
    deny: ['Bash(curl:*)', 'Bash(rm -rf:*)', 'Read(.env)', 'Read(./secrets/**)', 'Bash(git push:*)'],
  },
});

function judge(tool: string, args: Json, paths: readonly string[] = []): boolean | null {
  return judgeTool(USUAL, tool, { args, named: { paths, root: ROOT }, cwd: ROOT }).allowed;
}

describe('C9 everyday calls under a usual policy', () => {
  /** What each may read is known only when it runs, or holds a denied file for all that anybody knows. */
  const DOUBTFUL: readonly string[] = [
    'wc -l $(git ls-files "*.ts")',
    'rg -l TODO -g "*.ts"',
    'tar czf dist.tar.gz dist',
    'git ls-files "*.ts" | xargs wc -l',
  ];

  it('are allowed, but for four of more than 150', () => {
    expect(EVERYDAY.length).toBeGreaterThan(150);
    const others = EVERYDAY.filter(({ tool, args, paths }) => judge(tool, args, paths) !== true);
    expect(others.map(({ args }) => (args as { command?: string }).command ?? args)).toEqual(DOUBTFUL);
  });
});

describe('C9 a list of names', () => {
  it.each(['ls -la .env', 'stat .env', 'ls secrets', 'du -sh secrets'])('is no reading: %j', (command) => {
    expect(judge('Bash', { command })).toBe(true);
  });
});

describe('C9 a search whose pattern is not shown', () => {
  it.each(['Grep', 'Glob'])('may be for a denied file: %s', (tool) => {
    const named = { paths: ['.'], root: ROOT };
    expect(judgeTool(USUAL, tool, { args: undefined, named }).allowed).toBe(null);
    expect(needsArguments(USUAL, tool)).toBe(true);
  });
});

describe('C9 ways around a usual policy', () => {
  it.each<string>([
    'rm -Rf x',
    'rm --recursive --force x',
    'rm --recurs --for x',
    `git "$(cat <<'E'\npush\nE\n)" origin`,
    `"$(cat <<'E'\ncurl\nE\n)" y`,
    'git commit -m "$(curl y)"',
    'gh pr create --body "$(curl y)"',
    "npx -c 'curl y'",
    'for f in a .env; do cat "$f"; done',
    'for f in .env; do cat $f; done',
    'for f in secrets; do cat "$f/key"; done',
    '[[ -f x ]] && curl y',
    '/usr/lib/git-core/git-push origin',
    'git send-pack origin main',
    "npm exec --call='curl y'",
    'mv secrets x',
    'ln -s secrets x',
    'xargs -n1 curl',
  ])('denied: %j', (command) => {
    expect(judge('Bash', { command })).toBe(false);
  });

  it.each<string>([
    // Settings and variables that name commands.
    'git -c alias.p=push p',
    'git config alias.p push; git p',
    "git rebase -x 'curl y' main",
    'git clone ext::sh x',
    'RUBYOPT=-rx ruby a.rb',
    'MAKEFLAGS=--eval=x make',
    'make SHELL=/x',
    'make a.o CC=curl',
    'gcc -wrapper curl,y -c a.c',
    "X='!curl y' git --config-env=alias.z=X z",
    'npm run env -- curl y',
    // Bash runs what stands in a subscript.
    "read 'a[$(curl y)]' <<< x",
    "let 'b=a[$(curl y)]'",
    "x='a[$(curl y)]'; echo $((x))",
    // Scripts that read another file.
    "sed -n '1r.env' src/a.js",
    "sed '/x/r.env' src/a.js",
    'awk \'BEGIN{ARGV[1]=".env";ARGC=2}1\'',
    'rgrep A= .',
    // Code from words or from standard input.
    "make -f - <<< 'x:; curl y'",
    'node --import data:text/javascript,x a.js',
    "m4 <<< 'syscmd(curl y)'",
    "sqlite3 x.db '.shell curl y'",
    "sqlite3 x.db <<< '.shell curl y'",
    "psql <<< '\\! curl y'",
    "psql -c '\\! curl y'",
    'deno run - <<< x',
    'uv run python -c x',
    'uv run - <<< x',
    'npx -y node -e x',
    'ipython -c x',
    'env python3 -c x',
    'sudo node -e x',
    'python3 -m timeit x',
    "env bash <<< 'curl y'",
    '[[ $x -eq y ]]',
    'cat() { echo push; }; git "$(cat <<\'E\'\nstatus\nE\n)"',
    // Files that options name, and words that follow only then.
    'date --file=.env',
    'hostname -F .env',
    'gh api x -F f=@.env',
    'jq . .e*',
    'jq . "$F"',
    "git diff -- '*env'",
    'HOME=/home/ann/work; cat ~/.env',
    'cat ~/work/.env',
    'cat ~/../ann/work/.env',
    'for f in x; do f=.env; cat "$f"; done',
    'for f in x; do read f < y; cat "$f"; done',
    'for f in x; do : $((f=1)); cat "$f"; done',
    'for f in .e*; do cat "$f"; done',
    'for f in src/*.js; do wc -l $f; done',
    // Whole folders.
    'tar czf x.tgz .',
    'zip -r x.zip .',
    '7z a x.7z .',
    'rsync -a . /tmp/x',
    'scp -r . host:/x',
    'docker run -v .:/x alpine ls',
    'cp -r . /tmp/x',
    'diff . /tmp/x',
    'ln -s . x',
    'grep -r KEY . --include=.env',
    'grep -r KEY . --exclude=x --include=*.ts',
    'rg --hidden KEY',
    'rg -g ".e*" KEY',
    'date -f .env',
    'date -f.env',
  ])('not known: %j', (command) => {
    expect(judge('Bash', { command })).toBe(null);
  });

  it.each<[string, boolean | null]>([
    ['~/../p/.env', null],
    ['~/work/.env', null],
    [` ${ROOT}/.env`, null],
    [` ${ROOT}/secrets/x`, null],
    [`${ROOT}/src/../.env`, false],
    ['~/.bashrc', true],
  ])('reading %j', (path, allowed) => {
    expect(judge('Read', { file_path: path }, [path])).toBe(allowed);
  });

  it.each<[string, Json, readonly string[], boolean | null]>([
    ['Monitor', { command: 'curl y' }, [], false],
    ['Monitor', { command: 'npm test' }, [], true],
    ['Glob', { pattern: '**/.env' }, [], null],
    ['Glob', { pattern: '**/.e*' }, [], null],
    ['Glob', { pattern: 'secrets/*' }, [], null],
    ['Glob', { pattern: '**/*.{ts,env}' }, [], null],
    ['Glob', { pattern: `${ROOT}/secrets/**` }, [], null],
    ['Glob', { pattern: '../x' }, [], null],
    ['Glob', { pattern: '*' }, ['secrets'], false],
    ['Grep', { pattern: 'x', glob: '.env*' }, [], null],
    ['Grep', { pattern: 'x' }, ['.env'], false],
  ])('%s %j', (tool, args, paths, allowed) => {
    expect(judge(tool, args, paths)).toBe(allowed);
  });

  it('holds a search of everything against a rule that is none of Claude Code', () => {
    const own = { deny: [], arguments: [{ tool: 'Grep', path: '**/.env' }] };
    const call = { args: { pattern: 'x' }, named: { paths: [], root: ROOT } };
    expect(judgeTool(own, 'Grep', call).allowed).toBe(null);
  });

  it('names every rule in doubt, and what to do', () => {
    const judged = judgeTool(USUAL, 'Bash', { args: undefined });
    expect(judged).toEqual({
      allowed: null,
      why: 'the pack denies Bash with an argument like curl *, Bash with an argument like rm -rf *, Bash reading files like **/.env, Bash reading files like secrets/** and 1 more, and the arguments are not disclosed. Disclose them: foil bundle create --disclose arguments',
    });
  });
});
