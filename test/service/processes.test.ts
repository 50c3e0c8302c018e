// The built command as a service, and what keeps it running: races, kills, hangs, upgrades. Real processes throughout;
// each is ended by its number.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { readSettings, writeSettings } from '../../src/ledger/index.ts';
import {
  type EnsureOptions,
  ensureService,
  postHook,
  readState,
  readToken,
  serviceFiles,
} from '../../src/service/index.ts';
import { beat, makeServiceDirectory, writeState } from '../../src/service/service-files.ts';
import { holdLock, isHeld } from '../../src/service/service-lock.ts';
import { ends, FOIL, prints, Sandbox } from '../cli/foil.ts';
import { bundle, Child } from '../fault/child.ts';
import { expectIntact } from '../file-ledger.ts';

const told = { agent: 'claude-code', event: 'PreToolUse', body: Buffer.from('{}'), timeoutMs: 20_000 };

/** A ledger of its own; whatever serves it is ended with the test. */
function sandboxed(): { sandbox: Sandbox; ledger: string; options: EnsureOptions } {
  const sandbox = new Sandbox();
  sandbox.ledger();
  const ledger = sandbox.path('.foil');
  onTestFinished(async () => {
    // Detached ones among them, some of which may only be starting: each by its number.
    const started = servicesOf(ledger);
    for (const pid of started) process.kill(pid, 'SIGKILL');
    await until(() => !started.some(isAlive));
    sandbox.remove();
  });
  const options = {
    ledger,
    version: manifest.version,
    wait: 20_000,
    command: [process.execPath, FOIL],
    env: sandbox.env,
  };
  return { sandbox, ledger, options };
}

/** Processes that were started to serve this ledger. */
function servicesOf(ledger: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
        const at = readlinkSync(`/proc/${pid}/cwd`);
        return (
          words.includes('serve') && (words.includes(ledger) || join(at, '.foil') === ledger) && isAlive(pid)
        );
      } catch {
        return false;
      }
    });
}

async function until(test: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await test())) await new Promise((resolve) => setTimeout(resolve, 2));
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const running = (ledger: string): number => readState(ledger)?.pid ?? 0;

async function tell(ledger: string): Promise<void> {
  const { socket } = readState(ledger) ?? { socket: '' };
  expect(await postHook({ ...told, socket })).toMatchObject({ exit: 0 });
}

/** The heartbeat of a process that has not turned its event loop for a minute. */
function backdate(ledger: string): void {
  writeFileSync(serviceFiles(ledger).heartbeat, '1\n');
}

