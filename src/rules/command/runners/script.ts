// PHP, Ruby, .NET, Elixir, Swift, Dart, Perl, Lua and the shell's own test runners.
import type { Found } from '../facts.ts';
import { found, type Reader, readOptions, readTool, type Table, type Tool } from '../tool.ts';

const phpunit = (runner: string): Tool => ({
  kind: 'test',
  runner,
  values:
    '-c --configuration --bootstrap --log-junit --coverage-clover --coverage-html --coverage-text --order-by --columns --testdox-text --cache-directory -d --printer --processes -p --runner --random-order-seed',
  flags:
    '--testdox --debug --verbose -v --colors --stop-on-failure --stop-on-error --no-coverage --display-warnings --display-deprecations --no-progress --parallel --compact --bail --ci --coverage',
  selectors: '--filter --group --testsuite --covers --uses',
  excludes: '--exclude-group --exclude-filter --exclude-testsuite',
  dry: '--list-tests --list-tests-xml --list-suites --list-groups --list-test-files --check-version --generate-configuration --migrate-configuration -h',
  narrowing: '--dirty --retry --only',
});

/** `spec/a_spec.rb:12` is a file and a place. */
const rspec: Reader = (args) => {
  const read = readOptions(
    {
      kind: 'test',
      runner: 'rspec',
      values:
        '-r --require -f --format -o --out -O --options -I --seed --order --default-path --failure-exit-code -P_',
      flags: '-b --backtrace -c --color --fail-fast -p --profile -w --warnings --no-color',
      selectors: '-e --example -E --example-matches -t --tag -P --pattern',
      excludes: '--exclude-pattern',
      narrowing: '--only-failures -n --next-failure',
      dry: '--init -h -v',
    },
    args,
  );
  return withLines({ ...read, selectors: read.selectors.map((word) => word.replace(/^~/, '!')) });
};

function withLines(read: Found): Found {
  const lines: string[] = [];
  const targets = read.targets.map((path) => {
    const match = /^(.*\.\w+):([\d:]+)$/.exec(path);
    if (match?.[2] !== undefined) lines.push(match[2]);
    return match?.[1] ?? path;
  });
  return { ...read, targets: [...new Set(targets)], selectors: [...read.selectors, ...lines] };
}

const rails: Reader = (args) => {
  const [sub = '', ...rest] = args;
  if (sub === 'test' || sub === 't' || sub.startsWith('test:')) {
    const read = readOptions(
      {
        kind: 'test',
        runner: 'rails test',
        values: '-s --seed -e --environment',
        flags: '-v -b -d -f',
        selectors: '-n --name',
      },
      rest,
    );
    const area = sub.startsWith('test:') && sub !== 'test:all' ? [`test/${sub.slice(5)}`] : [];
    return withLines({ ...read, targets: [...area, ...read.targets] });
  }
  if (/^db:(?:migrate|rollback|prepare|schema:load)/.test(sub)) return found('ship', `rails ${sub}`);
  if (/^(?:runner|server|s)$/.test(sub)) return found('run', `rails ${sub}`);
  if (sub === 'zeitwerk:check') return found('build', 'rails zeitwerk:check');
  return sub === 'assets:precompile' ? found('build', `rails ${sub}`) : null;
};

/** `ruby -Itest test/a_test.rb -n name`. */
const ruby: Reader = (args) => {
  const read = readOptions(
    { kind: 'run', runner: 'ruby', values: '-I -r -C -E -W', selectors: '-n --name', flags: '-w -v' },
    args,
  );
  if (args.some((arg) => arg === '-v' || arg === '--version'))
    return found('run', 'ruby', { dry: '--version' });
  if (args.includes('-c')) return found('build', 'ruby -c', { targets: read.targets });
  if (args.includes('-e')) return found('run', 'ruby -e');
  const [script = ''] = read.targets;
  if (/(?:_test|_spec|^test|\/test_\w+)\.rb$/.test(script))
    return { ...read, kind: 'test', targets: [script] };
  return script === '' ? null : found('run', 'ruby', { targets: [script] });
};

