import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.slow.test.ts'],
    globalSetup: ['test/build.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
    maxWorkers: Math.max(2, availableParallelism()),
    env: { NODE_EXTRA_CA_CERTS: '' },
  },
});
