// Which language a file of tests is written in, by its ending.
import * as cpp from './cpp/ctest.ts';
import * as dart from './dart/dart-test.ts';
import * as dotnet from './dotnet/dotnet-test.ts';
import * as elixir from './elixir/ex-unit.ts';
import * as go from './go/go-test.ts';
import * as js from './js/describe.ts';
import * as java from './jvm/junit.ts';
import * as scala from './jvm/sbt.ts';
import * as php from './php/phpunit.ts';
import * as python from './python/unittest.ts';
import * as ruby from './ruby/rspec.ts';
import type { Language } from './runner.ts';
import * as rust from './rust/cargo.ts';
import * as swift from './swift/swift-test.ts';

const ENDINGS: readonly (readonly [endings: string, of: { readonly language: Language }])[] = [
  ['js jsx mjs cjs ts tsx mts cts vue svelte', js],
  ['py', python],
  ['go', go],
  ['rs', rust],
  ['java kt kts groovy', java],
  ['scala', scala],
  ['cs', dotnet],
  ['php', php],
  ['rb', ruby],
  ['ex exs', elixir],
  ['swift', swift],
  ['dart', dart],
  ['c cc cpp cxx h hpp', cpp],
];

/** Undefined where its tests can't be read. */
export function languageOf(path: string): Language | undefined {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return ENDINGS.find(([endings]) => endings.split(' ').includes(ending))?.[1].language;
}
