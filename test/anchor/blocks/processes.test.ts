// Real processes that ask for blocks: side by side, ending while a source still hangs, and what they load for it.
import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { TIP_FILE } from '../../../src/anchor/blocks/index.ts';
import { temporary } from '../../temporary.ts';
import { NOW, serve, serveEsplora, TIP } from './servers.ts';

const root = join(import.meta.dirname, '../../..');
let built: string;

beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), 'foil-test-'));
  await build({
    absWorkingDir: root,
    entryPoints: { blocks: 'src/anchor/blocks/index.ts', lookup: 'src/anchor/blocks/lookup.ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outdir: built,
    outExtension: { '.js': '.cjs' },
    logLevel: 'error',
  });
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

/** Runs a script that has `blocks` and prints JSON; ends by itself or not at all. */
async function run(script: string, given: unknown, env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const text = `const { openBlocks } = require(${JSON.stringify(join(built, 'blocks.cjs'))});
    const given = ${JSON.stringify(given)};
    const open = (options) => openBlocks(
      { blocks: given.urls.map((esplora) => ({ esplora })), git: null, stamps: [], network: 'main' },
      { directory: null, now: () => ${NOW}, budgetMs: 600000, ...options });
    const say = (value) => process.stdout.write(JSON.stringify(value));
    (async () => { ${script} })();`;
  const child = spawn(process.execPath, ['-e', text], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.on('data', (piece) => {
    out += String(piece);
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code).toBe(0);
  return JSON.parse(out);
}

describe('processes that ask for a block', () => {
  it('G12a all get it at once, and leave one file that is whole', async () => {
    const server = await serveEsplora(TIP);
    const directory = temporary();
    const ask = () =>
      run('say(await open({ directory: given.directory }).newest());', { urls: [server.url], directory });
    expect(await Promise.all([ask(), ask(), ask(), ask()])).toEqual([TIP, TIP, TIP, TIP]);
    expect(JSON.parse(readFileSync(join(directory, TIP_FILE), 'utf8'))).toMatchObject({ block: TIP });
    expect(readdirSync(join(directory, 'anchor'))).toEqual(['tip']);
  });

  it('wait for it, though its connection alone would hold no process', async () => {
    const server = await serve((request, response) => {
      const { url = '' } = request;
      const text = url.includes('tip') ? '900002' : url.endsWith('/header') ? TIP.header : TIP.hash;
      setImmediate(() => response.end(text));
    });
    expect(await run('say(await open().newest());', { urls: [server.url] })).toEqual(TIP);
  });

  it('end at once while they ask in the background', async () => {
    const silent = await serve(() => {});
    expect(await run('say(open().known());', { urls: [silent.url] })).toBeNull();
  });

  it('end at once when another source was quicker', async () => {
    const [silent, good] = [await serve(() => {}), await serveEsplora(TIP)];
    expect(await run('say(await open().newest());', { urls: [silent.url, good.url] })).toEqual(TIP);
  });

  it('load what a connection needs when they really ask, and not before', async () => {
    const server = await serveEsplora(TIP);
    const script = `
      const loaded = () => process.moduleLoadList.some((name) => /NativeModule (?:net|tls|dns|_http_client)$/.test(name));
      const before = loaded();
      const brief = open({ directory: given.directory, brief: true });
      brief.known(); brief.problems();
      const opened = loaded();
      await brief.newest();
      const asked = loaded();
      say([before, opened, asked]);`;
    const given = { urls: [server.url], directory: temporary() };
    expect(await run(script, given)).toEqual([false, false, true]);
    // The next one finds it at hand.
    expect(await run(script, given)).toEqual([false, false, false]);
  });
});

describe('over TLS', () => {
  /** A server for localhost under a certificate of its own, or for another name. */
  async function serveSecurely(
    name: string,
  ): Promise<{ port: number; certificate: string; asked: string[] }> {
    const directory = temporary();
    const [key, certificate] = [join(directory, 'key'), join(directory, 'certificate')];
    const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${name}`;
    const more = ['-addext', `subjectAltName=DNS:${name}`, '-keyout', key, '-out', certificate];
    execFileSync('openssl', [...words.split(' '), ...more], { stdio: 'ignore' });
    const asked: string[] = [];
    const server = createServer(
      { key: readFileSync(key), cert: readFileSync(certificate) },
      (request, response) => {
        const { url = '' } = request;
        // A server of several names must know which one is meant.
        if ((request.socket as TLSSocket).servername === 'localhost') asked.push(url);
        response.end(url.includes('tip') ? '900002' : url.endsWith('/header') ? TIP.header : TIP.hash);
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return { port: (server.address() as AddressInfo).port, certificate, asked };
  }
  const script = `const blocks = open(); const block = await blocks.newest();
    say([block, blocks.problems().map(({ code, message }) => code + ' ' + message)]);`;

  it('a block comes from a server whose certificate is good', async () => {
    const { port, certificate, asked } = await serveSecurely('localhost');
    const given = { urls: [`https://localhost:${port}`] };
    expect(await run(script, given, { NODE_EXTRA_CA_CERTS: certificate })).toEqual([TIP, []]);
    expect(asked).toHaveLength(3);
  });

  it('nothing is asked of one whose certificate is not, whatever the environment says', async () => {
    const { port, asked } = await serveSecurely('localhost');
    const given = { urls: [`https://localhost:${port}`] };
    const [block, problems] = (await run(script, given, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })) as unknown[];
    expect([block, problems]).toEqual([null, [expect.stringMatching(/^UNREACHABLE .*SELF_SIGNED/)]]);
    expect(asked).toEqual([]);
  });

  it('nothing is asked of one whose certificate is for another name', async () => {
    const { port, certificate, asked } = await serveSecurely('blocks.example');
    const given = { urls: [`https://localhost:${port}`, `https://127.0.0.1:${port}`] };
    const told = await run(script, given, { NODE_EXTRA_CA_CERTS: certificate });
    const wrong = expect.stringMatching(/^UNREACHABLE .*ALTNAME/);
    expect(told).toEqual([null, [wrong, wrong]]);
    expect(asked).toEqual([]);
  });
});

describe('names', () => {
  /** Swallows every question. */
  async function deafNameServer(): Promise<{ address: string; asked: Promise<void> }> {
    const socket = createSocket('udp4');
    onTestFinished(() => void socket.close());
    const asked = new Promise<void>((resolve) => socket.once('message', () => resolve()));
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return { address: `127.0.0.1:${socket.address().port}`, asked };
  }

  it('are given up together with the asking, and hold no thread of the process', async () => {
    const deaf = await deafNameServer();
    const script = `
      const { cancellableLookup } = require(${JSON.stringify(join(built, 'lookup.cjs'))});
      const stop = new AbortController();
      const lookup = cancellableLookup(stop.signal, [given.address]);
      let told = 'nothing';
      lookup('blocks.example', { all: true }, (error) => { told = error === null ? 'found' : 'none'; });
      process.getBuiltinModule('node:dns').lookup = () => { throw new Error('asked the system'); };
      stop.abort();
      for (let i = 0; i < 5; i++) await new Promise(setImmediate);
      say(told);`;
    expect(await run(script, { urls: [], address: deaf.address })).toBe('none');
  });

  it('are not asked of the system where no name server answers', async () => {
    const deaf = await deafNameServer();
    const script = `
      const dns = process.getBuiltinModule('node:dns');
      let system = false;
      dns.lookup = () => { system = true; };
      const { cancellableLookup } = require(${JSON.stringify(join(built, 'lookup.cjs'))});
      cancellableLookup(new AbortController().signal, [given.address])('blocks.example', {}, (error) => say([error !== null, system]));`;
    expect(await run(script, { urls: [], address: deaf.address })).toEqual([true, false]);
    await deaf.asked;
  });
});
