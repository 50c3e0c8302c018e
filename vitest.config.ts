import { defineConfig } from 'vitest/config';
import { divideTests } from './test/projects.ts';

const { unit, process } = divideTests(import.meta.dirname);

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    isolate: false,
    // Tests start real processes; a certificate bundle in the environment triples node's start-up.
    env: { NODE_EXTRA_CA_CERTS: '' },
    projects: [
      { extends: true, test: { name: 'unit', include: [...unit], pool: 'threads' } },
      {
        extends: true,
        test: { name: 'process', include: [...process], pool: 'forks', globalSetup: ['test/build.ts'] },
      },
    ],
  },
});
