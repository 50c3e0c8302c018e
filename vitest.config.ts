import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.slow.test.ts'],
    globalSetup: ['test/build.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests start real processes; a certificate bundle in the environment triples node's start-up.
    env: { NODE_EXTRA_CA_CERTS: '' },
  },
});
