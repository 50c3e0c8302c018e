// All runners, by what is asked of them. Each ecosystem has a folder and each runner a file, which exports what is known
// of it: `programs` (its command lines), `outputs` (how it says what became of its tests), `traits`, `config`, and
// `marks` or a `language` (how its tests are written). Who needs one list does not load the others: a hook reads
// outputs and no command lines. So each list is a function, and tables are built when they are first asked for.
import type { CheckKind } from '../format/index.ts';
import * as cmake from './cpp/cmake.ts';
import * as ctest from './cpp/ctest.ts';
import * as dartTest from './dart/dart-test.ts';
import * as dotnetTest from './dotnet/dotnet-test.ts';
import * as exUnit from './elixir/ex-unit.ts';
import * as formats from './formats.ts';
import * as goTest from './go/go-test.ts';
import * as goLinters from './go/linters.ts';
import * as js from './js/index.ts';
import * as jvm from './jvm/index.ts';
import * as more from './more/index.ts';
import * as linters from './more/linters.ts';
import * as php from './php/php.ts';
import * as phpunit from './php/phpunit.ts';
import * as python from './python/index.ts';
import type { Output } from './report.ts';
import * as minitest from './ruby/minitest.ts';
import * as rspec from './ruby/rspec.ts';
import * as rubyTools from './ruby/tools.ts';
import type { Checker, TestConfig, Traits } from './runner.ts';
import * as cargo from './rust/cargo.ts';
import * as swiftTest from './swift/swift-test.ts';
import * as tasks from './tasks/index.ts';
import type { Reader, Tool } from './tool.ts';

/** Made when it is first asked for; who does not ask for a list does not load it. */
/* @__NO_SIDE_EFFECTS__ */
export function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

// biome-ignore format: a list
const tools = once(() => {
  const some = [
    goTest.programs, goLinters.programs, cargo.programs, rspec.programs, minitest.programs,
    rubyTools.programs, phpunit.programs, php.programs, dotnetTest.programs, exUnit.programs,
    swiftTest.programs, dartTest.programs, ctest.programs, cmake.programs,
  ];
  const tables = [js.programs, js.scripts, python.programs, jvm.programs, some, more.programs, tasks.programs];
  return new Map(tables.flat().toReversed().flatMap((table) => Object.entries(table())));
});

/** What the tables know of a program; the first that has its name. */
export function toolOf(name: string): Tool | Reader | undefined {
  return tools().get(name);
}

/** What a program is for, by its name alone; null where that says nothing. */
export function kindOf(name: string): CheckKind | null {
  const tool = toolOf(name);
  if (typeof tool === 'function') return tool([], name)?.kind ?? null;
  const sub = tool?.subs?.test ?? tool?.subs?.run;
  return (typeof sub === 'object' ? sub?.kind : null) ?? tool?.kind ?? null;
}

const binaries = once(() => new Set(js.programs.flatMap((table) => Object.keys(table()))));

/** A package's program, which nobody gives its name to a script of his own, or only to the same. */
export function isBinary(name: string): boolean {
  return binaries().has(name);
}

// biome-ignore format: a list
/** In the order in which they are asked. */
export const outputs = once((): readonly Output[] => {
  const some = [
    goTest.outputs, cargo.outputs, rspec.outputs, minitest.outputs, rubyTools.outputs,
    phpunit.outputs, dotnetTest.outputs, exUnit.outputs, swiftTest.outputs, dartTest.outputs,
    ctest.outputs, cmake.outputs,
  ];
  return [js.outputs, python.outputs, some, jvm.outputs, more.outputs, tasks.outputs, formats.outputs].flat(2);
});

// biome-ignore format: a list
export const traits = once(() => {
  const some = [
    goTest.traits, goLinters.traits, cargo.traits, rspec.traits, minitest.traits, rubyTools.traits,
    phpunit.traits, php.traits, dotnetTest.traits, exUnit.traits, swiftTest.traits, dartTest.traits,
    ctest.traits, cmake.traits,
  ];
  const lists = [js.traits, python.traits, jvm.traits, some, more.traits, tasks.traits];
  const all: readonly Traits[] = lists.flat(2);
  return new Map(all.map((each) => [each.name, each]));
});

export function traitsOf(runner: string): Traits | undefined {
  return traits().get(runner);
}

// biome-ignore format: a list
/** Python comes last: a project of another language may have a pyproject.toml for its tools. */
export const configs = once((): readonly TestConfig[] => {
  const some = [
    cargo.config, goTest.config, exUnit.config, phpunit.config, rspec.config, swiftTest.config, dartTest.config,
    dotnetTest.config, ctest.config,
  ];
  return [js.configs, some, jvm.configs, tasks.configs, python.configs].flat();
});

/** Checkers of code whose settings are known. */
export const checkers = once((): readonly Checker[] =>
  [
    js.checkers,
    python.checkers,
    rubyTools.checkers,
    goLinters.checkers,
    cargo.checkers,
    linters.checkers,
  ].flat(2),
);

/** Of the tool with which a command line begins. */
export function traitsOfCommand(command: string): Traits | undefined {
  const [name = '', word = ''] = command.split(' ', 2);
  return traitsOf(`${name} ${word}`) ?? traitsOf(name);
}

/** What a runner that prints nothing if all is well prints else; undefined of any other with which a command line begins. */
export function complaintOf(command: string): RegExp | undefined {
  return traitsOfCommand(command)?.silent;
}

/** Ends that a script may come to, whatever it runs. */
export const ends = once(() => [...traits().values()].filter(({ good, bad }) => good ?? bad));
