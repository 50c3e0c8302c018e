// Commands that a prompt names in plain words, each whole, and the words that are left.
import { expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { readContract } from '../../src/rules/index.ts';
import { isWord } from '../../src/shell/programs.ts';
import { HTTP } from '../../src/shell/runners/http.ts';
import { SHIP } from '../../src/shell/runners/ship.ts';

const fields = (prompt: string) => readContract(prompt, DEFAULT_POLICY).fields;

it.each<[string, string[]]>([
  ['Fix it and run go test ./...', ['go test ./...']],
  ['Please run go vet ./....', ['go vet ./...']],
  ['run mypy . and fix what it says', ['mypy .']],
  ['Run npm test and npm run lint.', ['npm test', 'npm run lint']],
  ['run go test ./..., then go vet ./... and fix the parser', ['go test ./...', 'go vet ./...']],
  ['run npm test, and then also make check until it passes', ['npm test', 'make check']],
  ['Run npm test and fix what fails', ['npm test']],
  ['run npm test. Make the parser faster.', ['npm test']],
  ['run the tests and npm', []],
  ['run npm test and make it pass', ['npm test']],
  ['run npm test, make the parser faster and go home', ['npm test']],
  ['run npm test. npm run lint is not needed', ['npm test']],
  ['run npm test and make sure that it passes', ['npm test']],
])('B2a commands: %s', (prompt, commands) => {
  expect(fields(prompt).command_hints).toEqual(commands);
});

it.each([
  ['Fix the login with [REDACTED:github-token] today', ['login', 'today']],
  ['Fix the login with [REDACTED:password]#2 today', ['login', 'today']],
  ['Fix the redacted output', ['redacted', 'output']],
])('B2a what a secret was replaced by is no keyword: %s', (prompt, keywords) => {
  expect(fields(prompt).keywords).toEqual(keywords);
});

it('B2a whatever ships or asks is a command', () => {
  const names = Object.keys({ ...SHIP, ...HTTP }).filter((name) => !isWord(name));
  expect(names.length).toBeGreaterThan(50);
  const missed = names.filter((name) => fields(`run \`${name} now\``).command_hints.length === 0);
  expect(missed).toEqual([]);
});

it.each<[string, string[]]>([
  ['Make sure pytest passes after you change the parser', ['pytest']],
  ['Fix it and verify with go test ./... -run TestClock', ['go test ./... -run TestClock']],
  ['before you finish, npm run lint must be green. Tidy it', ['npm run lint']],
  ['Use pnpm test to verify.', ['pnpm test']],
  ['Please ensure that npm run build works', ['npm run build']],
  ['tsc should be clean and eslint . too', ['tsc', 'eslint .']],
  ['Fix it; test with: make test', ['make test']],
  ['npm install left-pad and use it', ['npm install left-pad']],
  ['git rebase main, resolve the conflicts', ['git rebase main']],
  ['Helm upgrade the chart', ['helm upgrade']],
  ['Make sure npx vitest run passes', ['npx vitest run']],
  ['Make sure ./gradlew test and python -m app.tests pass', ['./gradlew test', 'python -m app.tests']],
  ['python manage.py migrate, then node bin/seed.js', ['python manage.py migrate', 'node bin/seed.js']],
  ['Ensure ruff check . passes', ['ruff check .']],
  ['pytest', ['pytest']],
  ['docker logs api', ['docker logs api']],
  ['git commit -m "Fix the cart" --no-verify', ['git commit -m "Fix the cart" --no-verify']],
  ['docker build -t x . && git push --force', ['docker build -t x .', 'git push --force']],
])('B2a commands without a mark: %s', (prompt, commands) => {
  expect(fields(prompt).command_hints).toEqual(commands);
});

it.each([
  'make sure that it works, go on and test the button',
  'node count, python code, git history',
  'The npm test script is broken, and so is our cargo test setup',
  'Switch from jest to vitest; jest should be replaced by vitest',
  'Upgrade to node 22, python 3.12 and go 1.22',
  'Fix ./run.sh, node test and python tests',
  'npm install hangs, npm audit finds 3 problems and cargo test takes forever',
  'make tests pass, make build and test faster',
  'Go build the feature. Just check it.',
  'mise run fails, make test names shorter, never npm publish',
])('B2a no command: %s', (prompt) => {
  expect(fields(prompt).command_hints).toEqual([]);
});
