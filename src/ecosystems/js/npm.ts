// npm and its kin, which run the scripts of a package.
import type { TestConfig } from '../test-config.ts';

export const config: TestConfig = {
  names: 'package\\.json|\\.npmrc',
  lines: [['deselect', /(^|\/)\.npmrc$/, /^(?:script-shell|node-options)\s*=/]],
};
