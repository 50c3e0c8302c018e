// The ledger above its store: making one, appending, sealing, proving. In memory, where the store is the simplest.
import { describe, expect, it } from 'vitest';
import {
  encodeHex,
  leafHash,
  openCheckpoint,
  parseTlogProof,
  type Tile,
  verifyInclusion,
  verifyNote,
} from '../../src/core/index.ts';
import { originOf, parseEntry, parseLedgerOpen } from '../../src/format/index.ts';
import { createLedger, type Keyring, Ledger, type Store } from '../../src/ledger/index.ts';
import { MemoryStore, memoryKeyring } from '../../src/store/memory/index.ts';
import { verifyLedger } from '../../src/verify/index.ts';
import { readEntries, textOf } from '../read-log.ts';
import { seededRandom } from '../temporary.ts';

const SEGMENT = 'ledger/0000000000000001.jsonl';
const note = (text: string) => ({ kind: 'note', payload: { text }, source: 'test' });
const now = (): number => Date.UTC(2026, 10, 15, 10);

interface Made {
  ledger: Ledger;
  store: MemoryStore;
  keyring: Keyring;
}

async function make(options: { sealEvery?: number } = {}): Promise<Made> {
  const store = new MemoryStore(seededRandom('store'));
  const keyring = memoryKeyring();
  const ledger = await createLedger({ store, keyring, now, random: seededRandom('ledger'), ...options });
  return { ledger, store, keyring };
}

