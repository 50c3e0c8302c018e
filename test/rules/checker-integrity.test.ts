// Type checkers and linters that were made to find less, and configurations that take the place of others: what is told,
// with the lines that show it, and what must not be.
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { compareTests, type Profile, parseProfile, profileOf, readContract } from '../../src/rules/index.ts';

type Files = Readonly<Record<string, string | null>>;

/** `path what of: lines`, each. */
function told(before: Files, after: Files): string[] {
  return compareTests(new Map(Object.entries(before)), new Map(Object.entries(after))).map(
    ({ path, what, of = 'test', lines }) => `${path} ${what} ${of}: ${lines.join(' | ')}`,
  );
}

const ts = (options: string, more = ''): string => `{\n  "compilerOptions": { ${options} }${more}\n}\n`;
const eslint = (rules: string, more = ''): string => `export default [{ rules: { ${rules} }${more} }];\n`;
const biome = (rules: string): string => `{"linter": {"rules": {"suspicious": {${rules}}}}}\n`;
const scripts = (text: string): string => `{"scripts": {${text}}}\n`;
const golangci = (text: string): string => `version: "2"\nlinters:\n${text}`;

describe('X13a a checker that was made to find less is told', () => {
  it.each<[string, string, string | null, string, string]>([
    [
      'a rule of a linter that nobody knows',
      '.lintrc.json',
      '{"rules": {"no-console": true, "max-line": 80}}',
      '{"rules": {"no-console": false, "max-line": 80}}',
      'loosened lint',
    ],
    [
      'a rule of stylelint',
      '.stylelintrc.yml',
      'rules:\n  no-empty: true\n',
      'rules:\n  no-empty: false\n',
      'loosened lint',
    ],
    ['strict: false', 'tsconfig.json', ts('"strict": true'), ts('"strict": false'), 'loosened types'],
    [
      'strict that is gone',
      'tsconfig.json',
      ts('"strict": true'),
      ts('"target": "es2022"'),
      'loosened types',
    ],
    [
      'one part of strict',
      'tsconfig.json',
      ts('"strict": true'),
      ts('"strict": true, "noImplicitAny": false'),
      'loosened types',
    ],
    [
      'no check of types of others',
      'tsconfig.json',
      ts('"strict": true'),
      ts('"strict": true, "skipLibCheck": true'),
      'loosened types',
    ],
    [
      'code left out',
      'tsconfig.json',
      ts('', ', "exclude": ["dist"]'),
      ts('', ', "exclude": ["dist", "src/legacy"]'),
      'deselected types',
    ],
    [
      'fewer folders',
      'tsconfig.json',
      ts('', ', "include": ["src", "test"]'),
      ts('', ', "include": ["src"]'),
      'deselected types',
    ],
    [
      'a folder within it',
      'tsconfig.json',
      ts('', ', "include": ["src"]'),
      ts('', ', "include": ["src/core"]'),
      'deselected types',
    ],
    ['one file', 'tsconfig.json', ts(''), ts('', ', "files": ["src/index.ts"]'), 'deselected types'],
    [
      'a new one that extends and loosens',
      'tsconfig.loose.json',
      null,
      ts('"strict": false', ', "extends": "./tsconfig.json"'),
      'loosened types',
    ],
    [
      'nothing but two files',
      'tsconfig.json',
      ts(''),
      ts('', ', "files": ["src/a.ts", "src/b.ts"]'),
      'deselected types',
    ],
    ['a new one beside another', 'tsconfig.check.json', null, ts('"strict": false'), 'loosened types'],
    [
      'a rule that is off',
      'eslint.config.js',
      eslint("'no-eval': 'error'"),
      eslint("'no-eval': 'off'"),
      'loosened lint',
    ],
    [
      'a new rule that is off',
      'eslint.config.js',
      eslint("'no-eval': 2"),
      eslint("'no-eval': 2, 'no-undef': 0"),
      'loosened lint',
    ],
    [
      'a rule that only warns',
      '.eslintrc.json',
      '{"rules": {"no-eval": ["error"]}}',
      '{"rules": {"no-eval": ["warn"]}}',
      'loosened lint',
    ],
    [
      'a rule that is gone',
      '.eslintrc.yml',
      'rules:\n  no-eval: error\n  semi: error\n',
      'rules:\n  semi: error\n',
      'loosened lint',
    ],
    [
      'ignored code',
      'eslint.config.js',
      eslint(''),
      eslint('', ", ignores: ['src/old/**']"),
      'deselected lint',
    ],
    [
      'a cop that is off',
      '.rubocop.yml',
      'Style/Eval:\n  Enabled: true\n',
      'Style/Eval:\n  Enabled: false\n',
      'loosened lint',
    ],
    [
      'code that no cop sees',
      '.rubocop.yml',
      'AllCops:\n  NewCops: enable\n',
      "AllCops:\n  NewCops: enable\n  Exclude:\n    - 'lib/**/*'\n",
      'deselected lint',
    ],
    ['one more line of ignored code', '.eslintignore', 'dist\n', 'dist\nsrc/old\n', 'deselected lint'],
    [
      'a rule of biome',
      'biome.json',
      biome('"noDebugger": "error"'),
      biome('"noDebugger": "off"'),
      'loosened lint',
    ],
    [
      'a rule of biome with options',
      'biome.json',
      biome(''),
      biome('"noDebugger": {"level": "off"}'),
      'loosened lint',
    ],
    [
      'biome without a folder',
      'biome.json',
      '{"files": {"includes": ["**"]}}',
      '{"files": {"includes": ["**", "!src/old"]}}',
      'deselected lint',
    ],
    [
      'an ignored code of ruff',
      'pyproject.toml',
      '[tool.ruff.lint]\nignore = ["E501"]\n',
      '[tool.ruff.lint]\nignore = ["E501", "F821"]\n',
      'deselected lint',
    ],
    [
      'ruff for one file',
      'ruff.toml',
      'line-length = 100\n',
      'line-length = 100\n[lint.per-file-ignores]\n"src/a.py" = ["F821"]\n',
      'deselected lint',
    ],
    [
      'fewer rules of ruff',
      'ruff.toml',
      '[lint]\nselect = ["E", "F", "B"]\n',
      '[lint]\nselect = ["E"]\n',
      'deselected lint',
    ],
    [
      'flake8',
      '.flake8',
      '[flake8]\nmax-line-length = 100\n',
      '[flake8]\nmax-line-length = 100\nignore = F821\n',
      'deselected lint',
    ],
    [
      'pylint',
      '.pylintrc',
      '[MESSAGES CONTROL]\ndisable=C0114\n',
      '[MESSAGES CONTROL]\ndisable=C0114,E1101\n',
      'deselected lint',
    ],
    [
      'mypy without strict',
      'pyproject.toml',
      '[tool.mypy]\nstrict = true\n',
      '[tool.mypy]\nstrict = false\n',
      'loosened types',
    ],
    [
      'mypy that ignores errors',
      'mypy.ini',
      '[mypy]\nstrict = True\n',
      '[mypy]\nstrict = True\n[mypy-app.*]\nignore_errors = True\n',
      'loosened types',
    ],
    [
      'mypy without a folder',
      'setup.cfg',
      '[mypy]\nstrict = True\n',
      '[mypy]\nstrict = True\nexclude = app/old\n',
      'deselected types',
    ],
    [
      'pyright',
      'pyrightconfig.json',
      '{"typeCheckingMode": "strict"}',
      '{"typeCheckingMode": "basic"}',
      'loosened types',
    ],
    [
      'a linter of golangci',
      '.golangci.yml',
      golangci('  enable:\n    - errcheck\n    - gosec\n'),
      golangci('  enable:\n    - errcheck\n'),
      'deselected lint',
    ],
    [
      'a path of golangci',
      '.golangci.yml',
      golangci('  enable: [gosec]\n'),
      golangci('  enable: [gosec]\n  exclusions:\n    paths:\n      - internal/old\n'),
      'deselected lint',
    ],
    [
      'clippy in Cargo.toml',
      'Cargo.toml',
      '[lints.clippy]\nunwrap_used = "deny"\n',
      '[lints.clippy]\nunwrap_used = "allow"\n',
      'loosened lint',
    ],
    [
      'a script that lints less',
      'package.json',
      scripts('"lint": "eslint src test"'),
      scripts('"lint": "eslint src"'),
      'deselected lint',
    ],
    [
      'a script that lints nothing',
      'package.json',
      scripts('"lint": "eslint ."'),
      scripts('"lint": "echo ok"'),
      'loosened lint',
    ],
    [
      'a script whose failure does not count',
      'package.json',
      scripts('"typecheck": "tsc --noEmit"'),
      scripts('"typecheck": "tsc --noEmit || true"'),
      'loosened types',
    ],
    ['@ts-nocheck', 'src/a.ts', 'let a = 1;\n', '// @ts-nocheck\nlet a = 1;\n', 'loosened types'],
    ['@ts-nocheck in a new file', 'src/a.ts', null, '// @ts-nocheck\nlet a: string = 1;\n', 'loosened types'],
    [
      '@ts-nocheck in a test',
      'test/a.test.ts',
      "it('a', () => {\n  expect(a).toBe(1);\n});\n",
      "// @ts-nocheck\nit('a', () => {\n  expect(a).toBe(1);\n});\n",
      'loosened types',
    ],
    ['eslint-disable', 'src/a.js', 'eval(a);\n', '/* eslint-disable */\neval(a);\n', 'loosened lint'],
    [
      'eslint-disable of a rule',
      'src/a.js',
      'eval(a);\n',
      '/* eslint-disable no-eval */\neval(a);\n',
      'loosened lint',
    ],
    ['noqa', 'app/a.py', 'import os\n', '# ruff: noqa\nimport os\n', 'loosened lint'],
    ['type: ignore', 'app/a.py', 'import os\n', '# type: ignore\nimport os\n', 'loosened types'],
    ['nolint', 'a.go', 'package a\n', '//nolint:all\npackage a\n', 'loosened lint'],
    ['go:build ignore', 'a.go', 'package a\n', '//go:build ignore\n\npackage a\n', 'loosened types'],
    [
      'allow of a crate',
      'src/lib.rs',
      'pub fn a() {}\n',
      '#![allow(clippy::unwrap_used)]\npub fn a() {}\n',
      'loosened lint',
    ],
  ])('%s', (_, path, before, after, what) => {
    const found = told({ [path]: before }, { [path]: after });
    expect(found.map((each) => each.slice(path.length + 1).replace(/:.*/s, ''))).toEqual([what]);
  });

  it('with the line that does it, from what is kept of a file, too', () => {
    const [before, after] = [ts('"strict": true'), ts('"strict": false')];
    const kept = profileOf('tsconfig.json', before) as Profile;
    const was = parseProfile(JSON.parse(JSON.stringify(kept)) as Json);
    expect(compareTests(new Map([['tsconfig.json', was]]), new Map([['tsconfig.json', after]]))).toEqual([
      {
        path: 'tsconfig.json',
        what: 'loosened',
        of: 'types',
        lines: ['"compilerOptions": { "strict": false }'],
      },
    ]);
  });
});

