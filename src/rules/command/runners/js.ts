// JavaScript and TypeScript: test runners, compilers, linters, bundlers.
import { found, type Reader, readOptions, type Table, type Tool } from '../tool.ts';

const VITEST: Tool = {
  kind: 'test',
  runner: 'vitest',
  values:
    '-c --config --dir --reporter --outputFile --environment --pool --mode --workspace --api --maxWorkers --minWorkers --retry --testTimeout --hookTimeout --bail --browser --sequence --configLoader',
  flags:
    '--run --watch -w --coverage --ui --globals --silent --update -u --passWithNoTests --hideSkippedTests --isolate --dom --inspect --clearScreen',
  selectors: '-t --testNamePattern --project --shard --tags-filter',
  excludes: '--exclude',
  directory: '-r --root',
  narrowing: '--changed --related',
  dry: '--listTags --mergeReports --standalone',
  rewrites: '-u --update',
};

const vitest: Tool = {
  ...VITEST,
  subs: {
    run: VITEST,
    watch: VITEST,
    dev: VITEST,
    related: VITEST,
    list: (args) => ({ ...readOptions(VITEST, args), dry: 'vitest list' }),
    bench: { ...VITEST, kind: 'run', runner: 'vitest bench' },
    init: null,
  },
};

const jest: Tool = {
  kind: 'test',
  runner: 'jest',
  values:
    '-c --config --roots --testMatch --testRegex --maxWorkers -w --maxConcurrency --reporters --coverageReporters --coverageDirectory --coverageProvider --collectCoverageFrom --coverageThreshold --env --testEnvironment --testTimeout --setupFilesAfterEnv --preset --transform --seed --outputFile --workerIdleMemoryLimit --moduleNameMapper --filter --testRunner --testResultsProcessor',
  flags:
    '--coverage --collectCoverage --ci --runInBand -i --watch --watchAll --verbose --silent --passWithNoTests --findRelatedTests --updateSnapshot -u --bail -b --forceExit --detectOpenHandles --json --colors --color --expand --logHeapUsage --randomize --runTestsByPath --errorOnDeprecated --noStackTrace --useStderr --cache --all',
  selectors: '-t --testNamePattern --selectProjects --shard --changedSince',
  excludes: '--testPathIgnorePatterns --ignoreProjects',
  targets: '--testPathPattern --testPathPatterns',
  directory: '--rootDir',
  narrowing: '--onlyChanged -o --onlyFailures -f --lastCommit --changedFilesWithAncestor',
  dry: '--listTests --showConfig --clearCache --init -h -v',
  rewrites: '-u --updateSnapshot',
};

const mocha: Reader = (args) => {
  const read = readOptions(MOCHA, args);
  const inverted = args.includes('-i') || args.includes('--invert');
  return inverted ? { ...read, selectors: read.selectors.map((word) => `!${word}`) } : read;
};

const MOCHA: Tool = {
  kind: 'test',
  runner: 'mocha',
  values:
    '-r --require -R --reporter -O --reporter-option --reporter-options -t --timeout --timeouts --config --package --extension -u --ui -s --slow -j --jobs --retries --file --watch-files --watch-ignore --import --loader -n --node-option',
  flags:
    '--recursive --bail -b --exit --parallel -p --watch -w --color -c --colors --forbid-only --forbid-pending --full-trace --diff --check-leaks --sort -S --invert -i --delay --inline-diffs -A --async-only --allow-uncaught',
  selectors: '-g --grep -f --fgrep',
  excludes: '--ignore --exclude',
  targets: '--spec',
  dry: '--list-interfaces --list-reporters -h -V',
};

const NODE_VALUES =
  '-r --require --import --loader --experimental-loader --env-file --env-file-if-exists --conditions -C --max-old-space-size --test-reporter --test-reporter-destination --test-concurrency --test-timeout --test-coverage-include --test-coverage-exclude --test-coverage-lines --test-isolation --stack-trace-limit --title --input-type --watch-path --inspect-port --icu-data-dir --tsconfig --test-global-setup --unhandled-rejections';

