// Tests are looked for in fewer places than before: told; a place that moved, was added or is a new script's own is not.
import { expect, it } from 'vitest';
import { compareTests } from '../../src/rules/index.ts';

const whatOf = (path: string, before: string | null, after: string): string[] =>
  compareTests(new Map([[path, before]]), new Map([[path, after]])).map(({ what }) => what);
const pytest = (members: string): string => `[tool.pytest.ini_options]\n${members}\n`;
const vitest = (include: string): string => `export default { test: { include: [${include}] } };\n`;
const script = (test: string, more = ''): string => `{"scripts":{"test":"${test}"${more}}}\n`;

it.each<[string, string, string | null, string, boolean]>([
  [
    'a folder within it',
    'pyproject.toml',
    pytest('testpaths = ["tests"]'),
    pytest('testpaths = ["tests/fast"]'),
    true,
  ],
  [
    'one folder of two',
    'pyproject.toml',
    pytest('testpaths = ["tests", "more"]'),
    pytest('testpaths = ["tests"]'),
    true,
  ],
  [
    'one file by name',
    'pyproject.toml',
    pytest('minversion = "7"'),
    pytest('python_files = "test_m.py"'),
    true,
  ],
  [
    'one file instead of a pattern',
    'vitest.config.js',
    vitest("'test/**/*.spec.js'"),
    vitest("'test/a.spec.js'"),
    true,
  ],
  [
    'one file for a script',
    'package.json',
    script('node --test'),
    script('node --test test/mul.test.js'),
    true,
  ],
  [
    'another folder',
    'pyproject.toml',
    pytest('testpaths = ["test"]'),
    pytest('testpaths = ["tests"]'),
    false,
  ],
  [
    'one more',
    'pyproject.toml',
    pytest('testpaths = ["tests"]'),
    pytest('testpaths = ["tests", "more"]'),
    false,
  ],
  ['a first folder', 'pyproject.toml', pytest('minversion = "7"'), pytest('testpaths = ["tests"]'), false],
  ['a wider pattern', 'vitest.config.js', vitest("'test/*.spec.js'"), vitest("'test/**/*.spec.js'"), false],
  ['the folder of all tests', 'package.json', script('node --test'), script('node --test test'), false],
  [
    'a new script of its own',
    'package.json',
    script('node --test'),
    script('node --test', ',"test:mul":"node --test test/mul.test.js"'),
    false,
  ],
])('X13a %s', (_, path, before, after, isNarrower) => {
  expect(whatOf(path, before, after)).toEqual(isNarrower ? ['deselected'] : []);
});

const ledTo = (place: string): string => pytest(`testpaths = ["${place}"]`);
const HELD_TESTS = ['pyproject.toml', 'tests/test_core.py', 'tests/data.csv', 'old/README.md'];

it.each<[string, string, string | null, readonly string[] | null, boolean]>([
  ['the tests stay where they were', 'tests', null, HELD_TESTS, true],
  ['they moved along', 'tests', 'tests/test_core.py', HELD_TESTS, false],
  ['there were none', 'old', null, HELD_TESTS, false],
  ['nobody knows what was there', 'tests', null, null, false],
])('X13a a setting that leads to another folder: %s', (_, from, moved, wasThere, isLeft) => {
  const before = new Map([['pyproject.toml', ledTo(from)]]);
  const after = new Map<string, string | null>([['pyproject.toml', ledTo('smoke')]]);
  if (moved !== null) before.set(moved, 'def test_core():\n    assert core() == 1\n');
  if (moved !== null) after.set(moved, null);
  const found = compareTests(before, after, undefined, null, wasThere);
  expect(found.some(({ what }) => what === 'deselected')).toBe(isLeft);
});
