// Python: test runners, type checkers, linters, and what starts them.
import type { Found } from '../facts.ts';
import { found, type Reader, readOptions, readTool, type Table, type Tool } from '../tool.ts';

const PYTEST: Tool = {
  kind: 'test',
  runner: 'pytest',
  values:
    '-n --numprocesses -c --config-file -p -o --override-ini -W --pythonwarnings --maxfail --durations --durations-min --tb -r --junitxml --junit-xml --junit-prefix --cov-report --cov-config --cov-fail-under --confcutdir --basetemp --import-mode --log-level --log-cli-level --log-file --timeout --dist --tx --count --reruns --reruns-delay --color --show-capture --randomly-seed --ds --html --splits --group --asyncio-mode --benchmark-json --verbosity --capture --assert --rootdir --cov --hypothesis-seed --hypothesis-profile --alluredir --browser --base-url --log-format --code-highlight',
  flags:
    '-x -v -vv -s -q -l --exitfirst --verbose --quiet --no-header --no-summary --strict-markers --strict-config --showlocals --full-trace --pdb --cov-append --cov-branch --disable-warnings --forked --no-cov --runxfail --doctest-modules --snapshot-update --inline-snapshot',
  selectors: '-k -m',
  excludes: '--deselect --ignore --ignore-glob',
  directory: '',
  narrowing: '--lf --last-failed --ff --failed-first --nf --sw --stepwise --testmon',
  dry: '--collect-only --co --collectonly --fixtures --fixtures-per-test --markers --setup-plan --setup-only --cache-show --trace-config --funcargs -h -V',
  rewrites: '--snapshot-update --force-regen',
};

/** `tests/a.py::TestX::test_b` is a file and a name. */
const pytest: Reader = (args) => {
  const targets: string[] = [];
  const selectors: string[] = [];
  // --cov is a flag, or takes a path with =.
  const read = readOptions(
    PYTEST,
    args.map((arg) => (arg === '--cov' ? '--no-cov' : arg)),
  );
  for (const word of read.targets) {
    const at = word.indexOf('::');
    targets.push(at < 0 ? word : word.slice(0, at));
    if (at >= 0) selectors.push(word.slice(at + 2));
  }
  return { ...read, targets: unique(targets), selectors: [...read.selectors, ...selectors] };
};

const UNITTEST: Tool = {
  kind: 'test',
  runner: 'unittest',
  values: '-t --top-level-directory --durations',
  flags: '-v -q -f -b -c --verbose --quiet --failfast --buffer --catch --locals',
  selectors: '-k',
  targets: '-s --start-directory',
};

/** `tests.test_a.TestX.test_b`: modules are files; what begins with a capital or `test_` after them is a name. */
const unittest: Reader = (args) => {
  const discovers = args.includes('discover');
  const pattern: Tool = { ...UNITTEST, selectors: '-k -p --pattern' };
  const read = readOptions(
    pattern,
    args.filter((arg) => arg !== 'discover'),
  );
  const wide = read.selectors.filter((word) => word !== 'test*.py' && word !== 'test_*.py');
  if (discovers) return { ...read, selectors: wide, targets: read.targets.filter((path) => path !== '.') };
  return withModules({ ...read, selectors: wide });
};

function withModules(read: Found): Found {
  const targets: string[] = [];
  const selectors = [...read.selectors];
  for (const word of read.targets) {
    const { path, name } = moduleOf(word);
    if (path !== '') targets.push(path);
    if (name !== '') selectors.push(name);
  }
  return { ...read, targets: unique(targets), selectors };
}

function moduleOf(word: string): { path: string; name: string } {
  if (word.includes('/') || word.endsWith('.py')) return { path: word, name: '' };
  const parts = word.split('.');
  const at = parts.findIndex(
    (part, index) =>
      /^[A-Z]/.test(part) ||
      (index > 0 &&
        index === parts.length - 1 &&
        /^test_/.test(part) &&
        /^[A-Z]/.test(parts[index - 1] ?? '')),
  );
  const modules = at < 0 ? parts : parts.slice(0, at);
  return { path: modules.join('/'), name: at < 0 ? '' : parts.slice(at).join('.') };
}

const unique = (words: readonly string[]): string[] => [...new Set(words)];

const manage: Reader = (args) => {
  const [command, ...rest] = args;
  switch (command) {
    case 'test': {
      const tool: Tool = {
        kind: 'test',
        runner: 'django test',
        values:
          '-v --verbosity --settings --pythonpath --parallel -p --pattern --testrunner -t --top-level-directory',
        flags:
          '--failfast --keepdb --noinput --no-input -r --reverse -d --debug-sql --debug-mode --shuffle -b --buffer',
        selectors: '-k --tag',
        excludes: '--exclude-tag',
      };
      return withModules(readOptions(tool, rest));
    }
    case 'check':
      return found('build', 'django check');
    case 'migrate':
      return found('ship', 'django migrate', {
        dry: rest.find((arg) => arg === '--plan' || arg === '--check') ?? null,
      });
    case undefined:
    case 'shell':
    case 'help':
      return null;
    default:
      return found('run', `django ${command}`);
  }
};