export const NODE_TEST: Tool = {
  kind: 'test',
  runner: 'node:test',
  values: NODE_VALUES,
  flags:
    '--test --test-only --test-force-exit --watch --experimental-test-coverage --enable-source-maps --experimental-strip-types --experimental-vm-modules --inspect --test-update-snapshots --trace-warnings --experimental-test-module-mocks --experimental-test-snapshots',
  selectors: '--test-name-pattern --test-shard',
  excludes: '--test-skip-pattern',
  narrowing: '--test-only --test-rerun-failures',
  rewrites: '--test-update-snapshots',
  dry: '-h -v',
};

const playwright: Tool = {
  kind: 'test',
  runner: 'playwright',
  values:
    '-c --config --reporter --workers -j --retries --timeout --global-timeout --max-failures --output --trace --repeat-each --tsconfig --name --test-list --update-source-method',
  flags:
    '--headed --debug --ui --forbid-only --fully-parallel --pass-with-no-tests --quiet -x --ignore-snapshots --no-deps --update-snapshots -u',
  selectors: '-g --grep --project --shard',
  excludes: '--grep-invert -gv',
  narrowing: '--last-failed --only-changed',
  dry: '--list -h',
  rewrites: '-u --update-snapshots',
};

const cypress: Tool = {
  kind: 'test',
  runner: 'cypress',
  values:
    '-b --browser -c --config -C --config-file -e --env -k --key -p --port -r --reporter -o --reporter-options -t --tag --ci-build-id --group',
  flags: '--headless --headed --record --parallel -q --quiet --component --e2e',
  targets: '-s --spec',
  directory: '-P --project',
  bare: 'nothing',
};

const ava: Tool = {
  kind: 'test',
  runner: 'ava',
  values: '-c --concurrency --config -T --timeout --node-arguments',
  flags:
    '-v --verbose -s --serial -t --tap -w --watch --fail-fast -u --update-snapshots --no-worker-threads --match-no-tests',
  selectors: '-m --match',
  rewrites: '-u --update-snapshots',
};

const plainTest = (runner: string, values = '', selectors = ''): Tool => ({
  kind: 'test',
  runner,
  values,
  selectors,
});

/** `-p dir` and `-p dir/tsconfig.json` say where, and not what. */
const typeScript: Reader = (args, name) => {
  const read = readOptions(TSC, args);
  const project = read.packages[0];
  const builds = args.some((arg) => arg === '-b' || arg === '--build') && !args.includes('--noEmit');
  const directory = project === undefined ? null : project.endsWith('.json') ? folderOf(project) : project;
  const places = builds
    ? read.targets.map((path) => (path.endsWith('.json') ? folderOf(path) : path))
    : read.targets;
  const targets = places.filter((path) => path !== '.');
  return { ...read, kind: builds ? 'build' : 'types', runner: name, packages: [], directory, targets };
};

const TSC: Tool = {
  kind: 'types',
  runner: 'tsc',
  packages: '-p --project',
  values:
    '--target -t --module -m --moduleResolution --outDir --outFile --rootDir --lib --jsx --declarationDir --baseUrl --types --tsBuildInfoFile --pretty --incremental --maxNodeModuleJsDepth --generateTrace --customConditions --moduleDetection',
  flags:
    '--noEmit --strict --skipLibCheck -b --build -w --watch --force -f --verbose --allowJs --checkJs --esModuleInterop --declaration -d --noEmitOnError --resolveJsonModule --emitDeclarationOnly --isolatedModules --noUnusedLocals --composite',
  dry: '--showConfig --init --listFilesOnly --all --clean --dry -h -v',
};

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
}

