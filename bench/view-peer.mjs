// The same sessions in our viewer and in `claude-run`, in one Chromium, in turns: how long until the first session is in the
// list, and how long until a session is found by a word of its first prompt. Both pages are asked for the times by their own
// clocks, from the navigation or the key to the frame that shows it: what drives the browser takes a while to notice. Theirs looks through the first prompts of the
// list in the page; ours looks through everything that was said and done. The peer isn't installed with
// the bench: `npm i --prefix DIR claude-run@0.3.0`, then `node bench/view-peer.mjs --peer DIR/node_modules/claude-run`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openLedger } from '../dist/index.js';
import { makeLedger } from './view-ledger.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const FOIL = join(here, '../dist/foil.cjs');
const CHROMIUM = process.env.CHROME_PATH ?? '/usr/bin/chromium';
const ROUNDS = 7;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function peerProgram(root = join(here, 'node_modules/claude-run')) {
  const file = join(root, 'package.json');
  return existsSync(file) ? join(root, JSON.parse(readFileSync(file, 'utf8')).bin['claude-run']) : null;
}

/** Null where the peer or Chromium is not here. */
export async function againstPeer(sessions = 1000, program = peerProgram()) {
  if (program === null || !existsSync(CHROMIUM)) return null;
  const work = mkdtempSync(join(tmpdir(), 'foil-bench-peer-'));
  const directory = join(work, 'ledger');
  const located = { directory, keyDirectory: join(work, 'ledger-keys'), how: 'option' };
  const env = { ...process.env, XDG_CACHE_HOME: join(work, 'cache'), NODE_EXTRA_CA_CERTS: '' };
  const running = [];
  try {
    await makeLedger(located, sessions);
    const word = await transcriptsOf(located, join(work, 'claude'));
    const ours = spawn(process.execPath, [FOIL, 'view', '--ledger', directory, '--json'], { env });
    running.push(ours);
    const { url, token } = JSON.parse((await once(ours.stdout, 'data'))[0]);
    const own = { origin: new URL(url).origin, token };
    const port = await freePort();
    running.push(
      spawn(process.execPath, [program, '--no-open', '-p', String(port), '-d', join(work, 'claude')], {
        env: { ...env, HOME: work },
        stdio: 'ignore',
      }),
    );
    const theirs = `http://127.0.0.1:${port}/`;
    await answers(theirs);
    await indexed(own);
    return await compared({ own, theirs, word });
  } finally {
    for (const child of running) {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    }
    rmSync(work, { recursive: true, force: true });
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function answers(url) {
  for (let i = 0; i < 300; i++) {
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      // Not yet.
    }
    await pause(100);
  }
  throw new Error(`${url} does not answer`);
}

/** Theirs has read all of its list by now, so ours may have its index. */
async function indexed({ origin, token }) {
  const headers = { authorization: `Bearer ${token}` };
  for (let i = 0; i < 600; i++) {
    const { ledgers } = await (await fetch(`${origin}/api/health`, { headers })).json();
    const { index } = ledgers[0];
    if (index === null || index.problem !== null || index.read >= index.of) return;
    await pause(500);
  }
}

/** The sessions as Claude Code would have saved them. Gives a word that is in one first prompt. */
async function transcriptsOf(located, folder) {
  const ledger = openLedger(located, { readOnly: true });
  const told = new Map();
  try {
    const { seq: head } = await ledger.store.head();
    let rest = Buffer.alloc(0);
    for await (const piece of ledger.store.read(1, head)) {
      const bytes = Buffer.concat([rest, piece]);
      const end = bytes.lastIndexOf(0x0a) + 1;
      rest = bytes.subarray(end);
      for (const line of bytes.subarray(0, end).toString('utf8').split('\n').filter(Boolean))
        await tell(ledger, told, JSON.parse(line));
    }
  } finally {
    await ledger.close();
  }
  const history = [];
  for (const [sessionId, { project, lines, prompt, at }] of told) {
    const name = join(folder, 'projects', project.replace(/[/.]/g, '-'));
    mkdirSync(name, { recursive: true });
    writeFileSync(
      join(name, `${sessionId}.jsonl`),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
    history.push({ display: prompt, timestamp: at, project, sessionId });
  }
  writeFileSync(join(folder, 'history.jsonl'), history.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const words = history.flatMap(({ display }) => display.match(/name\d+/g) ?? []);
  return words.find((word) => words.filter((each) => each.startsWith(word)).length === 1) ?? words[0];
}

async function tell(ledger, told, { kind, session_id: id, ts, payload }) {
  if (id === null) return;
  const text = async (value) => {
    if (typeof value?.$content !== 'string') return typeof value === 'string' ? value : '';
    const [algorithm, hash] = value.$content.split(':');
    return Buffer.from(await ledger.store.getContent(id, { algorithm, hash, bytes: value.bytes })).toString();
  };
  const session = told.get(id) ?? { project: '/', lines: [], prompt: '', at: Date.parse(ts) };
  told.set(id, session);
  const add = (type, content) =>
    session.lines.push({
      type,
      uuid: `${id.slice(0, 8)}-${session.lines.length}`,
      sessionId: id,
      timestamp: ts,
      message: { role: type, content },
    });
  if (kind === 'session.start') session.project = payload.workspace_root;
  if (kind === 'prompt') {
    const prompt = await text(payload.text);
    session.prompt ||= prompt;
    add('user', prompt);
  }
  if (kind === 'response') add('assistant', [{ type: 'text', text: await text(payload.text) }]);
  if (kind === 'tool.call') {
    const input = JSON.parse(await text(payload.args));
    add('assistant', [{ type: 'tool_use', id: payload.call_id, name: payload.tool, input }]);
  }
  if (kind === 'tool.result') {
    const content = await text(payload.output);
    add('user', [{ type: 'tool_result', tool_use_id: payload.call_id, content }]);
  }
}

async function compared({ own, theirs, word }) {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  const figures = { ours: { first: [], search: [] }, theirs: { first: [], search: [] } };
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      const [a, b] = [await ourTimes(browser, own, word), await theirTimes(browser, theirs, word)];
      // The first round fills caches of the system.
      if (round === 0) continue;
      for (const [name, { first, search }] of Object.entries({ ours: a, theirs: b })) {
        figures[name].first.push(first);
        figures[name].search.push(search);
      }
    }
  } finally {
    await browser.close();
  }
  const medians = ({ first, search }) => ({ first: median(first), search: median(search) });
  return { ours: medians(figures.ours), theirs: medians(figures.theirs), word };
}

/** The address opens one tab; this is another each time, with the token that the first would have got. */
async function ourTimes(browser, { origin, token }, word) {
  const page = await browser.newPage();
  await page.addInitScript((each) => sessionStorage.setItem('counterfoil-token', each), token);
  await page.addInitScript(watch, {
    row: '.session a strong',
    found: '.hits mark',
    many: false,
    by: 'keydown',
  });
  try {
    await page.goto(origin);
    await page.waitForSelector('.session a strong');
    await pause(500);
    await page.fill('[aria-label="Search everything"], [placeholder="Search everything"]', word);
    await page.keyboard.press('Enter');
    await page.waitForSelector(`.hits mark:has-text("${word}")`);
    return await seenIn(page);
  } finally {
    await page.close();
  }
}

async function theirTimes(browser, url, word) {
  const page = await browser.newPage();
  await page.addInitScript(watch, {
    row: '[data-index="0"]',
    found: '[data-index]',
    many: true,
    by: 'input',
  });
  try {
    await page.goto(url);
    await page.waitForSelector('[data-index="0"]');
    await pause(500);
    await page.focus('[placeholder="Search..."]');
    // All but the last sign, so that both are measured from one key.
    await page.keyboard.insertText(word.slice(0, -1));
    await pause(500);
    await page.keyboard.insertText(word.slice(-1));
    await page.waitForFunction(
      (wanted) =>
        document.querySelectorAll('[data-index]').length === 1 &&
        document.querySelector('[data-index="0"]').textContent.includes(wanted),
      word.slice(0, 4),
    );
    return await seenIn(page);
  } finally {
    await page.close();
  }
}

/** Runs in a page before anything of its own. `many`: found is what leaves one of them. */
function watch({ row, found, many, by }) {
  const seen = { first: 0, key: 0, found: 0 };
  window.seen = seen;
  // A task behind the frame: then it stands on the screen.
  const painted = (name) => requestAnimationFrame(() => setTimeout(() => (seen[name] = performance.now())));
  const isFound = () => {
    const { length } = document.querySelectorAll(found);
    return many ? length === 1 : length > 0;
  };
  new MutationObserver(() => {
    if (seen.first === 0 && document.querySelector(row) !== null) {
      seen.first = 1;
      painted('first');
    }
    if (seen.key > 0 && seen.found === 0 && isFound()) {
      seen.found = 1;
      painted('found');
    }
  }).observe(document, { childList: true, subtree: true });
  // Of several keys the last counts.
  addEventListener(by, () => Object.assign(seen, { key: performance.now(), found: 0 }), true);
}

async function seenIn(page) {
  for (;;) {
    const { first, key, found } = await page.evaluate(() => window.seen);
    if (first > 1 && found > 1) return { first, search: found - key };
    await pause(20);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      sessions: { type: 'string', default: '1000' },
      peer: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(
      'node bench/view-peer.mjs [--sessions N] [--peer DIR]\n\n--sessions N   sessions of 200 entries (default 1000)\n--peer DIR     where claude-run is installed (default bench/node_modules/claude-run)',
    );
    process.exit();
  }
  const found = await againstPeer(Number(values.sessions), peerProgram(values.peer));
  if (found === null) console.log('claude-run or Chromium is not here');
  else {
    const { ours, theirs } = found;
    const row = (what, one, other) =>
      `| ${what} | ≥ 2 × as quick | ${one.toFixed(0)} ms, claude-run ${other.toFixed(0)} ms: × ${(other / one).toFixed(1)} |`;
    console.log(`${values.sessions} sessions; load ${loadavg()[0].toFixed(1)}`);
    console.log(row('first view', ours.first, theirs.first));
    console.log(row('search', ours.search, theirs.search));
  }
}
