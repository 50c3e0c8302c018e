// One session of 20,000 entries in the viewer: the longest task of the page's thread while somebody scrolls the list, scrubs
// the map and walks by keys, and how many nodes the page has. Opening it is told apart: the first rows, the verdict, and the
// longest task until then, by the clock and by what the page's thread used of the processor, which load doesn't change.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RECORD } from './bundle.mjs';
import { place } from './place.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const FOIL = join(root, 'dist/foil.cjs');
const CHROMIUM = process.env.CHROME_PATH ?? '/usr/bin/chromium';
/** The bar of the issue: what takes longer is seen as a stutter. */
const LONG = 50;

/** Milliseconds; null without a Chromium. */
export async function viewingSession(calls = 10_000) {
  if (!existsSync(CHROMIUM)) return null;
  const { root: work, project, env } = place();
  let served;
  try {
    const run = (...words) => execFileSync(process.execPath, words, { cwd: project, env, stdio: 'pipe' });
    run(FOIL, 'init');
    run('--input-type=module', '-e', RECORD, String(calls), join(root, 'dist/index.js'));
    run(FOIL, 'checkpoint');
    served = spawn(process.execPath, [FOIL, 'view', '--no-open', '--json'], { cwd: project, env });
    const [line] = await createInterface({ input: served.stdout })
      [Symbol.asyncIterator]()
      .next()
      .then(({ value }) => [value]);
    return await looking(JSON.parse(line).url);
  } finally {
    served?.kill();
    rmSync(work, { recursive: true, force: true });
  }
}

async function looking(url) {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(url);
    await page.waitForSelector('.session a');
    await page.waitForTimeout(1000);
    await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
    const started = performance.now();
    await page.click('.session a');
    await page.waitForSelector('.row', { timeout: 300_000 });
    const rows = performance.now() - started;
    await page.waitForSelector('#verdict', { timeout: 300_000 });
    const opens = performance.now() - started;
    await page.waitForTimeout(1000);
    const opening = longestTask(await browser.stopTracing());
    await page.evaluate(`window.tasks = []; new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    }).observe({ type: 'longtask' })`);
    await scroll(page);
    const scrolled = await taken(page);
    await scrub(page);
    const scrubbed = await taken(page);
    for (let i = 0; i < 40; i++) await page.keyboard.press('j');
    const walked = await taken(page);
    const nodes = await page.evaluate('document.querySelectorAll("*").length');
    return { rows, opens, opening, scrolled, scrubbed, walked, nodes };
  } finally {
    await browser.close();
  }
}

/** Of the page's thread, in milliseconds: by the clock, and of the processor. */
function longestTask(trace) {
  const { traceEvents: events } = JSON.parse(trace.toString());
  const pages = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events.filter(
    ({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && pages.has(`${pid} ${tid}`),
  );
  const longest = (member) => Math.max(0, ...tasks.map((task) => (task[member] ?? 0) / 1000));
  return { clock: longest('dur'), processor: longest('tdur') };
}

async function scroll(page) {
  const box = await page.locator('.list').boundingBox();
  await page.mouse.move(box.x + 100, box.y + Math.min(100, box.height / 2));
  for (let i = 0; i < 60; i++) {
    await page.mouse.wheel(0, 3000);
    await page.waitForTimeout(16);
  }
}

async function scrub(page) {
  await page.locator('canvas.map').scrollIntoViewIfNeeded();
  for (let i = 0; i < 6; i++) await page.click('[aria-label="Zoom in"]');
  const map = await page.locator('canvas.map').boundingBox();
  const y = map.y + map.height / 2;
  await page.mouse.move(map.x + 120, y);
  await page.mouse.down();
  await page.mouse.move(map.x + map.width - 40, y, { steps: 80 });
  await page.mouse.up();
}

/** The longest so far, and begins anew. Tasks under 50 ms are not told of at all. */
async function taken(page) {
  await page.waitForTimeout(300);
  const tasks = await page.evaluate('window.tasks.splice(0)');
  return { over: tasks.filter((ms) => ms > LONG).length, longest: Math.max(0, ...tasks) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { calls: { type: 'string', default: '10000' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(
      'node bench/view-session.mjs [--calls N]\n\n--calls N   calls in the session, of two entries each (default 10000)',
    );
    process.exit();
  }
  const calls = Number(values.calls);
  const found = await viewingSession(calls);
  const said = ({ over, longest }) =>
    over === 0
      ? `no task over ${LONG} ms`
      : `${over} tasks over ${LONG} ms, the longest ${longest.toFixed(0)}`;
  console.log(
    found === null
      ? 'Chromium is not here'
      : `session of ${2 * calls + 2} entries: rows after ${(found.rows / 1000).toFixed(1)} s, the verdict after ${(found.opens / 1000).toFixed(1)} s, the longest task until then ${found.opening.clock.toFixed(0)} ms, ${found.opening.processor.toFixed(0)} ms of the processor; scrolling ${said(found.scrolled)}; scrubbing ${said(found.scrubbed)}; by keys ${said(found.walked)}; ${found.nodes} nodes`,
  );
}
