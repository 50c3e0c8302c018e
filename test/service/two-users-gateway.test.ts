// An independent gateway under another user than the agent's, with a ledger in locked mode: the agent's run goes through it, and
// the agent can read neither its keys nor its ledger. Needs root, to be both users; passed over elsewhere.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseVerifierKey } from '../../src/core/index.ts';
import { verifyGatewayReceipts } from '../../src/verify/index.ts';
import { Child } from '../fault/child.ts';
import { expectIntact } from '../file-ledger.ts';
import { entriesSoFar } from './gateway/entries-so-far.ts';
import { upstream } from './gateway/stage.ts';
import { AGENT, asAgent, asFoil, become, locked, type Place, SERVICE } from './locked-place.ts';
import { endService } from './run-ledger.ts';

const TOKEN = 't'.repeat(43);
const ANSWER = '{"id":"msg_1","type":"message","content":[]}';
const SCRIPT = `
  fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST',
    headers: { 'x-api-key': 'none', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
  }).then(async (response) => console.log(response.status, await response.text()));`;

function gatewayWords({ ledger, base }: Place, to: string): string[] {
  const own = ['--tokens', join(base, 'state/tokens'), '--upstream', `anthropic=${to}`, '--plain-upstreams'];
  return ['gateway', 'serve', '--json', '--ledger', ledger, '--listen', '127.0.0.1:0', ...own];
}

function fileOf(path: string, text: string, { uid, gid }: typeof AGENT): string {
  writeFileSync(path, text);
  chmodSync(path, 0o600);
  chownSync(path, uid, gid);
  return path;
}

describe.skipIf(process.getuid?.() !== 0)('an independent gateway, as two users (needs root)', () => {
  it("vouches for the agent's run, and the agent can't read its keys", async () => {
    const place = locked();
    const to = await upstream((_, response) => response.end(ANSWER));
    fileOf(join(place.base, 'state/tokens'), TOKEN, SERVICE);
    const words = [...gatewayWords(place, to.url), '--agent-user', String(AGENT.uid)];
    const [flag, script] = become(SERVICE, asFoil, []) as [string, string];
    const gateway = new Child(flag, [script, '--', ...words], { env: place.env, cwd: '/' });
    await gateway.until(() => gateway.lines.length > 0);
    const { url, vkey } = JSON.parse(gateway.lines[0] ?? '{}');

    const home = join(place.base, 'agent');
    for (const directory of [home, join(home, 'work'), join(home, 'run')]) {
      mkdirSync(directory, { mode: 0o700 });
      chownSync(directory, AGENT.uid, AGENT.gid);
    }
    const env = {
      ...{ PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: join(home, 'run') },
      ...{ XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') },
    };
    const cwd = join(home, 'work');
    const asUser = (given: readonly string[]) => [...become(AGENT, asFoil, []), '--', ...given];
    expect(spawnSync(process.execPath, asUser(['init']), { cwd, env }).status).toBe(0);
    const state = join(home, 'state/counterfoil');
    const ledger = join(
      state,
      readdirSync(state).find((name) => name !== 'modes' && name !== 'sessions') ?? '',
    );
    onTestFinished(() => endService(ledger));
    const settings = { v: 1, mode: 'observe', port: null, upstreams: [`anthropic=${to.url}`] };
    fileOf(join(ledger, 'settings'), JSON.stringify(settings), AGENT);
    const token = fileOf(join(home, 'token'), TOKEN, AGENT);
    const through = ['run', '--through', url, '--token-file', token, '--'];
    const child = spawn(process.execPath, asUser([...through, process.execPath, '-e', SCRIPT]), { cwd, env });
    let told = '';
    child.stdout.on('data', (piece) => {
      told += piece;
    });
    child.stderr.resume();
    expect([(await once(child, 'close'))[0], told]).toEqual([0, `200 ${ANSWER}\n`]);

    let entries = entriesSoFar(ledger, { torn: true });
    while (!entries.some(({ kind }) => kind === 'gateway.receipt')) {
      await new Promise((resolve) => setImmediate(resolve));
      entries = entriesSoFar(ledger, { torn: true });
    }
    const run = entries.find(({ kind }) => kind === 'session.start')?.session_id;
    const own = entries.filter(({ session_id }) => session_id === run);
    const trusted = { key: parseVerifierKey(vkey), upstreams: [to.url] };
    expect(verifyGatewayReceipts(own, [trusted])).toEqual({ ok: true, calls: 1 });

    const look = `
      const fs = require('node:fs');
      const tried = process.argv.slice(1).map((path) => {
        try { fs.readdirSync(path); return 'read'; } catch (error) { return error.code; }
      });
      console.log(JSON.stringify(tried));`;
    expect(asAgent(look, [place.ledger, join(place.base, 'state/config')])).toEqual(['EACCES', 'EACCES']);
    gateway.process.kill('SIGTERM');
    expect(await gateway.ended).toEqual({ code: 0, signal: null });
    await expectIntact(place.ledger);
  });

  it("does not start if a key is the agent user's, or lies where the agent's user can put another", () => {
    const place = locked();
    fileOf(join(place.base, 'state/tokens'), TOKEN, SERVICE);
    const words = [...gatewayWords(place, 'http://127.0.0.1:1'), '--agent-user'].filter(
      (word) => word !== '--json',
    );
    const start = (user: string): [number | null, string] => {
      // As root, who may look at everybody's files.
      const { status, stderr } = spawnSync(process.execPath, ['-e', asFoil, '--', ...words, user], {
        encoding: 'utf8',
        env: place.env,
      });
      return [status, stderr];
    };
    expect(start(String(SERVICE.uid))).toEqual([
      1,
      expect.stringMatching(/belongs to 54320, the agent's user/),
    ]);
    chownSync(place.base, AGENT.uid, AGENT.gid);
    expect(start(String(AGENT.uid))).toEqual([1, expect.stringMatching(/is in .*belongs to 54321/)]);
  });
});
