// Type checkers, linters and formatters of Python.
import type { Checker, Traits } from '../runner.ts';
import { each, formatter, lint, type Table, types, withVerbs } from '../tool.ts';

const RUFF =
  '--config --select --ignore --extend-select --extend-ignore --output-format --target-version --line-length --exclude --per-file-ignores';

/** They put files in order without one of these. */
const CHECKS = { checks: '--check --diff --check-only -c' };

export const programs = (): Table => ({
  mypy: types(
    'mypy',
    '--config-file --python-version --cache-dir --platform --exclude --disable-error-code --enable-error-code --follow-imports --python-executable',
    {
      packages: '-p --package -m --module',
      flags:
        '--strict --ignore-missing-imports --show-error-codes --no-incremental --pretty --explicit-package-bases --namespace-packages --install-types --non-interactive',
      dry: '-h -V',
    },
  ),
  dmypy: types('mypy'),
  pyright: types('pyright', '-p --project --pythonversion --pythonpath -v --venvpath --level --threads', {
    flags: '--outputjson --stats --warnings --verbose',
  }),
  basedpyright: types('basedpyright', '-p --project --pythonversion --pythonpath --level'),
  pyre: types('pyre', '', { bare: 'nothing' }),
  pytype: types('pytype', '-j -V'),
  ty: withVerbs(
    'types',
    'ty',
    { check: types('ty', '--python --python-version') },
    {
      values: '--python --python-version --project',
    },
  ),
  pyrefly: withVerbs('types', 'pyrefly', { check: types('pyrefly') }),
  ruff: withVerbs('lint', 'ruff', {
    check: lint('ruff', RUFF, {
      rewrites: '--fix --unsafe-fixes --add-noqa',
      flags: '--fix --unsafe-fixes --preview --no-cache -q --statistics --show-fixes',
      dry: '--show-files --show-settings',
    }),
    format: formatter('ruff format', CHECKS, '--config --exclude --target-version --line-length'),
  }),
  flake8: lint(
    'flake8',
    '--config --max-line-length --ignore --extend-ignore --select --exclude --per-file-ignores --max-complexity --format -j --append-config',
  ),
  pylint: lint(
    'pylint',
    '--rcfile --disable --enable -d -e -j --jobs --output-format --max-line-length --ignore --fail-under',
    { flags: '-E --errors-only' },
  ),
  pycodestyle: lint('pycodestyle', '--max-line-length --ignore --select --exclude'),
  ...each('pydocstyle pyflakes', (name) => lint(name)),
  bandit: lint('bandit', '-c -f -o -s -x -ll', { flags: '-r -q -ll -lll' }),
  vulture: lint('vulture', '--min-confidence --exclude'),
  'lint-imports': lint('lint-imports', '--config', { bare: 'nothing' }),
  black: formatter(
    'black',
    CHECKS,
    '-l --line-length -t --target-version --config --exclude --include --extend-exclude -S',
  ),
  isort: formatter('isort', CHECKS, '--profile --settings-path --sp -l'),
  autopep8: formatter('autopep8', CHECKS, '--max-line-length'),
  yapf: formatter('yapf', CHECKS, '--style'),
  ...each('pre-commit prek', (name) => {
    const flags = '-a --all-files -v';
    const run = lint(name, '--hook-stage', { targets: '--files', bare: 'selectors', flags });
    return withVerbs('lint', name, { run });
  }),
});

/** Of `--diff` without `--check`. */
const SHOWS = /^--- \S.*\n\+\+\+ \S/m;

const COMPLAINS = /^\S+:\d+:|: command not found|: No module named|^Traceback/m;

