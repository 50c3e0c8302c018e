// The pages: dist/view/ is the viewer's, and dist/report.html that of reports, whole but for the run, with the verifier in it.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pastDoors } from './past-doors.mjs';
import { build } from './third-party.mjs';

const DIGITS = Array.from({ length: 86 }, (_, i) => String.fromCharCode(0x28 + i)).filter(
  (char) => char !== '<',
);
const SLOT = '<!--counterfoil-parts-->';

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
    plugins: [...plugins, withoutMeanings, pastDoors],
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

/** Four bytes in five digits: see web/report/base85.ts, which reads it. The last four are filled up with zeros. */
function encodeBase85(bytes) {
  const whole = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  let text = '';
  for (let at = 0; at < whole.length; at += 4) {
    let digits = '';
    for (let i = 0, word = whole.readUInt32BE(at); i < 5; i++, word = Math.floor(word / 85))
      digits = DIGITS[word % 85] + digits;
    text += digits;
  }
  return text;
}

/** An element that no browser runs: see web/report/packed.ts, which reads it. */
function packed(id, text) {
  // The same bytes on every machine: no time, and no name of the system.
  const bytes = gzipSync(text, { level: 9, memLevel: 7 });
  bytes[9] = 255;
  return `<script type="text/plain" id="${id}" data-bytes="${bytes.length}">${encodeBase85(bytes)}</script>`;
}

const sourceOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export async function buildPages(root) {
  await buildViewer(root, await buildReportPage(root));
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

async function buildReportPage(root) {
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
  const page = `<!doctype html>
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
${packed('counterfoil-page', main)}
${packed('counterfoil-verifier', verifier)}
${SLOT}<script>${start}</script>
</body>
</html>
`;
  writeFileSync(join(root, 'dist/report.html'), page);
  return { sha256: createHash('sha256').update(page).digest('hex'), version };
}
