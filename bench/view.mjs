// The viewer over a large ledger, in a real Chromium: how long until there is something to see, before and after the ledger
// is indexed; how fast it is indexed, and what that does to appends; how long a search takes. Every figure stands beside its
// bar. `node bench/view.mjs --sessions 1000` for a quicker look: a session has 200 entries.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openLedger } from '../dist/index.js';
import { makeLedger, PER_SESSION } from './view-ledger.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const FOIL = join(root, 'dist/foil.cjs');
const CHROMIUM = process.env.CHROME_PATH ?? '/usr/bin/chromium';
const ROUNDS = 5;
const QUERIES = 50;
/** What Chromium takes for a page with nothing in it, at the same moment. */
const BLANK = 'data:text/html,<h1>nothing</h1>';
const APPENDS = 1500;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const medians = (views) =>
  views.length === 0
    ? null
    : { blank: median(views.map(({ blank }) => blank)), ours: median(views.map(({ ours }) => ours)) };
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export async function viewing(sessions = 5000, given = undefined) {
  const work = mkdtempSync(join(tmpdir(), 'foil-bench-view-'));
  const directory = join(work, 'ledger');
  const located = { directory, keyDirectory: join(work, 'ledger-keys'), how: 'option' };
  const env = { ...process.env, XDG_CACHE_HOME: join(work, 'cache'), NODE_EXTRA_CA_CERTS: '' };
  try {
    if (given === undefined) await makeLedger(located, sessions);
    else for (const end of ['', '-keys']) cpSync(`${given}${end}`, `${directory}${end}`, { recursive: true });
    const browser = existsSync(CHROMIUM) ? await launched() : null;
    try {
      // A new cache each time, so that nothing is indexed.
      const first = [];
      for (let round = 0; browser !== null && round < ROUNDS; round++) {
        const cache = join(work, `cache-${round}`);
        first.push(await firstView(browser, directory, { ...env, XDG_CACHE_HOME: cache }));
        rmSync(cache, { recursive: true, force: true });
      }
      const indexing = await indexed(located, env);
      const again = [];
      for (let round = 0; browser !== null && round < ROUNDS; round++)
        again.push(await firstView(browser, directory, env));
      return {
        entries: indexing.entries,
        first: medians(first),
        again: medians(again),
        indexing,
        appends: indexing.appends,
        search: await searching(directory, env),
      };
    } finally {
      await browser?.close();
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function launched() {
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: CHROMIUM, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
}

async function served(directory, env) {
  const child = spawn(process.execPath, [FOIL, 'view', '--ledger', directory, '--json'], { env });
  const [line] = await once(child.stdout, 'data');
  const { url, token } = JSON.parse(line);
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { url, token, stop };
}

/** From the click to the first row of a session, in milliseconds. */
async function firstView(browser, directory, env) {
  const { url, stop } = await served(directory, env);
  const page = await browser.newPage();
  try {
    const opened = await timed(page, BLANK, 'h1');
    return { blank: opened, ours: await timed(page, url, '.session a') };
  } finally {
    await page.close();
    await stop();
  }
}

async function timed(page, url, selector) {
  const started = performance.now();
  await page.goto(url);
  await page.waitForSelector(selector);
  return performance.now() - started;
}

/**
 * One durable entry after the other, for a recorder that waits for each: milliseconds at the median. The indexing process
 * is stopped and let go on in turns, so that both figures are of the same minutes.
 */
async function appending(located, pid) {
  const ledger = openLedger(located, { sealEvery: 0 });
  const times = { alone: [], meanwhile: [] };
  try {
    for (let i = 0; i < APPENDS; i++) {
      const isAlone = Math.floor(i / 50) % 2 === 0;
      if (i % 50 === 0) process.kill(pid, isAlone ? 'SIGSTOP' : 'SIGCONT');
      const started = performance.now();
      await ledger.append({ kind: 'note', payload: { text: `append ${i}` }, source: 'bench' });
      times[isAlone ? 'alone' : 'meanwhile'].push(performance.now() - started);
      await pause(2);
    }
  } finally {
    process.kill(pid, 'SIGCONT');
    await ledger.close();
  }
  return { alone: median(times.alone), meanwhile: median(times.meanwhile) };
}

/** The process that `foil view` starts, by itself, with appends for a part of the time. */
async function indexed({ directory, keyDirectory }, env) {
  const { createHash } = await import('node:crypto');
  const { realpathSync } = await import('node:fs');
  const name = createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 32);
  const path = join(env.XDG_CACHE_HOME, 'counterfoil/view', `${name}.sqlite`);
  const task = JSON.stringify({ directory, keyDirectory, path });
  const started = performance.now();
  const child = fork(join(root, 'dist/view-index.cjs'), [task], { env, stdio: 'ignore', execArgv: [] });
  try {
    // Once it is under way.
    while ((await stateOf(path)) === 0) await pause(100);
    const began = performance.now();
    const before = await stateOf(path);
    const appends = await appending({ directory, keyDirectory }, child.pid);
    const [spent, taken] = [performance.now() - began, (await stateOf(path)) - before];
    const ledger = openLedger({ directory, keyDirectory }, { readOnly: true });
    const { seq: entries } = await ledger.store.head();
    await ledger.close();
    while ((await stateOf(path)) < entries) await pause(100);
    // Without the time that it was stopped for, and what it did meanwhile.
    const seconds = (performance.now() - started - spent) / 1000;
    return {
      entries,
      read: entries - taken,
      seconds,
      processor: processorTime(child.pid),
      bytes: statSync(path).size,
      appends,
    };
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}

/** Seconds, of all its threads. */
function processorTime(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return null;
  }
}

async function stateOf(path) {
  if (!existsSync(path)) return 0;
  const { DatabaseSync } = await import('@photostructure/sqlite');
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      return database.prepare('SELECT seq FROM state').all()[0]?.seq ?? 0;
    } finally {
      database.close();
    }
  } catch {
    return 0;
  }
}

