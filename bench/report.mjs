// The report of a run of 2,000 entries: from the moment a browser is told to open the file until the page has a verdict, in
// a new context each time; and the size of the page without the run.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { RECORD } from './bundle.mjs';
import { place } from './place.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const FOIL = join(root, 'dist/foil.cjs');
const CHROMIUM = process.env.CHROME_PATH ?? '/usr/bin/chromium';
const CALLS = 1000;
const ROUNDS = 5;

/** Seconds at the median; `opens` is null without a Chromium. */
export async function reporting() {
  const { root: work, project, env } = place();
  try {
    const run = (...words) => execFileSync(process.execPath, words, { cwd: project, env, stdio: 'pipe' });
    run(FOIL, 'init');
    run('--input-type=module', '-e', RECORD, String(CALLS), join(root, 'dist/index.js'));
    const file = join(work, 'report.html');
    const { entries, bytes } = JSON.parse(run(FOIL, 'report', '-o', file, '--json'));
    return {
      entries,
      megabytes: bytes / 1e6,
      shell: statSync(join(root, 'dist/report.html')).size,
      opens: existsSync(CHROMIUM) ? await opening(pathToFileURL(file).href) : null,
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function opening(url) {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  try {
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      const page = await browser.newPage();
      const started = performance.now();
      await page.goto(url);
      const title = await page.waitForSelector('#verdict h2');
      times.push(performance.now() - started);
      const said = await title.textContent();
      if (!said.startsWith('Intact')) throw new Error(`the page says ${said}`);
      await page.close();
    }
    return times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] / 1000;
  } finally {
    await browser.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { entries, megabytes, shell, opens } = await reporting();
  console.log(
    `report of ${entries} entries (${megabytes.toFixed(1)} MB): ${opens === null ? 'Chromium is not here' : `opened and verified in ${opens.toFixed(2)} s`}; the page alone ${shell} bytes`,
  );
}