export const traits: readonly Traits[] = [
  {
    name: 'black',
    shows: SHOWS,
    // What would be left unchanged stands beside what would not.
    good: /^All done! /m,
    bad: /^\d+ files? would (?:be reformatted|fail to reformat)\b|\bfailed to reformat\b|^Oh no! /m,
    failing: [['Oh no! 💥 💔 💥', '1 file would be reformatted, 2 files would be left unchanged.']],
  },
  { name: 'isort', shows: SHOWS, silent: /^ERROR: |: command not found|: No module named|^Traceback/m },
  { name: 'autopep8', shows: SHOWS },
  {
    name: 'mypy',
    module: 'mypy',
    good: /^Success: no issues found in \d/m,
    failing: [
      [
        'Found 1 error in 1 file (checked 2 source files)',
        'src/a.py:1: error: Incompatible types  [assignment]',
      ],
    ],
  },
  {
    name: 'ruff',
    module: 'ruff',
    good: /^All checks passed!$/m,
    failing: ['Found 1 error.'],
  },
  {
    name: 'ruff format',
    module: 'ruff',
    good: /^\d+ files? (?:already formatted|left unchanged|reformatted)\b/m,
    bad: /^\d+ files? would be reformatted\b|^Would reformat: |^error: Failed to format /m,
    failing: [['1 file would be reformatted, 2 files already formatted', 'Would reformat: src/a.py']],
  },
  ...['pyright', 'basedpyright'].map((name) => ({
    name,
    good: /^0 errors, \d+ warnings?, \d+ (?:informations?|notes?)\b/m,
    failing: [
      ['1 error, 0 warnings, 0 informations ', '  /src/a.py:1:1 - error: 1 (reportUndefinedVariable)'],
    ],
  })),
  { name: 'ty', bad: /^Found [1-9]\d* diagnostics?$/m, failing: ['Found 1 diagnostic'] },
  { name: 'pylint', good: /^Your code has been rated at 10(?:\.00)?\/10\b/m },
  { name: 'bandit', bad: /^>> Issue: \[/m },
  { name: 'flake8', module: 'flake8', silent: COMPLAINS },
  { name: 'pyflakes', silent: COMPLAINS },
];

const SOURCE = /\.pyi?$/;

export const checkers: readonly Checker[] = [
  {
    of: 'types',
    names: '\\.?mypy\\.ini|pyproject\\.toml|setup\\.cfg',
    settings: [
      [
        /^(?:tool\.)?mypy\b.*\.(?:strict\w*|disallow_\w+|check_untyped_defs|no_implicit_\w+|warn_\w+)$/,
        'holds',
      ],
      [/^(?:tool\.)?mypy(?:\.ignore_missing_imports|\b.*\.ignore_errors|\b.*\.follow_imports)$/, 'loosens'],
      [/^(?:tool\.)?mypy\b.*\.(?:exclude|disable_error_code)$/, 'leaves-out'],
      [/^(?:tool\.)?mypy\.(?:files|packages|enable_error_code)$/, 'reaches'],
    ],
    oneOf: {
      files: ['mypy.ini', '.mypy.ini', 'pyproject.toml', 'setup.cfg'],
      named: 2,
      section: /^(?:tool\.)?mypy(?=[.-]|$)/,
    },
    takesOut: [
      [SOURCE, /^#\s*mypy:\s*(?:ignore-errors|disable-error-code=(?<rules>.*)|allow-\w+)/m],
      [SOURCE, /^#\s*(?:type:\s*ignore(?<rules>\[[^\n]*)?\s*$|pyright:\s*(?:basic|off|ignore)\b)/m],
    ],
  },
  {
    of: 'types',
    names: 'pyrightconfig\\.json|pyproject\\.toml',
    settings: [
      [/^(?:tool\.(?:based)?pyright\.)?(?:typeCheckingMode|report[A-Z]\w+|strict[A-Z]\w+)$/, 'holds'],
      [/^(?:tool\.(?:based)?pyright\.)?(?:exclude|ignore)$/, 'leaves-out'],
      [/^(?:tool\.(?:based)?pyright\.)?(?:include|strict)$/, 'reaches'],
    ],
  },
  {
    of: 'lint',
    names: '\\.?ruff\\.toml|pyproject\\.toml',
    settings: [
      [/^(?:tool\.ruff\.)?(?:lint\.)?(?:extend-)?(?:ignore|exclude)$/, 'leaves-out'],
      [/^(?:tool\.ruff\.)?(?:lint\.)?(?:extend-)?per-file-ignores\b/, 'leaves-out'],
      [/^(?:tool\.ruff\.)?(?:lint\.)?(?:extend-)?(?:select|include)$/, 'reaches'],
      [/^(?:tool\.ruff\.)?extend$/, 'extends'],
    ],
    oneOf: { files: ['.ruff.toml', 'ruff.toml', 'pyproject.toml'], named: 2, section: /^tool\.ruff(?=\.|$)/ },
    takesOut: [[SOURCE, /^#\s*(?:ruff|flake8):\s*noqa(?::(?<rules>.*))?/im]],
  },
  {
    of: 'lint',
    names: '\\.flake8|\\.?pylintrc|setup\\.cfg|tox\\.ini|pyproject\\.toml',
    settings: [
      [/^flake8\.(?:extend-)?(?:ignore|exclude|per-file-ignores)$/, 'leaves-out'],
      [/^flake8\.(?:extend-)?select$/, 'reaches'],
      [/^(?:MESSAGES CONTROL|MAIN|MASTER|(?:tool\.)?pylint\b.*)\.(?:disable|ignore[\w-]*)$/i, 'leaves-out'],
    ],
    takesOut: [[SOURCE, /^#\s*pylint:\s*(?:skip-file|disable=(?:all$|(?<rules>.+)))/m]],
  },
];
