// Content that is put by many at once shares a write and a sync. What goes wrong with one batch, one session, one salt or
// one deadline is told to those it concerns, and to nobody else.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { utf8Encode } from '#platform';
import { type ContentRef, saltPath } from '../../src/format/index.ts';
import { ContentFiles } from '../../src/store/files/content.ts';
import {
  createFileStore,
  type FileStore,
  type Fs,
  nodeFs,
  openFileStore,
} from '../../src/store/files/index.ts';
import { after, OsLock, PACKS } from '../../src/store/files/os-lock.ts';
import { fastDirectory, temporary } from '../temporary.ts';
import { FaultyFs } from './faulty-fs.ts';

const A = 'aa'.repeat(32);
const B = 'bb'.repeat(32);

async function made(): Promise<string> {
  const directory = join(temporary(fastDirectory), 'ledger');
  await (await createFileStore(directory)).close();
  return directory;
}

function opened(directory: string, fs?: Fs): FileStore {
  const store = openFileStore(directory, fs === undefined ? {} : { fs });
  onTestFinished(() => store.close());
  return store;
}

const piece = (i: number): Uint8Array => utf8Encode(`piece ${i} ${'z'.repeat(i * 11)}`);

async function expectThere(
  store: FileStore,
  session: string,
  ref: ContentRef | undefined,
  i: number,
): Promise<void> {
  const found = ref && (await store.getContent(session, ref));
  expect(found && Buffer.compare(found, piece(i)), `piece ${i}`).toBe(0);
}

describe('content put by many at once', () => {
  it('shares its writes: fewer than there are pieces', async () => {
    const directory = await made();
    const faulty = new FaultyFs();
    const store = opened(directory, faulty.fs);
    await Promise.all(Array.from({ length: 100 }, (_, i) => store.putContent(A, piece(i))));
    expect(faulty.counts.get('appendDurably')).toBeLessThan(20);
  });

  it.each(['none', 'half', 'all'] as const)(
    'a write that fails rejects exactly its own session; those behind are found (%s of it was written)',
    async (effect) => {
      for (const nth of [1, 2, 3]) {
        const directory = await made();
        const first = opened(directory);
        const salted = [await first.putContent(A, piece(0)), await first.putContent(B, piece(0))];
        const faulty = new FaultyFs({ call: 'appendDurably', nth, effect, code: 'ENOSPC' });
        const store = opened(directory, faulty.fs);
        const put = (session: string, i: number) => store.putContent(session, piece(i));
        const sessions = [A, B, A, B, A, B];
        const outcomes = await Promise.allSettled(sessions.map((session, i) => put(session, i)));
        outcomes.push(...(await Promise.allSettled(sessions.map((session, i) => put(session, i)))));
        expect(faulty.happened).toBe(true);
        const failed = outcomes.map(({ status }) => status === 'rejected');
        const of = (session: string, from: number) =>
          failed.slice(from, from + 6).filter((_, i) => sessions[i] === session);
        for (const session of [A, B])
          for (const from of [0, 6])
            expect(new Set(of(session, from)).size, 'together or not at all').toBe(1);
        expect(failed.filter(Boolean)).toHaveLength(3);
        for (const [i, outcome] of outcomes.entries())
          if (outcome.status === 'fulfilled')
            await expectThere(opened(directory), sessions[i % 6] as string, outcome.value, i % 6);
        for (const [i, ref] of salted.entries()) await expectThere(store, i === 0 ? A : B, ref, 0);
      }
    },
  );

  it('a damaged salt rejects what needs it; evidence of the same session goes through', async () => {
    const directory = await made();
    const store = opened(directory);
    await store.putContent(A, piece(0));
    writeFileSync(join(directory, saltPath(A)), 'rubbish');
    const outcomes = await Promise.allSettled([
      store.putContent(A, piece(1)),
      store.putContent(A, piece(2), { plain: true }),
      store.putContent(B, piece(3)),
      store.commitContent(A, piece(4)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'rejected']);
    expect(outcomes[0]).toMatchObject({ reason: { code: 'DAMAGED' } });
  });

  it('goes on behind a tail that was torn at any byte, in its own session and beside', async () => {
    const directory = await made();
    const store = opened(directory);
    const kept = await store.putContent(A, piece(3));
    const size = readFileSync(join(directory, 'blobs', A, 'pack')).length;
    const [torn] = await Promise.all([store.putContent(A, piece(4)), store.putContent(A, piece(5))]);
    const full = readFileSync(join(directory, 'blobs', A, 'pack')).length;
    for (let cut = size; cut <= full; cut += 7) {
      const copy = join(temporary(fastDirectory), 'ledger');
      await (await createFileStore(copy)).close();
      for (const [path, file] of [
        ['salts', A],
        [`blobs/${A}`, 'pack'],
      ] as const) {
        mkdirSync(join(copy, path), { recursive: true });
        writeFileSync(join(copy, path, file), readFileSync(join(directory, path, file)));
      }
      truncateSync(join(copy, 'blobs', A, 'pack'), cut);
      const again = opened(copy);
      const refs = await Promise.all([6, 7, 8].map((i) => again.putContent(A, piece(i))));
      await expectThere(again, A, kept, 3);
      for (const [i, ref] of refs.entries()) await expectThere(again, A, ref, 6 + i);
      const found = await again.getContent(A, torn);
      if (found !== undefined) expect(Buffer.compare(found, piece(4))).toBe(0);
    }
  });

  it('K5d nobody is told for somebody else’s deadline, whoever came first', async () => {
    const directory = await made();
    const path = join(directory, 'lock');
    // Locks belong to an open file: another one in this process is as foreign as one of another process.
    const holder = new OsLock(path);
    const own = new OsLock(path);
    onTestFinished(() => {
      holder.close();
      own.close();
    });
    for (const order of [
      ['quick', 'patient', 'slow'],
      ['patient', 'slow', 'quick'],
    ]) {
      await holder.wait(PACKS, after(60_000));
      const files = new ContentFiles(directory, nodeFs, own, randomBytes);
      const times: Record<string, number> = { quick: 20, slow: 120, patient: 60_000 };
      const told: string[] = [];
      const puts = order.map((name) =>
        files.put(A, piece(1), {}, times[name] ?? 0).then(
          () => told.push(`${name} done`),
          ({ code }) => told.push(`${name} ${code}`),
        ),
      );
      await Promise.all([puts[order.indexOf('quick')], puts[order.indexOf('slow')]]);
      expect(told).toEqual(['quick LOCK_TIMEOUT', 'slow LOCK_TIMEOUT']);
      const late = files.put(B, piece(2), {}, 60_000);
      const committed = files.commit(B, piece(2), 60_000);
      holder.unlock(PACKS);
      expect((await late).hash).toBe((await committed).hash);
      await Promise.all(puts);
      expect(told.at(-1)).toBe('patient done');
    }
  });

  it('an error while the directory is synced is owed to the next call', async () => {
    const directory = await made();
    for (let nth = 1; nth <= 8; nth++) {
      const faulty = new FaultyFs({ call: 'syncDirectory', nth, effect: 'none', code: 'EIO' });
      const store = openFileStore(directory, { fs: faulty.fs });
      const session = nth.toString(16).padStart(64, '0');
      const [one] = await Promise.allSettled([store.putContent(session, piece(1))]);
      const synced = faulty.counts.get('syncDirectory') ?? 0;
      await store.putContent(session, piece(2));
      if (faulty.happened) {
        expect(one.status).toBe('rejected');
        expect(faulty.counts.get('syncDirectory')).toBeGreaterThan(synced);
      }
      await store.close();
    }
  });
});
