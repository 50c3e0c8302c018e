// Targets and pipelines of a project, whatever they run.
import type { TestConfig } from '../test-config.ts';

export const config: TestConfig = {
  names:
    'project\\.json|nx\\.json|turbo\\.json|(?:gnu)?makefile|[a-z0-9._-]+\\.mk|justfile|taskfile\\.ya?ml|dune-project|build\\.zig',
  lines: [['loosen', /\.ya?ml$/, /\bcontinue-on-error:\s*true|\ballow_failure:\s*true/]],
};
