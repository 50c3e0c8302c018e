// foil gateway, in real processes: an independent gateway over TLS, a run that goes through it, and everything that keeps a
// gateway from starting.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseVerifierKey } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { verifyGatewayReceipts } from '../../src/verify/index.ts';
import { Child } from '../fault/child.ts';
import { expectIntact } from '../file-ledger.ts';
import { entriesSoFar } from '../service/gateway/entries-so-far.ts';
import { upstream } from '../service/gateway/stage.ts';
import { endService, projectLedger } from '../service/run-ledger.ts';
import { FOIL, Sandbox } from './foil.ts';

const ANSWER = '{"id":"msg_1","type":"message","content":[],"model":"m-1","stop_reason":"end_turn"}';
/** Asks a model as an SDK would, where its environment says. */
const AGENT = `
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST',
    headers: { 'x-api-key': 'none', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
  });
  console.log(response.status, await response.text());`;

function box(): Sandbox {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  return sandbox;
}

function privateFile(path: string, text: string): string {
  writeFileSync(path, text);
  chmodSync(path, 0o600);
  return path;
}

interface Served {
  readonly child: Child;
  readonly url: string;
  readonly vkey: string;
  readonly ledger: string;
}

/** A gateway with a ledger and keys of its own. */
async function served(sandbox: Sandbox, words: readonly string[]): Promise<Served> {
  const ledger = join(sandbox.root, 'gateway');
  const env = { ...sandbox.env, XDG_CONFIG_HOME: join(sandbox.root, 'gateway-config') };
  if (!existsSync(ledger)) sandbox.ok(['init', '--ledger', ledger], { env });
  const all = ['gateway', 'serve', '--json', '--ledger', ledger, '--listen', '127.0.0.1:0', ...words];
  const child = new Child(FOIL, all, { env, cwd: sandbox.root });
  await child.until(() => child.lines.length > 0);
  const { url, vkey } = JSON.parse(child.lines[0] ?? '{}');
  return { child, url, vkey, ledger };
}

