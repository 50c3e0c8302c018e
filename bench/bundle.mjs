// Packs and bundles, as processes: a pack of 2,000 files beside `tar c | gzip -n` of the same files; the bundle of a run of
// 10,000 entries, made and verified, beside verifying its ledger in place; and the same bundle in a browser.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const FOIL = join(root, 'dist/foil.cjs');
const CHROMIUM = process.env.CHROME_PATH ?? '/usr/bin/chromium';
const CALLS = 5000;
const FILES = 2000;
const FILE_BYTES = 25_000;
const ROUNDS = 5;
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

function timed(times, program, words, options) {
  const started = performance.now();
  const { status, stderr } = spawnSync(program, words, { ...options, encoding: 'utf8' });
  times.push(performance.now() - started);
  if (status !== 0) throw new Error(`${words.join(' ')}: ${status} ${stderr}`);
}

/** Seconds at the median. */
export function packing() {
  const work = mkdtempSync(join(tmpdir(), 'foil-bench-pack-'));
  try {
    const { env, project } = place(work);
    mkdirSync(join(project, 'prompts'));
    // Words and numbers: compressible as text is.
    const words = Array.from({ length: 400 }, () => randomBytes(3).toString('hex'));
    for (let n = 0; n < FILES; n++) {
      let text = '';
      while (text.length < FILE_BYTES)
        text += `${words[(text.length * 7 + n) % 400]} ${(text.length * 7919 + n * 104729) % 99991} `;
      writeFileSync(join(project, `prompts/${n}.md`), text);
    }
    writeFileSync(join(project, 'counterfoil.yaml'), 'pack:\n  include: ["prompts/**"]\n');
    writeFileSync(join(project, 'AGENTS.md'), 'Be brief.\n');
    const [ours, peer] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      timed(ours, process.execPath, [FOIL, 'pack', 'create', '--out', join(work, 'p.tar.gz')], {
        cwd: project,
        env,
      });
      timed(peer, '/bin/sh', ['-c', `tar c prompts AGENTS.md | gzip -n > ${join(work, 't.tar.gz')}`], {
        cwd: project,
      });
    }
    return {
      files: FILES,
      megabytes: (FILES * FILE_BYTES) / 1e6,
      ours: median(ours) / 1000,
      peer: median(peer) / 1000,
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Seconds at the median; `browser` is null without a Chromium. */
export async function bundling() {
  const work = mkdtempSync(join(tmpdir(), 'foil-bench-bundle-'));
  try {
    const { env, project } = place(work);
    const words = ['--input-type=module', '-e', RECORD, String(CALLS), join(root, 'dist/index.js')];
    execFileSync(process.execPath, words, { cwd: project, env, stdio: ['ignore', 'ignore', 'inherit'] });
    const foil = (...more) => [process.execPath, [FOIL, ...more], { cwd: project, env }];
    const file = join(work, 'run.bundle');
    const [create, verify, place_] = [[], [], []];
    timed([], ...foil('bundle', 'create', '--out', file)); // the sum is appended once
    for (let round = 0; round < ROUNDS; round++) {
      timed(place_, ...foil('verify'));
      timed(create, ...foil('bundle', 'create', '--out', file));
      timed(verify, ...foil('verify', file));
    }
    const { vkey } = JSON.parse(
      execFileSync(process.execPath, [FOIL, 'key', 'list', '--json'], { cwd: project, env }),
    ).at(-1);
    const bytes = readFileSync(file);
    return {
      entries: 2 * CALLS,
      megabytes: bytes.length / 1e6,
      inPlace: median(place_) / 1000,
      create: median(create) / 1000,
      verify: median(verify) / 1000,
      browser: existsSync(CHROMIUM) ? await inBrowser(bytes, vkey) : null,
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function place(work) {
  const project = join(work, 'project');
  for (const name of ['project', 'home', 'run']) mkdirSync(join(work, name), { mode: 0o700 });
  const env = {
    PATH: process.env.PATH,
    HOME: join(work, 'home'),
    XDG_RUNTIME_DIR: join(work, 'run'),
    TMPDIR: work,
  };
  execFileSync(process.execPath, [FOIL, 'init'], { cwd: project, env, stdio: 'ignore' });
  return { project, env };
}

export const RECORD = `
  const [calls, module] = process.argv.slice(1);
  const { openRecorder } = await import(module);
  const recorder = await openRecorder({ cwd: process.cwd(), agent: 'bench', source: 'sdk' });
  const session = await recorder.session({ trigger: 'bench' });
  const some = Array.from({ length: Number(calls) }, (_, n) => n);
  for (let n = 0; n < some.length; n += 100)
    await Promise.all(some.slice(n, n + 100).map((i) => session.tool('read', { path: 'file-' + i }, async () => 'text of ' + i)));
  await session.end({ reason: 'exit' });
  await recorder.close();`;

async function inBrowser(bytes, vkey) {
  const { chromium } = await import('playwright-core');
  const script = readFileSync(join(root, 'dist/verify.js'));
  const page_ = `<!doctype html><script type="module">import * as verifier from '/verify.js'; window.verifier = verifier;</script>`;
  const server = createServer((request, response) => {
    const body = { '/verify.js': script, '/run.bundle': bytes }[request.url];
    response.setHeader('content-type', request.url === '/verify.js' ? 'text/javascript' : 'text/html');
    response.end(body ?? page_);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction('window.verifier !== undefined');
    const { verdict, ms } = await page.evaluate(async (key) => {
      const bytes = new Uint8Array(await (await fetch('/run.bundle')).arrayBuffer());
      const started = performance.now();
      const trust = { keys: [window.verifier.parseVerifierKey(key)], packs: [], gateways: [], attesters: [] };
      const { verdict } = await window.verifier.verifyBundle(bytes, { trust, now: Date.now() });
      return { verdict, ms: performance.now() - started };
    }, vkey);
    if (verdict !== 'PASS') throw new Error(`the browser says ${verdict}`);
    return ms / 1000;
  } finally {
    await browser.close();
    server.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const pack = packing();
  console.log(
    `pack of ${pack.files} files, ${pack.megabytes} MB: ${pack.ours.toFixed(2)} s, tar and gzip ${pack.peer.toFixed(2)} s, × ${(pack.ours / pack.peer).toFixed(2)}`,
  );
  const b = await bundling();
  console.log(
    `bundle of ${b.entries} entries (${b.megabytes.toFixed(1)} MB): create ${b.create.toFixed(2)} s (× ${(b.create / b.inPlace).toFixed(2)}), verify ${b.verify.toFixed(2)} s (× ${(b.verify / b.inPlace).toFixed(2)}) of verifying in place ${b.inPlace.toFixed(2)} s; Chromium ${b.browser === null ? 'is not here' : `${b.browser.toFixed(2)} s`}`,
  );
}