describe('a new ledger', () => {
  it('G14 begins with an entry that names its key, and is sealed by it', async () => {
    const { ledger, store, keyring } = await make();
    const [open, ...rest] = await readEntries(store);
    expect(rest).toEqual([]);
    expect(open).toMatchObject({
      seq: 1,
      kind: 'ledger.open',
      source: 'ledger',
      session_id: null,
      cause: null,
    });
    const { publicKey } = parseLedgerOpen(open?.payload ?? {});
    const { origin, firstKey } = await ledger.identity();
    expect(origin).toBe(originOf(open?.entry_hash ?? ''));
    expect(encodeHex(firstKey.publicKey)).toBe(publicKey);
    expect(await keyring.list(origin)).toEqual([publicKey]);
    const { checkpoint, note: text } = (await ledger.sealed()) ?? (await ledger.seal());
    expect(checkpoint).toMatchObject({ origin, size: 1 });
    expect(verifyNote(openCheckpoint(text).note, [firstKey]).verified).toHaveLength(1);
  });

  it('has an id of its own, each time', async () => {
    const { ledger } = await make();
    const other = await createLedger({
      store: new MemoryStore(seededRandom()),
      keyring: memoryKeyring(),
      now,
      random: seededRandom('another'),
    });
    expect((await ledger.identity()).origin).not.toBe((await other.identity()).origin);
  });

  it('is not made where one is: EXISTS, and the key made for it does not stay', async () => {
    const { store } = await make();
    const saved: string[] = [];
    const inner = memoryKeyring();
    const keyring: Keyring = {
      ...inner,
      save: (origin, seed) => {
        saved.push(origin);
        return inner.save(origin, seed);
      },
    };
    const again = createLedger({ store, keyring, now, random: seededRandom('again') });
    await expect(again).rejects.toMatchObject({ code: 'EXISTS' });
    expect(saved).toHaveLength(1);
    expect(await inner.list(saved[0] ?? '')).toEqual([]);
    expect(await readEntries(store)).toHaveLength(1);
  });

  it('does not begin before its key is kept', async () => {
    const store = new MemoryStore(seededRandom());
    const keyring = { ...memoryKeyring(), save: () => Promise.reject(new Error('no room for a key')) };
    await expect(createLedger({ store, keyring, random: seededRandom() })).rejects.toThrow(
      'no room for a key',
    );
    expect((await store.head()).seq).toBe(0);
  });

  it('is NOT_FOUND where there is none', async () => {
    const ledger = new Ledger({
      store: new MemoryStore(seededRandom()),
      keyring: memoryKeyring(),
      random: seededRandom(),
    });
    await expect(ledger.identity()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(ledger.seal()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(ledger.prove(1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('append', () => {
  it('gives where the entries stand, together and in order', async () => {
    const { ledger, store } = await make();
    const one = await ledger.append(note('a'));
    const two = await ledger.append([note('b'), note('c')]);
    expect([one.first, one.last, two.first, two.last]).toEqual([2, 2, 3, 4]);
    const entries = await readEntries(store);
    expect(entries.slice(1).map(textOf)).toEqual(['a', 'b', 'c']);
    expect(two.hash).toBe(entries[3]?.entry_hash);
  });

  it('K1b puts the time of the clock unless the entry has one; the time is under the hash', async () => {
    const { ledger, store } = await make();
    await ledger.append([note('a'), { ...note('b'), ts: '1999-12-31T23:59:59.999Z' }]);
    const [, a, b] = await readEntries(store);
    expect([a?.ts, b?.ts]).toEqual(['2026-11-15T10:00:00.000Z', '1999-12-31T23:59:59.999Z']);
  });

  it('lets a function look at the head first, and do nothing', async () => {
    const { ledger, store } = await make();
    const appended = await ledger.append(({ seq }) => ({ ...note(`behind ${seq}`), cause: seq }));
    expect(appended?.last).toBe(2);
    expect(await ledger.append(() => undefined)).toBeUndefined();
    expect((await readEntries(store)).at(-1)).toMatchObject({ cause: 1, payload: { text: 'behind 1' } });
  });

  it.each([
    ['a kind that is none', { kind: 'Not A Kind' }],
    ['a source that is none', { source: 'no spaces' }],
    ['a cause that is not earlier', { cause: 99 }],
    ['a session that is none', { session_id: 'abc' }],
    ['a time that is none', { ts: 'yesterday' }],
    ['a number that JSON can not hold', { payload: { n: Number.NaN } }],
    ['a text that UTF-8 can not hold', { payload: { text: '\ud800' } }],
    ['a line that is too long', { payload: { text: 'x'.repeat(70_000) } }],
  ])('refuses %s, with all entries given with it', async (_, bad) => {
    const { ledger, store } = await make();
    const good = ledger.append(note('good'));
    await expect(ledger.append([note('first'), { ...note('bad'), ...bad }])).rejects.toMatchObject({
      name: 'ParseError',
    });
    await good;
    await ledger.append(note('next'));
    expect((await readEntries(store)).slice(1).map(textOf)).toEqual(['good', 'next']);
  });

  it('takes the longest line there is: 65,535 bytes', async () => {
    const { ledger, store } = await make();
    await ledger.append(note(''));
    const pieces: Uint8Array[] = [];
    for await (const piece of store.read(2, 2)) pieces.push(piece);
    const room = 65_536 - (pieces[0]?.length ?? 0);
    await expect(ledger.append(note('x'.repeat(room + 1)))).rejects.toMatchObject({ code: 'TOO_LONG' });
    expect((await ledger.append(note('x'.repeat(room)))).last).toBe(3);
    await ledger.seal();
    expect((await verifyLedger(store.files)).verdict).toBe('INTACT');
  });
});

describe('seal', () => {
  it('covers everything that is there, and is the same until more comes', async () => {
    const { ledger } = await make();
    const before = await ledger.sealed();
    await ledger.append(note('a'));
    expect((await ledger.sealed())?.checkpoint).toEqual(before?.checkpoint);
    const first = await ledger.seal();
    expect(first.checkpoint.size).toBe(2);
    expect((await ledger.seal()).note).toEqual(first.note);
  });

  it('happens by itself when enough entries are unsealed', async () => {
    const { ledger, store } = await make({ sealEvery: 10 });
    for (let i = 0; i < 25; i++) await ledger.append(note(`${i}`));
    await ledger.close();
    const sizes = (await store.files.list('checkpoints')).map(({ name }) => Number(name));
    expect(sizes.at(-1)).toBeGreaterThanOrEqual(20);
  });

  it('that fails by itself is told at close; a missing key is somebody else’s business', async () => {
    const { store, keyring } = await make();
    const random = seededRandom();
    const without = new Ledger({ store, keyring: memoryKeyring(), random, sealEvery: 3 });
    for (let i = 0; i < 5; i++) await without.append(note(`${i}`));
    const full = new Proxy(store, {
      get: (target, name) =>
        name === 'writeCheckpoint'
          ? () => Promise.reject(new Error('full'))
          : (Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name)),
    });
    const ledger = new Ledger({ store: full, keyring, random, sealEvery: 3 });
    for (let i = 0; i < 5; i++) await ledger.append(note(`${i}`));
    await expect(ledger.close()).rejects.toThrow('full');
    await without.close();
  });

  it('needs the key: KEY where it is not', async () => {
    const { store, ledger } = await make();
    await ledger.append(note('a'));
    const without = new Ledger({ store, keyring: memoryKeyring(), random: seededRandom() });
    await expect(without.seal()).rejects.toMatchObject({
      code: 'KEY',
      message: expect.stringContaining('counterfoil/'),
    });
    expect((await ledger.seal()).checkpoint.size).toBe(2);
  });

  /** Five entries sealed, two not. */
  async function unsealed(): Promise<Made> {
    const made = await make();
    await made.ledger.append(['a', 'b', 'c', 'd'].map(note));
    await made.ledger.seal();
    await made.ledger.append(['e', 'f'].map(note));
    return made;
  }
  const flip = (bytes: Uint8Array | undefined, at: number): Uint8Array => {
    const copy = (bytes ?? new Uint8Array(0)).slice();
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };
  /** A store whose lines read back otherwise than they were written. */
  const reading = (store: Store, change: (line: Uint8Array, seq: number) => Uint8Array): Store =>
    new Proxy(store, {
      get(target, name) {
        if (name !== 'read') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name);
        return async function* (from: number, to: number): AsyncGenerator<Uint8Array> {
          for (let seq = from; seq <= to; seq++) {
            for await (const piece of target.read(seq, seq)) yield change(piece, seq);
          }
        };
      },
    });

  it.each([
    ['the last line that is sealed', 5],
    ['a line that is not sealed yet', 6],
    ['the last line', 7],
  ])('refuses when %s was changed, and signs nothing', async (_, seq) => {
    const { store, keyring } = await unsealed();
    const changed = reading(store, (line, at) => (at === seq ? flip(line, line.length - 5) : line));
    const ledger = new Ledger({ store: changed, keyring, random: seededRandom() });
    await expect(ledger.seal()).rejects.toMatchObject({
      code: 'DAMAGED',
      message: expect.stringContaining(`${seq}`),
    });
    expect(store.map.has('checkpoints/0000000000000007')).toBe(false);
  });

  it('refuses when lines were dropped or doubled', async () => {
    const { store, keyring } = await unsealed();
    const seal = (change: (line: Uint8Array, seq: number) => Uint8Array): Promise<unknown> =>
      new Ledger({ store: reading(store, change), keyring, random: seededRandom() }).seal();
    await expect(seal((line, seq) => (seq === 6 ? line.subarray(0, 0) : line))).rejects.toMatchObject({
      code: 'DAMAGED',
    });
    await expect(seal((line, seq) => (seq === 7 ? line.subarray(0, 0) : line))).rejects.toMatchObject({
      code: 'DAMAGED',
    });
    await expect(seal((line, seq) => (seq === 6 ? Buffer.concat([line, line]) : line))).rejects.toMatchObject(
      {
        code: 'DAMAGED',
      },
    );
  });

  it('refuses when a tile was changed, cut or removed', async () => {
    const tile: Tile = { level: 0, index: 0, width: 5 };
    const path = 'tile/0/000.p/5';
    for (const change of ['flip', 'cut', 'remove']) {
      const { store, ledger } = await unsealed();
      const bytes = (await store.readTile(tile)) ?? new Uint8Array(0);
      for (const name of [...store.map.keys()].filter((key) => key.startsWith('tile/')))
        store.map.delete(name);
      if (change === 'flip') store.map.set(path, flip(bytes, 3));
      if (change === 'cut') store.map.set(path, bytes.slice(0, -1));
      await expect(ledger.seal(), change).rejects.toMatchObject({
        code: 'DAMAGED',
        message: expect.stringMatching(/foil/),
      });
    }
  });

  it('refuses when the checkpoint was changed, or is another ledger’s', async () => {
    for (let at = 0; at < 200; at += 9) {
      const { store, ledger } = await unsealed();
      const bytes = store.map.get('checkpoint');
      if (at >= (bytes?.length ?? 0)) break;
      store.map.set('checkpoint', flip(bytes, at));
      await expect(ledger.seal(), `byte ${at}`).rejects.toMatchObject({
        code: expect.stringMatching(/DAMAGED|SHORT_LOG/),
      });
    }
    const { store, ledger } = await unsealed();
    const other = await createLedger({
      store: new MemoryStore(seededRandom()),
      keyring: memoryKeyring(),
      random: seededRandom('other'),
    });
    store.map.set('checkpoint', (await other.seal()).note);
    await expect(ledger.seal()).rejects.toMatchObject({ code: 'DAMAGED' });
  });

  it('refuses when the log is shorter than the checkpoint', async () => {
    const { store, keyring } = await unsealed();
    const short = new Proxy(store, {
      get: (target, name) =>
        name === 'head'
          ? async () => ({ seq: 3, hash: 'ab'.repeat(32) })
          : (Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name)),
    });
    const ledger = new Ledger({ store: short, keyring, random: seededRandom() });
    await expect(ledger.seal()).rejects.toMatchObject({ code: 'SHORT_LOG' });
  });

  it('goes on after a seal that wrote tiles and no checkpoint', async () => {
    const { store, keyring, ledger } = await unsealed();
    const stopped = new Proxy(store, {
      get: (target, name) =>
        name === 'writeCheckpoint'
          ? () => Promise.reject(new Error('stopped'))
          : (Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name)),
    });
    await expect(new Ledger({ store: stopped, keyring, random: seededRandom() }).seal()).rejects.toThrow(
      'stopped',
    );
    expect((await verifyLedger(store.files)).verdict).toBe('INTACT');
    await ledger.append(note('g'));
    expect((await ledger.seal()).checkpoint.size).toBe(8);
    expect(await verifyLedger(store.files)).toMatchObject({ verdict: 'INTACT', failures: [] });
  });
});

describe('prove', () => {
  it('gives a proof of each sealed entry that stands on its own', async () => {
    const { ledger, store } = await make();
    await ledger.append(Array.from({ length: 300 }, (_, i) => note(`${i}`)));
    const { checkpoint } = await ledger.seal();
    for (const seq of [1, 2, 128, 255, 256, 257, 301]) {
      const proof = parseTlogProof(await ledger.prove(seq));
      const line = proof.extra ?? new Uint8Array(0);
      expect(parseEntry(line).seq).toBe(seq);
      expect(proof.index).toBe(seq - 1);
      expect(verifyInclusion(seq - 1, 301, leafHash(line), proof.hashes, checkpoint.root)).toBe(true);
      expect(openCheckpoint(proof.checkpoint).checkpoint).toEqual(checkpoint);
      expect(parseTlogProof(await ledger.prove(seq, { extra: false })).extra).toBeUndefined();
    }
    expect(store.map.has(SEGMENT)).toBe(true);
  });

  it('is NOT_FOUND for what is not there or not sealed, and says which', async () => {
    const { ledger } = await make();
    await ledger.append(note('a'));
    await expect(ledger.prove(2)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('foil checkpoint'),
    });
    for (const seq of [0, 3, -1, 1.5, Number.NaN]) {
      await expect(ledger.prove(seq)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining('1 to 2'),
      });
    }
  });

  it('is DAMAGED where tiles are gone', async () => {
    const { ledger, store } = await make();
    await ledger.append([note('a'), note('b')]);
    await ledger.seal();
    for (const name of [...store.map.keys()].filter((key) => key.startsWith('tile/'))) store.map.delete(name);
    await expect(ledger.prove(2)).rejects.toMatchObject({ code: 'DAMAGED' });
  });
});