const lint = (runner: string, values = '', more: Partial<Tool> = {}): Tool => ({
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

const prettier: Reader = (args) =>
  readOptions(
    {
      kind: 'format',
      runner: 'prettier',
      values:
        '--config --ignore-path --plugin --parser --log-level --loglevel --tab-width --print-width --stdin-filepath --cache-location --trailing-comma',
      flags:
        '--check -c --list-different -l --write -w --single-quote --no-config --ignore-unknown -u --cache',
      rewrites: '--write -w',
      dry: '--support-info --find-config-path --file-info -h -v',
    },
    args,
  );

const build = (runner: string, more: Partial<Tool> = {}): Tool => ({
  kind: 'build',
  runner,
  bare: 'nothing',
  dry: '-h -v',
  ...more,
});
const served = (runner: string): Tool => ({ kind: 'run', runner, bare: 'nothing' });

/** Bundlers and frameworks: `x build`, `x dev`. */
const framework = (name: string, more: Tool['subs'] = {}): Tool => ({
  kind: 'run',
  runner: name,
  bare: 'nothing',
  values: '-c --config --mode -p --port --host',
  subs: {
    build: build(`${name} build`),
    dev: served(`${name} dev`),
    start: served(`${name} start`),
    serve: served(`${name} serve`),
    preview: served(`${name} preview`),
    ...more,
  },
});

export const JS: Table = {
  vitest,
  jest,
  mocha,
  ava,
  playwright: { kind: 'run', runner: 'playwright', subs: { test: playwright, '*': null } },
  cypress: { kind: 'run', runner: 'cypress', subs: { run: cypress, '*': null } },
  jasmine: plainTest('jasmine', '--config --reporter --helper --seed --require', '--filter'),
  karma: {
    kind: 'test',
    runner: 'karma',
    bare: 'nothing',
    subs: { start: { kind: 'test', runner: 'karma', bare: 'nothing' }, '*': null },
  },
  wdio: plainTest('wdio', '', '--spec --suite --mochaOpts.grep'),
  testcafe: plainTest('testcafe', '-c -r', '-t -f -T -F'),
  qunit: plainTest('qunit', '--reporter --require --seed', '-f --filter -m --module'),
  tape: plainTest('tape', '-r --require -i --ignore'),
  tap: plainTest('tap', '-R --reporter -t --timeout -j --jobs', '-g --grep'),
  uvu: plainTest('uvu', '-r --require -i --ignore -C --cwd'),
  lab: plainTest('lab', '-r -o -t -m', '-g --grep'),
  wtr: plainTest('wtr', '--config --root-dir', '--group'),
  'web-test-runner': plainTest('web-test-runner', '--config --root-dir', '--group'),
  'cucumber-js': plainTest(
    'cucumber-js',
    '-f --format -r --require -p --profile -i --import',
    '-t --tags -n --name',
  ),
  tsc: typeScript,
  'vue-tsc': typeScript,
  tsgo: typeScript,
  ngc: typeScript,
  tsd: { kind: 'types', runner: 'tsd', values: '-t --typings -f --files' },
  'svelte-check': {
    kind: 'types',
    runner: 'svelte-check',
    directory: '--workspace',
    values: '--output --tsconfig --threshold --ignore --compiler-warnings --fail-on-warnings',
    bare: 'nothing',
  },
  flow: { kind: 'types', runner: 'flow', subs: { check: { kind: 'types', runner: 'flow' }, '*': null } },
  attw: lint('attw'),
  eslint: lint('eslint', ESLINT, { dry: '--print-config --init --env-info --inspect-config -h -v' }),
  eslint_d: lint('eslint', ESLINT),
  oxlint: lint(
    'oxlint',
    '-c --config -A -W -D --allow --warn --deny -f --format --threads --max-warnings --tsconfig',
    { dry: '--rules --init' },
  ),
  biome: {
    kind: 'lint',
    runner: 'biome',
    values: biomeValues,
    subs: {
      check: lint('biome check', biomeValues),
      lint: lint('biome lint', biomeValues),
      ci: lint('biome ci', biomeValues),
      format: lint('biome format', biomeValues, { kind: 'format' }),
      '*': null,
    },
  },
  stylelint: lint(
    'stylelint',
    '-c --config --custom-syntax -f --formatter -i --ignore-path -o --output-file --max-warnings',
    { dry: '--print-config' },
  ),
  standard: lint('standard'),
  xo: lint('xo'),
  tslint: lint('tslint', '-c -p'),
  jshint: lint('jshint'),
  markdownlint: lint('markdownlint', '-c --config -i --ignore'),
  'markdownlint-cli2': lint('markdownlint', '--config'),
  knip: lint('knip', '-c --config -W --workspace'),
  depcheck: lint('depcheck'),
  publint: lint('publint'),
  'lint-staged': lint('lint-staged', '-c --config'),
  prettier,
  dprint: {
    kind: 'format',
    runner: 'dprint',
    subs: {
      check: { kind: 'format', runner: 'dprint' },
      fmt: { kind: 'format', runner: 'dprint', rewrites: '' },
      '*': null,
    },
  },
  webpack: framework('webpack', { '*': build('webpack') }),
  vite: framework('vite', { optimize: null, '*': served('vite') }),
  rollup: build('rollup'),
  rolldown: build('rolldown'),
  esbuild: build('esbuild'),
  tsup: build('tsup'),
  tsdown: build('tsdown'),
  unbuild: build('unbuild'),
  microbundle: build('microbundle'),
  swc: build('swc'),
  babel: build('babel'),
  parcel: framework('parcel'),
  next: framework('next', { lint: lint('next lint'), info: null, telemetry: null }),
  nuxt: framework('nuxt', {
    generate: build('nuxt generate'),
    typecheck: { kind: 'types', runner: 'nuxt typecheck' },
  }),
  nuxi: framework('nuxi', {
    generate: build('nuxi generate'),
    typecheck: { kind: 'types', runner: 'nuxi typecheck' },
  }),
  astro: framework('astro', { check: { kind: 'types', runner: 'astro check', bare: 'nothing' } }),
  remix: framework('remix', { 'vite:build': build('remix build') }),
  'react-router': framework('react-router', { typegen: null }),
  gatsby: framework('gatsby'),
  rspack: framework('rspack'),
  rsbuild: framework('rsbuild'),
  storybook: framework('storybook'),
  'react-scripts': framework('react-scripts', {
    test: { ...jest, runner: 'react-scripts test' },
    eject: null,
  }),
  'vue-cli-service': framework('vue-cli-service', {
    lint: lint('vue-cli-service lint'),
    'test:unit': { ...jest, runner: 'vue-cli-service test:unit' },
  }),
  ng: framework('ng', {
    test: {
      kind: 'test',
      runner: 'ng test',
      targets: '--include',
      excludes: '--exclude',
      values: '--browsers -c --configuration',
      bare: 'packages',
    },
    e2e: { kind: 'test', runner: 'ng e2e', bare: 'packages' },
    lint: lint('ng lint', '', { bare: 'packages' }),
    generate: null,
    g: null,
    new: null,
    add: null,
  }),
  ncc: framework('ncc'),
  'electron-builder': build('electron-builder'),
  bun: {
    kind: 'run',
    runner: 'bun',
    values: '--cwd --preload -r',
    directory: '--cwd',
    subs: {
      test: {
        kind: 'test',
        runner: 'bun test',
        values:
          '--timeout --preload --rerun-each --coverage-reporter --coverage-dir --reporter --reporter-outfile --max-concurrency --seed --env-file',
        flags: '--watch --coverage --bail --only --todo --update-snapshots -u',
        selectors: '-t --test-name-pattern',
        narrowing: '--only',
        rewrites: '-u --update-snapshots',
      },
      build: build('bun build'),
    },
  },
  deno: {
    kind: 'run',
    runner: 'deno',
    subs: {
      test: {
        kind: 'test',
        runner: 'deno test',
        values: '-c --config --import-map --reporter --junit-path --lock --coverage --shuffle --env-file',
        flags: '-A --allow-all --parallel --watch --doc --trace-leaks --no-check --unstable --fail-fast',
        selectors: '--filter',
        excludes: '--ignore',
        dry: '--no-run',
      },
      check: { kind: 'types', runner: 'deno check', values: '-c --config --import-map' },
      lint: lint('deno lint', '-c --config --ignore --rules-include --rules-exclude'),
      fmt: { kind: 'format', runner: 'deno fmt', values: '-c --config --ignore --ext', flags: '--check' },
      compile: build('deno compile'),
      bench: { kind: 'run', runner: 'deno bench' },
      '*': null,
    },
  },
};

/** `node` and the programs that stand for it. */
export function readNode(args: readonly string[], name: string): ReturnType<Reader> {
  if (args.includes('--test')) return readOptions(NODE_TEST, args);
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (/^(?:-v|--version|-h|--help|--v8-options)$/.test(arg)) return found('run', name, { dry: arg });
    if (/^(?:-e|--eval|-p|--print|-pe)$/.test(arg)) return found('run', `${name} -e`);
    if (arg === '-c' || arg === '--check')
      return found('build', `${name} --check`, { targets: args.slice(at + 1, at + 2) });
    if (arg === 'watch' && name === 'tsx') continue;
    if (!arg.startsWith('-')) return found('run', name, { targets: [arg] });
    if (` ${NODE_VALUES} `.includes(` ${arg} `)) at++;
  }
  return null;
}
