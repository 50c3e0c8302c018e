// The power goes at every call in turn. What was acknowledged was durable: it is there afterwards, whatever else the
// disk kept or lost.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ContentRef, Head } from '../../src/format/index.ts';
import { createLedger, type Keyring, Ledger } from '../../src/ledger/index.ts';
import { createFileStore, openFileStore } from '../../src/store/files/index.ts';
import { memoryKeyring } from '../../src/store/memory/index.ts';
import { expectIntact, verifyDirectory } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { seededRandom } from '../temporary.ts';
import { seeded } from './kill.ts';
import { PowerCutFs } from './power-cut-fs.ts';

const SESSION = '9c'.repeat(32);
const note = (text: string) => ({ kind: 'note', payload: { text }, source: 'test' });

interface Acknowledged {
  created: boolean;
  sealed: number;
  readonly entries: Head[];
  readonly content: { ref: ContentRef; bytes: number }[];
}

/** Until the power goes. */
async function live(place: string, disk: PowerCutFs, keyring: Keyring): Promise<Acknowledged> {
  const heard: Acknowledged = { created: false, sealed: 0, entries: [], content: [] };
  const append = async (ledger: Ledger, text: string): Promise<void> => {
    const { last, hash } = await ledger.append([note(text), note(text)]);
    heard.entries.push({ seq: last, hash });
  };
  const seal = async (ledger: Ledger): Promise<void> => {
    heard.sealed = (await ledger.seal()).checkpoint.size;
  };
  const put = async (ledger: Ledger, size: number): Promise<void> => {
    const ref = await ledger.putContent(SESSION, new Uint8Array(size).fill(size));
    heard.content.push({ ref, bytes: size });
  };
  const options = { fs: disk.fs, segmentLimit: 900, random: seededRandom('store') };
  try {
    const store = await createFileStore(place, options);
    try {
      const ledger = await createLedger({ store, keyring, random: seededRandom('ledger') });
      heard.created = true;
      await append(ledger, 'a');
      await put(ledger, 10);
      await append(ledger, 'b');
      await seal(ledger);
      await put(ledger, 600_000);
      await put(ledger, 20);
      await ledger.rotateKey();
      await append(ledger, 'c');
    } finally {
      await store.close();
    }
    // Another process, which finds the remains of one that died in the middle of a write.
    const newest =
      disk.fs
        .list(join(place, 'ledger'))
        .map(({ name }) => name)
        .sort()
        .at(-1) ?? '';
    const torn = disk.fs.open(join(place, 'ledger', newest), 'a');
    await disk.fs.append(torn, Buffer.from('{"cause":null,"ki'));
    const again = openFileStore(place, options);
    try {
      const ledger = new Ledger({ store: again, keyring, random: seededRandom('again') });
      await append(ledger, 'd');
      await seal(ledger);
    } finally {
      await again.close();
    }
  } catch (error) {
    expect((error as Error).message).toMatch(/the power is gone|an earlier write/);
  }
  return heard;
}

export async function countCalls(root: string): Promise<number> {
  const place = join(root, 'count');
  mkdirSync(place);
  const disk = new PowerCutFs(place);
  const heard = await live(place, disk, memoryKeyring());
  expect(heard.entries).toHaveLength(4);
  expect(heard.sealed).toBe(heard.entries.at(-1)?.seq);
  return disk.calls;
}

/** The power goes at call `cutAt`. With a `seed`, chance decides what else the disk kept; without, it kept nothing. */
export async function cutPower(root: string, cutAt: number, seed?: number): Promise<void> {
  const place = join(root, `live-${cutAt}-${seed}`);
  const after = join(root, `after-${cutAt}-${seed}`);
  mkdirSync(place);
  const disk = new PowerCutFs(place, cutAt);
  const keyring = memoryKeyring();
  const heard = await live(place, disk, keyring);
  const random = seed === undefined ? undefined : seeded(seed * 7919 + cutAt);
  disk.remains(after, random && (() => random() < 0.5));
  const label = `power gone at call ${cutAt}, seed ${seed}`;
  try {
    await inspect(after, keyring, heard);
  } catch (error) {
    throw new Error(`${label}: ${(error as Error).message}`, { cause: error });
  }
  rmSync(place, { recursive: true });
  rmSync(after, { recursive: true });
}

async function inspect(directory: string, keyring: Keyring, heard: Acknowledged): Promise<void> {
  const before = await verifyDirectory(directory);
  if (heard.created || before.entries > 0)
    expect(before.failures, 'before anybody opens it again').toEqual([]);
  if (!heard.created && before.entries === 0) {
    // Nothing was promised: it can be made again.
    const store = await createFileStore(directory);
    await createLedger({ store, keyring, random: seededRandom('anew') });
    await store.close();
    await expectIntact(directory);
    return;
  }
  const store = openFileStore(directory);
  try {
    const ledger = new Ledger({ store, keyring, random: seededRandom('after') });
    expect((await ledger.sealed())?.checkpoint.size ?? 0).toBeGreaterThanOrEqual(heard.sealed);
    await ledger.append(note('after'));
    await ledger.seal();
    const hashes = (await readEntries(store)).map(({ entry_hash }) => entry_hash);
    for (const { seq, hash } of heard.entries)
      expect(hashes[seq - 1], `entry ${seq} was acknowledged`).toBe(hash);
    for (const { ref, bytes } of heard.content) {
      expect(
        (await store.getContent(SESSION, ref))?.length,
        `content of ${bytes} bytes was acknowledged`,
      ).toBe(bytes);
    }
    await expectIntact(directory);
  } finally {
    await store.close();
  }
}
