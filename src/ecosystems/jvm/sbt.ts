// sbt, ScalaTest and MUnit.
import type { Language } from '../language.ts';
import type { TestConfig } from '../test-config.ts';
import * as junit from './junit.ts';

export const language: Language = {
  ...junit.language,
  marks: [
    ...junit.language.marks,
    ['test', /(?<![\w.])(?:test|it)\s*(?=\(\s*")|\bin\s*\{/],
    ['skip-own', /(?<![\w.])ignore\s*(?=\(\s*")|\bignore\s*\{/],
  ],
};

export const config: TestConfig = { names: 'build\\.sbt' };
