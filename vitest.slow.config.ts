import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.slow.test.ts'],
    globalSetup: ['test/build.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
    env: { NODE_EXTRA_CA_CERTS: '' },
  },
});
