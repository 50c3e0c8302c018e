// tox and nox, which run tests in environments of their own.
import type { TestConfig } from '../test-config.ts';

export const config: TestConfig = {
  names: 'tox\\.ini|noxfile\\.py',
  members: [
    [/testenv/, /^commands$/, 'command'],
    [/^/, /^ignore_(?:outcome|errors)$/, 'loosens'],
  ],
};