const types = (runner: string, values = '', more: Partial<Tool> = {}): Tool => ({
  kind: 'types',
  runner,
  values,
  ...more,
});
const lint = (runner: string, values = '', more: Partial<Tool> = {}): Tool => ({
  kind: 'lint',
  runner,
  values,
  ...more,
});

/** A formatter that checks with `--check` or `--diff`, and rewrites without. */
const formatter =
  (runner: string, values: string): Reader =>
  (args) => {
    const read = readOptions(
      { kind: 'format', runner, values, flags: '--check --diff -q -v', dry: '-h' },
      args,
    );
    return {
      ...read,
      rewrites: !args.some(
        (arg) => arg === '--check' || arg === '--diff' || arg === '--check-only' || arg === '-c',
      ),
    };
  };

const RUFF =
  '--config --select --ignore --extend-select --extend-ignore --output-format --target-version --line-length --exclude --per-file-ignores';

/** `coverage run -m pytest`, `coverage run file.py`. */
const coverage: Reader = (args, name) => {
  if (args[0] !== 'run') return null;
  const rest = args.slice(1);
  const at = rest.findIndex((arg) => arg === '-m' || !arg.startsWith('-'));
  const values = '--source --include --omit --rcfile --data-file --context --concurrency';
  const inner = rest.slice(
    rest[at - 1] !== undefined && ` ${values} `.includes(` ${rest[at - 1]} `) ? at + 1 : at,
  );
  return readPython(inner, name);
};

const session = (runner: string): Tool => ({
  kind: 'test',
  runner,
  // An environment says with what tests are run, not which.
  values:
    '-c --conf -p --parallel --workdir --result-json --default-python -f --noxfile -e -s --session --sessions --env',
  flags: '-q -v -r --recreate -R --reuse-existing-virtualenvs -x --force-color',
  selectors: '-t --tags -k -m',
  dry: '-l --listenvs --list --notest -n --devenv --showconfig',
  bare: 'nothing',
});

export const PYTHON: Table = {
  pytest,
  'py.test': pytest,
  'pytest-3': pytest,
  ptw: pytest,
  unittest,
  nose2: { kind: 'test', runner: 'nose2', values: '-c --config --plugin', targets: '-s --start-dir' },
  nosetests: { kind: 'test', runner: 'nosetests', selectors: '-m -a', dry: '--collect-only' },
  green: { kind: 'test', runner: 'green', values: '-s' },
  behave: {
    kind: 'test',
    runner: 'behave',
    values: '-f -o -D',
    selectors: '-t --tags -n --name',
    dry: '-d --dry-run',
  },
  robot: {
    kind: 'test',
    runner: 'robot',
    values: '-d --outputdir -v --variable',
    selectors: '-t --test -s --suite -i --include',
    excludes: '-e --exclude',
    dry: '--dryrun',
  },
  doctest: { kind: 'test', runner: 'doctest', values: '-o' },
  stestr: {
    kind: 'test',
    runner: 'stestr',
    subs: { run: { kind: 'test', runner: 'stestr', bare: 'selectors' }, '*': null },
  },
  tox: {
    ...session('tox'),
    subs: {
      run: session('tox'),
      r: session('tox'),
      'run-parallel': session('tox'),
      p: session('tox'),
      list: null,
      l: null,
      devenv: null,
    },
  },
  nox: session('nox'),
  coverage,
  'django-admin': manage,
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
  ty: types('ty', '--python --python-version --project', {
    subs: { check: types('ty', '--python --python-version'), '*': null },
  }),
  pyrefly: types('pyrefly', '', { subs: { check: types('pyrefly'), '*': null } }),
  ruff: {
    kind: 'lint',
    runner: 'ruff',
    subs: {
      check: lint('ruff', RUFF, {
        rewrites: '--fix --unsafe-fixes --add-noqa',
        flags: '--fix --unsafe-fixes --preview --no-cache -q --statistics --show-fixes',
        dry: '--show-files --show-settings',
      }),
      format: formatter('ruff format', '--config --exclude --target-version --line-length'),
      '*': null,
    },
  },
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
  pydocstyle: lint('pydocstyle'),
  pyflakes: lint('pyflakes'),
  bandit: lint('bandit', '-c -f -o -s -x -ll', { flags: '-r -q -ll -lll' }),
  vulture: lint('vulture', '--min-confidence --exclude'),
  'lint-imports': lint('lint-imports', '--config', { bare: 'nothing' }),
  black: formatter(
    'black',
    '-l --line-length -t --target-version --config --exclude --include --extend-exclude -S',
  ),
  isort: formatter('isort', '--profile --settings-path --sp -l'),
  autopep8: formatter('autopep8', '--max-line-length'),
  yapf: formatter('yapf', '--style'),
  'pre-commit': {
    kind: 'lint',
    runner: 'pre-commit',
    subs: {
      run: {
        kind: 'lint',
        runner: 'pre-commit',
        values: '--hook-stage',
        targets: '--files',
        selectors: '',
        bare: 'selectors',
        flags: '-a --all-files -v',
      },
      '*': null,
    },
  },
  prek: {
    kind: 'lint',
    runner: 'prek',
    subs: { run: { kind: 'lint', runner: 'prek', bare: 'selectors', flags: '-a --all-files' }, '*': null },
  },
  py_compile: { kind: 'build', runner: 'py_compile' },
  compileall: { kind: 'build', runner: 'compileall', flags: '-q -f' },
  build: { kind: 'build', runner: 'python -m build', bare: 'nothing' },
  mkdocs: {
    kind: 'build',
    runner: 'mkdocs',
    bare: 'nothing',
    subs: {
      build: { kind: 'build', runner: 'mkdocs build', bare: 'nothing' },
      serve: { kind: 'run', runner: 'mkdocs serve', bare: 'nothing' },
      '*': null,
    },
  },
  'sphinx-build': { kind: 'build', runner: 'sphinx-build', bare: 'nothing' },
  uvicorn: { kind: 'run', runner: 'uvicorn', bare: 'nothing' },
  gunicorn: { kind: 'run', runner: 'gunicorn', bare: 'nothing' },
  flask: { kind: 'run', runner: 'flask', bare: 'nothing' },
  alembic: {
    kind: 'ship',
    runner: 'alembic',
    values: '-c -x -n',
    bare: 'nothing',
    subs: {
      check: { kind: 'lint', runner: 'alembic check', bare: 'nothing' },
      upgrade: { kind: 'ship', runner: 'alembic upgrade', bare: 'nothing', dry: '--sql' },
      downgrade: { kind: 'ship', runner: 'alembic downgrade', bare: 'nothing', dry: '--sql' },
      '*': null,
    },
  },
  twine: {
    kind: 'ship',
    runner: 'twine',
    subs: {
      upload: {
        kind: 'ship',
        runner: 'twine upload',
        bare: 'nothing',
        values: '-r --repository -u -p --repository-url',
      },
      check: { kind: 'lint', runner: 'twine check' },
      '*': null,
    },
  },
};

