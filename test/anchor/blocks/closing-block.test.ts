// The block that a session ends with is the newest one then: what a process was given some minutes ago is good enough to
// begin with, not to end with.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openBlocks } from '../../../src/anchor/blocks/index.ts';
import { NO_ANCHOR } from '../../../src/session/index.ts';
import { fastDirectory, temporary } from '../../temporary.ts';
import { NOW, real, serveEsplora, TIP } from './servers.ts';

const SECOND = 1000;
const OLDER = real(900_001);

async function place() {
  const server = await serveEsplora(OLDER);
  const clock = { now: NOW };
  const directory = temporary(fastDirectory);
  const open = (brief: boolean) =>
    openBlocks(
      { ...NO_ANCHOR, blocks: [{ esplora: server.url }] },
      { directory, brief, now: () => clock.now, budgetMs: 30_000 },
    );
  return { server, clock, directory, open };
}

it.each([true, false])(
  'G5 a session that ends is closed with the newest block (brief: %s)',
  async (brief) => {
    const { server, clock, open } = await place();
    expect(await open(brief).newest()).toEqual(OLDER);
    server.tip = TIP;
    clock.now += 30 * SECOND;
    const blocks = open(brief);
    expect(await blocks.newest()).toEqual(OLDER);
    expect(await blocks.latest()).toEqual(TIP);
  },
);

it('G5 sessions that end together ask once, and one that ends a second later asks anew', async () => {
  const { server, clock, open } = await place();
  const blocks = open(false);
  await blocks.latest();
  const once = server.asked.length;
  await Promise.all([blocks.latest(), blocks.latest(), blocks.latest()]);
  expect(server.asked.length).toBe(2 * once);
  server.tip = TIP;
  clock.now += SECOND;
  expect(await blocks.latest()).toEqual(TIP);
});

it('G5 what somebody wrote for other processes does not keep it from asking', async () => {
  const { server, directory, open } = await place();
  await open(true).newest();
  const planted = JSON.parse(readFileSync(join(directory, 'anchor/tip'), 'utf8'));
  writeFileSync(join(directory, 'anchor/tip'), JSON.stringify({ ...planted, failed: NOW }));
  server.tip = TIP;
  expect(await open(true).latest()).toEqual(TIP);
});

it('G5 where no source answers, it is the newest that was known, and after ten minutes none', async () => {
  const { server, clock, open } = await place();
  const blocks = open(true);
  await blocks.newest();
  server.tip = null;
  clock.now += 60 * SECOND;
  expect(await blocks.latest()).toEqual(OLDER);
  clock.now += 600 * SECOND;
  expect(await blocks.latest()).toBeNull();
});
