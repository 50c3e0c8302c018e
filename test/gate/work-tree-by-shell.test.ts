// Everything that holds of work trees, once more as the service sees them: git started by a shell that is kept.
import { afterAll, beforeAll } from 'vitest';
import { keepGitShell } from '../../src/gate/index.ts';
import './work-tree.test.ts';

let shell: ReturnType<typeof keepGitShell> | undefined;
beforeAll(() => {
  shell = keepGitShell();
});
afterAll(() => shell?.close());
