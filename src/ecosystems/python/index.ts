// Python, by runner.
import * as behave from './behave.ts';
import * as django from './django.ts';
import * as linters from './linters.ts';
import * as projects from './projects.ts';
import * as pytest from './pytest.ts';
import * as python from './python.ts';
import * as tox from './tox.ts';
import * as unittest from './unittest.ts';

// biome-ignore format: a list
export const programs = [
  pytest.programs, unittest.programs, behave.programs, tox.programs, django.programs, linters.programs,
  projects.programs, python.programs,
];
export const outputs = [pytest.outputs, unittest.outputs, behave.outputs];
// biome-ignore format: a list
export const traits = [
  pytest.traits, unittest.traits, behave.traits, tox.traits, django.traits, linters.traits,
];
export const checkers = [linters.checkers];
export const configs = [tox.config, pytest.config, django.config];
