import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { divideTests } from './test/projects.ts';

const { unit, process } = divideTests(import.meta.dirname);

/** Tests with processes first: a long one that comes late must not leave the other cores without work. */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isFirst = ({ project }: TestSpecification): boolean => project.name === 'process';
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
  }
}

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One more than there are cores: a test that waits for a process, a disk or a timer leaves its core to another.
    maxWorkers: availableParallelism() + 1,
    isolate: false,
    sequence: { sequencer: ProcessesFirst },
    // Tests start real processes; a certificate bundle in the environment triples node's start-up.
    env: { NODE_EXTRA_CA_CERTS: '' },
    projects: [
      {
        extends: true,
        test: { name: 'process', include: [...process], pool: 'forks', globalSetup: ['test/build.ts'] },
      },
      { extends: true, test: { name: 'unit', include: [...unit], pool: 'threads' } },
    ],
  },
});
