// What processes of a ledger share: the block that one of them was given, in memory and in `anchor/tip`. Time is the
// test's own. Whoever writes that file may lie, so every lie is told here.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type OpenBlocksOptions, openBlocks, TIP_FILE } from '../../../src/anchor/blocks/index.ts';
import { NO_ANCHOR } from '../../../src/session/index.ts';
import { fastDirectory, temporary } from '../../temporary.ts';
import { type Esplora, mine, NOW, nobody, real, serve, serveEsplora, TIP } from './servers.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A source, a ledger's directory and a clock that the test moves. */
async function place(tip = TIP) {
  const server = await serveEsplora(tip);
  const directory = temporary(fastDirectory);
  const clock = { now: NOW };
  const open = (options: Partial<OpenBlocksOptions> = {}, urls: readonly string[] = [server.url]) =>
    openBlocks(
      { ...NO_ANCHOR, blocks: urls.map((esplora) => ({ esplora })) },
      { directory, now: () => clock.now, budgetMs: 30_000, ...options },
    );
  return { server, directory, clock, open, path: join(directory, TIP_FILE) };
}

/** One asking is three requests. */
const askings = (server: Esplora): number => server.asked.length / 3;

describe('a block in memory', () => {
  it('is good for a minute', async () => {
    const { server, clock, open } = await place();
    const blocks = open({ directory: null });
    await blocks.newest();
    clock.now += MINUTE;
    expect(await blocks.newest()).toEqual(TIP);
    expect(askings(server)).toBe(1);
    clock.now += 1;
    expect(await blocks.newest()).toEqual(TIP);
    expect(askings(server)).toBe(2);
  });

  it('is asked for once by all who ask at once', async () => {
    const { server, open } = await place();
    const blocks = open();
    expect(await Promise.all([blocks.newest(), blocks.newest(), blocks.newest()])).toEqual([TIP, TIP, TIP]);
    expect(askings(server)).toBe(1);
  });

  it('is still good for ten minutes where the sources went away, and no longer', async () => {
    const { server, clock, open } = await place();
    const blocks = open({ directory: null });
    await blocks.newest();
    server.tip = null;
    clock.now += 10 * MINUTE;
    expect(await blocks.newest()).toEqual(TIP);
    expect(blocks.problems()).toMatchObject([{ code: 'REFUSED' }]);
    clock.now += MINUTE;
    expect(await blocks.newest()).toBeNull();
  });

  it('is not asked for again within seconds of sources that had none', async () => {
    const { server, clock, open } = await place();
    const blocks = open();
    server.tip = null;
    expect(await blocks.newest()).toBeNull();
    server.tip = TIP;
    clock.now += 14 * SECOND;
    expect(await blocks.newest()).toBeNull();
    clock.now += SECOND;
    expect(await blocks.newest()).toEqual(TIP);
  });

  it('counts for nothing after the clock was put back', async () => {
    const { server, clock, open } = await place();
    const blocks = open({ directory: null });
    await blocks.newest();
    clock.now -= 1;
    expect(await blocks.newest()).toEqual(TIP);
    expect(askings(server)).toBe(2);
  });
});

describe('what is known', () => {
  it('is nothing at first, and is asked for in the background', async () => {
    const { server, open } = await place();
    const blocks = open();
    expect(blocks.known()).toBeNull();
    expect(await blocks.newest()).toEqual(TIP); // waits for the same asking
    expect(blocks.known()).toEqual(TIP);
    expect(askings(server)).toBe(1);
  });

  it('is asked for again when it is older than a minute, and told as it is meanwhile', async () => {
    const { server, clock, open } = await place(real(900_001));
    const blocks = open();
    await blocks.newest();
    server.tip = TIP;
    clock.now += 2 * MINUTE;
    expect(blocks.known()).toEqual(real(900_001));
    expect(await blocks.newest()).toEqual(TIP);
    expect(blocks.known()).toEqual(TIP);
    expect(askings(server)).toBe(2);
  });

  it('is never asked for by a process that is gone in a moment', async () => {
    const { server, open } = await place();
    expect(open({ brief: true }).known()).toBeNull();
    await open().newest();
    expect(open({ brief: true }).known()).toEqual(TIP);
    expect(askings(server)).toBe(1);
  });
});