const php: Reader = (args, name) => {
  const at = args.findIndex(
    (arg, index) => !arg.startsWith('-') && args[index - 1] !== '-d' && args[index - 1] !== '-c',
  );
  if (args.includes('-l'))
    return found('build', 'php -l', { targets: args.filter((arg) => !arg.startsWith('-')) });
  if (args.includes('-r')) return found('run', 'php -r');
  if (args[0] === '-v' || args[0] === '--version') return found('run', 'php', { dry: args[0] });
  if (args[0] === '-S') return found('run', 'php -S');
  const script = args[at];
  if (script === undefined) return null;
  const base = script.slice(script.lastIndexOf('/') + 1);
  const rest = args.slice(at + 1);
  if (base === 'artisan') return artisan(rest);
  if (base === 'console' && rest[0]?.startsWith('lint:')) return found('lint', rest[0]);
  if (base === 'console' && rest[0]?.includes('migrations:migrate')) return found('ship', rest[0]);
  const tool = SCRIPT[base.replace(/\.phar$/, '')];
  return tool !== undefined && base !== 'php'
    ? readTool(tool, rest, name)
    : found('run', 'php', { targets: [script] });
};

function artisan(rest: readonly string[]): Found | null {
  const [sub = ''] = rest;
  if (sub === 'test') return readOptions(phpunit('artisan test'), rest.slice(1));
  if (sub === 'dusk') return readOptions(phpunit('artisan dusk'), rest.slice(1));
  if (sub.startsWith('migrate'))
    return found('ship', `artisan ${sub}`, { dry: rest.find((arg) => arg === '--pretend') ?? null });
  return sub === '' || sub === 'tinker' || sub.startsWith('make:') ? null : found('run', `artisan ${sub}`);
}

const dotnet: Reader = (args) => {
  const [sub, ...rest] = args;
  const values =
    '-c --configuration -f --framework -r --runtime -o --output -v --verbosity -l --logger -s --settings --results-directory --collect --diag -a --arch --os -p --property --blame-hang-timeout --project --solution --max-parallel-test-modules';
  const flags = '--no-build --no-restore --nologo --blame --interactive --force --self-contained';
  switch (sub) {
    case 'test':
      return readOptions(
        {
          kind: 'test',
          runner: 'dotnet test',
          values,
          flags,
          selectors: '--filter --filter-method --filter-class --treenode-filter',
          targets: '--project',
          dry: '-t --list-tests -h',
        },
        rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest,
      );
    case 'vstest':
      return readOptions(
        {
          kind: 'test',
          runner: 'dotnet vstest',
          selectors: '--TestCaseFilter --Tests',
          dry: '-lt --ListTests',
        },
        rest,
      );
    case 'build':
    case 'publish':
    case 'pack':
    case 'msbuild':
      return readOptions({ kind: 'build', runner: `dotnet ${sub}`, values, flags }, rest);
    case 'format':
      return found('format', 'dotnet format', { rewrites: !rest.includes('--verify-no-changes') });
    case 'run':
      return found('run', 'dotnet run', {
        targets: rest.flatMap((arg, at) => (rest[at - 1] === '--project' ? [arg] : [])),
      });
    case 'nuget':
      return rest[0] === 'push' ? found('ship', 'dotnet nuget push') : null;
    case 'ef':
      return rest[0] === 'database' ? found('ship', 'dotnet ef database update') : null;
    default:
      return sub?.endsWith('.dll') ? found('run', 'dotnet', { targets: [sub] }) : null;
  }
};

/** `mix test test/a_test.exs:12`. */
const mix: Reader = (args) => {
  const [task = '', ...rest] = args;
  // `mix do a + b` runs several; the last is what it ends with.
  if (task === 'test' || task === 'coveralls' || task.startsWith('coveralls.')) {
    const tool: Tool = {
      kind: 'test',
      runner: 'mix test',
      values:
        '--seed --max-failures --max-cases --timeout --formatter --slowest --exit-status --partitions --repeat-until-failure',
      flags: '--trace --cover --color --force --no-start --no-compile --warnings-as-errors --raise',
      selectors: '--only',
      excludes: '--exclude',
      narrowing: '--failed --stale',
    };
    return withLines(readOptions(tool, rest));
  }
  if (task === 'compile') return found('build', 'mix compile');
  if (task === 'format')
    return found('format', 'mix format', { rewrites: !rest.includes('--check-formatted') });
  if (task === 'credo') return found('lint', 'mix credo');
  if (task === 'dialyzer') return found('types', 'mix dialyzer');
  if (task === 'run' || task === 'phx.server')
    return found('run', `mix ${task}`, { targets: rest.filter((arg) => arg.endsWith('.exs')) });
  return task === 'ecto.migrate' || task === 'hex.publish' ? found('ship', `mix ${task}`) : null;
};

