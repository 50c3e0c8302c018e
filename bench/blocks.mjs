// What a block costs the start of a session: a hook as a process, in a project with an Esplora server on this machine,
// against the same hook where none is asked for. Asked for each time, and with the block that another process was given
// at hand. And the start of a session in a program. The server is a process of its own, with one block of regtest.
// bench/main.mjs prints the row; `node bench/blocks.mjs` runs this alone.
import { execFileSync, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const foil = join(here, '../dist/foil.cjs');
const SERVE = '--serve';
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const sha256 = (bytes) => createHash('sha256').update(bytes).digest();

function mineOne() {
  const header = Buffer.alloc(80);
  header.writeInt32LE(1, 0);
  header.writeUInt32LE(Math.floor(Date.now() / 1000), 68);
  header.writeUInt32LE(0x207fffff, 72);
  for (let nonce = 0; ; nonce++) {
    header.writeUInt32LE(nonce, 76);
    const hash = sha256(sha256(header)).reverse();
    if (hash[0] < 0x7f) return { header: header.toString('hex'), hash: hash.toString('hex') };
  }
}

function serve() {
  const { header, hash } = mineOne();
  const answer = (url) => (url.includes('/tip/') ? '7' : url.endsWith('/header') ? header : hash);
  const server = createServer((request, response) => response.end(answer(request.url)));
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

const anchored = (port) => `anchor: {blocks: ["http://127.0.0.1:${port}"], network: regtest}\n`;

/** Milliseconds, at the median: a session started by a hook without a block, with one asked for, and with one at hand. */
export async function blockStart(rounds = 31) {
  const root = mkdtempSync(join(process.env.BENCH_ROOT ?? tmpdir(), 'foil-bench-'));
  const server = fork(fileURLToPath(import.meta.url), [SERVE]);
  try {
    const port = await new Promise((resolve) => server.once('message', resolve));
    const env = {
      ...process.env,
      HOME: root,
      XDG_STATE_HOME: join(root, 's'),
      XDG_CONFIG_HOME: join(root, 'c'),
      XDG_RUNTIME_DIR: join(root, 'r'),
    };
    mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 });
    delete env.NODE_EXTRA_CA_CERTS; // triples node's start where it is set
    delete env.FOIL;
    const project = join(root, 'project');
    mkdirSync(project);
    const options = { cwd: project, env };
    const { directory } = JSON.parse(execFileSync(process.execPath, [foil, 'init', '--json'], options));
    writeFileSync(join(project, 'counterfoil.yaml'), anchored(port));
    execFileSync(process.execPath, [foil, 'anchor', 'accept', '--ledger', directory], options);
    const tip = join(directory, 'anchor/tip');
    const times = { without: [], asked: [], atHand: [] };
    let session = 0;
    const start = (list, config) => {
      writeFileSync(join(project, 'counterfoil.yaml'), config);
      const event = {
        session_id: `bench-${session++}`,
        transcript_path: join(project, 't.jsonl'),
        cwd: project,
        hook_event_name: 'SessionStart',
        source: 'startup',
      };
      const args = [foil, 'hook', 'claude-code', '--ledger', directory, '--mode', 'observe'];
      const began = process.hrtime.bigint();
      execFileSync(process.execPath, args, {
        ...options,
        input: JSON.stringify(event),
        stdio: ['pipe', 'ignore', 'inherit'],
      });
      list.push(Number(process.hrtime.bigint() - began) / 1e6);
    };
    for (let i = 0; i < rounds; i++) {
      start(times.without, 'content: keep\n');
      rmSync(tip, { force: true });
      start(times.asked, anchored(port));
      start(times.atHand, anchored(port));
    }
    const log = execFileSync(process.execPath, [foil, 'log', '--json', '--ledger', directory], {
      ...options,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    const bound = log.split('"height":7').length - 1;
    return {
      without: median(times.without),
      asked: median(times.asked),
      atHand: median(times.atHand),
      least: Object.fromEntries(Object.entries(times).map(([name, list]) => [name, Math.min(...list)])),
      recorded: bound === 2 * rounds && readFileSync(tip, 'utf8').includes('"height":7'),
    };
  } finally {
    server.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true });
  }
}

if (process.argv[2] === SERVE) serve();
else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { without, asked, atHand, least, recorded } = await blockStart();
  console.log(`session start without a block ${without.toFixed(1)} ms, at least ${least.without.toFixed(1)}`);
  for (const [what, took, min] of [
    ['asked for', asked, least.asked],
    ['at hand', atHand, least.atHand],
  ])
    console.log(
      `with one ${what}: ${(took - without).toFixed(1)} ms more, ${(min - least.without).toFixed(1)} by the quickest`,
    );
  console.log(recorded ? 'all recorded' : 'NOT ALL RECORDED');
}
