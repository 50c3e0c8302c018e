// What holds for all runners at once: a runner is named in its own file, what is known of it agrees, and tables of
// different ecosystems do not take each other's names.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configs, isConfigName, kindOf, outputs, toolOf, traitsOf } from '../../src/ecosystems/index.ts';
import { testCounts } from '../../src/record/index.ts';

const root = join(import.meta.dirname, '../../src');

/** Code without comments: an example in one names no rule. */
function codeOf(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm, '');
}

/** Files that name runners for another reason than to know them, and why. */
const ELSEWHERE = [
  'claims/', // words of messages
  'shell/looks-like-check.ts', // one cheap look before every command, without any table
  'rules/run-of-tests.ts', // whether a command could be the run that a message tells of, whatever it ran
  'policy/everyday-programs.ts', // programs that run the project's own code, whatever they check
];

describe('a runner', () => {
  it.each(['vitest', 'pytest', 'jest', 'mocha'])('is known in its own ecosystem: %s', (name) => {
    const word = new RegExp(`\\b${name}\\b`);
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => file.endsWith('.ts') && word.test(codeOf(file)));
    expect(
      files.filter(
        (file) => !file.startsWith('ecosystems/') && !ELSEWHERE.some((place) => file.startsWith(place)),
      ),
    ).toEqual([]);
  });

  it.each([
    ['vitest', 'test'],
    ['pytest', 'test'],
    ['playwright', 'test'],
    ['cypress', 'test'],
    ['tsc', 'types'],
    ['mypy', 'types'],
    ['eslint', 'lint'],
    ['gofmt', 'format'],
    ['cargo', null],
    ['constructor', null],
  ])('says by its name what it is for: %s, %s', (name, kind) => {
    expect(kindOf(name)).toBe(kind);
  });

  it.each(['vitest', 'jest', 'pytest', 'unittest', 'rspec', 'exunit', 'bun test'])(
    'fails in the words that its own output is read by: %s',
    (name) => {
      const { failing = [] } = traitsOf(name) ?? {};
      const text = { unittest: 'Ran 3 tests in 0.1s\n', 'bun test': ' 2 pass\n' }[name] ?? '';
      const after = name === 'bun test' ? '\nRan 3 tests across 1 file. [1.00ms]' : '';
      const sums = failing.map((lines) => [lines].flat()[0]);
      const counts = testCounts(`${text}${sums.join('\n')}${after}\n`);
      expect([counts?.runner, (counts?.failed ?? 0) > 0]).toEqual([name, true]);
    },
  );

  it('has signs, and a table that is built once', () => {
    for (const { signs } of outputs()) expect(signs.length).toBeGreaterThan(0);
    expect(toolOf('vitest')).toBe(toolOf('vitest'));
    expect(toolOf('toString')).toBeUndefined();
  });

  it('of a project is found by its file, Python last', () => {
    const files = configs().flatMap(({ projects = [] }) => projects.map(([file]) => file));
    expect(new Set(files).size).toBe(files.length);
    expect(files.indexOf('pyproject.toml')).toBeGreaterThan(files.indexOf('pom.xml'));
    expect(isConfigName('vitest.config.ts')).toBe(true);
    expect(isConfigName('src.ts')).toBe(false);
  });
});
