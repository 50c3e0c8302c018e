// Builds what the package ships. `foil.cjs` is the small CommonJS file that starts fast and does `append` itself;
// everything else it loads from `cli.cjs` on demand. `worker.cjs` seals and checks lines off the main thread.
// `verify.js` is the verifier alone, for browsers and auditors, with no Node in it.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const types = !process.argv.includes('--no-types');
const common = { absWorkingDir: root, bundle: true, legalComments: 'none', logLevel: 'warning' };
const node = { ...common, platform: 'node', target: 'node20.19', external: ['fs-native-extensions'] };
// The sources ask for __filename first, so an empty import.meta is never looked at.
const commonJs = { ...node, format: 'cjs', minify: true, logOverride: { 'empty-import-meta': 'silent' } };

// One function each, which foil.ts runs from its compiled form. It reads it as Latin-1, which is quicker.
const script = {
  ...commonJs,
  banner: { js: '(function(require,__filename,__dirname,module,load,given){' },
  footer: { js: '})' },
  external: [...node.external, './cli.cjs'],
  charset: 'ascii',
};

if (types) rmSync(join(root, 'dist'), { recursive: true, force: true });
// V8 knows a compiled form by the length of its source: that of another source of the same length would be run as it is.
else
  for (const name of existsSync(join(root, 'dist')) ? readdirSync(join(root, 'dist')) : [])
    if (name.endsWith('.cache')) rmSync(join(root, 'dist', name));
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
    external: ['./cli.cjs'],
    banner: { js: '#!/usr/bin/env node' },
  }),
  build({
    ...script,
    entryPoints: ['src/cli/relay.ts'],
    outfile: 'dist/relay.script',
    conditions: ['start'],
  }),
  build({
    ...script,
    entryPoints: ['src/cli/start.ts'],
    outfile: 'dist/start.script',
    // Loading node:crypto takes longer than everything an append does.
    conditions: ['start'],
  }),
  build({ ...script, entryPoints: ['src/cli/gate.ts'], outfile: 'dist/gate.script' }),
  build({
    ...script,
    entryPoints: ['src/cli/project.ts'],
    outfile: 'dist/project.script',
    conditions: ['start'],
  }),
  build({
    ...node,
    format: 'esm',
    // CommonJS that requires Node's modules can't be bundled into an ES module.
    external: [...node.external, 'yaml'],
    entryPoints: {
      index: 'src/entry/index.ts',
      llm: 'src/entry/llm.ts',
      mcp: 'src/entry/mcp.ts',
      'verify-node': 'src/entry/verify.ts',
    },
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
await createRequire(import.meta.url)('../dist/cli.cjs').compileStart();
if (types) {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.types.json'], {
    cwd: root,
    stdio: 'inherit',
  });
}
