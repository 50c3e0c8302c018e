import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { statePath } from '../../src/format/index.ts';
import type { AppendOptions, Store } from '../../src/ledger/index.ts';
import { createFileStore, openFileStore } from '../../src/store/files/index.ts';
import { notes } from '../read-log.ts';
import { diskDirectory, temporary } from '../temporary.ts';
import { storeContract } from './store.ts';

storeContract('the file store', async (options = {}) => {
  const store = await createFileStore(join(temporary(diskDirectory), 'ledger'), options);
  onTestFinished(() => store.close());
  return store;
});

describe('a state that changes only with lines', () => {
  const STATE: AppendOptions = { state: 'run.a', mustKeep: true, onlyWithLines: true };
  const decode = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);
  const onDisk = (directory: string, name: string): string =>
    readFileSync(join(directory, statePath(name)), 'utf8').trimEnd();
  /** Appends a line, with the state one longer; gives the state as it was before. */
  const grow = async (store: Store): Promise<string> => {
    let before = '';
    await store.append((head, state) => {
      before = decode(state);
      return { ...notes(head, 'x'), state: new TextEncoder().encode(`${before}${before.length}`) };
    }, STATE);
    return before;
  };

  it('is as this handle left it while nobody else appends, and as the others left it once they did', async () => {
    const directory = join(temporary(diskDirectory), 'ledger');
    const one = await createFileStore(directory);
    const other = await openFileStore(directory);
    expect([await grow(one), await grow(one)]).toEqual(['', '0']);
    expect([await grow(other), await grow(one), await grow(other)]).toEqual(['01', '012', '0123']);
    await one.close();
    await other.close();
    expect(onDisk(directory, 'run.a')).toBe('01234');
  });

  it('is not read again while nobody else appends', async () => {
    const directory = join(temporary(diskDirectory), 'ledger');
    const store = await createFileStore(directory);
    onTestFinished(() => store.close());
    await grow(store);
    writeFileSync(join(directory, statePath('run.a')), 'other');
    expect(await grow(store)).toBe('0');
    await store.append((head) => notes(head, 'x'), { state: 'run.a' });
    expect(await grow(store)).toBe('01');
  });

  it('is on disk for more of them than are left open', async () => {
    const directory = join(temporary(), 'ledger');
    const store = await createFileStore(directory);
    const names = Array.from({ length: 600 }, (_, at) => `run.${at}`);
    const add = (text: string) =>
      Promise.all(
        names.map((state) =>
          store.append((head) => ({ ...notes(head, 'x'), state: new TextEncoder().encode(text) }), {
            ...STATE,
            state,
          }),
        ),
      );
    await add('1');
    await add('22');
    await store.close();
    const states = names.map((name) => onDisk(directory, name));
    expect(new Set(states)).toEqual(new Set(['22']));
  });
});