const MODULES =
  ' pytest unittest nose2 behave robot doctest stestr tox nox coverage mypy pyright pyre pytype ruff flake8 pylint pycodestyle pydocstyle pyflakes bandit vulture black isort autopep8 yapf pre_commit py_compile compileall build mkdocs uvicorn gunicorn flask alembic twine green ';
/** Options of the interpreter that take a word. */
const VALUES = ' -X -W -Q ';

/** `python`: a module, a script, or a line of code. */
export function readPython(args: readonly string[], name: string): Found | null {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (/^(?:-V|-VV|--version|-h|--help)$/.test(arg)) return found('run', 'python', { dry: arg });
    if (/^-[bBdEiIOPqRsSuv]*c$/.test(arg)) return found('run', 'python -c');
    if (/^-[bBdEiIOPqRsSuv]*m$/.test(arg)) return readModule(args[at + 1] ?? '', args.slice(at + 2), name);
    if (!arg.startsWith('-')) return readScript(arg, args.slice(at + 1), name);
    if (VALUES.includes(` ${arg} `)) at++;
  }
  return null;
}

function readModule(module: string, rest: readonly string[], name: string): Found | null {
  if (
    module === 'pip' ||
    module === 'venv' ||
    module === 'ensurepip' ||
    module === 'json.tool' ||
    module === ''
  )
    return null;
  if (module === 'http.server') return found('run', 'python -m http.server');
  const key = module === 'pre_commit' ? 'pre-commit' : module;
  const tool = MODULES.includes(` ${module} `) ? PYTHON[key] : undefined;
  if (tool === undefined)
    return found('run', `python -m ${module}`, { targets: [module.replaceAll('.', '/')] });
  return readTool(tool, rest, name);
}

function readScript(path: string, rest: readonly string[], name: string): Found | null {
  const base = path.slice(path.lastIndexOf('/') + 1);
  if (path === '-') return found('run', 'python -');
  if (base === 'manage.py') return manage(rest, name);
  if (base === 'setup.py') {
    if (rest[0] === 'test') return found('test', 'setup.py test');
    return /^(?:build|build_ext|sdist|bdist_wheel)$/.test(rest[0] ?? '')
      ? found('build', `setup.py ${rest[0]}`)
      : null;
  }
  // A program of the tests themselves: `python tests/test_a.py`, which calls unittest.main().
  if (/^(?:test_.*|.*_tests?|tests?|run_?tests)\.py$/.test(base)) {
    const selectors = rest.filter((arg) => !arg.startsWith('-'));
    return found('test', 'python', { targets: /^run_?tests\.py$/.test(base) ? [] : [path], selectors });
  }
  return found('run', 'python', { targets: [path] });
}
