// How a service lives and leaves, in this process: idle, drained, sealed, without its port, without its ledger.
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeSettings } from '../../src/ledger/index.ts';
import type { Answer } from '../../src/record/index.ts';
import {
  readState,
  ServiceRunning,
  serviceFiles,
  socketPath,
  startService,
} from '../../src/service/index.ts';
import { expectIntact } from '../file-ledger.ts';
import { temporary } from '../temporary.ts';
import { newLedger, overSocket, overTcp, PASS, type Serving, serving } from './serving.ts';

/** Answers when it is told to, and says when an event has come. */
function gate({ recording }: Serving): { come: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const come = new Promise<void>((resolve) => {
    recording.answer = () => {
      resolve();
      return new Promise<Answer>((answer) => {
        open = () => answer({ ...PASS, stdout: '{"late":true}' });
      });
    };
  });
  return { come, open: () => open() };
}

/** Until it holds, looking each time the event loop turns. */
async function until(test: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await test())) await new Promise((resolve) => setImmediate(resolve));
}

describe('a service that starts', () => {
  it('has files that are for its user alone, and says who it is', async () => {
    const { service, ledger, token } = await serving();
    const files = serviceFiles(ledger);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(files.directory).mode & 0o777).toBe(0o700);
    for (const path of [
      files.token,
      files.state,
      files.heartbeat,
      files.lock,
      files.log,
      service.state.socket,
    ])
      expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o600]);
    expect(readState(ledger)).toEqual(service.state);
    expect(service.state).toMatchObject({ pid: process.pid, version: '1.2.3', problem: null });
  });

  it('keeps the token of the one before, for hooks hold it', async () => {
    const first = await serving();
    first.service.stop('asked');
    await first.service.ended;
    const { openLedger } = await import('../../src/entry/index.ts');
    const ledger = openLedger({ directory: first.ledger, keyDirectory: join(first.ledger, 'keys') });
    const second = await serving({}, { directory: first.ledger, ledger });
    expect(second.token).toBe(first.token);
  });

  it('is the only one of its ledger', async () => {
    const { ledger } = await serving();
    const opened: string[] = [];
    const other = startService({
      ledger,
      ledgerId: '',
      version: '2',
      mode: () => 'observe',
      open: () => {
        opened.push('recording');
        return Promise.reject(new Error('must not be opened'));
      },
      port: null,
    });
    await expect(other).rejects.toThrow(ServiceRunning);
    await expect(other).rejects.toMatchObject({ state: { pid: process.pid, version: '1.2.3' } });
    expect(opened).toEqual([]);
  });

  it('listens elsewhere where the path is too long for a socket', async () => {
    const runtime = temporary();
    const long = join(temporary(), 'a'.repeat(120));
    mkdirSync(long);
    const place = await newLedger(long);
    writeSettings(long, { mode: 'observe', port: null, runtime: join(runtime, 'counterfoil') });
    const served = await serving({}, place);
    const { socket } = served.service.state;
    expect(socket.startsWith(`${runtime}/counterfoil/`)).toBe(true);
    expect(socketPath(long)).toBe(socket);
    expect(statSync(join(runtime, 'counterfoil')).mode & 0o777).toBe(0o700);
    expect((await overSocket(served)).status).toBe(200);
  });

  it('takes the place of a socket that was left, and of nothing else', async () => {
    const place = await newLedger();
    mkdirSync(join(place.directory, 'service'));
    writeFileSync(join(place.directory, 'service/socket'), 'somebody’s file');
    await expect(serving({}, place)).rejects.toThrow('is not a socket');
    expect(readFileSync(join(place.directory, 'service/socket'), 'utf8')).toBe('somebody’s file');
    rmSync(join(place.directory, 'service/socket'));
    symlinkSync('/dev/null', join(place.directory, 'service/socket'));
    const again = await newLedger();
    renameSync(join(place.directory, 'service'), join(again.directory, 'service'));
    await expect(serving({}, again)).rejects.toThrow('is not a socket');
  });
});

describe('the port', () => {
  it('that another program has: the socket serves, the problem is told, and the port is taken once it is free', async () => {
    const squatter = createServer();
    squatter.listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    onTestFinished(() => void squatter.close());
    const { port } = squatter.address() as AddressInfo;
    const served = await serving({ port, timing: { beatMs: 5 } });
    expect(served.service.state).toMatchObject({
      port: null,
      problem: expect.stringContaining(`another program uses port ${port}`),
    });
    expect(readState(served.ledger)?.problem).toContain(`another program uses port ${port}`);
    expect(readFileSync(serviceFiles(served.ledger).log, 'utf8')).toContain(
      `another program uses port ${port}`,
    );
    expect((await overSocket(served)).status).toBe(200);
    squatter.close();
    await until(() => readState(served.ledger)?.problem === null);
    expect(readState(served.ledger)).toEqual({ ...served.service.state, port });
    expect((await overTcp(served)).status).toBe(200);
  });

  it('is not opened where there is none', async () => {
    const served = await serving({ port: null });
    expect(served.service.state.port).toBe(null);
    expect((await overSocket(served)).status).toBe(200);
  });
});

