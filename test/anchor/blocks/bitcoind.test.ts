// A bitcoind that is none, but answers and asks for a password as one does.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBlocks } from '../../../src/anchor/blocks/index.ts';
import { NO_ANCHOR } from '../../../src/session/index.ts';
import { temporary } from '../../temporary.ts';
import { NOW, real, serve, serveBitcoind, TIP } from './servers.ts';

const open = (rpc: string, cookie: string | null = null) =>
  openBlocks(
    { ...NO_ANCHOR, blocks: [{ rpc, cookie }] },
    { directory: null, now: () => NOW, budgetMs: 30_000 },
  );
const withUser = (url: string, user: string): string => url.replace('http://', `http://${user}@`);
const cookieOf = (byte: string): string => `__cookie__:${byte.repeat(32)}`;

describe('a block from bitcoind', () => {
  it('G12a is the newest, by user and password', async () => {
    const server = await serveBitcoind(TIP, 'me:p@ss%');
    const blocks = open(withUser(server.url, 'me:p%40ss%25'));
    expect(await blocks.newest()).toEqual(TIP);
    expect(blocks.problems()).toEqual([]);
    // Who lists what a user may call needs these two.
    expect(new Set(server.asked)).toEqual(new Set(['getbestblockhash', 'getblockheader']));
  });

  it('G12a is the newest, by the cookie file as it is now', async () => {
    const cookie = join(temporary(), '.cookie');
    const [first, second] = [cookieOf('a1'), cookieOf('b2')];
    const blocks = open((await serveBitcoind(TIP, second, { others: [real(800_000)] })).url, cookie);
    writeFileSync(cookie, first);
    expect(await blocks.at(800_000)).toBeNull();
    writeFileSync(cookie, second);
    expect(await blocks.at(800_000)).toEqual(real(800_000));
    expect(await blocks.newest()).toEqual(TIP);
  });

  it('is refused with a wrong password, which is never told on', async () => {
    const server = await serveBitcoind(TIP, 'me:right');
    const blocks = open(withUser(server.url, 'me:wrong'));
    expect(await blocks.newest()).toBeNull();
    expect(blocks.problems()).toMatchObject([{ source: server.url, code: 'REFUSED' }]);
    expect(JSON.stringify(blocks.problems())).not.toContain('wrong');
  });

  it('is none that was left behind by the chain', async () => {
    const blocks = open(withUser((await serveBitcoind(TIP, 'a:b', { confirmations: -1 })).url, 'a:b'));
    expect(await blocks.newest()).toBeNull();
    expect(blocks.problems()).toMatchObject([{ code: 'STALE' }]);
  });

  it.each([
    ['another height', { ...TIP, height: 950_000 }, 'PACE_UNLIKELY'],
    ['another hash', { ...TIP, hash: 'ab'.repeat(32) }, 'HASH_MISMATCH'],
    ['half a height', { ...TIP, height: 900_002.5 }, 'CLAIM_MALFORMED'],
    ['no hash', { ...TIP, hash: 'the best' }, 'CLAIM_MALFORMED'],
  ])('is held against its header: %s', async (_, told, code) => {
    const blocks = open(withUser((await serveBitcoind(told, 'a:b')).url, 'a:b'));
    expect(await blocks.newest()).toBeNull();
    expect(blocks.problems()).toMatchObject([{ code }]);
  });

  it.each(['null', '[]', '7', '{"result":{}}', '{"result":null}', '<html>', `{"result":"${TIP.hash}"}`])(
    'is not in the answer %s',
    async (text) => {
      const server = await serve((_, response) => response.end(text));
      const blocks = open(server.url);
      expect(await blocks.newest()).toBeNull();
      expect(blocks.problems()).toMatchObject([{ code: 'MALFORMED' }]);
    },
  );
});

describe('a cookie file', () => {
  it.each([
    ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n'],
    ['a password', 'root:hunter2'],
    ['more than a cookie', `${cookieOf('a1')}\nroot:hunter2`],
    ['a large file', cookieOf('a1').repeat(100)],
    ['nothing', ''],
  ])('that holds %s is sent to nobody', async (_, content) => {
    const cookie = join(temporary(), 'file');
    writeFileSync(cookie, content);
    const server = await serve((_, response) => response.end());
    const blocks = open(server.url, cookie);
    expect(await blocks.newest()).toBeNull();
    expect(blocks.problems()).toMatchObject([{ code: 'UNREADABLE' }]);
    expect(server.asked).toEqual([]);
  });

  it('that is missing or no file is said', async () => {
    const directory = temporary();
    mkdirSync(join(directory, 'made'));
    for (const name of ['missing', 'made']) {
      const blocks = open('http://127.0.0.1:1', join(directory, name));
      expect(await blocks.newest()).toBeNull();
      expect(blocks.problems()).toMatchObject([{ code: 'UNREADABLE' }]);
    }
  });
});
