// `foil recover`: what it can make right, what it only records, and what it refuses.
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLedger, openLedger } from '../../src/entry/open.ts';
import { recoverLedger } from '../../src/entry/recover.ts';
import { verifyDirectory } from '../../src/entry/verify-directory.ts';
import { temporary } from '../temporary.ts';

const SEGMENT = 'ledger/0000000000000001.jsonl';
const note = (text: string) => ({ kind: 'note', source: 'test', payload: { text } });

/** Entries 1 to `sealed` under a checkpoint, then `unsealed` more. */
async function make(sealed: number, unsealed = 0) {
  const directory = join(temporary(), 'ledger');
  const place = { directory, keyDirectory: join(directory, 'keys') };
  await (await createLedger(place)).close();
  const ledger = openLedger(place, { sealEvery: 0 });
  for (let i = 2; i <= sealed; i++) await ledger.append(note(`entry ${i}`));
  await ledger.seal();
  for (let i = 1; i <= unsealed; i++) await ledger.append(note(`entry ${sealed + i}`));
  await ledger.close();
  return { place, path: (name: string) => join(directory, name), verify: () => verifyDirectory(directory) };
}

/** Cuts the last lines off the segment. */
function cutLines(path: string, count: number): void {
  const bytes = readFileSync(path);
  let end = bytes.length - 1;
  for (let i = 0; i < count; i++) end = bytes.lastIndexOf(0x0a, end - 1);
  truncateSync(path, end + 1);
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

describe('recover', () => {
  it('has nothing to do on a good ledger', async () => {
    const { place, verify } = await make(5);
    expect(await recoverLedger(place)).toEqual([]);
    expect((await verify()).verdict).toBe('INTACT');
  });

  it.each(['missing', 'flipped'])('writes a %s head again', async (how) => {
    const { place, path, verify } = await make(5);
    if (how === 'missing') rmSync(path('head'));
    else flip(path('head'), 3);
    expect(await recoverLedger(place)).toEqual(['wrote the head again: the log ends at entry 5']);
    const report = await verify();
    expect([report.verdict, report.facets.truncation.status]).toEqual(['INTACT', 'pass']);
  });

  it('records the remains of a crash by a gap, and seals it', async () => {
    const { place, path, verify } = await make(3);
    writeFileSync(path(SEGMENT), '{"cause":', { flag: 'a' });
    const did = await recoverLedger(place);
    expect(did).toEqual([
      "recorded 9 bytes in 0000000000000001.jsonl that aren't an entry (gap, entry 4)",
      'sealed everything up to entry 4',
    ]);
    expect((await verify()).verdict).toBe('INTACT');
  });

  it('goes on after a loss only when told to, and then says so for ever', async () => {
    const { place, path, verify } = await make(3, 4);
    cutLines(path(SEGMENT), 2);
    await expect(recoverLedger(place)).rejects.toMatchObject({ code: 'SHORT_LOG', message: /--accept-loss/ });
    expect((await verify()).facets.truncation.findings.map(({ code }) => code)).toContain('HEAD_AHEAD');
    const did = await recoverLedger(place, { acceptLoss: true });
    expect(did[0]).toBe('recorded that entries 6–7 are lost (gap, entry 6)');
    const report = await verify();
    expect(report.verdict).toBe('INTACT');
    expect(report.facets.truncation).toMatchObject({
      status: 'unknown',
      findings: [{ code: 'ENTRIES_LOST', seq: 6 }],
    });
  });

  it('never accepts a loss under a checkpoint', async () => {
    const { place, path, verify } = await make(6);
    cutLines(path(SEGMENT), 1);
    await expect(recoverLedger(place, { acceptLoss: true })).rejects.toMatchObject({ code: 'SHORT_LOG' });
    expect((await verify()).verdict).toBe('BROKEN');
  });

  it('refuses to touch anything where an entry was changed', async () => {
    const { place, path } = await make(6);
    flip(path(SEGMENT), 700);
    const before = readFileSync(path('checkpoint'));
    await expect(recoverLedger(place)).rejects.toMatchObject({ code: 'DAMAGED' });
    expect(readFileSync(path('checkpoint'))).toEqual(before);
  });

  it.each(['missing', 'flipped'])('computes a %s tile again', async (how) => {
    const { place, path, verify } = await make(300);
    const tiles = ['tile/0/000', 'tile/0/001.p/44', 'tile/1/000.p/1'];
    for (const tile of tiles) {
      if (how === 'missing') rmSync(path(tile));
      else flip(path(tile), 17);
    }
    expect((await verify()).verdict).toBe('BROKEN');
    expect(await recoverLedger(place)).toEqual(tiles.map((tile) => `recomputed ${tile}`));
    expect((await verify()).verdict).toBe('INTACT');
  });

  it.each(['missing', 'flipped'])('takes a %s newest checkpoint from those kept', async (how) => {
    const { place, path, verify } = await make(5);
    if (how === 'missing') rmSync(path('checkpoint'));
    else flip(path('checkpoint'), 20);
    const did = await recoverLedger(place);
    expect(did.at(-1)).toBe('restored the newest checkpoint, which covers 5 entries');
    expect((await verify()).facets.integrity.status).toBe('pass');
  });

  it('sets a damaged earlier checkpoint aside', async () => {
    const { place, path, verify } = await make(5);
    flip(path('checkpoints/0000000000000001'), 60);
    expect((await verify()).verdict).toBe('BROKEN');
    expect(await recoverLedger(place)).toHaveLength(1);
    expect(existsSync(path('checkpoints/0000000000000001.damaged'))).toBe(true);
    expect((await verify()).verdict).toBe('INTACT');
  });

  it('removes files whose writer did not live to finish them', async () => {
    const { place, path } = await make(2);
    const dead = 2 ** 22 + 1; // above what Linux gives out
    writeFileSync(path(`checkpoints/x.${dead}.0.tmp`), 'half');
    writeFileSync(path(`checkpoints/x.${process.pid}.0.tmp`), 'busy');
    expect(await recoverLedger(place)).toEqual([
      `removed checkpoints/x.${dead}.0.tmp, which was never finished`,
    ]);
    expect(readdirSync(path('checkpoints')).filter((name) => name.endsWith('.tmp'))).toHaveLength(1);
  });

  it('says where there is no ledger', async () => {
    const directory = temporary();
    await expect(recoverLedger({ directory, keyDirectory: directory })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