/** As the page asks, over HTTP: common words, rare ones, several at once, beginnings of words, and some that nobody said. */
async function searching(directory, env) {
  const { url, token, stop } = await served(directory, env);
  try {
    const { origin } = new URL(url);
    const headers = { authorization: `Bearer ${token}` };
    const shapes = [
      (i) => ['cart', 'total', 'ledger', 'timeout', 'the'][i % 5],
      (i) => `name${i * 37}`,
      (i) => `evidence name${i * 11}`,
      (i) => ['verif', 'sess', 'comm', 'exampl', 'bran'][i % 5],
      (i) => `nobody-said-${i}`,
    ];
    const times = [];
    let hits = 0;
    for (let i = -2; i < QUERIES; i++) {
      const query = encodeURIComponent(shapes[Math.abs(i) % shapes.length](Math.abs(i)));
      const started = performance.now();
      const answer = await (await fetch(`${origin}/api/search?q=${query}`, { headers })).json();
      // The first two open the index.
      if (i >= 0) times.push(performance.now() - started);
      hits += answer.hits.length;
    }
    return { p50: median(times), p95: times.toSorted((a, b) => a - b)[Math.floor(QUERIES * 0.95)], hits };
  } finally {
    await stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      sessions: { type: 'string', default: '5000' },
      ledger: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(
      'node bench/view.mjs [--sessions N] [--ledger DIR]\n\n--sessions N   sessions of 200 entries to make (default 5000)\n--ledger DIR   copy this ledger and DIR-keys instead of making one\n\nRun `npm run build` first. The figures of the browser need Chromium (CHROME_PATH).',
    );
    process.exit();
  }
  const { entries, first, again, indexing, appends, search } = await viewing(
    Number(values.sessions),
    values.ledger,
  );
  const { seconds, processor, bytes } = indexing;
  const shown = (view) =>
    view === null
      ? 'Chromium is not here'
      : `${view.ours.toFixed(0)} ms, where an empty page takes ${view.blank.toFixed(0)} ms`;
  const rows = [
    ['first view, nothing indexed', '≤ 1,000 ms', shown(first)],
    ['first view once indexed', '≤ 300 ms', shown(again)],
    [
      'indexing',
      '≥ 10,000 entries/s',
      `${Math.round(indexing.read / seconds)} entries/s by the clock, ${Math.round(entries / processor)} by processor time`,
    ],
    [
      'an append while it is indexed',
      '≤ 1.1 × alone',
      `× ${(appends.meanwhile / appends.alone).toFixed(2)} (${appends.meanwhile.toFixed(2)} ms, ${appends.alone.toFixed(2)} ms)`,
    ],
    ['search, 50 queries', 'p50 ≤ 50 ms', `p50 ${search.p50.toFixed(1)} ms, p95 ${search.p95.toFixed(1)} ms`],
  ];
  console.log(
    `${entries} entries, ${Math.floor(entries / PER_SESSION)} sessions; index ${(bytes / 1e6).toFixed(0)} MB; load ${loadavg()[0].toFixed(1)}`,
  );
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
}
