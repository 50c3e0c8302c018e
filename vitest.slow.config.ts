import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** A crowd of processes has the machine to itself: a hook that waits for its turn gives up after 20 seconds, as it should. */
const CROWDS = ['test/e2e/many-hooks.slow.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/build.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
    maxWorkers: Math.max(2, availableParallelism()),
    env: { NODE_EXTRA_CA_CERTS: '' },
    projects: [
      { extends: true, test: { name: 'crowd', include: CROWDS, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/**/*.slow.test.ts'],
          exclude: [...CROWDS, 'test/hosts/**'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
