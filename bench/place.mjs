// A home, a runtime folder and an empty project for a bench, apart from the user's own.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function place() {
  const root = mkdtempSync(join(process.env.BENCH_ROOT ?? tmpdir(), 'foil-bench-'));
  const project = join(root, 'project');
  const env = {
    ...process.env,
    HOME: root,
    XDG_STATE_HOME: join(root, 's'),
    XDG_CONFIG_HOME: join(root, 'c'),
    XDG_RUNTIME_DIR: join(root, 'r'),
  };
  delete env.NODE_EXTRA_CA_CERTS; // triples node's start where it is set
  delete env.FOIL;
  mkdirSync(project);
  mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  return { root, project, env };
}
