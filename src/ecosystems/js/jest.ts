// Jest.
import type { TestConfig } from '../test-config.ts';

export const config: TestConfig = {
  scripts: 'jest',
  names: 'jestsetup\\.[a-z.]+',
  sections: 'jest',
  leavesOut: 'testPathIgnorePatterns testNamePattern',
  letsThrough: 'passWithNoTests',
};