async function until(ledger: string, kind: string): Promise<Entry[]> {
  for (;;) {
    const entries = entriesSoFar(ledger, { torn: true });
    if (entries.some((entry) => entry.kind === kind)) return entries;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Runs while this process answers as the upstream. */
async function running(
  sandbox: Sandbox,
  words: readonly string[],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [FOIL, ...words], { cwd: sandbox.work, env: sandbox.env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (piece) => {
    stdout += piece;
  });
  child.stderr.on('data', (piece) => {
    stderr += piece;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

describe('foil run --through', () => {
  it('goes through a gateway of its own over TLS, and not at all once that has left', async () => {
    const sandbox = box();
    const to = await upstream((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER),
    );
    const at = (name: string): string => join(sandbox.root, name);
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const files = ['-keyout', at('gw.key'), '-out', at('gw.pem')];
    execFileSync('openssl', ['req', '-x509', ...curve, ...files, ...subject], { stdio: 'ignore' });
    chmodSync(at('gw.key'), 0o600);
    const token = sandbox.ok(['gateway', 'token']);
    const tokens = privateFile(at('tokens'), `# the agent's machine\n${token}`);
    const tls = ['--cert', at('gw.pem'), '--key-file', at('gw.key')];
    const only = ['--tokens', tokens, '--upstream', `anthropic=${to.url}`, '--plain-upstreams'];
    const gateway = await served(sandbox, [...tls, ...only]);
    expect(gateway.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);

    sandbox.ok(['init']);
    const ledger = projectLedger(sandbox.root);
    onTestFinished(() => endService(ledger));
    const upstreams = [`anthropic=${to.url}`];
    writeFileSync(join(ledger, 'settings'), JSON.stringify({ v: 1, mode: 'observe', port: null, upstreams }));
    const agent = sandbox.write('agent.mjs', AGENT);
    const access = ['--token-file', privateFile(at('mine'), token), '--ca', at('gw.pem')];
    const run = (...more: readonly string[]) =>
      running(sandbox, ['run', '--through', gateway.url, ...more, '--', process.execPath, agent]);
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('--token-file') });
    const first = await run(...access);
    expect({ code: first.code, stdout: first.stdout }).toEqual({ code: 0, stdout: `200 ${ANSWER}\n` });
    const entries = await until(ledger, 'gateway.receipt');
    const [start] = entries.filter(({ kind }) => kind === 'session.start');
    expect(start?.payload.gateway).toBe(gateway.url);
    const begun = entriesSoFar(gateway.ledger).find(({ kind }) => kind === 'session.start');
    expect([begun?.source, begun?.payload.mode]).toEqual(['gateway', 'observe']);
    const own = entries.filter(({ session_id }) => session_id === start?.session_id);
    const trusted = { key: parseVerifierKey(gateway.vkey), upstreams: [to.url] };
    expect(verifyGatewayReceipts(own, [trusted])).toEqual({ ok: true, calls: 1 });
    expect(sandbox.json(['gateway', 'show'])).toMatchObject({
      through: null,
      gateways: [{ url: gateway.url, problem: null }],
    });

    gateway.child.process.kill('SIGTERM');
    expect(await gateway.child.ended).toEqual({ code: 0, signal: null });
    const second = await run();
    expect(second.stdout).toContain('GATEWAY_UNREACHABLE');
    expect(to.arrived.length).toBe(1);
    await endService(ledger);
    await expectIntact(gateway.ledger);
    await expectIntact(ledger);
  });

  it('foil gateway use makes it the way of all runs, and none takes it back', () => {
    const sandbox = box();
    sandbox.ok(['init']);
    const file = privateFile(join(sandbox.root, 'mine'), sandbox.ok(['gateway', 'token']));
    sandbox.ok(['gateway', 'use', 'https://gw.example:8443/', '--token-file', file]);
    expect(sandbox.json(['gateway', 'show'])).toMatchObject({ through: 'https://gw.example:8443' });
    sandbox.ok(['gateway', 'use', 'none']);
    expect(sandbox.json(['gateway', 'show'])).toMatchObject({ through: null });
    chmodSync(file, 0o640);
    const refused = sandbox.run(['gateway', 'use', 'https://gw.example:8443']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('others can read it')]);
    for (const url of ['http://gw.example', 'https://gw.example/path', 'https://u:p@gw.example', 'gw'])
      expect(sandbox.run(['gateway', 'use', url, '--token-file', file]).code, url).toBe(2);
  });
});

describe('foil gateway serve does not start', () => {
  const token = 'x'.repeat(40);

  function refused(change: (sandbox: Sandbox) => readonly string[]): string {
    const sandbox = box();
    sandbox.ok(['init', '--here']);
    const tokens = privateFile(join(sandbox.root, 'tokens'), token);
    const words = change(sandbox);
    const given = (name: string): boolean => words.includes(name);
    const { code, stderr } = sandbox.run([
      ...['gateway', 'serve', '--listen', '127.0.0.1:0'].slice(0, given('--listen') ? 2 : 4),
      ...(given('--tokens') ? [] : ['--tokens', tokens]),
      ...(given('--upstream') ? [] : ['--upstream', 'https://api.anthropic.com']),
      ...words,
    ]);
    expect(code).not.toBe(0);
    return stderr;
  }

  it.each([
    ['beyond this machine without TLS', () => ['--listen', '0.0.0.0:0'], /give --cert and --key-file/],
    ['without an upstream of a name', () => ['--upstream', 'https://llm.example'], /NAME=URL/],
    ['to an upstream without TLS', () => ['--upstream', 'a=http://127.0.0.1:1'], /--plain-upstreams/],
    ['with --cert alone', () => ['--cert', 'x'], /need each other/],
    ['for a user that is not there', () => ['--agent-user', 'nobody-has-this-name'], /there is no user/],
    ['as the agent itself', () => ['--agent-user', String(process.getuid?.())], /this gateway runs as/],
    [
      'with tokens that others can read',
      ({ root }: Sandbox) => {
        writeFileSync(join(root, 'open'), token);
        chmodSync(join(root, 'open'), 0o644);
        return ['--tokens', join(root, 'open')];
      },
      /others can read it/,
    ],
    [
      'with a token that is too short',
      ({ root }: Sandbox) => ['--tokens', privateFile(join(root, 'short'), 'short')],
      /32 to 128/,
    ],
    [
      'with keys that others can read',
      (sandbox: Sandbox) => {
        chmodSync(sandbox.path('.foil/keys'), 0o755);
        return [];
      },
      /other users can read/,
    ],
    [
      'with a key file that others can read',
      (sandbox: Sandbox) => {
        const [name = ''] = readdirSync(sandbox.path('.foil/keys'));
        chmodSync(sandbox.path(`.foil/keys/${name}`), 0o640);
        return [];
      },
      /other users can read|others can read/,
    ],
  ])('%s', (_, change, says) => {
    expect(refused(change)).toMatch(says);
  });

  it('twice over one ledger', async () => {
    const sandbox = box();
    const tokens = privateFile(join(sandbox.root, 'tokens'), token);
    const words = ['--tokens', tokens, '--upstream', 'https://api.anthropic.com'];
    const first = await served(sandbox, words);
    const env = { XDG_CONFIG_HOME: join(sandbox.root, 'gateway-config') };
    const again = ['gateway', 'serve', '--ledger', first.ledger, '--listen', '127.0.0.1:0', ...words];
    const { code, stderr } = sandbox.run(again, { env });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('a service for this ledger is already running'),
    ]);
  });
});
