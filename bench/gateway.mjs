// What the gateway adds to a model call, recording it durably, beside a bare pipe in node and the Portkey gateway, which
// records nothing; nginx where there is one. One upstream that answers at once, in a process of its own, and one client.
// Rounds take turns, so that what else runs on the machine hits all alike. `node bench/gateway.mjs` runs it alone.
import { execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(import.meta.url);
const foil = join(dirname(here), '../dist/foil.cjs');
const portkey = join(dirname(here), 'node_modules/@portkey-ai/gateway/build/start-server.js');
const percentile = (list, share) => list.toSorted((a, b) => a - b)[Math.floor(list.length * share)];
const median = (list) => percentile(list, 0.5);

const ANSWER = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content: [{ type: 'text', text: 'word '.repeat(160) }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 200, output_tokens: 160 },
});
const event = (name, data) => `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
const EVENTS = [
  event('message_start', { message: { ...JSON.parse(ANSWER), content: [], stop_reason: null } }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ...Array.from({ length: 20 }, () =>
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'word word ' } }),
  ),
  event('content_block_stop', { index: 0 }),
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 40 } }),
  event('message_stop', {}),
];
let unique = 0;
/** No two are alike: every message is new, and is redacted and kept. */
const body = (bytes, stream = false) =>
  JSON.stringify({
    model: 'claude-x',
    max_tokens: 100,
    stream,
    messages: [
      { role: 'user', content: `${unique++} ${'Please look at src/parser.ts. '.repeat(bytes / 30)}` },
    ],
  });

/** Both run in processes of their own: see the end. */
function upstream() {
  const server = createServer((incoming, response) => {
    let streamed = false;
    incoming.on('data', (piece) => {
      streamed ||= piece.includes('"stream":true');
    });
    incoming.on('end', () => {
      if (!streamed) {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length });
        response.end(ANSWER);
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(EVENTS[0]);
      setImmediate(() => response.end(EVENTS.slice(1).join('')));
    });
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

function pipe(to) {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const sent = request({ agent, port: to, host: '127.0.0.1', method, path: url, headers }, (response) => {
      outgoing.writeHead(response.statusCode, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(sent);
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

const started = async (role, ...words) => {
  const child = fork(here, [role, ...words.map(String)], { env: clean(process.env) });
  const port = await new Promise((resolve) => child.once('message', resolve));
  return { port, stop: () => child.kill(), pid: child.pid };
};

function clean({ NODE_EXTRA_CA_CERTS: _, FOIL: __, ...env }) {
  return env;
}

async function ours(upstreamPort) {
  const root = mkdtempSync(join(process.env.BENCH_ROOT ?? tmpdir(), 'foil-bench-'));
  const env = {
    ...clean(process.env),
    HOME: root,
    XDG_STATE_HOME: join(root, 's'),
    XDG_CONFIG_HOME: join(root, 'c'),
    XDG_RUNTIME_DIR: join(root, 'r'),
  };
  mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  const { directory } = JSON.parse(
    execFileSync(process.execPath, [foil, 'init', '--json'], { cwd: root, env, encoding: 'utf8' }),
  );
  const child = spawn(
    process.execPath,
    [
      foil,
      'serve',
      '--ledger',
      directory,
      '--port',
      '0',
      '--json',
      '--upstream',
      `anthropic=http://127.0.0.1:${upstreamPort}`,
    ],
    { env, cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const port = await new Promise((resolve) => {
    let text = '';
    child.stdout.on('data', (piece) => {
      text += piece;
      if (text.includes('\n')) resolve(JSON.parse(text.slice(0, text.indexOf('\n'))).port);
    });
  });
  return {
    port,
    pid: child.pid,
    directory,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await gone;
    },
    verify: () =>
      JSON.parse(
        spawnSync(process.execPath, [foil, 'verify', directory, '--json'], {
          env,
          encoding: 'utf8',
          maxBuffer: 1 << 26,
        }).stdout,
      ),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

async function theirs() {
  if (!existsSync(portkey)) return undefined;
  const port = await freePort();
  const child = spawn(process.execPath, [portkey, `--port=${port}`, '--headless'], {
    env: { ...clean(process.env), NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  for (let tries = 0; tries < 200; tries++) {
    const up = await send({ port, path: '/', method: 'GET', agent: false }, '').catch(() => undefined);
    if (up !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { port, stop: () => child.kill() };
}

async function nginx(upstreamPort) {
  const found = spawnSync('nginx', ['-v']);
  if (found.error !== undefined) return undefined;
  const root = mkdtempSync(join(tmpdir(), 'foil-nginx-'));
  const port = await freePort();
  writeFileSync(
    join(root, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${root}/pid; error_log /dev/null; events {}
http { access_log off; client_body_temp_path ${root}/b; proxy_temp_path ${root}/p; fastcgi_temp_path ${root}/f;
uwsgi_temp_path ${root}/u; scgi_temp_path ${root}/s; client_max_body_size 64m;
upstream up { server 127.0.0.1:${upstreamPort}; keepalive 64; }
server { listen 127.0.0.1:${port}; location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; } } }`,
  );
  const child = spawn('nginx', ['-c', join(root, 'nginx.conf'), '-p', root], { stdio: 'ignore' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  return {
    port,
    stop() {
      child.kill();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createNetServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Milliseconds to the first byte of the body, and to its end. */
function send(options, text) {
  return new Promise((resolve, reject) => {
    const since = performance.now();
    let first;
    const sent = request({ host: '127.0.0.1', method: 'POST', ...options }, (response) => {
      response.on('data', () => {
        first ??= performance.now() - since;
      });
      response.on('end', () =>
        resolve({ first, all: performance.now() - since, status: response.statusCode }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

const HEADERS = {
  'content-type': 'application/json',
  'x-api-key': 'none',
  'anthropic-version': '2023-06-01',
};

function way(name, server, path = '/v1/messages', headers = {}) {
  const agent = new Agent({ keepAlive: true });
  const post = async (text) => {
    const answer = await send({ agent, port: server.port, path, headers: { ...HEADERS, ...headers } }, text);
    if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}`);
    return answer;
  };
  return { name, server, post, agent };
}

async function oneByOne(post, count, make, of) {
  const times = [];
  for (let i = 0; i < count; i++) times.push((await post(make()))[of]);
  return median(times);
}

async function together(post, count, flight, make) {
  const times = [];
  let left = count;
  const since = performance.now();
  await Promise.all(
    Array.from({ length: flight }, async () => {
      while (left-- > 0) times.push((await post(make())).all);
    }),
  );
  return { p50: median(times), rate: count / ((performance.now() - since) / 1000) };
}

const residentMb = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

export async function modelGateway({ rounds = 5, load = 100_000 } = {}) {
  const source = await started('upstream');
  const [own, bare, peer, proxy] = await Promise.all([
    ours(source.port),
    started('pipe', source.port),
    theirs(),
    nginx(source.port),
  ]);
  const ways = [
    way('direct', source),
    way('counterfoil', own, '/anthropic/v1/messages'),
    way('node pipe', bare),
    ...(proxy === undefined ? [] : [way('nginx', proxy)]),
    ...(peer === undefined
      ? []
      : [
          way('portkey', peer, '/v1/messages', {
            'x-portkey-provider': 'anthropic',
            'x-portkey-custom-host': `http://127.0.0.1:${source.port}/v1`,
          }),
        ]),
  ];
  const kinds = {
    'one at a time': (post) => oneByOne(post, 100, () => body(600), 'all'),
    '32 in flight': async (post) => (await together(post, 640, 32, () => body(600))).p50,
    'first byte of a stream': (post) => oneByOne(post, 60, () => body(600, true), 'first'),
    'first byte of a stream, 300 kB request': (post) =>
      oneByOne(post, 20, () => body(300_000, true), 'first'),
  };
  try {
    for (const { post } of ways) for (let i = 0; i < 150; i++) await post(body(600, i % 2 === 0));
    const added = {};
    for (const [kind, measure] of Object.entries(kinds)) {
      const seen = new Map(ways.map(({ name }) => [name, []]));
      for (let round = 0; round < rounds; round++)
        for (const { name, post } of ways) seen.get(name).push(await measure(post));
      // The best round of each: what else runs on the machine only ever adds.
      const best = Object.fromEntries([...seen].map(([name, list]) => [name, Math.min(...list)]));
      added[kind] = Object.fromEntries(ways.slice(1).map(({ name }) => [name, best[name] - best.direct]));
    }
    const { post } = ways[1];
    const before = residentMb(own.pid);
    const memory = [];
    let rate = 0;
    const parts = 10;
    for (let part = 0; part < parts; part++) {
      const { rate: now } = await together(post, load / parts, 32, () => body(600));
      rate = Math.max(rate, now);
      memory.push(residentMb(own.pid));
    }
    for (const { agent } of ways) agent.destroy();
    await own.stop();
    const { verdict, facets, counts } = own.verify();
    return {
      added,
      load: {
        requests: load,
        rate,
        before,
        memory,
        verdict,
        receipts: facets.receipts.status,
        recorded: counts.receipts,
      },
    };
  } finally {
    for (const { agent } of ways) agent.destroy();
    for (const server of [source, bare, peer, proxy]) server?.stop();
    await own.stop().catch(() => undefined);
    own.remove();
  }
}

const [role, argument] = process.argv.slice(2);
if (process.argv[1] === here && role === 'upstream') upstream();
else if (process.argv[1] === here && role === 'pipe') pipe(Number(argument));
else if (process.argv[1] === here) {
  const load = Number(role ?? 20_000);
  const result = await modelGateway({ load });
  for (const [kind, added] of Object.entries(result.added))
    console.log(
      `${kind}: added ${Object.entries(added)
        .map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`)
        .join(', ')}`,
    );
  console.log(JSON.stringify(result.load));
}
