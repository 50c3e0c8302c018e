// Builds what the package ships. `foil.cjs` is the small CommonJS file that starts fast and runs scripts, each one
// function with a compiled form of its own: `start`, `append`, `relay` and `off`, of which a hook or an append runs one, in one
// piece; and what hooks do now and then and all commands, in pieces that they share: see command-scripts.mjs. `worker.cjs` seals and
// checks lines off the main thread.
// `verify.js` is the verifier alone, for browsers and auditors, with no Node in it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildLibrary } from './build-library.mjs';
import { buildPages } from './build-web.mjs';
import { ASIDE, homesOfPieces, makeScript, makeScripts } from './command-scripts.mjs';
import { pastDoors } from './past-doors.mjs';
import { keepReachable, typesOfExports } from './reachable-types.mjs';
import { readsCommandsLater } from './read-commands-later.mjs';
import { build, writeLicences } from './third-party.mjs';
import { writeValidatorTable } from './validators.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
writeValidatorTable();
const types = !process.argv.includes('--no-types');
const common = { absWorkingDir: root, bundle: true, legalComments: 'none', logLevel: 'warning' };
const node = {
  ...common,
  platform: 'node',
  target: 'node20.19',
  external: ['fs-native-extensions', '@photostructure/sqlite'],
};
// The sources ask for __filename first, so an empty import.meta is never looked at.
const commonJs = { ...node, format: 'cjs', minify: true, logOverride: { 'empty-import-meta': 'silent' } };

/** For what others import: small. The sources are in the repository. */
const small = { minify: true };

// What scripts are made of: see command-scripts.mjs.
const esModule = {
  ...node,
  format: 'esm',
  minify: true,
  // The same parser as ES modules: what is of CommonJS would run where it is only named.
  alias: { yaml: './node_modules/yaml/browser/dist/index.js' },
  logOverride: commonJs.logOverride,
};

// A script is one function, which foil.ts runs from its compiled form.
const HEAD = '(function(require,__filename,__dirname,module,load){';
const TAIL = '})';

/** foil.ts reads it as Latin-1, which is quicker. esbuild leaves regular expressions as they are, also with `ascii`. */
function writeScript(path, code) {
  if (/\\[^\0-\x7f]/.test(code))
    throw new Error(`${path}: a backslash before a character that must be escaped`);
  const ascii = code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  writeFileSync(path, `${HEAD}${ascii}${TAIL}`);
}

/** In one piece: reading many would take a hook longer. */
async function buildScript(name, options = {}) {
  const {
    outputFiles: [{ text }],
  } = await build({
    ...esModule,
    ...options,
    plugins: [pastDoors],
    write: false,
    entryPoints: [`src/cli/${name}.ts`],
  });
  writeScript(join(dist, `${name}.script`), await makeScript(text, node.target));
}

/** What builds the viewer's index, and what makes its long answers, with what each calls: see src/view/. */
const VIEW_PROGRAMS = [
  ['view-index', 'index-process', 'buildIndex'],
  ['view-session', 'session-thread', 'answerSessions'],
];

/** The files of the gate but those that read command lines: see read-commands-later.mjs. */
async function filesOfGate() {
  const { metafile } = await build({
    ...esModule,
    conditions: ['command'],
    write: false,
    entryPoints: ['src/cli/gate.ts'],
    plugins: [readsCommandsLater(), pastDoors],
  });
  return new Set(Object.keys(metafile.inputs).map((path) => join(root, path)));
}

/** Hooks and commands, cut into the pieces that they share. esbuild does that to ES modules only. */
async function buildPieces() {
  const ofGate = await filesOfGate();
  const { outputFiles, metafile } = await build({
    ...esModule,
    splitting: true,
    conditions: ['command'],
    write: false,
    entryPoints: [
      ...[...ASIDE, 'main', 'hook-more', 'compile-start', 'run-commands', 'scan-part'].map(
        (name) => `src/cli/${name}.ts`,
      ),
      ...VIEW_PROGRAMS.map(([, name]) => `src/view/${name}.ts`),
    ],
    outbase: 'src',
    entryNames: '[name]',
    outdir: 'dist/cli',
    outExtension: { '.js': '.script' },
    plugins: [readsCommandsLater((path) => ofGate.has(path)), pastDoors],
  });
  const scripts = await makeScripts(outputFiles, homesOfPieces(metafile.outputs), node.target);
  for (const [name, code] of scripts) writeScript(join(dist, `${name}.script`), code);
  for (const file of readdirSync(join(dist, 'cli')))
    if (!scripts.has(`cli/${file.replace(/\.script$/, '')}`)) rmSync(join(dist, 'cli', file));
  for (const [file, name, call] of VIEW_PROGRAMS)
    writeFileSync(
      join(dist, `${file}.cjs`),
      `require('./foil.cjs').load('cli/${name}')['${name}'].${call}();\n`,
    );
}

const dist = join(root, 'dist');
if (types) rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, 'cli'), { recursive: true });
// V8 knows a compiled form by the length of its source: that of another source of the same length would be run as it is.
for (const name of readdirSync(dist, { recursive: true }))
  if (name.endsWith('.cache') || name.startsWith('shared-')) rmSync(join(dist, name));
await Promise.all([
  buildPages(root),
  buildPieces(),
  build({ ...commonJs, entryPoints: ['src/entry/worker.ts'], outfile: 'dist/worker.cjs' }),
  build({
    ...commonJs,
    entryPoints: ['src/cli/foil.ts'],
    outfile: 'dist/foil.cjs',
    banner: { js: '#!/usr/bin/env node' },
  }),
  // Loading node:crypto takes longer than everything an append does.
  buildScript('start', { conditions: ['start'] }),
  buildScript('append', { conditions: ['start'] }),
  buildScript('relay', { conditions: ['start'] }),
  buildScript('off', { conditions: ['start'] }),
  buildLibrary(node),
  // What a replay runs in the sandbox, beside the agent's own modules: see src/runtime/replay.ts.
  build({
    ...node,
    format: 'esm',
    entryPoints: {
      'replay-cell': 'src/entry/replay-cell.ts',
      'replay-define': 'src/runtime/define.ts',
      'tool-cell': 'src/runtime/cell-thread.ts',
    },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    ...small,
  }),
]);
chmodSync(join(dist, 'foil.cjs'), 0o755);
writeLicences(root, join(dist, 'THIRD-PARTY.txt'));
// Beside the scripts: see src/gate/read-claims.ts.
copyFileSync(join(root, 'src/claims/claims.weights'), join(dist, 'claims.weights'));
// The engine of tools' cells: see src/runtime/tool-cells.ts.
copyFileSync(
  createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm'),
  join(dist, 'tool-cell.wasm'),
);
// Which build this is: see src/service/build.ts. The service runs what is hashed here.
const run = readdirSync(dist, { recursive: true }).filter((name) => /\.(?:script|cjs|weights)$/.test(name));
const hash = createHash('sha256');
for (const name of run.sort()) hash.update(`${name}\0`).update(readFileSync(join(dist, name)));
const mark = { hash: hash.digest('hex').slice(0, 16), made: Date.now() };
writeFileSync(join(dist, 'build.json'), `${JSON.stringify(mark)}\n`);
const { load } = createRequire(import.meta.url)('../dist/foil.cjs');
writeFileSync(join(dist, 'help.json'), JSON.stringify(await load('cli/main').main.writeHelp()));
await load('cli/compile-start')['compile-start'].compileStart();
if (types) {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.types.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  keepReachable(join(dist, 'types'), typesOfExports(root));
}