const swift: Reader = (args) => {
  const [sub, ...rest] = args;
  if (sub === 'test')
    return readOptions(
      {
        kind: 'test',
        runner: 'swift test',
        values:
          '-c --configuration --num-workers -j --jobs --xunit-output --build-path --scratch-path -Xswiftc -Xcc',
        selectors: '--filter -s --specifier',
        excludes: '--skip',
        directory: '--package-path',
        packages: '--test-product',
        dry: '-l --list-tests list',
        bare: 'selectors',
      },
      rest,
    );
  if (sub === 'build')
    return readOptions(
      {
        kind: 'build',
        runner: 'swift build',
        values: '-c --configuration --target --product -Xswiftc',
        directory: '--package-path',
        bare: 'nothing',
      },
      rest,
    );
  if (sub === 'run')
    return found('run', 'swift run', { packages: rest.filter((arg) => !arg.startsWith('-')).slice(0, 1) });
  return sub?.endsWith('.swift') ? found('run', 'swift', { targets: [sub] }) : null;
};

const xcodebuild: Reader = (args) => {
  const tests = args.find((arg) => arg === 'test' || arg === 'test-without-building');
  const selectors = args.flatMap((arg) => /^-only-testing:?(.+)$/.exec(arg)?.[1] ?? []);
  const excluded = args
    .flatMap((arg) => /^-skip-testing:?(.+)$/.exec(arg)?.[1] ?? [])
    .map((word) => `!${word}`);
  if (tests !== undefined)
    return found('test', 'xcodebuild test', { selectors: [...selectors, ...excluded] });
  return args.includes('-version') || args.includes('-list') ? null : found('build', 'xcodebuild');
};

const dart =
  (name: string): Reader =>
  (args) => {
    const [sub, ...rest] = args;
    switch (sub) {
      case 'test':
        return readOptions(
          {
            kind: 'test',
            runner: `${name} test`,
            values:
              '-r --reporter -j --concurrency -p --platform --timeout --coverage -d --device-id --dart-define --total-shards --shard-index',
            flags: '--coverage --no-pub',
            selectors: '-n --name -N --plain-name -t --tags',
            excludes: '-x --exclude-tags',
          },
          rest,
        );
      case 'analyze':
        return readOptions({ kind: 'lint', runner: `${name} analyze` }, rest);
      case 'format':
        return found('format', `${name} format`, { rewrites: !rest.includes('--set-exit-if-changed') });
      case 'compile':
      case 'build':
        return found('build', `${name} ${sub}`);
      case 'run':
        return found('run', `${name} run`, {
          targets: rest.filter((arg) => arg.endsWith('.dart')).slice(0, 1),
        });
      default:
        return sub?.endsWith('.dart') ? found('run', name, { targets: [sub] }) : null;
    }
  };

const lint = (runner: string, values = '', rewrites = ''): Tool => ({
  kind: 'lint',
  runner,
  values,
  rewrites,
});
const plainTest = (runner: string, values = '', selectors = '', dry = ''): Tool => ({
  kind: 'test',
  runner,
  values,
  selectors,
  dry,
});

