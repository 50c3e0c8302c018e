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