describe('X13a no alarm for a checker', () => {
  it.each<[string, string, string | null, string]>([
    ['a stricter one', 'tsconfig.json', ts('"strict": false'), ts('"strict": true')],
    [
      'one more folder',
      'tsconfig.json',
      ts('', ', "include": ["src"]'),
      ts('', ', "include": ["src", "test"]'),
    ],
    ['generated code', 'tsconfig.json', ts(''), ts('', ', "exclude": ["src/generated", "dist"]')],
    [
      'settings that come from elsewhere now',
      'tsconfig.json',
      ts('"strict": true'),
      ts('', ', "extends": "./base.json"'),
    ],
    [
      'another target',
      'tsconfig.json',
      ts('"strict": true, "target": "es2020"'),
      ts('"strict": true, "target": "es2022"'),
    ],
    [
      'a new configuration',
      'tsconfig.json',
      null,
      ts('"strict": false, "skipLibCheck": true', ', "exclude": ["x"]'),
    ],
    ['a new one of another part', 'ui/tsconfig.node.json', null, ts('', ', "include": ["vite.config.ts"]')],
    ['a new one that names a file', 'web/tsconfig.json', null, ts('', ', "files": ["./web.config.ts"]')],
    [
      'a file beside patterns',
      'tsconfig.json',
      ts(''),
      ts('', ', "include": ["types.d.ts", "**/*.ts", "**/*.tsx"]'),
    ],
    [
      'one for the build',
      'tsconfig.build.json',
      null,
      ts('"noEmit": false', ', "extends": "./tsconfig.json", "exclude": ["**/*.test.ts"]'),
    ],
    ['a stricter rule', 'eslint.config.js', eslint("'no-eval': 'warn'"), eslint("'no-eval': 'error'")],
    [
      'a rule that is no longer off',
      'eslint.config.js',
      eslint("'no-eval': 'off', semi: 2"),
      eslint('semi: 2'),
    ],
    [
      'an option of a rule',
      'eslint.config.js',
      eslint("indent: ['error', 2]"),
      eslint("indent: ['error', 0]"),
    ],
    [
      'a rule in another place',
      'eslint.config.js',
      eslint("semi: 2, 'no-eval': 2"),
      eslint("'no-eval': 2, semi: 2"),
    ],
    ['one more rule of ruff', 'ruff.toml', '[lint]\nselect = ["E"]\n', '[lint]\nselect = ["E", "F"]\n'],
    [
      'a dependency',
      'pyproject.toml',
      '[project]\ndependencies = ["a"]\n[tool.mypy]\nstrict = true\n',
      '[project]\ndependencies = ["a", "b"]\n[tool.mypy]\nstrict = true\n',
    ],
    [
      'a linter that is added',
      '.golangci.yml',
      golangci('  enable:\n    - gosec\n'),
      golangci('  enable:\n    - gosec\n    - errcheck\n'),
    ],
    [
      'a script that lints more',
      'package.json',
      scripts('"lint": "eslint src"'),
      scripts('"lint": "eslint src test"'),
    ],
    [
      'a new script',
      'package.json',
      scripts('"test": "node --test"'),
      scripts('"test": "node --test", "lint": "eslint src"'),
    ],
    [
      'one line that is excused',
      'src/a.ts',
      'let a = b;\n',
      '// @ts-expect-error later\n// eslint-disable-next-line no-undef\nlet a = b;\n',
    ],
    [
      'a part of a file',
      'src/a.js',
      'eval(a);\n',
      '/* eslint-disable no-eval */\neval(a);\n/* eslint-enable no-eval */\n',
    ],
    [
      'generated code that is not checked',
      'src/api.ts',
      null,
      '// @ts-nocheck\n// Generated by a program. Do not edit.\nlet a = 1;\n',
    ],
    ['what was there before', 'src/a.ts', '// @ts-nocheck\nlet a = 1;\n', '// @ts-nocheck\nlet a = 2;\n'],
    [
      'a new script with a console',
      'scripts/a.js',
      null,
      '/* eslint-disable no-console */\nconsole.log(1);\n',
    ],
  ])('%s', (_, path, before, after) => {
    expect(told({ [path]: before }, { [path]: after })).toEqual([]);
  });

  it('but for one beside an older one, where all of them are new', () => {
    const loose = { 'tsconfig.app.json': ts('"strict": false') };
    const base = { 'tsconfig.json': ts('"strict": true') };
    expect(told({ 'tsconfig.json': null, 'tsconfig.app.json': null }, { ...base, ...loose })).toEqual([]);
    expect(told({ ...base, 'tsconfig.app.json': null }, { ...base, ...loose })).toEqual([
      'tsconfig.app.json loosened types: "compilerOptions": { "strict": false }',
    ]);
  });

  it('that moved to another file', () => {
    const before = { '.eslintrc.json': '{"rules": {"semi": "error"}}', 'eslint.config.js': null };
    expect(told(before, { '.eslintrc.json': null, 'eslint.config.js': eslint('semi: 2') })).toEqual([]);
  });

  it('but for one that is deleted and has no successor', () => {
    expect(told({ '.eslintrc.json': '{"rules": {"semi": "error"}}' }, { '.eslintrc.json': null })).toEqual([
      '.eslintrc.json loosened lint: rules.semi is gone',
    ]);
  });
});

