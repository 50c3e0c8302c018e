// States of the file store across handles, processes' deaths and faults: never one that tells of lines that are not there.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { utf8Encode } from '#platform';
import {
  createFileStore,
  type FileStore,
  type Fs,
  nodeFs,
  openFileStore,
} from '../../src/store/files/index.ts';
import { createFileLedger, openFileLedger } from '../file-ledger.ts';
import { notes, readEntries, textOf } from '../read-log.ts';
import { fastDirectory, temporary } from '../temporary.ts';
import { headOf, segmentPath, setHead } from './directory.ts';
import { FaultyFs } from './faulty-fs.ts';

const decode = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : new TextDecoder().decode(bytes);

/** The state is the seq of the newest line that was built with it. */
function add(store: FileStore, text: string, seen: (string | undefined)[] = []): Promise<unknown> {
  return store.append(
    (head, state) => {
      seen.push(decode(state));
      return { ...notes(head, text), state: utf8Encode(String(head.seq + 1)) };
    },
    { state: 's' },
  );
}

function opened(directory: string, fs?: Fs): FileStore {
  const store = openFileStore(directory, fs === undefined ? {} : { fs });
  onTestFinished(() => store.close());
  return store;
}

async function made(): Promise<string> {
  const directory = join(temporary(fastDirectory), 'ledger');
  await (await createFileStore(directory)).close();
  return directory;
}