describe('foil serve', () => {
  it('serves until Ctrl-C or SIGTERM, and leaves in order', async () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const { sandbox, ledger } = sandboxed();
      const child = sandbox.start(['serve', '--port', '0']);
      const text = await prints(child, /serving on .*\n/);
      expect(text).toBe(`serving on ${ledger}/service/socket and 127.0.0.1:${readState(ledger)?.port}\n`);
      await tell(ledger);
      child.kill(signal);
      expect(await ends(child)).toEqual({ code: 0, signal: null });
      expect(readState(ledger)).toBeUndefined();
      expect((await expectIntact(ledger)).counts).toMatchObject({ unsealed: 0 });
    }
  });

  it('says in JSON that it is ready, and why it left', async () => {
    const { sandbox, ledger } = sandboxed();
    const child = sandbox.start(['serve', '--json', '--idle', '1s']);
    const [ready, left] = (await prints(child, /left/))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(ready).toEqual({
      event: 'ready',
      pid: child.pid,
      port: expect.any(Number),
      socket: join(ledger, 'service/socket'),
      problem: null,
    });
    // Clients of the gateway find it there again.
    expect(readSettings(ledger, sandbox.env).port).toBe(ready.port);
    expect(left).toEqual({ event: 'left', reason: 'idle' });
    expect(await ends(child)).toEqual({ code: 0, signal: null });
  });

  it('takes the port of the settings, and a token over it', async () => {
    const { sandbox, ledger } = sandboxed();
    const probe = sandbox.start(['serve', '--port', '0']);
    await prints(probe, /serving/);
    const port = readState(ledger)?.port ?? 0;
    probe.kill();
    await ends(probe);
    writeSettings(ledger, { mode: 'guard', port }, sandbox.env);
    await prints(sandbox.start(['serve']), /serving/);
    const headers = { authorization: `Bearer ${readToken(ledger)}` };
    const health = await (await fetch(`http://127.0.0.1:${port}/v1/health`, { headers })).json();
    expect(health).toMatchObject({ mode: 'guard', port, pid: running(ledger) });
    await fetch(`http://127.0.0.1:${port}/v1/stop`, { method: 'POST', headers });
  });

  it('is one of eight that start at once, and the others say who it is', async () => {
    const { sandbox, ledger } = sandboxed();
    const children = Array.from({ length: 8 }, (_, i) =>
      sandbox.start(['serve', ...(i % 2 ? ['--if-needed'] : [])]),
    );
    const outcomes = children.map(async (child, i) => {
      let text = '';
      child.stdout.on('data', (piece: Buffer) => {
        text += piece.toString();
      });
      const { code } = await ends(child);
      return { i, code, text };
    });
    const left: { i: number; code: number | null; text: string }[] = [];
    for (const outcome of outcomes) void outcome.then((one) => left.push(one));
    await until(() => left.length === 7);
    const winner = children.findIndex((child) => child.exitCode === null);
    expect(children[winner]?.pid).toBe(running(ledger));
    for (const { i, code, text } of left) {
      expect([i, code]).toEqual([i, i % 2 ? 0 : 1]);
      expect(text).toMatch(/^a(nother)? service for this ledger is (already running: process \d+|starting)/);
    }
    await tell(ledger);
    children[winner]?.kill();
    expect(await ends(children[winner] as (typeof children)[0])).toMatchObject({ code: 0 });
  });

  it('fails where there is no ledger, and says so', () => {
    const sandbox = new Sandbox();
    onTestFinished(() => sandbox.remove());
    expect(sandbox.run(['serve'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('there is no ledger'),
    });
  });

  it.each([
    [['--port', '65536'], "isn't a port"],
    [['--port', 'x'], 'is not a number'],
    [['--idle', '5'], "isn't a length of time"],
    [['--socket-group', 'nobody-has-this-name', '--socket', '/tmp/x'], 'there is no group'],
    [['--socket-group', '0'], 'needs --socket'],
  ])('%j is wrong usage', (words, message) => {
    const { sandbox } = sandboxed();
    const { code, stderr } = sandbox.run(['serve', ...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('that runs into what nobody caught ends with 1, says nothing of it, and everything answered is there', async () => {
    const { sandbox, ledger, options } = sandboxed();
    const bomb = sandbox.write(
      'bomb.cjs',
      "process.on('SIGUSR2', () => { throw new TypeError('a password'); });",
    );
    const child = new Child('--require', [bomb, FOIL, 'serve', '--ledger', ledger], { env: sandbox.env });
    await child.until(() => child.lines.some((line) => line.startsWith('serving')));
    await tell(ledger);
    child.process.kill('SIGUSR2');
    expect(await child.ended).toEqual({ code: 1, signal: null });
    expect(child.errors).toBe('foil: the service failed: TypeError. The next hook starts it again.\n');
    expect(await ensureService(options)).toEqual({ service: 'started' });
    await tell(ledger);
    // A service that has just appended may not have published the head yet, which is where readers begin.
    await until(async () => sandbox.ok(['log', '--json']).trim().split('\n').length === 3);
  });

  it('goes on when it runs out of file descriptors', async () => {
    const { sandbox, ledger } = sandboxed();
    const script = `ulimit -n 40; exec ${process.execPath} ${FOIL} serve --ledger ${ledger}`;
    const child = spawn('sh', ['-c', script], { env: sandbox.env });
    await prints(child, /serving/);
    const { socket } = readState(ledger) ?? { socket: '' };
    const greedy = Array.from({ length: 100 }, () => connect({ path: socket }).on('error', () => undefined));
    await Promise.all(
      greedy.map((one) => new Promise((resolve) => one.on('connect', resolve).on('close', resolve))),
    );
    for (const one of greedy) one.destroy();
    await until(() => greedy.every((one) => one.closed));
    // It may take a moment until the service has closed its ends, too.
    await until(() =>
      tell(ledger).then(
        () => true,
        () => false,
      ),
    );
    child.kill();
    expect(await ends(child)).toEqual({ code: 0, signal: null });
  });

  it('leaves when its ledger is deleted', async () => {
    const { sandbox, ledger } = sandboxed();
    const child = sandbox.start(['serve']);
    await prints(child, /serving/);
    rmSync(ledger, { recursive: true });
    expect(await prints(child, /left/)).toContain('left: ledger-gone');
    expect(existsSync(ledger)).toBe(false);
  });
});

describe('a service is started when it is needed', () => {
  it('once, detached, with nothing of the environment that is not its business', async () => {
    const { ledger, options } = sandboxed();
    const secret = `token-${'x'.repeat(10)}`;
    const env = { ...options.env, API_KEY: secret, FOIL: 'off', NODE_OPTIONS: '--no-such-option' };
    expect(await ensureService({ ...options, env })).toEqual({ service: 'started' });
    const pid = running(ledger);
    const seen = readFileSync(`/proc/${pid}/environ`, 'latin1');
    expect(seen).toContain('XDG_STATE_HOME=');
    for (const name of ['API_KEY', secret, 'FOIL=', 'NODE_OPTIONS']) expect(seen).not.toContain(name);
    const [, , , , , session] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(' ');
    expect(session).toBe(String(pid)); // a session of its own: no terminal takes it along
    expect(await ensureService(options)).toEqual({ service: 'running' });
    expect(running(ledger)).toBe(pid);
    await tell(ledger);
    const { log } = serviceFiles(ledger);
    expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(readFileSync(log, 'utf8')).toContain('serving, version');
  });

  it('by many at once', async () => {
    const { ledger, options } = sandboxed();
    const all = await Promise.all(Array.from({ length: 6 }, () => ensureService(options)));
    for (const { service } of all) expect(['started', 'running']).toContain(service);
    await tell(ledger);
  });

  it('without waiting for it, where nobody asks to', async () => {
    const { ledger, options } = sandboxed();
    expect(await ensureService({ ...options, wait: 0 })).toEqual({ service: 'started' });
    await until(() => readState(ledger) !== undefined);
    await tell(ledger);
  });

  it('and never throws: no ledger, no command, one that fails', async () => {
    const { ledger, options } = sandboxed();
    const nowhere = await ensureService({ ...options, ledger: join(ledger, 'none') });
    expect(nowhere).toEqual({ service: 'absent', why: 'ENOENT' });
    const quick = { ...options, wait: 200 };
    expect(await ensureService({ ...quick, command: ['/no/such/program'] })).toMatchObject({
      service: 'absent',
    });
    expect(await ensureService({ ...quick, command: [process.execPath, '--no-such-option'] })).toMatchObject({
      service: 'absent',
      why: expect.stringContaining('not ready'),
    });
  });
});

describe('a service that is gone or hangs is replaced', () => {
  it('killed in the middle of a request: what was acknowledged is there, and the next one serves on', async () => {
    const { ledger, options } = sandboxed();
    await ensureService(options);
    const pid = running(ledger);
    await tell(ledger);
    const caller = connect({ path: readState(ledger)?.socket ?? '' });
    caller.on('error', () => undefined);
    await once(caller, 'connect');
    caller.write('POST /v1/hook/claude-code HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{');
    process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(pid)); // which it may be before its lock is free
    expect(await ensureService(options)).toEqual({ service: 'started' });
    expect(running(ledger)).not.toBe(pid);
    await tell(ledger);
    process.kill(running(ledger), 'SIGTERM');
    await until(() => !isHeld(serviceFiles(ledger)));
    expect((await expectIntact(ledger)).counts).toMatchObject({ entries: 3, unsealed: 0 });
  });

  it('killed while events come in: each that was answered is recorded', async () => {
    const { ledger, options } = sandboxed();
    await ensureService(options);
    const { socket, pid } = readState(ledger) ?? { socket: '', pid: 0 };
    let answered = 0;
    const callers = Array.from({ length: 40 }, async () => {
      await postHook({ ...told, socket });
      if (++answered === 10) process.kill(pid, 'SIGKILL');
    });
    await Promise.allSettled(callers);
    await until(() => !isAlive(pid));
    await ensureService(options);
    await tell(ledger);
    process.kill(running(ledger), 'SIGTERM');
    await until(() => !isHeld(serviceFiles(ledger)));
    const { counts } = await expectIntact(ledger);
    expect(counts.entries).toBeGreaterThanOrEqual(answered + 2);
  });

  it('stopped: it is killed, and another starts', async () => {
    const { ledger, options } = sandboxed();
    await ensureService(options);
    const pid = running(ledger);
    process.kill(pid, 'SIGSTOP');
    // Not yet: it may only be busy.
    expect(await ensureService(options)).toEqual({ service: 'running' });
    backdate(ledger);
    expect(await ensureService(options)).toEqual({ service: 'replaced' });
    expect(isAlive(pid)).toBe(false);
    expect(running(ledger)).not.toBe(pid);
    await tell(ledger);
  });

  it('but not a process that only has its number', async () => {
    const { ledger, options } = sandboxed();
    const files = serviceFiles(ledger);
    makeServiceDirectory(files);
    const lock = await holdLock(files, { wait: 0, isServed: () => false });
    const innocent = spawn(process.execPath, ['-e', 'process.stdin.resume()', 'serve'], { stdio: 'pipe' });
    onTestFinished(() => void innocent.kill('SIGKILL'));
    await once(innocent, 'spawn');
    const state = { port: null, socket: '', version: manifest.version, started: '', problem: null };
    writeState(files, { ...state, pid: innocent.pid ?? 0 });
    backdate(ledger);
    expect(await ensureService(options)).toMatchObject({ service: 'absent' });
    writeState(files, { ...state, pid: innocent.pid ?? 0, version: '0.0.0' });
    beat(files);
    expect(await ensureService(options)).toEqual({
      service: 'absent',
      why: 'a service of version 0.0.0 is running',
    });
    expect([innocent.exitCode, innocent.signalCode]).toEqual([null, null]);
    lock?.release();
  });

  it('about to leave: the next one waits until it has, and serves then', async () => {
    const { ledger, options } = sandboxed();
    const old = new Child(await bundle('old-service', 'service'), ['serve', ledger, manifest.version]);
    await old.until(() => old.lines.includes('ready'));
    const { socket } = readState(ledger) ?? { socket: '' };
    const caller = connect({ path: socket });
    await once(caller, 'connect');
    caller.write('POST /v1/hook/claude-code HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{');
    old.process.kill('SIGTERM');
    await until(() => !existsSync(socket));
    const ensured = ensureService(options);
    caller.write('}');
    expect(await ensured).toEqual({ service: 'started' });
    caller.destroy();
    expect(await old.ended).toEqual({ code: 0, signal: null });
    expect(running(ledger)).not.toBe(old.process.pid);
    await tell(ledger);
  });

  it('of another version: it finishes what is under way, then the new one serves', async () => {
    const { ledger, options } = sandboxed();
    const old = new Child(await bundle('old-service', 'service'), ['serve', ledger, '0.0.1']);
    await old.until(() => old.lines.includes('ready'));
    const { socket } = readState(ledger) ?? { socket: '' };
    expect(await postHook({ ...told, socket })).toMatchObject({ stderr: '0.0.1' });
    // Half a request is under way when the new version comes.
    const caller = connect({ path: socket });
    await once(caller, 'connect');
    caller.write('POST /v1/hook/claude-code HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{');
    const ensured = ensureService(options);
    await until(() => !existsSync(socket));
    caller.write('}');
    const [answer] = (await once(caller, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    caller.destroy();
    expect(await ensured).toEqual({ service: 'replaced' });
    expect(await old.ended).toEqual({ code: 0, signal: null });
    expect(old.lines).toEqual(['ready', 'signal']);
    expect(readState(ledger)?.version).toBe(manifest.version);
    await tell(ledger);
  });
});

describe('locked', () => {
  it('does not start where the word would be a lie', () => {
    const { sandbox, ledger } = sandboxed();
    writeSettings(ledger, { mode: 'locked', port: 4711 }, sandbox.env);
    const run = (...words: string[]) =>
      spawnSync(process.execPath, [FOIL, 'serve', '--ledger', ledger, ...words], {
        env: sandbox.env,
        encoding: 'utf8',
      });
    const socket = join(sandbox.path('sockets'), 'socket');
    expect(run().stderr).toContain('locked needs --socket PATH');
    expect(run('--socket', socket, '--port', '1').stderr).toContain('Leave out --port');
    mkdirSync(sandbox.path('sockets'));
    spawnSync('chmod', ['777', sandbox.path('sockets')]);
    expect(run('--socket', socket).stderr).toContain('other users can write to');
    spawnSync('chmod', ['755', sandbox.path('sockets'), ledger]);
    expect(run('--socket', socket).stderr).toContain("only the service's user may have access to");
  });
});