describe('X13a a file that is read in place of another', () => {
  const PYPROJECT = '[tool.pytest.ini_options]\ntestpaths = ["tests"]\naddopts = "--cov-fail-under=90"\n';
  const CFG = '[tool:pytest]\ntestpaths = tests\n';
  const same = (text: string): Files => ({ 'pyproject.toml': text });
  it.each<[string, Files, Files, string[]]>([
    [
      'a new pytest.ini that looks at less',
      { ...same(PYPROJECT), 'pytest.ini': null },
      {
        ...same(PYPROJECT),
        'pytest.ini': '[pytest]\ntestpaths = tests/fast\naddopts = --cov-fail-under=90\n',
      },
      ['pytest.ini deselected test: testpaths = tests/fast'],
    ],
    [
      'a new pytest.ini that selects',
      { ...same(PYPROJECT), 'pytest.ini': null },
      {
        ...same(PYPROJECT),
        'pytest.ini': '[pytest]\ntestpaths = tests\naddopts = --cov-fail-under=90 -k smoke\n',
      },
      ['pytest.ini deselected test: addopts = --cov-fail-under=90 -k smoke'],
    ],
    [
      'an empty pytest.ini, and a threshold that is read no longer',
      { ...same(PYPROJECT), 'pytest.ini': null },
      { ...same(PYPROJECT), 'pytest.ini': '' },
      ['pytest.ini loosened test: addopts --cov-fail-under is gone'],
    ],
    [
      'a new section',
      { 'setup.cfg': CFG, 'pyproject.toml': '[project]\nname = "a"\n' },
      {
        'setup.cfg': CFG,
        'pyproject.toml': '[project]\nname = "a"\n[tool.pytest.ini_options]\ntestpaths = ["tests/a"]\n',
      },
      ['pyproject.toml deselected test: testpaths = ["tests/a"]'],
    ],
    [
      'the first that is deleted',
      { 'pytest.ini': '[pytest]\ntestpaths = tests\n', ...same(PYPROJECT.replace('tests', 'tests/a')) },
      { 'pytest.ini': null, ...same(PYPROJECT.replace('tests', 'tests/a')) },
      ['pyproject.toml deselected test: testpaths = ["tests/a"]'],
    ],
    [
      'a new mypy.ini',
      { ...same('[tool.mypy]\nstrict = true\n'), 'mypy.ini': null },
      { ...same('[tool.mypy]\nstrict = true\n'), 'mypy.ini': '[mypy]\nstrict = False\n' },
      ['mypy.ini loosened types: strict = False'],
    ],
    [
      'a new ruff.toml',
      { ...same('[tool.ruff.lint]\nselect = ["E", "F"]\n'), 'ruff.toml': null },
      { ...same('[tool.ruff.lint]\nselect = ["E", "F"]\n'), 'ruff.toml': '[lint]\nselect = ["E"]\n' },
      ['ruff.toml deselected lint: select = ["E"]'],
    ],
    [
      'the same, moved',
      { 'setup.cfg': CFG, 'pytest.ini': null },
      { 'setup.cfg': '', 'pytest.ini': '[pytest]\ntestpaths = tests\n' },
      [],
    ],
    [
      'one that is not read',
      { 'pytest.ini': '[pytest]\ntestpaths = tests\n', 'pyproject.toml': '' },
      {
        'pytest.ini': '[pytest]\ntestpaths = tests\n',
        'pyproject.toml': PYPROJECT.replace('tests', 'tests/a'),
      },
      [],
    ],
    [
      'one of another folder',
      { ...same(PYPROJECT), 'sub/pytest.ini': null },
      { ...same(PYPROJECT), 'sub/pytest.ini': '[pytest]\ntestpaths = tests/fast\n' },
      [],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(told(before, after)).toEqual(expected);
  });
});

describe('X13b leave to loosen a checker', () => {
  it.each<[string, boolean]>([
    ['Disable the no-console rule, it is noise', true],
    ['Turn off `noImplicitAny` in tsconfig.json and fix the rest', true],
    ['Please turn strict mode off for now', true],
    ['Exclude src/legacy from tsconfig', true],
    ['Ignore E501 in ruff', true],
    ['Set `strict` to false', true],
    ['Remove the `no-eval` rule', true],
    ['Add // @ts-nocheck to src/old.ts', true],
    ['Fix the type errors', false],
    ['Fix the lint errors without disabling rules', false],
    ["Make eslint pass. Don't turn off any rules", false],
    ['Remove the unused imports that eslint complains about', false],
    ['Set up eslint', false],
    ['Skip the test `adds`', false],
  ])('%s: %s', (prompt, allows) => {
    expect(readContract(prompt, DEFAULT_POLICY).allowsLoosening ?? false).toBe(allows);
  });
});
