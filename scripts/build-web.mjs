// The pages: dist/view/ is the viewer's, and dist/report.html that of reports, whole but for the run, with the verifier in it.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { pastDoors } from './past-doors.mjs';

const SLOT = '<!--counterfoil-parts-->';

async function bundled(root, entryPoint) {
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
    logLevel: 'warning',
    plugins: [pastDoors],
  });
  return outputFiles[0].text.trim();
}

const sourceOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export async function buildPages(root) {
  const [verifier, style] = await Promise.all([
    bundled(root, 'web/verify-worker.ts'),
    bundled(root, 'web/style.css'),
  ]);
  await Promise.all([buildReportPage(root, verifier, style), buildViewer(root, verifier, style)]);
}

/** The files that `foil view` serves: see src/cli/commands/view.ts. */
async function buildViewer(root, verifier, style) {
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
  writeFileSync(join(folder, 'style.css'), style);
  writeFileSync(join(folder, 'verify-worker.js'), verifier);
  writeFileSync(join(folder, 'view.js'), await bundled(root, 'web/view/main.tsx'));
}

async function buildReportPage(root, verifier, style) {
  const main = await bundled(root, 'web/report/main.tsx');
  if (/<\/script|<!--/i.test(main)) throw new Error('the script of the page would end too early');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const policy = [
    "default-src 'none'",
    `script-src ${sourceOf(main)}`,
    `style-src ${sourceOf(style)}`,
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types counterfoil',
  ].join('; ');
  // The same bytes on every machine: no time, and no name of the system.
  const packed = gzipSync(verifier, { level: 9 });
  packed[9] = 255;
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
<div id="app"><noscript>This page checks the run in your browser, and needs JavaScript for that. You can check it with \`foil verify\` instead.</noscript></div>
<script type="text/plain" id="counterfoil-verifier">${packed.toString('base64')}</script>
${SLOT}<script>${main}</script>
</body>
</html>
`;
  writeFileSync(join(root, 'dist/report.html'), page);
}
