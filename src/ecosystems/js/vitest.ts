// Vitest.
import type { TestConfig } from '../test-config.ts';

export const config: TestConfig = {
  scripts: 'vitest vite',
  names: 'vitestsetup\\.[a-z.]+',
  sections: 'vitest test projects',
  leavesOut: 'testNamePattern',
  letsThrough: 'passWithNoTests dangerouslyIgnoreUnhandledErrors',
};
