// How a project is tested, as its own files say: the command that the gate names when none was run. Only looked at, never
// run: the files are the agent's to write.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { configs } from '../ecosystems/index.ts';
import type { ProjectCommands } from '../rules/index.ts';

const MOST_BYTES = 1024 * 1024;
const MOST_FILES = 8;
const MOST_UP = 8;

const NONE: ProjectCommands = { test: null, build: null, types: null, lint: null };

/** `changed`: paths in `root`. Where the root has no tests of its own, those of the folder that holds what changed count. */
export function projectCommands(root: string | null, changed: readonly string[] = []): ProjectCommands {
  if (root === null) return NONE;
  try {
    const whole = commandsIn(root, root) ?? NONE;
    if (whole.test !== null) return whole;
    const files = changed.filter((path) => !/^(?:\/|\.\.\/|[A-Za-z]:)/.test(path)).slice(0, MOST_FILES);
    for (const file of files) {
      const part = fromFolder(root, file) ?? fromPython(root, file);
      if (part !== undefined) return { ...whole, ...part };
    }
    return whole;
  } catch {
    return NONE;
  }
}

function commandsIn(place: string, root: string): ProjectCommands | undefined {
  return fromPackage(place, root) ?? fromFile(place) ?? fromMakefile(place);
}

type TestCommands = Pick<ProjectCommands, 'test' | 'all'>;

/** A package of a workspace, or any folder that is a project of its own. */
function fromFolder(root: string, file: string): TestCommands | undefined {
  for (
    let place = posix.dirname(file), up = 0;
    place !== '.' && up < MOST_UP;
    place = posix.dirname(place), up++
  ) {
    const test = commandsIn(join(root, place), root)?.test ?? null;
    if (test === null || !/^[\w./@+-]+$/.test(place)) continue;
    return { test: `cd ${place} && ${test}`, all: allPackages(root, test) };
  }
  return undefined;
}

/** Every package of a workspace, by the manager that tests one of them. */
function allPackages(root: string, test: string): string | null {
  const manager = test.split(' ', 1)[0];
  if (manager === 'pnpm') return existsSync(join(root, 'pnpm-workspace.yaml')) ? 'pnpm -r test' : null;
  const isWorkspace = readSmall(join(root, 'package.json'))?.includes('"workspaces"') === true;
  if (manager === 'npm') return isWorkspace ? 'npm test --workspaces --if-present' : null;
  if (manager !== 'yarn' || !isWorkspace) return null;
  return existsSync(join(root, '.yarnrc.yml'))
    ? 'yarn workspaces foreach -A run test'
    : 'yarn workspaces run test';
}

/** The test of a Python file in a project that says nowhere how it is tested: what it is written for can run it. */
function fromPython(root: string, file: string): TestCommands | undefined {
  const { dir, name, ext } = posix.parse(file);
  if (ext !== '.py') return undefined;
  const test = `test_${name}.py`;
  const near = /^test_|_test$/.test(name)
    ? [file]
    : [test, `${name}_test.py`, `tests/${test}`].map((each) => posix.join(dir, each)).concat(`tests/${test}`);
  for (const path of near) {
    const text = readSmall(join(root, path));
    if (text === undefined || !/^[\w./-]+$/.test(path)) continue;
    const isUnittest = /^(?:import|from)\s+unittest\b/m.test(text) && !/\bpytest\b|^def test/m.test(text);
    const folder = posix.dirname(path);
    const all = folder === '.' ? 'python3 -m unittest' : `python3 -m unittest discover -s ${folder}`;
    return {
      test: `python3 -m ${isUnittest ? 'unittest' : 'pytest'} ${path}`,
      all: isUnittest ? all : 'python3 -m pytest',
    };
  }
  return undefined;
}

function fromPackage(place: string, root: string): ProjectCommands | undefined {
  const text = readSmall(join(place, 'package.json'));
  if (text === undefined) return undefined;
  const { scripts } = JSON.parse(text) as { scripts?: unknown };
  const has = (name: string): boolean =>
    typeof scripts === 'object' && scripts !== null && Object.hasOwn(scripts, name);
  // What npm puts there by itself says that there is none.
  const test = has('test') && !String((scripts as { test: unknown }).test).includes('no test specified');
  // The packages of a workspace have one lock file, in its root.
  const locked = (name: string): boolean => [place, root].some((each) => existsSync(join(each, name)));
  const manager = locked('pnpm-lock.yaml')
    ? 'pnpm'
    : locked('yarn.lock')
      ? 'yarn'
      : locked('bun.lock') || locked('bun.lockb')
        ? 'bun run'
        : 'npm';
  const script = (names: readonly string[]): string | null => {
    const name = names.find(has);
    return name === undefined ? null : `${manager === 'npm' ? 'npm run' : manager} ${name}`;
  };
  return {
    test: test ? `${manager} test` : (fromFile(place)?.test ?? null),
    build: script(['build', 'compile']),
    types: script(['typecheck', 'type-check', 'types', 'tsc', 'check-types']),
    lint: script(['lint', 'check']),
  };
}

function fromFile(root: string): ProjectCommands | undefined {
  // The first that is there wins.
  const found = configs()
    .flatMap(({ projects = [] }) => projects)
    .find(([file]) => existsSync(join(root, file)));
  return found === undefined ? undefined : { ...NONE, test: found[1], build: found[2] };
}

function fromMakefile(root: string): ProjectCommands | undefined {
  const text = readSmall(join(root, 'Makefile'));
  if (text === undefined) return undefined;
  const has = (target: string): string | null =>
    text.split('\n').some((line) => line.startsWith(`${target}:`)) ? `make ${target}` : null;
  return {
    test: has('test') ?? has('check'),
    build: has('build') ?? has('all'),
    types: null,
    lint: has('lint'),
  };
}

function readSmall(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size <= MOST_BYTES ? readFileSync(path, 'utf8') : undefined;
}
