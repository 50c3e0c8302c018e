// Maven.
import type { TestConfig } from '../test-config.ts';

export const config: TestConfig = {
  names: 'pom\\.xml',
  leavesOut: 'excludeGroups excludedGroups',
  lines: [
    ['loosen', /(^|\/)pom\.xml$/, /<(?:skipTests|maven\.test\.skip|testFailureIgnore|skipITs)>\s*true/],
  ],
};
