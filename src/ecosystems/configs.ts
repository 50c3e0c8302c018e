// The configurations of all runners, and by which names their files are known.
import * as ctest from './cpp/ctest.ts';
import * as dotnet from './dotnet/dotnet-test.ts';
import * as exUnit from './elixir/ex-unit.ts';
import * as ava from './js/ava.ts';
import * as cypress from './js/cypress.ts';
import * as deno from './js/deno.ts';
import * as jest from './js/jest.ts';
import * as mocha from './js/mocha.ts';
import * as npm from './js/npm.ts';
import * as others from './js/others.ts';
import * as playwright from './js/playwright.ts';
import * as vitest from './js/vitest.ts';
import * as gradle from './jvm/gradle.ts';
import * as junit from './jvm/junit.ts';
import * as maven from './jvm/maven.ts';
import * as sbt from './jvm/sbt.ts';
import * as phpunit from './php/phpunit.ts';
import * as django from './python/django.ts';
import * as pytest from './python/pytest.ts';
import * as tox from './python/tox.ts';
import * as rspec from './ruby/rspec.ts';
import * as cargo from './rust/cargo.ts';
import * as targets from './tasks/targets.ts';
import type { TestConfig } from './test-config.ts';

export const CONFIGS: readonly TestConfig[] = [
  vitest.config,
  jest.config,
  mocha.config,
  ava.config,
  playwright.config,
  cypress.config,
  deno.config,
  others.config,
  npm.config,
  pytest.config,
  tox.config,
  django.config,
  cargo.config,
  junit.config,
  maven.config,
  gradle.config,
  sbt.config,
  phpunit.config,
  dotnet.config,
  rspec.config,
  exUnit.config,
  ctest.config,
  targets.config,
];

/** All words that the runners give for one member. */
export function configWords(member: 'scripts' | 'sections' | 'leavesOut' | 'letsThrough'): readonly string[] {
  return CONFIGS.flatMap((config) => config[member]?.split(' ') ?? []);
}

let names: RegExp | undefined;

/** Does a file of this name, in small letters, say which tests run and how? */
export function isConfigName(name: string): boolean {
  names ??= new RegExp(
    `^(?:(?:${configWords('scripts').join('|')})[.-](?:config|conf|workspace|setup|projects)\\.[a-z.]+|${CONFIGS.flatMap((config) => config.names ?? []).join('|')})$`,
  );
  return names.test(name);
}
