// Python as the program that runs a module, a script or a line of code.
import { goal } from '../tasks/scripts.ts';
import {
  build,
  each,
  type Found,
  found,
  lint,
  own,
  type Reader,
  readTool,
  type Table,
  whole,
  withVerbs,
} from '../tool.ts';
import { programs as behave } from './behave.ts';
import { manage } from './django.ts';
import { programs as linters } from './linters.ts';
import { programs as pytest } from './pytest.ts';
import { programs as tox } from './tox.ts';
import { programs as unittest } from './unittest.ts';

/** `coverage run -m unittest`, `coverage run file.py`. */
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

export const programs = (): Table => ({
  coverage,
  py_compile: build('py_compile'),
  compileall: build('compileall'),
  build: whole('build', 'python -m build'),
  mkdocs: withVerbs('build', 'mkdocs', {
    build: whole('build', 'mkdocs build'),
    serve: whole('run', 'mkdocs serve'),
  }),
  'sphinx-build': whole('build', 'sphinx-build'),
  ...each('uvicorn gunicorn flask', (runner) => whole('run', runner)),
  alembic: withVerbs(
    'ship',
    'alembic',
    {
      check: whole('lint', 'alembic check'),
      ...each('upgrade downgrade', (sub) => whole('ship', `alembic ${sub}`, { dry: '--sql' })),
    },
    { values: '-c -x -n', bare: 'nothing' },
  ),
  twine: withVerbs('ship', 'twine', {
    upload: whole('ship', 'twine upload'),
    check: lint('twine check'),
  }),
});

const MODULES =
  ' pytest unittest nose2 behave robot doctest stestr tox nox coverage mypy pyright pyre pytype ruff flake8 pylint pycodestyle pydocstyle pyflakes bandit vulture black isort autopep8 yapf pre_commit py_compile compileall build mkdocs uvicorn gunicorn flask alembic twine green ';

const TABLES = [pytest, unittest, behave, tox, linters, programs];

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
  if (/^(?:pip|venv|ensurepip|json\.tool)?$/.test(module)) return null;
  if (module === 'http.server') return found('run', 'python -m http.server');
  const key = module === 'pre_commit' ? 'pre-commit' : module;
  const tool = MODULES.includes(` ${module} `)
    ? TABLES.map((table) => own(table(), key)).find(Boolean)
    : undefined;
  if (tool === undefined)
    return found('run', `python -m ${module}`, { targets: [module.replaceAll('.', '/')] });
  return readTool(tool, rest, name);
}

function readScript(path: string, rest: readonly string[], name: string): Found | null {
  const base = path.slice(path.lastIndexOf('/') + 1);
  if (path === '-') return found('run', 'python -');
  if (base === 'manage.py') return manage(rest, name);
  if (base === 'setup.py') return goal('setup.py')(rest, name);
  // A program of the tests themselves: `python tests/test_a.py`, which calls unittest.main().
  if (/^(?:test_.*|.*_tests?|tests?|run_?tests)\.py$/.test(base)) {
    const selectors = rest.filter((arg) => !arg.startsWith('-'));
    return found('test', 'python', { targets: /^run_?tests\.py$/.test(base) ? [] : [path], selectors });
  }
  return found('run', 'python', { targets: [path] });
}
