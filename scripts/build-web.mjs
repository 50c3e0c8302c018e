// The pages: dist/view/ is the viewer's, and dist/report.html that of reports, whole but for the run, with the verifier in it.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { pastDoors } from './past-doors.mjs';
import { build } from './third-party.mjs';

const SLOT = '<!--counterfoil-parts-->';

const VIEWER_FILES = [
  'index.html',
  'style.css',
  'view.js',
  'verify-more.js',
  'verify-worker.js',
  'verify-ledger.js',
];

/** The verifier of the viewer, without what few runs need: see web/verify-later.ts. */
const verifiesLater = {
  name: 'verifies-later',
  setup(build) {
    const path = join(build.initialOptions.absWorkingDir, 'web/verify-later.ts');
    build.onResolve({ filter: /[\\/](?:pack-tools|run-audit)\.ts$/ }, () => ({ path }));
  },
};

async function bundled(root, entryPoint, { plugins = [], ...more } = {}) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    conditions: ['browser'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'warning',
    ...more,
    plugins: [...plugins, withoutMeanings, withoutEnds, pastDoors],
  });
  return outputFiles[0].text.trim();
}

/** Pages show what was found, never what a code means in general: those sentences are for spec/verdict.md. */
const withoutMeanings = {
  name: 'without-meanings',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]verify[\\/]codes\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/(\w\()\s*(['"])(?:\\.|(?!\2).)+\2,?\s*\)/g, "$1'')"),
      loader: 'ts',
    }));
  },
};

/** What runners print is read where runs are recorded: all that a verifier asks of one is whether it finds or says nothing. */
const withoutEnds = {
  name: 'without-ends',
  async setup({ onLoad, initialOptions: { absWorkingDir: root } }) {
    const { traits } = await loaded(root, 'src/ecosystems/runners.ts');
    const asked = [...traits().values()].flatMap(({ name, finds, quiet }) =>
      finds || quiet ? [[name, { name, finds, quiet }]] : [],
    );
    onLoad({ filter: /[\\/]ecosystems[\\/]runners\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll('= once(', '= /* @__PURE__ */ once(')
        .replace('return traits().get(runner);', `return new Map(${JSON.stringify(asked)}).get(runner);`),
      loader: 'ts',
    }));
  },
};

const sourceOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** In one file for the package, and for tests and readers each in a file of its own: see src/cli/pages.ts. */
export async function buildPages(root) {
  const pages = await loadPages(root);
  const report = await buildReportPage(root, pages);
  await buildViewer(root, report.mark);
  const folder = join(root, 'dist/view');
  const files = VIEWER_FILES.map((name) => [`view/${name}`, readFileSync(join(folder, name))]);
  // What resembles each other stands together: the compressor sees 16 MB at a time.
  const all = [...files, ...report.parts];
  const list = `${JSON.stringify(all.map(([name, bytes]) => [name, bytes.length]))}\n`;
  const whole = Buffer.concat([Buffer.from(list), ...all.map(([, bytes]) => bytes)]);
  const { BROTLI_PARAM_LGWIN: window, BROTLI_PARAM_SIZE_HINT: size } = constants;
  const params = { [window]: 22, [size]: whole.length };
  writeFileSync(join(root, 'dist/pages.br'), brotliCompressSync(whole, { params }));
}

/** What makes the page of reports of its parts, as a module. */
const loadPages = (root) => loaded(root, 'src/cli/pages.ts');

/** Modules of the sources, by their paths: several bundles ask for the same at once. */
const modules = new Map();

function loaded(root, entryPoint) {
  if (!modules.has(entryPoint)) modules.set(entryPoint, load(root, entryPoint));
  return modules.get(entryPoint);
}

async function load(root, entryPoint) {
  // Another build may be under way.
  const path = join(root, `node_modules/.cache/${entryPoint.replace(/\W/g, '-')}-${process.pid}.mjs`);
  mkdirSync(dirname(path), { recursive: true });
  try {
    await build({
      absWorkingDir: root,
      entryPoints: [entryPoint],
      outfile: path,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'warning',
      plugins: [pastDoors],
    });
    return await import(pathToFileURL(path));
  } finally {
    rmSync(path, { force: true });
  }
}

/** The files that `foil view` serves: see src/cli/commands/view.ts. `mark` tells the page of reports: see web/view/report-page.tsx. */
async function buildViewer(root, mark) {
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Counterfoil</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<div id="app"><noscript>The viewer needs JavaScript.</noscript></div>
<script src="/view.js"></script>
</body>
</html>
`;
  const folder = join(root, 'dist/view');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.html'), page);
  const scripts = await Promise.all([
    bundled(root, 'web/view/main.tsx', { define: { REPORT_PAGE: JSON.stringify(mark) } }),
    bundled(root, 'web/verify-worker.ts', { plugins: [verifiesLater] }),
    bundled(root, 'web/verify-ledger-worker.ts', { plugins: [verifiesLater] }),
    bundled(root, 'web/verify-more.ts', { globalName: 'verifyMore' }),
    bundled(root, 'web/view/view.css'),
  ]);
  const names = ['view.js', 'verify-worker.js', 'verify-ledger.js', 'verify-more.js', 'style.css'];
  for (const [i, name] of names.entries()) writeFileSync(join(folder, name), scripts[i]);
}

async function buildReportPage(root, { reportPage, REPORT_PARTS }) {
  const [style, start, main, verifier] = await Promise.all([
    bundled(root, 'web/style.css'),
    bundled(root, 'web/report/start.ts'),
    bundled(root, 'web/report/main.tsx'),
    bundled(root, 'web/verify-worker.ts'),
  ]);
  if (/<\/script|<!--/i.test(start)) throw new Error('the script of the page would end too early');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const policy = [
    "default-src 'none'",
    `script-src ${sourceOf(start)} ${sourceOf(main)}`,
    `style-src ${sourceOf(style)}`,
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types counterfoil counterfoil-page',
  ].join('; ');
  const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="counterfoil ${version}">
<title>Report of an agent's run</title>
<style>${style}</style>
</head>
<body>
<div id="app"><p class="page">This report is being opened. If these words stay, it can’t be checked: the file is damaged, or the browser runs no scripts. Ask for a new copy, or use <code>foil verify</code>.</p></div>
`;
  const tail = `${SLOT}<script>${start}</script>
</body>
</html>
`;
  const texts = [head, main, verifier, tail];
  const parts = REPORT_PARTS.map((name, i) => [name, Buffer.from(texts[i])]);
  const page = reportPage(new Map(parts));
  writeFileSync(join(root, 'dist/report.html'), page);
  const sha256 = createHash('sha256').update(page).digest('hex');
  writeFileSync(join(root, 'dist/report.html.sha256'), `${sha256}  report.html\n`);
  return { parts, mark: { sha256, version } };
}
