// What `foil mcp wrap` adds to a tools/call with 2 kB of content, two durable entries and their content kept: against a
// bare tee that writes and syncs one line for the call and one for its result. The same server, the same client, one call
// at a time, interleaved. bench/main.mjs prints the row; `node bench/mcp.mjs` runs it alone.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const foil = join(here, '../dist/foil.cjs');
const everything = join(here, '../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

/** Passes what it reads, and logs each line first; with `sync`, durably. */
const TEE = `
const { spawn } = require('node:child_process');
const { fdatasyncSync, openSync, writeSync } = require('node:fs');
const [, , file, sync, ...command] = process.argv;
const fd = openSync(file, 'a');
const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
const pass = (from, to) => from.on('data', (chunk) => {
  if (sync === 'sync') { writeSync(fd, chunk); fdatasyncSync(fd); }
  to.write(chunk);
});
pass(process.stdin, child.stdin);
pass(child.stdout, process.stdout);
process.stdin.on('end', () => child.stdin.end());
child.on('close', (code) => process.exit(code ?? 1));
`;

class Client {
  #rest = '';
  #waiting = new Map();
  #id = 0;

  constructor(words, env, cwd) {
    this.child = spawn(words[0], words.slice(1), { env, cwd, stdio: ['pipe', 'pipe', 'ignore'] });
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
    this.child.stdout.on('data', (chunk) => {
      this.#rest += chunk;
      for (let end = this.#rest.indexOf('\n'); end >= 0; end = this.#rest.indexOf('\n')) {
        const line = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 1);
        const { id } = JSON.parse(line);
        this.#waiting.get(id)?.();
        this.#waiting.delete(id);
      }
    });
  }

  /** Milliseconds. */
  async request(method, params) {
    const id = ++this.#id;
    const line = `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    const answered = new Promise((resolve) => this.#waiting.set(id, resolve));
    const started = process.hrtime.bigint();
    this.child.stdin.write(line);
    await answered;
    return Number(process.hrtime.bigint() - started) / 1e6;
  }

  async start() {
    const clientInfo = { name: 'bench', version: '1' };
    await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  async end() {
    this.child.stdin.end();
    await this.ended;
  }
}

/** Milliseconds that each way adds to a call, at the median. */
export async function mcpCall({ rounds = 3000, warmUp = 1000 } = {}) {
  const root = mkdtempSync(join(process.env.BENCH_ROOT ?? tmpdir(), 'foil-bench-'));
  const project = join(root, 'project');
  mkdirSync(project);
  const tee = join(root, 'tee.cjs');
  writeFileSync(tee, TEE);
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(root, 's'),
    XDG_CONFIG_HOME: join(root, 'c'),
    HOME: root,
  };
  delete env.NODE_EXTRA_CA_CERTS; // triples node's start where it is set
  delete env.FOIL;
  const { directory } = JSON.parse(
    execFileSync(process.execPath, [foil, 'init', '--json'], { cwd: project, env }),
  );
  const server = [process.execPath, everything];
  const ways = {
    direct: server,
    tee: [process.execPath, tee, join(root, 'plain.log'), 'plain', ...server],
    synced: [process.execPath, tee, join(root, 'synced.log'), 'sync', ...server],
    wrapped: [process.execPath, foil, 'mcp', 'wrap', '--ledger', directory, '--', ...server],
  };
  const clients = Object.entries(ways).map(([name, words]) => ({
    name,
    client: new Client(words, env, project),
    times: [],
  }));
  try {
    for (const { client } of clients) await client.start();
    const message = 'Tests  12 passed (12) of src/core/merkle.test.ts\n'.repeat(41).slice(0, 2000);
    for (let i = 0; i < warmUp + rounds; i++)
      for (const { client, times } of clients) {
        const took = await client.request('tools/call', { name: 'echo', arguments: { message, i } });
        if (i >= warmUp) times.push(took);
      }
    for (const { client } of clients) await client.end();
    const report = JSON.parse(execFileSync(process.execPath, [foil, 'verify', directory, '--json'], { env }));
    const at = Object.fromEntries(clients.map(({ name, times }) => [name, median(times)]));
    return {
      direct: at.direct,
      tee: at.tee - at.direct,
      synced: at.synced - at.direct,
      wrapped: at.wrapped - at.direct,
      recorded: report.verdict === 'INTACT' && report.entries >= 2 * (warmUp + rounds),
    };
  } finally {
    for (const { client } of clients) client.child.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const figures = await mcpCall();
  console.log(figures, `× ${(figures.wrapped / figures.synced).toFixed(2)}`);
}
