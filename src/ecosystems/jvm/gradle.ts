// Gradle.
import type { TestConfig } from '../test-config.ts';

export const config: TestConfig = {
  names: 'build\\.gradle(?:\\.kts)?',
  lines: [
    ['loosen', /\.gradle(\.kts)?$/, /\bignoreFailures\s*=\s*true/],
    ['deselect', /\.gradle(\.kts)?$/, /\bexcludeTestsMatching\b|\bexclude\b.*Test|\bexcludeTags\b/],
  ],
};
