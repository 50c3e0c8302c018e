// An agent that is hostile by the time it is replayed: what it tries in the sandbox, one attack after the other. Each attack
// prints what it got hold of; the agent then asks the model for that instead of what is on record, so a leak is a replay that
// differs. What it could do outside is looked for there.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxProblem } from '../runtime/replayed.ts';
import { RecordedSession } from './recorded-session.ts';

const MARK = `foil-attack-${process.pid}`;

describe.skipIf(sandboxProblem !== null)('a hostile agent in a replay', () => {
  const recorded = new RecordedSession();
  const { sandbox } = recorded;
  const home = sandbox.root;
  const secret = join(home, '.ssh/id_ed25519');
  const temporary = join('/tmp', MARK);
  const outside: Server[] = [];
  let [session, reached, port] = ['', 0, 0];

  beforeAll(async () => {
    await recorded.prepare();
    recorded.accept();
    session = (await recorded.run()).session;
    await recorded.leave();
    mkdirSync(join(home, '.ssh'));
    writeFileSync(secret, 'planted');
    const server = await listening((at, done) => at.listen(0, '127.0.0.1', done));
    ({ port } = server.address() as AddressInfo);
    await listening((at, done) => at.listen(join(home, 'run/open.sock'), done));
  });
  afterAll(async () => {
    for (const server of outside) server.close();
    await recorded.remove();
  });

  async function listening(listen: (server: Server, done: () => void) => void): Promise<Server> {
    const server = createServer((socket) => {
      reached++;
      socket.end('reached');
    });
    await new Promise<void>((resolve) => listen(server, resolve));
    outside.push(server);
    return server;
  }

  /** The agent, with an attack before its work. Gives what the replay says. */
  async function attacked(script: string): Promise<{ code: number | null; stdout: string }> {
    const path = join(home, 'bin/agent');
    writeFileSync(path, `#!/bin/sh\ngot=$( (${script}) 2>/dev/null )\nexec node client.mjs "please$got"\n`);
    chmodSync(path, 0o755);
    const { code, stdout } = await sandbox.foil(['replay', session]);
    return { code, stdout };
  }

  const dial = (to: string): string =>
    `node -e "require('net').connect(${to}).on('data', (d) => console.log(String(d))).on('error', () => {})"`;
  const lives = (mark: string): boolean =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .some((name) => {
        try {
          return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(mark);
        } catch {
          return false; // It has ended since.
        }
      });

  it('O8 is seen where it gets hold of something: the list below can fail', async () => {
    const { code, stdout } = await attacked('echo leaked');
    expect(code).toBe(5);
    expect(stdout).toContain('leaked');
  });

  it.each<[string, () => string]>([
    ['a key in the home', () => `cat ${secret}`],
    ['the home by its listing', () => `ls -A ${home}/.ssh ${home}/config ${home}/state`],
    // Folders of programs on PATH are shown, wherever they lie.
    ['files in the home of the user', () => `find ${homedir()} -maxdepth 1 -type f`],
    ['the ledger', () => `cat ${recorded.ledger}/ledger/*`],
    [
      'the environment of other processes',
      () => `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep ${home}/state`,
    ],
    ['a port of this machine', () => dial(String(port))],
    ['a socket of this machine', () => dial(`'${join(home, 'run/open.sock')}'`)],
    ['the network', () => `node -e "require('dns').lookup('example.com', (e, a) => a && console.log(a))"`],
  ])('O8 does not reach %s', async (_, attack) => {
    expect(await attacked(attack())).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('✓ Replay successful'),
    });
    expect(reached).toBe(0);
  });

  it('O8 writes into its copy alone', async () => {
    const before = recorded.bytes();
    const numbers = sandbox.read('numbers');
    const files = [`${home}/${MARK}`, temporary, `${sandbox.work}/${MARK}`, `${recorded.ledger}/${MARK}`];
    const script = `${files.map((file) => `echo x > ${file}`).join('; ')}; echo 9 >> numbers; echo x > ${secret}; sed -i '$d' numbers`;
    expect((await attacked(script)).code).toBe(0);
    expect(files.filter((file) => existsSync(file))).toEqual([]);
    expect(readFileSync(secret, 'utf8')).toBe('planted');
    expect(sandbox.read('numbers')).toBe(numbers);
    expect(recorded.bytes()).toBe(before);
  });

  it('O8 leaves nothing running', async () => {
    const daemon = `setsid sh -c 'while :; do sleep 1; done' ${MARK} >/dev/null 2>&1 </dev/null &`;
    expect((await attacked(`${daemon} true`)).code).toBe(0);
    expect(lives(MARK)).toBe(false);
  });
});
