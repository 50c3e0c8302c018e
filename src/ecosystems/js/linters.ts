// Linters and formatters of JavaScript.
import type { Checker, Traits } from '../runner.ts';
import { each, type Table, type Tool, withVerbs } from '../tool.ts';

export const jsLint = (runner: string, values = '', more: Partial<Tool> = {}): Tool => ({
  kind: 'lint',
  runner,
  values,
  rewrites: '--fix --write --unsafe --apply --fix-dangerously',
  flags: '--fix --write --quiet --cache --unsafe --apply --staged --changed --color --debug',
  ...more,
});

const ESLINT =
  '-c --config --ext --ignore-path --ignore-pattern -f --format -o --output-file --max-warnings --rule --parser --parser-options --plugin --resolve-plugins-relative-to --env --global --rulesdir --cache-location --cache-strategy --report-unused-disable-directives-severity --fix-type --flag --concurrency --suppressions-location';

const biomeValues =
  '--config-path --max-diagnostics --diagnostic-level --reporter --colors --log-level --only --skip --stdin-file-path --since --files-ignore-unknown';

const prettier: Tool = {
  kind: 'format',
  runner: 'prettier',
  values:
    '--config --ignore-path --plugin --parser --log-level --loglevel --tab-width --print-width --stdin-filepath --cache-location --trailing-comma',
  flags: '--check -c --list-different -l --write -w --single-quote --no-config --ignore-unknown -u --cache',
  rewrites: '--write -w',
  dry: '--support-info --find-config-path --file-info -h -v',
};

export const programs = (): Table => ({
  ...each('attw standard xo jshint depcheck publint', (name) => jsLint(name)),
  eslint: jsLint('eslint', ESLINT, { dry: '--print-config --init --env-info --inspect-config -h -v' }),
  eslint_d: jsLint('eslint', ESLINT),
  oxlint: jsLint(
    'oxlint',
    '-c --config -A -W -D --allow --warn --deny -f --format --threads --max-warnings --tsconfig',
    { dry: '--rules --init' },
  ),
  biome: withVerbs(
    'lint',
    'biome',
    {
      ...each('check lint ci', (sub) => jsLint(`biome ${sub}`, biomeValues)),
      format: jsLint('biome format', biomeValues, { kind: 'format' }),
    },
    { values: biomeValues },
  ),
  stylelint: jsLint(
    'stylelint',
    '-c --config --custom-syntax -f --formatter -i --ignore-path -o --output-file --max-warnings',
    { dry: '--print-config' },
  ),
  tslint: jsLint('tslint', '-c -p'),
  markdownlint: jsLint('markdownlint', '-c --config -i --ignore'),
  'markdownlint-cli2': jsLint('markdownlint', '--config'),
  knip: jsLint('knip', '-c --config -W --workspace'),
  'lint-staged': jsLint('lint-staged', '-c --config'),
  prettier,
  dprint: withVerbs(
    'format',
    'dprint',
    each('check fmt', () => ({ kind: 'format', runner: 'dprint' }) as const),
  ),
});

export const traits: readonly Traits[] = [
  {
    name: 'eslint',
    silent: /✖ \d+ problem|^Oops!|\bESLint\b|: command not found|\bnpm (?:ERR!|error)/m,
  },
  { name: 'stylelint', silent: /[✖×] \d+ problem|^Error: |: command not found|\bnpm (?:ERR!|error)/m },
  {
    name: 'prettier',
    good: /^All matched files use Prettier code style!/m,
    bad: /^\[(?:warn|error)\] (?:Code style issues|Error occurred when checking|\S+: )/m,
    failing: [
      ['[warn] Code style issues found in 1 file. Run Prettier with --write to fix.', '[warn] src/a.ts'],
    ],
  },
  {
    name: 'biome',
    good: /^Checked \d+ files? in .*\. (?:No fixes applied|Fixed \d+ files?)\.$/m,
    bad: /^Found [1-9]\d* errors?\.$|\bSome errors were emitted while /m,
    failing: [['Found 1 error.', '  × Some errors were emitted while running checks.']],
  },
  { name: 'oxlint', failing: ['Found 0 warnings and 1 error.'] },
  {
    name: 'knip',
    bad: /^(?:Unused|Unlisted|Unresolved|Duplicate) (?:files|dependencies|devDependencies|exports|exported|binaries|imports)\b.*\(\d+\)$/m,
    failing: ['Unused files (1)'],
  },
  { name: 'markdownlint', good: /^Summary: 0 error\(s\)$/m, failing: ['Summary: 1 error(s)'] },
];

const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/;

export const checkers: readonly Checker[] = [
  {
    of: 'lint',
    names: 'eslint\\.config\\.[a-z]+|\\.eslintrc(?:\\.[a-z]+)?|\\.eslintignore|\\.oxlintrc\\.json',
    settings: [
      [/(?:^|\.)(?:rules|categories)\.[^.]+$/, 'holds'],
      [/(?:^|\.)(?:ignores|ignorePatterns|excludedFiles)$/, 'leaves-out'],
    ],
    takesOut: [[SCRIPT, /^[ \t]*\/\*\s*(?:es|ox)lint-disable(?!-)(?<rules>[^*\n]*)/m, 'lint-enable']],
  },
  {
    of: 'lint',
    names: '\\.?biome\\.jsonc?',
    settings: [
      [/(?:^|\.)linter\.(?:enabled|rules\.recommended|rules\.\w+\.\w+(?:\.level)?)$/, 'holds'],
      [/^(?:files|linter)\.ignore$/, 'leaves-out'],
      [/^(?:files|linter)\.includes?$/, 'reaches'],
    ],
    takesOut: [[SCRIPT, /^[ \t]*\/[/*]+\s*biome-ignore-all lint(?<rules>[^:\n]*)/m]],
  },
];