describe('anchor/tip', () => {
  it('gives the next process the block for a minute, and one that is gone in a moment for ten', async () => {
    const { server, clock, open } = await place();
    await open().newest();
    clock.now += MINUTE;
    expect(await open().newest()).toEqual(TIP);
    clock.now += 9 * MINUTE;
    expect(await open({ brief: true }).newest()).toEqual(TIP);
    expect(askings(server)).toBe(1);
    clock.now += 1;
    expect(await open({ brief: true }).newest()).toEqual(TIP);
    expect(askings(server)).toBe(2);
  });

  it('is for this user alone, and the only file', async () => {
    const { directory, open, path } = await place();
    await open().newest();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'anchor')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(directory, 'anchor'))).toEqual(['tip']);
  });

  it('tells the next process what sources did, for a day', async () => {
    const { clock, open, server } = await place();
    const gone = await nobody();
    expect(await open({}, [gone, server.url]).newest()).toEqual(TIP);
    clock.now += 24 * 60 * MINUTE;
    expect(open().problems()).toMatchObject([{ source: gone, code: 'UNREACHABLE', at: NOW }]);
    clock.now += 1;
    expect(open().problems()).toEqual([]);
  });

  it('keeps the block that another process was given while this one got none', async () => {
    const { open, path } = await place();
    let fail = (): void => {};
    const asked = new Promise<void>((resolve) => {
      fail = resolve;
    });
    const slow = await serve((_, response) => void asked.then(() => response.writeHead(503).end()));
    const failing = open({}, [slow.url]);
    const asking = failing.newest();
    await open().newest();
    fail();
    expect(await asking).toEqual(TIP); // as good as its own
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ block: TIP, failed: NOW });
  });

  it('need not be writable, nor there', async () => {
    const { directory, open } = await place();
    writeFileSync(join(directory, 'anchor'), 'not a directory');
    expect(await open().newest()).toEqual(TIP);
    rmSync(directory, { recursive: true });
    expect(await open().newest()).toEqual(TIP);
  });

  const lie = (change: object) => (text: string) => `${JSON.stringify({ ...JSON.parse(text), ...change })}\n`;
  const [easy = TIP] = mine(1);
  const old = real(800_000);
  it.each<[string, (text: string) => string]>([
    ['cut short', (text) => text.slice(0, 100)],
    ['empty', () => ''],
    ['not JSON', () => 'height 900002'],
    ['null', () => 'null'],
    ['of another version', lie({ v: 2 })],
    ['of another network', lie({ network: 'regtest' })],
    ['from the future', lie({ asked: NOW + 1, failed: NOW + 1 })],
    ['older than ten minutes', lie({ asked: NOW - 10 * MINUTE - 1 })],
    ['at no time', lie({ asked: null })],
    ['at another height', lie({ block: { ...TIP, height: 950_000 } })],
    ['with another hash', lie({ block: { ...TIP, hash: old.hash } })],
    ['with a flipped bit', lie({ block: { ...TIP, header: `${TIP.header.slice(0, -2)}ff` } })],
    ['with a block that took no work', lie({ block: { ...easy, height: TIP.height } })],
    ['with a block of years ago', lie({ block: old })],
    ['with no block', lie({ block: {} })],
    ['with words for a terminal', lie({ source: '\u001b[2J' })],
    ['too long', (text) => `${text}${' '.repeat(20_000)}`],
  ])('is not used: %s', async (_, change) => {
    const { server, open, path } = await place();
    await open().newest();
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    server.tip = real(900_001);
    // So that what is at hand can't be mistaken for what was asked.
    expect(await open({ brief: true }).newest()).toEqual(real(900_001));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ v: 1, block: real(900_001) });
  });

  it('says so where it held what is no block', async () => {
    const { open, path } = await place();
    await open().newest();
    writeFileSync(path, lie({ block: { ...TIP, height: 950_000 } })(readFileSync(path, 'utf8')));
    expect(open().problems()).toMatchObject([{ source: TIP_FILE, code: 'PACE_UNLIKELY' }]);
  });

  it('believes nothing but the header, not its time either', async () => {
    const { server, open, path } = await place();
    await open().newest();
    writeFileSync(path, lie({ block: { ...TIP, time: 1 } })(readFileSync(path, 'utf8')));
    expect(await open().newest()).toEqual(TIP);
    expect(askings(server)).toBe(1);
  });

  it.each<[string, (path: string, directory: string) => void]>([
    ['a directory', (path) => mkdirSync(path)],
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
    ['a link', (path, directory) => symlinkSync(join(directory, 'elsewhere'), path)],
  ])('is not waited for where it is %s', async (_, make) => {
    const { server, directory, open, path } = await place();
    await open().newest();
    writeFileSync(join(directory, 'elsewhere'), readFileSync(path));
    rmSync(path);
    make(path, directory);
    expect(await open().newest()).toEqual(TIP);
    expect(askings(server)).toBe(2);
    expect(readFileSync(join(directory, 'elsewhere'), 'utf8')).toContain(TIP.hash);
  });
});
