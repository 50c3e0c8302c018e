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

let tools: Map<string, Tool | Reader> | undefined;

/** What the tables know of a program; the first that has its name. */
export function toolOf(name: string): Tool | Reader | undefined {
  if (tools === undefined) {
    // biome-ignore format: a list
    const some = [
      goTest.programs, goLinters.programs, cargo.programs, rspec.programs, minitest.programs,
      rubyTools.programs, phpunit.programs, php.programs, dotnetTest.programs, exUnit.programs,
      swiftTest.programs, dartTest.programs, ctest.programs, cmake.programs,
    ];
    const tables = [
      js.programs,
      js.scripts,
      python.programs,
      jvm.programs,
      some,
      more.programs,
      tasks.programs,
    ].flat();
    tools = new Map(tables.toReversed().flatMap((table) => Object.entries(table())));
  }
  return tools.get(name);
}

/** What a program is for, by its name alone; null where that says nothing. */
export function kindOf(name: string): CheckKind | null {
  const tool = toolOf(name);
  if (typeof tool === 'function') return tool([], name)?.kind ?? null;
  const sub = tool?.subs?.test ?? tool?.subs?.run;
  return (typeof sub === 'object' ? sub?.kind : null) ?? tool?.kind ?? null;
}

let binaries: ReadonlySet<string> | undefined;

/** A package's program, which nobody gives its name to a script of his own, or only to the same. */
export function isBinary(name: string): boolean {
  binaries ??= new Set(js.programs.flatMap((table) => Object.keys(table())));
  return binaries.has(name);
}

/** In the order in which they are asked. */
let reports: readonly Output[] | undefined;

export function outputs(): readonly Output[] {
  reports ??= allOutputs();
  return reports;
}

function allOutputs(): readonly Output[] {
  // biome-ignore format: a list
  const some = [
    goTest.outputs, cargo.outputs, rspec.outputs, minitest.outputs, rubyTools.outputs,
    phpunit.outputs, dotnetTest.outputs, exUnit.outputs, swiftTest.outputs, dartTest.outputs,
    ctest.outputs, cmake.outputs,
  ];
  return [js.outputs, python.outputs, some, jvm.outputs, more.outputs, tasks.outputs, formats.outputs].flat(
    2,
  );
}

let traits: ReadonlyMap<string, Traits> | undefined;

export function traitsOf(runner: string): Traits | undefined {
  // biome-ignore format: a list
  const some = [
    goTest.traits, goLinters.traits, cargo.traits, rspec.traits, minitest.traits, phpunit.traits,
    exUnit.traits, cmake.traits,
  ];
  traits ??= new Map(
    [js.traits, python.traits, jvm.traits, some, more.traits].flat(2).map((each) => [each.name, each]),
  );
  return traits.get(runner);
}

let all: readonly TestConfig[] | undefined;

/** Python comes last: a project of another language may have a pyproject.toml for its tools. */
export function configs(): readonly TestConfig[] {
  // biome-ignore format: a list
  const some = [
    cargo.config, goTest.config, exUnit.config, phpunit.config, rspec.config, swiftTest.config, dartTest.config,
    dotnetTest.config, ctest.config,
  ];
  all ??= [js.configs, some, jvm.configs, tasks.configs, python.configs].flat();
  return all;
}

let known: readonly Checker[] | undefined;

/** Checkers of code whose settings are known. */
export function checkers(): readonly Checker[] {
  known ??= [js.checkers, python.checkers, goLinters.checkers, cargo.checkers].flat(2);
  return known;
}

/** Does a command line begin with a runner that prints nothing if all is well? */
export function isSilent(command: string): boolean {
  const [name = '', word = ''] = command.split(' ', 2);
  return (traitsOf(`${name} ${word}`) ?? traitsOf(name))?.silent === true;
}