describe('states', () => {
  it('are handed on from handle to handle, whoever comes next', async () => {
    const directory = await made();
    const handles = [opened(directory), opened(directory), opened(directory)];
    const seen: (string | undefined)[] = [];
    for (let i = 0; i < 30; i++) await add(handles[i % 3] as FileStore, `${i}`, seen);
    expect(seen).toEqual([undefined, ...Array.from({ length: 29 }, (_, i) => String(i + 1))]);
    await Promise.all(handles.flatMap((store) => Array.from({ length: 20 }, () => add(store, 'x', seen))));
    expect(seen.slice(30)).toEqual(Array.from({ length: 60 }, (_, i) => String(i + 30)));
  });

  it('that can not be read, or were removed, count as none', async () => {
    const directory = await made();
    const store = opened(directory);
    await add(store, 'a');
    await store.close();
    rmSync(join(directory, 'sessions'), { recursive: true });
    const seen: (string | undefined)[] = [];
    await add(opened(directory), 'b', seen);
    expect(seen).toEqual([undefined]);
    rmSync(join(directory, 'sessions'), { recursive: true, force: true });
    mkdirSync(join(directory, 'sessions/s'), { recursive: true });
    const again = opened(directory);
    await add(again, 'c', seen);
    expect(seen).toEqual([undefined, undefined]);
    expect(await again.readState('s')).toBeUndefined();
  });

  it.each(['none', 'half', 'all'] as const)(
    'built on lines that failed to be written are forgotten (%s of them were)',
    async (effect) => {
      const directory = await made();
      for (const code of ['ENOSPC', 'EIO']) {
        const faulty = new FaultyFs({ call: 'appendDurably', nth: 2, effect, code });
        const store = openFileStore(directory, { fs: faulty.fs });
        const outcomes: PromiseSettledResult<unknown>[] = [];
        for (let i = 0; i < 4; i++) outcomes.push(...(await Promise.allSettled([add(store, `${i}`)])));
        expect(faulty.happened).toBe(true);
        expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
        await store.close();
        await expectBehind(directory);
      }
    },
  );

  it('of calls at once: whoever was built on lines that failed is asked again, also who had nothing to write', async () => {
    const directory = await made();
    const faulty = new FaultyFs({ call: 'appendDurably', nth: 1, effect: 'none', code: 'ENOSPC' });
    const store = opened(directory, faulty.fs);
    const asked: (string | undefined)[] = [];
    /** Writes only if nobody did: as a session that begins where none has begun. */
    const once = (text: string) =>
      store.append(
        (head, state) => {
          asked.push(decode(state));
          return state === undefined ? { ...notes(head, text), state: utf8Encode(text) } : undefined;
        },
        { state: 'once' },
      );
    const first = store.append((head) => notes(head, 'fails'));
    const begun = once('first try');
    const also = once('second try');
    const outcomes = await Promise.allSettled([first, begun, also]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    // Had it been told "nothing to do" for the sake of a line that was never written, there would be none.
    expect((await readEntries(store)).map(textOf)).toEqual(['second try']);
    expect(asked).toEqual([undefined, 'first try', undefined]);
  });

  it('survive a death before the head, and before the state, was published: older, never ahead', async () => {
    const directory = await made();
    const store = opened(directory);
    await add(store, 'a');
    await store.close();
    const [head, state] = [headOf(directory), readFileSync(join(directory, 'sessions/s'))];
    const again = opened(directory);
    await add(again, 'b');
    await again.close();
    setHead(directory, head); // lines durable, state published, head not
    const seen: (string | undefined)[] = [];
    const third = opened(directory);
    await add(third, 'c', seen);
    await third.close();
    expect(seen).toEqual(['2']);
    writeFileSync(join(directory, 'sessions/s'), state); // lines durable, state not
    setHead(directory, head);
    await add(opened(directory), 'd', seen);
    expect(seen).toEqual(['2', '1']);
  });

  it('may grow and shrink', async () => {
    const directory = await made();
    const lengths = [10, 9000, 3, 4097, 0, 1];
    const seen: (number | undefined)[] = [];
    for (const length of lengths) {
      const store = openFileStore(directory);
      await store.append(
        (head, state) => {
          seen.push(state?.length);
          return { ...notes(head, 'x'), state: new Uint8Array(length).fill(0x78) };
        },
        { state: 's' },
      );
      await store.close();
    }
    expect(seen).toEqual([undefined, ...lengths.slice(0, -1)]);
  });

  it('go with entries that are given up for lost', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { store } = await createFileLedger(directory);
    await add(store, 'a');
    const size = readFileSync(segmentPath(directory, 1)).length;
    await add(store, 'b');
    await store.close();
    expect(existsSync(join(directory, 'sessions/s'))).toBe(true);
    writeFileSync(segmentPath(directory, 1), readFileSync(segmentPath(directory, 1)).subarray(0, size));
    const recovering = openFileLedger(directory);
    await recovering.store.acceptLoss();
    const seen: (string | undefined)[] = [];
    await add(recovering.store, 'c', seen);
    await recovering.store.close();
    expect(seen).toEqual([undefined]);
  });

  it.each(['open', 'overwrite', 'makeDirectory'] as const)(
    'that can not be published fail nobody: the lines are there (%s fails)',
    async (call) => {
      const directory = await made();
      let failing = false;
      const broken = (path: string): void => {
        if (failing && path.includes('sessions'))
          throw Object.assign(new Error('made to fail'), { code: 'EIO' });
      };
      const paths = new Map<number, string>();
      const fs: Fs = {
        ...nodeFs,
        open(path, flags) {
          if (call === 'open' && flags !== 'r') broken(path);
          const fd = nodeFs.open(path, flags);
          paths.set(fd, path);
          return fd;
        },
        overwrite(fd, bytes) {
          if (call === 'overwrite') broken(paths.get(fd) ?? '');
          nodeFs.overwrite(fd, bytes);
        },
        makeDirectory(path) {
          if (call === 'makeDirectory') broken(path);
          nodeFs.makeDirectory(path);
        },
      };
      if (call !== 'makeDirectory') await addAndClose(directory);
      failing = true;
      const store = openFileStore(directory, { fs });
      await add(store, 'b');
      await store.close();
      // One that is behind would mislead: it is gone.
      const left = existsSync(join(directory, 'sessions')) ? readdirSync(join(directory, 'sessions')) : [];
      expect(left).toEqual([]);
      const seen: (string | undefined)[] = [];
      await add(opened(directory), 'c', seen);
      expect(seen).toEqual([undefined]);
    },
  );
});

async function addAndClose(directory: string): Promise<void> {
  const store = openFileStore(directory);
  await add(store, 'a');
  await store.close();
}

/** Whoever comes next finds a state that tells of lines that are there, or none. */
async function expectBehind(directory: string): Promise<void> {
  const store = openFileStore(directory);
  const seen: (string | undefined)[] = [];
  await store.append(
    (head, state) => {
      seen.push(decode(state));
      expect(Number(decode(state) ?? 0)).toBeLessThanOrEqual(head.seq);
      return undefined;
    },
    { state: 's' },
  );
  expect(seen).toHaveLength(1);
  await store.close();
}