describe('a service leaves', () => {
  it('when it is idle, tidied up', async () => {
    const served = await serving({ idleMs: 20 });
    expect(await served.service.ended).toBe('idle');
    const files = serviceFiles(served.ledger);
    expect([files.state, served.service.state.socket].filter((path) => existsSync(path))).toEqual([]);
    expect(existsSync(files.token)).toBe(true);
    expect(served.recording.closed).toBe(true);
  });

  it('not while a session is open, nor while an event is under way', async () => {
    const served = await serving({ idleMs: 1, timing: { sealMs: 2 } });
    const { recording, service } = served;
    let asked = 0;
    recording.open = 1;
    recording.openSessions = async () => {
      asked++;
      return recording.open;
    };
    await until(() => asked > 5);
    const { come, open } = gate(served);
    const reply = overTcp(served);
    await come;
    recording.open = 0;
    const before = recording.seals; // its timers go on, the one that would leave among them
    await until(() => recording.seals > before + 3);
    open();
    expect((await reply).body).toBe('{"late":true}');
    expect(await service.ended).toBe('idle');
  });

  it('with everything answered that was under way, and sealed', async () => {
    const served = await serving({ timing: { lastBytesMs: 1 } });
    const { come, open } = gate(served);
    const reply = overTcp(served);
    await come;
    served.service.stop('signal');
    await until(() => !existsSync(serviceFiles(served.ledger).state));
    for (let i = 0; i < 20; i++) await expect(overSocket(served)).rejects.toThrow(/ENOENT|ECONNREFUSED/);
    expect(served.recording.closed).toBe(false);
    open();
    const { status, body, headers } = await reply;
    expect([status, body, headers.connection]).toEqual([200, '{"late":true}', 'close']);
    expect(await served.service.ended).toBe('signal');
    const report = await expectIntact(served.ledger);
    expect(report.counts).toMatchObject({ entries: 2, unsealed: 0 });
  });

  it('without an answer that does not come in time', async () => {
    const served = await serving({ timing: { drainMs: 20 } });
    const { come } = gate(served);
    const reply = overTcp(served);
    reply.catch(() => undefined);
    await come;
    served.service.stop('signal');
    expect(await served.service.ended).toBe('signal');
    await expect(reply).rejects.toThrow();
  });

  it('when its ledger is removed, and makes nothing anew', async () => {
    const served = await serving({ timing: { beatMs: 5 } });
    rmSync(served.ledger, { recursive: true });
    expect(await served.service.ended).toBe('ledger-gone');
    expect(existsSync(served.ledger)).toBe(false);
  });

  it('when its ledger is moved, or its lock file replaced', async () => {
    const moved = await serving({ timing: { beatMs: 5 } });
    renameSync(moved.ledger, `${moved.ledger}-elsewhere`);
    onTestFinished(() => rmSync(`${moved.ledger}-elsewhere`, { recursive: true }));
    expect(await moved.service.ended).toBe('ledger-gone');
    const replaced = await serving({ timing: { beatMs: 5 } });
    const { lock, state } = serviceFiles(replaced.ledger);
    writeFileSync(`${lock}.new`, '');
    renameSync(`${lock}.new`, lock);
    writeFileSync(state, 'of the next one');
    expect(await replaced.service.ended).toBe('ledger-gone');
    expect(readFileSync(state, 'utf8')).toBe('of the next one');
  });
});

describe('upkeep', () => {
  it('B13e is asked for after the start and from time to time, one at a time, and is told to stop', async () => {
    const served = await serving({ timing: { firstUpkeepMs: 1, upkeepMs: 2 } });
    await until(() => served.recording.upkeeps > 2);
    let asked: (() => boolean) | undefined;
    served.recording.tidy = (stopping) => {
      asked = stopping;
      return new Promise((resolve) => {
        const timer = setInterval(() => {
          if (!stopping()) return;
          clearInterval(timer);
          resolve('2 segments gzipped');
        }, 1);
      });
    };
    await until(() => asked !== undefined);
    const { upkeeps } = served.recording;
    expect((await overTcp(served)).status).toBe(200);
    expect(asked?.()).toBe(false);
    served.service.stop('asked');
    expect(await served.service.ended).toBe('asked');
    expect(served.recording.upkeeps).toBe(upkeeps);
    expect(readFileSync(serviceFiles(served.ledger).log, 'utf8')).toContain('upkeep: 2 segments gzipped');
  });

  it('that fails is told once, without its words, and ends nothing', async () => {
    const served = await serving({ timing: { firstUpkeepMs: 1, upkeepMs: 2 } });
    served.recording.tidy = async () => {
      throw Object.assign(new Error('a secret'), { code: 'KEY' });
    };
    const before = served.recording.upkeeps;
    await until(() => served.recording.upkeeps > before + 3);
    expect((await overTcp(served)).status).toBe(200);
    const log = readFileSync(serviceFiles(served.ledger).log, 'utf8');
    expect(log.split('upkeep: Error KEY').length).toBe(2);
    expect(log).not.toContain('secret');
  });
});

describe('sealing', () => {
  it('happens by itself', async () => {
    const served = await serving({ timing: { sealMs: 5 } });
    await overTcp(served);
    await until(async () => (await served.recording.ledger.sealed())?.checkpoint.size === 2);
  });

  it('happens when the recording asks, and once for many asks', async () => {
    const served = await serving({ timing: { sealSoonMs: 1 } });
    await overTcp(served);
    for (let i = 0; i < 50; i++) served.recording.host?.sealSoon();
    await until(async () => (await served.recording.ledger.sealed())?.checkpoint.size === 2);
    expect(served.recording.seals).toBe(1);
  });

  it('that fails is told once, and ends nothing', async () => {
    const served = await serving({ timing: { sealMs: 2 } });
    let tries = 0;
    served.recording.seal = async () => {
      tries++;
      throw Object.assign(new Error('a secret'), { code: 'KEY' });
    };
    await until(() => tries > 3);
    expect((await overTcp(served)).status).toBe(200);
    const log = readFileSync(serviceFiles(served.ledger).log, 'utf8');
    expect(log.split('sealing: Error KEY').length).toBe(2);
    expect(log).not.toContain('secret');
  });
});
