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
  ])('%j', (command) => {
    expect([judged(command).allowed, why(command)]).toEqual([true, '']);
  });
});

describe('C9 the words of a judgement', () => {
  it.each<[string, string]>([
    ['true; curl y', 'the pack denies Bash with an argument like curl *: it runs "curl y"'],
    ['cat a/.env', 'the pack denies Bash reading files like **/.env: it names "a/.env"'],
    ['duckdb x', 'duckdb is no program that a reader of lines knows'],
    ['cargo foo', 'cargo foo is no command that a reader of lines knows'],
    ['RUSTC=./x cargo build', 'it sets RUSTC, which may name a program, its options or a file'],
    ['git bisect run x; cp src x -r', 'git bisect run starts a program'],
    ['tar czf x.tgz src', '"src" may be one, or may hold one'],
    ['make curl y', '"curl y" has the words of one'],
    ["docker compose exec db psql -c '\\\\! x'", 'psql may do anything by the word'],
    ['echo "x', 'its syntax is not understood'],
    [`cat .env${'x'.repeat(200)}/../.env`, 'it names ".env"'],
  ])('%j: %s', (command, words) => {
    expect(why(command)).toContain(words);
  });
});
