// The modules that programs import. What they share is in pieces beside them, once. The largest piece is the verifier, and it is
// verify.js itself: one file without Node in it, for browsers and auditors. It hashes by itself until a module for Node says
// that Node shall (src/core/platform/settable.ts).
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from './third-party.mjs';

const NODE = ['fork-process', 'index', 'llm', 'mcp', 'runtime'];
const IMPORT = /\bimport(?:\{([^}]*)\}from)?"\.\/(shared-\w+\.js)"/g;

/** What a program does, in place of offering something. */
const OFFERS = new Map([
  ['fork-process', "import { answerFork } from './entry/fork-process.ts'; answerFork();"],
]);

/** `name` of src/entry, run with Node's own hashes and signatures. */
const onNode = {
  name: 'on-node',
  setup(plugin) {
    plugin.onResolve({ filter: /^on-node:/ }, ({ path }) => ({ path: path.slice(8), namespace: 'on-node' }));
    plugin.onLoad({ filter: /.*/, namespace: 'on-node' }, ({ path }) => ({
      contents: `import * as node from './core/platform/node.ts';
import { setPlatform } from './core/platform/settable.ts';
setPlatform(node);
${OFFERS.get(path) ?? `export * from './entry/${path}.ts';`}`,
      resolveDir: join(plugin.initialOptions.absWorkingDir, 'src'),
      loader: 'ts',
    }));
  },
};

export async function buildLibrary(options) {
  const dist = join(options.absWorkingDir, 'dist');
  const { metafile } = await build({
    ...options,
    format: 'esm',
    conditions: ['library'],
    // CommonJS that requires Node's modules can't be bundled into an ES module.
    external: [...options.external, 'yaml'],
    entryPoints: [
      ...NODE.map((name) => ({ in: `on-node:${name}`, out: name })),
      { in: 'on-node:verify', out: 'verify-node' },
      { in: 'src/entry/verify.ts', out: 'verify' },
    ],
    outdir: 'dist',
    splitting: true,
    chunkNames: 'shared-[hash]',
    minify: true,
    // Node prints the whole line that an error was thrown from.
    lineLimit: 200,
    plugins: [onNode],
  });
  await joinVerifier(dist, metafile.outputs);
}

/** verify.js and the pieces that it imports become one file, which offers to the others what the pieces did. */
async function joinVerifier(dist, outputs) {
  const pieces = new Set();
  const follow = (path) => {
    for (const { path: to, external } of outputs[path].imports)
      if (!external && !pieces.has(basename(to))) {
        pieces.add(basename(to));
        follow(to);
      }
  };
  follow('dist/verify.js');
  const order = [...pieces];
  /** Several pieces may offer the same short name. */
  const nameOf = (piece, name) => `_${order.indexOf(piece)}${name}`;
  const offers = order.map((piece) => {
    const names = outputs[`dist/${piece}`].exports.map((name) => `${name} as ${nameOf(piece, name)}`);
    return `export { ${names.join(', ')} } from './${piece}';`;
  });
  const { outputFiles } = await build({
    stdin: { contents: [...offers, "export * from './verify.js';"].join('\n'), resolveDir: dist },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    write: false,
  });
  writeFileSync(join(dist, 'verify.js'), outputFiles[0].contents);
  for (const piece of order) rmSync(join(dist, piece));
  const toVerifier = (whole, names, piece) => {
    if (!pieces.has(piece)) return whole;
    if (names === undefined) return 'import"./verify.js"';
    const renamed = names.split(',').map((each) => {
      const [there, here = there] = each.trim().split(/\s+as\s+/);
      return `${nameOf(piece, there)} as ${here}`;
    });
    return `import{${renamed.join(',')}}from"./verify.js"`;
  };
  for (const name of Object.keys(outputs).map((path) => basename(path)))
    if (name !== 'verify.js' && !pieces.has(name)) {
      const text = readFileSync(join(dist, name), 'utf8').replace(IMPORT, toVerifier);
      if ([...pieces].some((piece) => text.includes(piece)))
        throw new Error(`${name} still imports a piece that is in verify.js`);
      writeFileSync(join(dist, name), text);
    }
}
