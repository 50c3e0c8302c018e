// The service's files, read by processes that can't trust that what wrote them is still alive, whole or of this boot.
import { chmodSync, existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeToken, readState, readToken, serviceFiles, socketPath } from '../../src/service/index.ts';
import {
  beat,
  isSocketPath,
  makeServiceDirectory,
  sinceBeat,
  writeState,
} from '../../src/service/service-files.ts';
import { nameOf, openLog } from '../../src/service/service-log.ts';
import { temporary } from '../temporary.ts';

function files(): { ledger: string } & ReturnType<typeof serviceFiles> {
  const ledger = temporary();
  const found = serviceFiles(ledger);
  makeServiceDirectory(found);
  return { ledger, ...found };
}

describe('the token', () => {
  it('is made once, whole, and kept', () => {
    const { ledger, token } = files();
    expect(readToken(ledger)).toBeUndefined();
    const made = makeToken(ledger);
    expect(made).toMatch(/^[0-9a-f]{64}$/);
    expect([makeToken(ledger), readToken(ledger)]).toEqual([made, made]);
    expect(statSync(token).mode & 0o777).toBe(0o600);
    expect(makeToken(files().ledger)).not.toBe(made);
  });

  it('is refused where others can read it, and where it is none', () => {
    const { ledger, token } = files();
    makeToken(ledger);
    chmodSync(token, 0o640);
    expect(() => readToken(ledger)).toThrow('other users can read');
    expect(() => makeToken(ledger)).toThrow('other users can read');
    chmodSync(token, 0o600);
    for (const text of ['', 'x\n', `${'0'.repeat(64)}`, `${'0'.repeat(63)}\n`, `${'A'.repeat(64)}\n`]) {
      writeFileSync(token, text);
      expect(() => readToken(ledger)).toThrow('has no token');
    }
  });
});

describe('the state', () => {
  it('is read as it was written', () => {
    const all = files();
    const state = {
      pid: 4711,
      port: 8000,
      socket: '/s',
      version: '1',
      build: { hash: '0123456789abcdef', made: 1 },
      started: '2026-11-15T10:00:00.000Z',
      problem: null,
    };
    writeState(all, state);
    expect(readState(all.ledger)).toEqual(state);
    writeState(all, { ...state, port: null, problem: 'taken' });
    expect(readState(all.ledger)).toEqual({ ...state, port: null, problem: 'taken' });
  });

  it('is none where it is anything else, and nothing is thrown', () => {
    const { ledger, state } = files();
    expect(readState(ledger)).toBeUndefined();
    for (const text of ['', '{', 'null', '[]', '{"v":1}', '{"v":2,"pid":5}']) {
      writeFileSync(state, text);
      expect(readState(ledger)).toBeUndefined();
    }
    const whole = { v: 1, pid: 9, port: null, socket: '', version: '', started: '' };
    for (const wrong of [
      { pid: 1 },
      { pid: 0 },
      { pid: -5 },
      { pid: 1.5 },
      { pid: '9' },
      { port: 'x' },
      { socket: 1 },
    ]) {
      writeFileSync(state, JSON.stringify({ ...whole, ...wrong }));
      expect(readState(ledger)).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.json(), (text) => {
        writeFileSync(state, text);
        expect(readState(ledger)).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });
});

describe('the heartbeat', () => {
  it('is as old as it is, whatever the clock on the wall says', () => {
    const all = files();
    expect(sinceBeat(all)).toBe(Number.POSITIVE_INFINITY);
    beat(all);
    utimesSync(all.heartbeat, 1, 1); // the clock jumped by decades
    expect(sinceBeat(all)).toBeLessThan(30_000);
  });

  it('of another boot, or half written, is as old as its file', () => {
    const all = files();
    for (const text of ['9007199254740991\n', '', 'x']) {
      writeFileSync(all.heartbeat, text);
      expect(sinceBeat(all)).toBeLessThan(30_000);
      utimesSync(all.heartbeat, 1, 1);
      expect(sinceBeat(all)).toBeGreaterThan(30_000);
    }
  });
});

describe('the socket', () => {
  it('has a path that fits, always', () => {
    const short = socketPath('/home/u/ledger', {});
    expect(short).toBe('/home/u/ledger/service/socket');
    const long = `/home/${'u'.repeat(200)}`;
    const env = { XDG_RUNTIME_DIR: '/somewhere' };
    expect(socketPath(long, env)).toMatch(/^\/(?:run|tmp)\/.*counterfoil[^/]*\/[0-9a-f]{16}\.socket$/);
    expect(socketPath(`${long}2`, env)).not.toBe(socketPath(long, env));
    expect(isSocketPath(socketPath(long, { TMPDIR: `/${'t'.repeat(200)}` }))).toBe(true);
  });
});

describe('the log', () => {
  it('is bounded, and one line a message', () => {
    const all = files();
    const log = openLog(all, { longest: 1000 });
    for (let i = 0; i < 50; i++) log(`message ${i}\nwith \u001b[31m a break`);
    const [now, before] = [readFileSync(all.log, 'utf8'), readFileSync(`${all.log}.1`, 'utf8')];
    expect(Math.max(now.length, before.length)).toBeLessThan(1200);
    expect(now).toContain('message 49 with  [31m a break\n');
    expect(existsSync(`${all.log}.2`)).toBe(false);
    expect(statSync(`${all.log}.1`).mode & 0o777).toBe(0o600);
  });

  it('says nothing and makes nothing where its directory is gone', () => {
    const ledger = join(temporary(), 'gone');
    openLog(serviceFiles(ledger))('anything');
    expect(existsSync(ledger)).toBe(false);
  });

  it('names an error without what it says', () => {
    expect(nameOf(new TypeError('secret'))).toBe('TypeError');
    expect(nameOf(Object.assign(new Error('secret'), { code: 'EIO', syscall: 'write' }))).toBe(
      'Error EIO write',
    );
    expect(nameOf('secret')).not.toContain('secret');
    expect(nameOf(Object.assign(new Error('x'), { code: 'a\nb/c' }))).toBe('Error a?b?c');
  });
});
