// All runners, by what is asked of them. Each ecosystem has a folder and each runner a file, which exports what is known
// of it: `programs` (its command lines), `outputs` (how it says what became of its tests), `traits`, `config`, and
// `marks` or a `language` (how its tests are written). Functions, so that who needs one list does not load the others.
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
import * as cargo from './rust/cargo.ts';
import * as swiftTest from './swift/swift-test.ts';
import * as tasks from './tasks/index.ts';
import type { TestConfig } from './test-config.ts';
import { own, type Reader, type Table, type Tool } from './tool.ts';
import type { Traits } from './traits.ts';

let tables: readonly Table[] | undefined;

/** What the tables know of a program. */
export function toolOf(name: string): Tool | Reader | undefined {
  tables ??= [
    js.programs,
    python.programs,
    jvm.programs,
    [
      goTest.programs,
      goLinters.programs,
      cargo.programs,
      rspec.programs,
      minitest.programs,
      rubyTools.programs,
      phpunit.programs,
      php.programs,
      dotnetTest.programs,
      exUnit.programs,
      swiftTest.programs,
      dartTest.programs,
      ctest.programs,
      cmake.programs,
    ],
    more.programs,
    tasks.programs,
  ].flat();
  return tables.map((table) => own(table, name)).find((tool) => tool !== undefined);
}

/** Those that are read first come first; of TAP the points are also what others sum up. */
export function outputs(): readonly Output[] {
  return [
    js.outputs,
    python.outputs,
    [
      goTest.outputs,
      cargo.outputs,
      rspec.outputs,
      minitest.outputs,
      rubyTools.outputs,
      phpunit.outputs,
      dotnetTest.outputs,
      exUnit.outputs,
      swiftTest.outputs,
      dartTest.outputs,
      ctest.outputs,
      cmake.outputs,
    ],
    jvm.outputs,
    more.outputs,
    tasks.outputs,
    formats.outputs,
  ].flat(2);
}

let traits: ReadonlyMap<string, Traits> | undefined;

export function traitsOf(runner: string): Traits | undefined {
  traits ??= new Map(allTraits().map((each) => [each.name, each]));
  return traits.get(runner);
}

export function allTraits(): readonly Traits[] {
  return [
    js.traits,
    python.traits,
    [
      goTest.traits,
      goLinters.traits,
      cargo.traits,
      rspec.traits,
      minitest.traits,
      phpunit.traits,
      exUnit.traits,
    ],
    more.traits,
  ].flat(2);
}

let all: readonly TestConfig[] | undefined;

export function configs(): readonly TestConfig[] {
  all ??= [
    js.configs,
    python.configs,
    jvm.configs,
    [cargo.config, rspec.config, phpunit.config, dotnetTest.config, exUnit.config, ctest.config],
    tasks.configs,
  ].flat();
  return all;
}
