// JavaScript and TypeScript, by runner.
import * as ava from './ava.ts';
import * as bun from './bun.ts';
import * as bundlers from './bundlers.ts';
import * as cypress from './cypress.ts';
import * as deno from './deno.ts';
import * as jasmine from './jasmine.ts';
import * as jest from './jest.ts';
import * as linters from './linters.ts';
import * as mocha from './mocha.ts';
import * as nodeTest from './node-test.ts';
import * as npm from './npm.ts';
import * as others from './others.ts';
import * as playwright from './playwright.ts';
import * as typescript from './typescript.ts';
import * as vitest from './vitest.ts';

/** Without what runs the scripts of a package. */
// biome-ignore format: a list
export const programs = [
  vitest.programs, jest.programs, mocha.programs, playwright.programs, bun.programs, ava.programs,
  cypress.programs, jasmine.programs, deno.programs, others.programs, typescript.programs,
  linters.programs, bundlers.programs,
];
// biome-ignore format: a list
export const outputs = [
  vitest.outputs, jest.outputs, mocha.outputs, nodeTest.outputs, playwright.outputs, bun.outputs,
  ava.outputs, cypress.outputs, jasmine.outputs, deno.outputs, others.outputs,
];
// biome-ignore format: a list
export const traits = [
  vitest.traits, jest.traits, mocha.traits, nodeTest.traits, playwright.traits, bun.traits, ava.traits,
  cypress.traits, jasmine.traits, deno.traits, others.traits, typescript.traits, linters.traits,
  bundlers.traits,
];
// biome-ignore format: a list
export const configs = [
  vitest.config, jest.config, mocha.config, playwright.config, ava.config, cypress.config, deno.config,
  others.config, npm.config,
];

export const checkers = [typescript.checkers, linters.checkers];

export const scripts = npm.programs;
