// How a project is tested, as its own files say: the command that the gate names when none was run. Only looked at, never
// run: the files are the agent's to write.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { configs } from '../ecosystems/index.ts';
import type { ProjectCommands } from '../rules/index.ts';

const MOST_BYTES = 1024 * 1024;

const NONE: ProjectCommands = { test: null, build: null, types: null, lint: null };

export function projectCommands(root: string | null): ProjectCommands {
  if (root === null) return NONE;
  try {
    return fromPackage(root) ?? fromFile(root) ?? fromMakefile(root) ?? NONE;
  } catch {
    return NONE;
  }
}

function fromPackage(root: string): ProjectCommands | undefined {
  const text = readSmall(join(root, 'package.json'));
  if (text === undefined) return undefined;
  const { scripts } = JSON.parse(text) as { scripts?: unknown };
  const has = (name: string): boolean =>
    typeof scripts === 'object' && scripts !== null && Object.hasOwn(scripts, name);
  // What npm puts there by itself says that there is none.
  const test = has('test') && !String((scripts as { test: unknown }).test).includes('no test specified');
  const manager = existsSync(join(root, 'pnpm-lock.yaml'))
    ? 'pnpm'
    : existsSync(join(root, 'yarn.lock'))
      ? 'yarn'
      : existsSync(join(root, 'bun.lock')) || existsSync(join(root, 'bun.lockb'))
        ? 'bun run'
        : 'npm';
  const script = (names: readonly string[]): string | null => {
    const name = names.find(has);
    return name === undefined ? null : `${manager === 'npm' ? 'npm run' : manager} ${name}`;
  };
  return {
    test: test ? `${manager} test` : (fromFile(root)?.test ?? null),
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
