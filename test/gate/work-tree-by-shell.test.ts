// Everything that holds of work trees, once more as the service sees them: git started by a shell that is kept.
import { afterAll, beforeAll, vi } from 'vitest';

// A worker that has run work-tree.test.ts already would give no tests for it. The shell is kept by the modules it gets.
vi.resetModules();
const { keepGitShell } = await import('../../src/gate/index.ts');

let shell: ReturnType<typeof keepGitShell> | undefined;
beforeAll(() => {
  shell = keepGitShell();
});
afterAll(() => shell?.close());

await import('./work-tree.test.ts');