export const SCRIPT: Table = {
  phpunit: phpunit('phpunit'),
  'simple-phpunit': phpunit('phpunit'),
  paratest: phpunit('paratest'),
  pest: phpunit('pest'),
  codecept: {
    kind: 'test',
    runner: 'codecept',
    subs: {
      run: { kind: 'test', runner: 'codecept', selectors: '-g --group', bare: 'selectors' },
      '*': null,
    },
  },
  behat: plainTest('behat', '-c -p', '--tags --name --suite', '--dry-run -dl'),
  phpspec: { kind: 'test', runner: 'phpspec', subs: { run: { kind: 'test', runner: 'phpspec' }, '*': null } },
  php,
  phpstan: {
    kind: 'types',
    runner: 'phpstan',
    subs: {
      analyse: {
        kind: 'types',
        runner: 'phpstan',
        values: '-c --configuration -l --level --memory-limit --error-format -a',
      },
      analyze: { kind: 'types', runner: 'phpstan', values: '-c -l --level --memory-limit --error-format' },
      '*': null,
    },
  },
  psalm: { kind: 'types', runner: 'psalm', values: '-c --config' },
  phpcs: lint('phpcs', '--standard --extensions --ignore'),
  'php-cs-fixer': (args) =>
    args[0] === 'fix' || args[0] === 'check'
      ? found('format', 'php-cs-fixer', { rewrites: args[0] === 'fix' && !args.includes('--dry-run') })
      : null,
  pint: (args) => found('format', 'pint', { rewrites: !args.includes('--test') }),
  rspec,
  rails,
  ruby,
  minitest: plainTest('minitest', '', '-n'),
  cucumber: plainTest('cucumber', '-f -r -p', '-t --tags -n --name', '-d'),
  rubocop: lint(
    'rubocop',
    '-c --config --only --except --format -f',
    '-a -A --autocorrect --autocorrect-all --auto-correct',
  ),
  standardrb: lint('standardrb', '', '--fix'),
  brakeman: lint('brakeman'),
  srb: { kind: 'types', runner: 'sorbet', subs: { tc: { kind: 'types', runner: 'sorbet' }, '*': null } },
  steep: { kind: 'types', runner: 'steep', subs: { check: { kind: 'types', runner: 'steep' }, '*': null } },
  dotnet,
  msbuild: { kind: 'build', runner: 'msbuild' },
  mix,
  rebar3: (args) =>
    /^(?:eunit|ct|proper)$/.test(args[0] ?? '')
      ? found('test', `rebar3 ${args[0]}`, { selectors: args.slice(1).filter((arg) => arg.startsWith('--')) })
      : args[0] === 'compile'
        ? found('build', 'rebar3 compile')
        : args[0] === 'dialyzer'
          ? found('types', 'rebar3 dialyzer')
          : null,
  elixir: (args) => found('run', 'elixir', { targets: args.filter((arg) => /\.exs?$/.test(arg)) }),
  swift,
  xcodebuild,
  swiftlint: lint('swiftlint', '--config', '--fix'),
  dart: dart('dart'),
  flutter: dart('flutter'),
  prove: {
    kind: 'test',
    runner: 'prove',
    values: '-I -j --jobs --formatter -e',
    flags: '-l -r -v -b --lib',
    dry: '-D --dry',
  },
  // With -i it is an editor.
  perl: (args) =>
    args.some((arg) => /^-(?![IMm])[a-zA-Z0-9]*i/.test(arg))
      ? null
      : args.includes('-c')
        ? found('build', 'perl -c', { targets: args.filter((arg) => !arg.startsWith('-')) })
        : args.some((arg) => /^-\w*[eE]/.test(arg))
          ? found('run', 'perl -e')
          : found('run', 'perl', { targets: args.filter((arg) => !arg.startsWith('-')).slice(0, 1) }),
  busted: plainTest('busted', '-p --pattern -o', '-t --tags --filter', '-l --list'),
  luacheck: lint('luacheck'),
  lua: { kind: 'run', runner: 'lua' },
  julia: (args) =>
    /Pkg\.test\(/.test(args.join(' '))
      ? found('test', 'julia Pkg.test')
      : found('run', 'julia', { targets: args.filter((arg) => arg.endsWith('.jl')) }),
  Rscript: (args) =>
    /testthat|devtools::test|test_dir|test_file/.test(args.join(' '))
      ? found('test', 'testthat')
      : found('run', 'Rscript', { targets: args.filter((arg) => /\.[rR]$/.test(arg)) }),
  bats: plainTest('bats', '-j --jobs -F --formatter -T -o', '-f --filter --filter-tags', '-c --count'),
  shellspec: plainTest('shellspec', '-s --shell -f --format', '-E --example -T --tag', '--list'),
  shellcheck: lint('shellcheck', '-s --shell -e --exclude -f --format -S --severity -i'),
  shfmt: (args) =>
    found('format', 'shfmt', {
      targets: args.filter((arg) => !arg.startsWith('-')),
      rewrites: args.includes('-w'),
    }),
  hadolint: lint('hadolint', '-c --config --ignore'),
  yamllint: lint('yamllint', '-c -d'),
  actionlint: lint('actionlint'),
  sqlfluff: {
    kind: 'lint',
    runner: 'sqlfluff',
    subs: { lint: lint('sqlfluff', '--dialect'), fix: lint('sqlfluff', '--dialect', ''), '*': null },
  },
  buf: {
    kind: 'lint',
    runner: 'buf',
    subs: { lint: lint('buf'), build: { kind: 'build', runner: 'buf build' }, '*': null },
  },
  semgrep: lint('semgrep', '--config'),
  nbqa: lint('nbqa'),
  vale: lint('vale'),
  typos: lint('typos'),
  codespell: lint('codespell'),
};
