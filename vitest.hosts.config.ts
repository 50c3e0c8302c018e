import { defineConfig } from 'vitest/config';

/** Real agents are heavy, and each scenario waits for one of them. One at a time, so that none is short of time. */
export default defineConfig({
  test: {
    globalSetup: ['test/hosts/setup.ts'],
    include: ['test/hosts/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 900_000,
    fileParallelism: false,
    pool: 'forks',
    reporters: ['verbose'],
    env: { NODE_EXTRA_CA_CERTS: '' },
  },
});
