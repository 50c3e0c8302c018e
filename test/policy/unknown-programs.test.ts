// C9: a program that the reader of lines does not know is not taken for one that keeps to the rules, and known ones are not
// trusted with words by which they do something else.
import { describe, expect, it } from 'vitest';
import { deniedByClaude } from '../../src/harness/denied-by-claude.ts';
import { judgeTool, type ToolJudgement } from '../../src/policy/index.ts';
import { ROOT } from './everyday-calls.ts';
import { DENIED, UNKNOWN } from './ways-around.ts';

const USUAL = deniedByClaude({
  permissions: {
    deny: [
      'Bash(curl:*)',
      'Bash(rm -rf:*)',
      'Read(.env)',
      'Read(./secrets/**)',
      'Bash(git push:*)',
      'WebFetch(domain:evil.example)',
    ],
  },
});

const judged = (command: string): ToolJudgement =>
  judgeTool(USUAL, 'Bash', { args: { command }, named: { paths: [], root: ROOT }, cwd: ROOT });
const why = (command: string): string => {
  const found = judged(command);
  return found.allowed === true ? '' : found.why;
};

describe('C9 ways around a usual policy by programs', () => {
  it.each(UNKNOWN)('not known: %j', (command) => {
    expect(judged(command).allowed).toBe(null);
  });

  it.each(DENIED)('denied: %j', (command) => {
    expect(judged(command).allowed).toBe(false);
  });
});

describe('C9 lines that are known to keep to the rules', () => {
  it.each<string>([
    'docker compose down -v',
    'docker compose exec db psql -c "select 1"',
    'docker compose exec -T db psql -U app -c "select * from users where id = 1; "',
    'docker compose run --rm app npm test',
    'docker run --rm -it node:20 node --version',
    'docker exec -it app ls',
    'docker build -t work:dev .',
    'find . -name "*.pyc" -delete',
    'find dist -type f -delete',
    'find src -name "*.ts" -exec wc -l {} +',
    'jq ".a = 1" package.json > t && mv t package.json',
    'cat dist/*',
    'cat src/*/*.ts',
    'command -v curl',
    'env NODE_ENV=test npm test',
    'sudo apt-get install -y jq',
    'foo --version',
    './scripts/release.sh --dry-run',
    'node_modules/.bin/vitest run',
    `${ROOT}/node_modules/.bin/tsc --noEmit`,
    'python3 -m app.main --port 3000',
    'python3 -m json.tool package.json',
    'python3 -m venv .venv && source .venv/bin/activate && pip install -e .',
    'yarn dev',
    'pnpm run build:prod',
    'kubectl get pods -n app -o wide',
    'kubectl logs deploy/app --tail 50',
    'terraform plan',
    'git submodule update --init --recursive',
    'git clone https://github.com/a/b.git /tmp/b',
    'git -C packages/core log --oneline -5',
    'jobs -l',
    'find src -name "*.ts" -execdir wc -l {} +',
    'pnpm -C packages/core test',
    'pnpm --filter core vitest run',
    'yarn workspace core test',
    'uv run --directory api pytest -q',
    'git diff main src/a.ts',
    'git diff HEAD -- . src',
    "git diff -- ':(exclude)package-lock.json' .",
    'git log -L1,5:src/a.ts',
    'git show ":/fix bug"',
    'git add :/',
    "git grep -n foo -- src/a.ts 'src/b.ts'",
    'sqlite3 x.db "select count(*) from users"',
    "psql -Upostgres -h localhost -c 'select 1'",
    'dotnet build -p:Configuration=Release',
    'kubectl create job x --image=y -- npm test',
    "gh release upload v1 'dist/a.tgz#x'",
    '[ "$A" = "$B" ] && npm test',
    '[ -n "$CI" ] || npm test',
    'if [ $? -eq 0 ]; then echo ok; fi',
    'test -z "$X"',
    'export FOO=bar && npm test',
  ])('%j', (command) => {
    expect([judged(command).allowed, why(command)]).toEqual([true, '']);
  });
});

describe('C9 what a person reads of a call', () => {
  it('is no command', () => {
    const args = { command: 'npm test', description: 'curl y' };
    expect(judgeTool(USUAL, 'Bash', { args, cwd: ROOT }).allowed).toBe(true);
  });

  it('is looked at if the tool is not known', () => {
    const policy = { deny: [], arguments: [{ tool: 'mcp__x', matches: 'curl *' }] };
    const args = { command: 'npm test', description: 'curl y' };
    expect(judgeTool(policy, 'mcp__x', { args, cwd: ROOT }).allowed).toBe(false);
  });
});

describe('C9 a line for a program that is no shell', () => {
  it.each<[string, boolean | null]>([
    ['/bin/zsh', true],
    ['/usr/bin/curl', null],
  ])('%s', (shell, allowed) => {
    const args = { command: 'npm test', shell };
    expect(judgeTool(USUAL, 'Bash', { args, cwd: ROOT }).allowed).toBe(allowed);
  });
});

describe('C9 an address without a scheme', () => {
  it.each<[string, boolean | null]>([
    ['evil.example/x', null],
    ['//evil.example', null],
    ['evil\uff0eexample', null],
    ['good.example/evil.example', true],
    ['evil.example is a host', true],
  ])('%s', (url, allowed) => {
    expect(judgeTool(USUAL, 'WebFetch', { args: { url } }).allowed).toBe(allowed);
  });
});

describe('C9 git grep', () => {
  it.each<[string, boolean | null]>([
    ["git grep -n foo -- '*.ts'", true],
    ["git grep -n foo -- 'src/*.ts' docs/a.md", true],
    ["git grep -n foo -- '*.e*'", null],
    ["git grep foo -- ':/'", null],
    ['git grep foo -- src', null],
    ['git grep foo', null],
    ['git grep -f .env -- a.ts', null],
  ])('under a rule about .env: %s', (command, allowed) => {
    const policy = deniedByClaude({ permissions: { deny: ['Read(.env)'] } });
    const named = { paths: [], root: ROOT };
    expect(judgeTool(policy, 'Bash', { args: { command }, named, cwd: ROOT }).allowed).toBe(allowed);
  });
});

describe('C9 the words of a judgement', () => {
  it('say a reason once', () => {
    expect(why('duckdb x').split('duckdb').length).toBe(2);
  });

  it.each<[string, string]>([
    ['true; curl y', 'the pack denies Bash with an argument like curl *: it runs "curl y"'],
    ['cat a/.env', 'the pack denies Bash reading files like **/.env: it names "a/.env"'],
    ['duckdb x', "foil doesn't know the program duckdb"],
    ['cargo foo', "foil doesn't know the command cargo foo"],
    ['git --no-pager bundle create x', "foil doesn't know the command git bundle. Have the agent"],
    ['RUSTC=./x cargo build', 'it sets RUSTC, which may name a program, its options or a file'],
    ['git bisect run x; cp src x -r', 'git bisect run starts a program'],
    ['tar czf x.tgz src', '"src" may be one, or may hold one'],
    ['make curl y', '"curl y" has the words of one'],
    ["docker compose exec db psql -c '\\\\! x'", 'psql may do anything'],
    ['echo "x', 'its syntax is not understood'],
    [`cat .env${'x'.repeat(200)}/../.env`, 'it names ".env"'],
  ])('%j: %s', (command, words) => {
    expect(why(command)).toContain(words);
  });
});
