// Builds what the package ships. `foil.cjs` is the small CommonJS file that starts fast and does `append` itself;
// everything else it loads from `cli.cjs` on demand. `worker.cjs` seals and checks lines off the main thread.
// `verify.js` is the verifier alone, for browsers and auditors, with no Node in it.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Leaves the compiled form of start.script for the Node that builds: see src/cli/foil.ts. */
function compileStart() {
  const foil = join(root, 'dist/foil.cjs');
  const directory = mkdtempSync(join(tmpdir(), 'foil-build-'));
  const event = { session_id: 'build', cwd: directory, hook_event_name: 'PreToolUse', tool_name: 'Bash' };
  const input = JSON.stringify({ ...event, tool_input: { command: 'true' }, tool_use_id: 'build' });
  const env = {
    ...process.env,
    XDG_RUNTIME_DIR: directory,
    XDG_CONFIG_HOME: directory,
    FOIL_LEDGER: directory,
  };
  try {
    const run = (words, more) =>
      execFileSync(process.execPath, [foil, ...words], { env: { ...env, ...more }, input, cwd: directory });
    run(['init'], {});
    run(['hook', 'claude-code'], {});
    run(['hook', 'claude-code'], { FOIL_COMPILE: '1' });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const types = !process.argv.includes('--no-types');
const common = { absWorkingDir: root, bundle: true, legalComments: 'none', logLevel: 'warning' };
const node = { ...common, platform: 'node', target: 'node20.19', external: ['fs-native-extensions'] };
// The sources ask for __filename first, so an empty import.meta is never looked at.
const commonJs = { ...node, format: 'cjs', minify: true, logOverride: { 'empty-import-meta': 'silent' } };

if (types) rmSync(join(root, 'dist'), { recursive: true, force: true });
await Promise.all([
  build({
    ...commonJs,
    entryPoints: { cli: 'src/cli/main.ts', worker: 'src/entry/worker.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
  }),
  build({
    ...commonJs,
    entryPoints: ['src/cli/foil.ts'],
    outfile: 'dist/foil.cjs',
    banner: { js: '#!/usr/bin/env node' },
  }),
  build({
    ...commonJs,
    entryPoints: ['src/cli/start.ts'],
    outfile: 'dist/start.script',
    banner: { js: '(function(require,__filename,__dirname){' },
    footer: { js: '})' },
    external: [...node.external, './cli.cjs'],
    // Loading node:crypto takes longer than everything an append does.
    conditions: ['start'],
    // foil.ts reads it as Latin-1, which is quicker.
    charset: 'ascii',
  }),
  build({
    ...node,
    format: 'esm',
    // CommonJS that requires Node's modules can't be bundled into an ES module.
    external: [...node.external, 'yaml'],
    entryPoints: { index: 'src/entry/index.ts', 'verify-node': 'src/entry/verify.ts' },
    outdir: 'dist',
  }),
  build({
    ...common,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    conditions: ['browser'],
    entryPoints: { verify: 'src/entry/verify.ts' },
    outdir: 'dist',
  }),
]);
if (existsSync(join(root, 'dist/foil.cjs'))) chmodSync(join(root, 'dist/foil.cjs'), 0o755);
compileStart();
if (types) {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.types.json'], {
    cwd: root,
    stdio: 'inherit',
  });
}
