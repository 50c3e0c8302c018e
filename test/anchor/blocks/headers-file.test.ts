// Headers in a file, raw and as JSON: real ones, and a chain that takes no work for what needs many.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBlocks } from '../../../src/anchor/blocks/index.ts';
import type { BlockFact } from '../../../src/format/index.ts';
import { NO_ANCHOR } from '../../../src/session/index.ts';
import { temporary } from '../../temporary.ts';
import { mine, NOW, real, TIP } from './servers.ts';

function open(content: string | Uint8Array, network: 'main' | 'regtest' = 'main') {
  const file = join(temporary(), 'headers');
  writeFileSync(file, content);
  return openFile(file, network);
}

const openFile = (file: string, network: 'main' | 'regtest' = 'main') =>
  openBlocks(
    { ...NO_ANCHOR, blocks: [{ file }], network },
    { directory: null, now: () => NOW, budgetMs: 30_000 },
  );

const raw = (blocks: readonly BlockFact[]): Buffer =>
  Buffer.concat(blocks.map(({ header }) => Buffer.from(header, 'hex')));
const LAST = [900_000, 900_001, 900_002].map(real);

describe('a file of raw headers', () => {
  it('G12a has its last block where the links put it', async () => {
    const blocks = open(raw(LAST));
    expect(await blocks.newest()).toEqual(TIP);
    expect(await blocks.at(900_001)).toEqual(real(900_001));
    expect(await blocks.at(900_003)).toBeNull();
    expect(await blocks.at(899_999)).toBeNull();
  });

  it('may begin with the child of a checkpoint', async () => {
    expect(await open(raw(LAST.slice(1))).newest()).toEqual(TIP);
  });

  it('G12a of thousands is read at its end', async () => {
    const chain = mine(5000);
    const blocks = open(raw(chain), 'regtest');
    expect(await blocks.newest()).toEqual(chain[4999]);
    expect(await blocks.at(0)).toEqual(chain[0]);
    expect(await blocks.at(3333)).toEqual(chain[3333]);
  });

  it('G12b is looked at again when it changed', async () => {
    const chain = mine(5000);
    const file = join(temporary(), 'headers');
    writeFileSync(file, raw(chain));
    const blocks = openFile(file, 'regtest');
    expect(await blocks.at(4000)).toEqual(chain[4000]);
    writeFileSync(file, raw([...chain.slice(0, 3000), ...chain.slice(3001)]));
    expect(await blocks.at(4000)).toBeNull();
    expect(blocks.problems()).toMatchObject([{ code: 'LINK_BROKEN' }]);
    expect(await blocks.at(10)).toEqual(chain[10]); // far from where it is broken
  });

  it.each([
    ['a link that is broken', raw([real(900_000), real(900_002)]), 'LINK_BROKEN'],
    ['a height that nobody knows', raw([TIP]), 'HEIGHT_UNKNOWN'],
    ['half a header', raw(LAST).subarray(0, 200), 'MALFORMED'],
    ['nothing', '', 'MALFORMED'],
    ['text', 'no headers here', 'MALFORMED'],
    ['a chain that takes no work', raw(mine(3)), 'TARGET_TOO_EASY'],
  ])('is none with %s', async (_, content, code) => {
    const blocks = open(content);
    expect(await blocks.newest()).toBeNull();
    expect(blocks.problems()).toMatchObject([{ code }]);
  });

  it('is none where there is a directory, a pipe or nothing', async () => {
    const directory = temporary();
    mkdirSync(join(directory, 'made'));
    execFileSync('mkfifo', [join(directory, 'pipe')]);
    for (const name of ['made', 'pipe', 'missing']) {
      const blocks = openFile(join(directory, name));
      expect(await blocks.newest(), name).toBeNull();
      expect(blocks.problems()).toMatchObject([{ code: 'UNREADABLE' }]);
    }
  });
});

describe('a file of headers as JSON', () => {
  it('G12a is a list, or one under `headers`, in any order', async () => {
    const list = [TIP, real(800_000), real(900_001)];
    for (const value of [list, { about: 'some', headers: list }]) {
      const blocks = open(JSON.stringify(value, null, 1));
      expect(await blocks.newest()).toEqual(TIP);
      expect(await blocks.at(800_000)).toEqual(real(800_000));
      expect(await blocks.at(800_001)).toBeNull();
    }
  });

  it('need not say the hash', async () => {
    const { height, header } = TIP;
    expect(await open(JSON.stringify([{ height, header }])).newest()).toEqual(TIP);
  });

  it.each([
    ['a lie about the height', [{ ...TIP, height: 950_000 }], 'PACE_UNLIKELY'],
    ['a lie about the hash', [{ ...TIP, hash: 'ab'.repeat(32) }], 'HASH_MISMATCH'],
    ['no header', [{ height: 1 }], 'MALFORMED'],
    ['half a header', [{ height: 1, header: '00' }], 'MALFORMED'],
    ['an entry that is none', [null], 'MALFORMED'],
    ['no entry', [], 'HEIGHT_UNKNOWN'],
    ['no list', {}, 'MALFORMED'],
  ])('is none with %s', async (_, value, code) => {
    const blocks = open(JSON.stringify(value));
    expect(await blocks.newest()).toBeNull();
    expect(blocks.problems()).toMatchObject([{ code }]);
  });
});
