// How a project is tested, as its own files say: the command that the gate names when none was run. Only looked at, never
// run: the files are the agent's to write.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { configs, pythonTests } from '../ecosystems/index.ts';
import type { ProjectCommands } from '../rules/index.ts';

const MOST_BYTES = 1024 * 1024;
const MOST_FILES = 8;

const NONE: ProjectCommands = { test: null, build: null, types: null, lint: null };

/** `changed`: paths in `root`. Where the root has no tests of its own, those of the folder that holds what changed count. */
export function projectCommands(root: string | null, changed: readonly string[] = []): ProjectCommands {
  if (root === null) return NONE;
  try {
    const whole = commandsIn(root, root) ?? NONE;
    if (whole.test !== null) return whole;
    const parts = changed
      .slice(0, MOST_FILES)
      .map((file) => inFolder(root, file) ?? besidePython(root, file));
    return { ...whole, ...parts.find((part) => part !== undefined) };
  } catch {
    return NONE;
  }
}

function commandsIn(place: string, root: string): ProjectCommands | undefined {
  const found = [fromPackage(place, root), fromFile(place), fromMakefile(place)].flatMap(
    (each) => each ?? [],
  );
  if (found.length === 0) return undefined;
  const first = (kind: keyof ProjectCommands): string | null =>
    found.find((each) => each[kind] !== null)?.[kind] ?? null;
  return { test: first('test'), build: first('build'), types: first('types'), lint: first('lint') };
}

type TestCommands = Pick<ProjectCommands, 'test'>;

/** In the project, and one word to a shell. */
const PLAIN = /^\w[\w./@+-]*$/;

/** A package of a workspace, or any folder that is a project of its own. */
function inFolder(root: string, file: string): TestCommands | undefined {
  for (let place = posix.dirname(file); PLAIN.test(place); place = posix.dirname(place)) {
    const test = commandsIn(join(root, place), root)?.test ?? null;
    if (test === null) continue;
    return { test: `cd ${place} && ${test}` };
  }
  return undefined;
}

/** The test of a Python file in a project that says nowhere how it is tested: what it is written for can run it. */
function besidePython(root: string, file: string): TestCommands | undefined {
  const [, folder = '', name] = /^(.+\/)?(\w+)\.py$/.exec(file) ?? [];
  const test = /^test_|_test$/.test(name ?? '') ? `${name}.py` : `test_${name}.py`;
  for (const path of [`${folder}${test}`, `${folder}tests/${test}`, `tests/${test}`]) {
    const text = PLAIN.test(path) && name !== undefined ? readSmall(join(root, path)) : undefined;
    if (text === undefined) continue;
    return { test: pythonTests(text, posix.dirname(path)) };
  }
  return undefined;
}

const LOCKS = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun run'],
  ['bun.lockb', 'bun run'],
] as const;

function fromPackage(place: string, root: string): ProjectCommands | undefined {
  const text = readSmall(join(place, 'package.json'));
  if (text === undefined) return undefined;
  const { scripts } = JSON.parse(text) as { scripts?: unknown };
  const has = (name: string): boolean =>
    typeof scripts === 'object' && scripts !== null && Object.hasOwn(scripts, name);
  // What npm puts there by itself says that there is none.
  const test = has('test') && !String((scripts as { test: unknown }).test).includes('no test specified');
  // The packages of a workspace have one lock file, in its root.
  const isThere = ([lock]: readonly string[]): boolean =>
    [place, root].some((each) => existsSync(join(each, lock ?? '')));
  const manager = LOCKS.find(isThere)?.[1] ?? 'npm';
  const script = (names: readonly string[]): string | null => {
    const name = names.find(has);
    return name === undefined ? null : `${manager === 'npm' ? 'npm run' : manager} ${name}`;
  };
  return {
    test: test ? `${manager} test` : null,
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
