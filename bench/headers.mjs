// How long 8,000 linked block headers take to verify. Nobody can mine them at Bitcoin's difficulty here, so they are of a
// chain with an easy limit; hashing, links and bounds are the same work. In Node, and with the hashes that browsers get.
// `node bench/headers.mjs` prints the figures.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const COUNT = 8000;
const LIMIT = 0x207fffff;
const START = 1_700_000_000;
const ROUNDS = 15;

const sha256 = (bytes) => createHash('sha256').update(bytes).digest();

/** Each names the one before it; about two tries a header. */
function mine() {
  const run = Buffer.alloc(80 * COUNT);
  let before = Buffer.alloc(32);
  for (let i = 0; i < COUNT; i++) {
    const header = run.subarray(80 * i, 80 * (i + 1));
    header.writeInt32LE(1, 0);
    before.copy(header, 4);
    header.writeUInt32LE(START + 600 * i, 68);
    header.writeUInt32LE(LIMIT, 72);
    for (let nonce = 0; ; nonce++) {
      header.writeUInt32LE(nonce, 76);
      before = sha256(sha256(header));
      if (before[31] < 0x7f) break;
    }
  }
  return new Uint8Array(run);
}

async function load(directory, name, platform, conditions) {
  const outfile = join(directory, name);
  const entryPoints = [join(root, 'src/core/index.ts')];
  await build({ entryPoints, bundle: true, format: 'esm', platform, conditions, outfile, logLevel: 'error' });
  return import(pathToFileURL(outfile));
}

function best({ headerHash, verifyHeaderRun }, run) {
  const checkpoint = { height: 0, hash: headerHash(run.subarray(0, 80)), bits: LIMIT, time: START };
  const chain = { limit: LIMIT, checkpoints: [checkpoint] };
  const times = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage();
    const { status } = verifyHeaderRun(run, {}, chain);
    const { user, system } = process.cpuUsage(start);
    if (status !== 'pass') throw new Error('the run should pass');
    return (user + system) / 1000;
  });
  return { first: times[0], best: Math.min(...times) };
}

/** Milliseconds of processor time, so that a busy machine shows less: the first in a process, and the best of several. */
export async function headerRun() {
  const directory = mkdtempSync(join(tmpdir(), 'foil-bench-'));
  try {
    const run = mine();
    const node = best(await load(directory, 'node.mjs', 'node', []), run);
    const browser = best(await load(directory, 'browser.mjs', 'browser', ['browser']), run);
    return { count: COUNT, node, browser };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { count, node, browser } = await headerRun();
  const ms = (n) => `${n.toFixed(1)} ms`;
  console.log(`${count} linked headers: ${ms(node.first)} the first time, ${ms(node.best)} at best`);
  console.log(
    `with the hashes for browsers: ${ms(browser.first)} the first time, ${ms(browser.best)} at best`,
  );
}
