// The contract of src/ledger/ports.ts, sentence by sentence, for every store. What a store promises beyond it has
// tests of its own.
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#platform';
import { makeSigner, parseHex, sameBytes, signCheckpoint, type Tile } from '../../src/core/index.ts';
import { type ContentRef, GENESIS, type Head, saltPath } from '../../src/format/index.ts';
import type { Store } from '../../src/ledger/index.ts';
import { notes, parseLines, readEntries, textOf } from '../read-log.ts';

export interface StoreOptions {
  /** Bytes after which a segment is closed, where the store has segments. */
  readonly segmentLimit?: number;
}

const utf8Encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
/** Much faster than toEqual, and whatever kind of byte array it is. */
function expectBytes(actual: Uint8Array | undefined, expected: Uint8Array): void {
  expect(actual).toBeDefined();
  expect(actual?.length).toBe(expected.length);
  expect(sameBytes(actual ?? new Uint8Array(0), expected)).toBe(true);
}

const SESSION = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

export function storeContract(name: string, makeStore: (options?: StoreOptions) => Promise<Store>): void {
  describe(`append to ${name}`, () => {
    it('begins at seq 0 and the genesis hash', async () => {
      const store = await makeStore();
      const seen: Head[] = [];
      await store.append((head) => {
        seen.push(head);
        return undefined;
      });
      expect(seen).toMatchObject([{ seq: 0, hash: GENESIS }]);
      expect(await store.head()).toEqual({ seq: 0, hash: GENESIS });
    });

    it('K1a, K1b, K1c keeps lines in the order of the calls, each behind the one before', async () => {
      const store = await makeStore();
      const texts = Array.from({ length: 100 }, (_, i) => `${i}`);
      const heads = await Promise.all(texts.map((text) => store.append((head) => notes(head, text))));
      expect(heads.map((head) => head?.seq)).toEqual(texts.map((_, i) => i + 1));
      const entries = await readEntries(store);
      expect(entries.map(textOf)).toEqual(texts);
      expect(entries.map(({ seq }) => seq)).toEqual(texts.map((_, i) => i + 1));
      expect(entries.map(({ prev_hash }) => prev_hash)).toEqual([
        GENESIS,
        ...entries.slice(0, -1).map(({ entry_hash }) => entry_hash),
      ]);
      expect(heads.map((head) => head?.hash)).toEqual(entries.map(({ entry_hash }) => entry_hash));
      expect(await store.head()).toEqual({ seq: 100, hash: entries.at(-1)?.entry_hash });
    });

    it('gives each build the head that the one before leads to, and its own head back', async () => {
      const store = await makeStore();
      const seen: number[] = [];
      const add = (...texts: string[]) =>
        store.append((head) => {
          seen.push(head.seq);
          return notes(head, ...texts);
        });
      const heads = await Promise.all([add('a', 'b', 'c'), add('d'), add('e', 'f')]);
      expect(seen).toEqual([0, 3, 4]);
      expect(heads.map((head) => head?.seq)).toEqual([3, 4, 6]);
    });

    it('is undefined and changes nothing when build gives nothing', async () => {
      const store = await makeStore();
      await store.append((head) => notes(head, 'a'));
      const before = await store.head();
      expect(await store.append(() => undefined)).toBeUndefined();
      expect(await store.head()).toEqual(before);
      expect((await readEntries(store)).map(textOf)).toEqual(['a']);
    });

    it('rejects the call whose build throws, and no other', async () => {
      const store = await makeStore();
      const outcomes = await Promise.allSettled([
        store.append((head) => notes(head, 'a')),
        store.append(() => {
          throw new RangeError('mine');
        }),
        store.append(() => undefined),
        store.append((head) => notes(head, 'b')),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      expect(outcomes[1]).toMatchObject({ reason: { name: 'RangeError', message: 'mine' } });
      expect((await readEntries(store)).map(textOf)).toEqual(['a', 'b']);
    });

    it('K5b takes thousands of calls at once', async () => {
      const store = await makeStore({ segmentLimit: 100_000 });
      const heads = await Promise.all(
        Array.from({ length: 5000 }, (_, i) => store.append((head) => notes(head, `${i}`))),
      );
      expect(heads.map((head) => head?.seq)).toEqual(heads.map((_, i) => i + 1));
      expect((await readEntries(store)).map(textOf)).toEqual(heads.map((_, i) => `${i}`));
    });

    it('has what was appended at once: head and read know it', async () => {
      const store = await makeStore();
      for (let i = 1; i <= 20; i++) {
        const head = await store.append((at) => notes(at, `${i}`));
        expect(await store.head()).toEqual(head);
        expect((await readEntries(store, i, i)).map(textOf)).toEqual([`${i}`]);
      }
    });
  });

  describe(`the lines behind a place, handed to a build of ${name}`, () => {
    /** What a build with this `since` is handed: the texts of the entries, or undefined. */
    const handed = async (store: Store, since: number): Promise<string[] | undefined> => {
      let seen: string[] | undefined;
      await store.append(
        (_head, _state, _shared, behind) => {
          seen = behind && parseLines(behind).map(textOf);
          return undefined;
        },
        { since },
      );
      return seen;
    };

    it('are those up to its head, and none for who has read them all', async () => {
      const store = await makeStore();
      await store.append((head) => notes(head, 'a', 'b'));
      await store.append((head) => notes(head, 'c'));
      expect(await handed(store, 0)).toEqual(['a', 'b', 'c']);
      expect(await handed(store, 1)).toEqual(['b', 'c']);
      expect(await handed(store, 3)).toEqual([]);
    });

    it('are undefined for who does not ask, and for who says to have read more than there is', async () => {
      const store = await makeStore();
      await store.append((head) => notes(head, 'a'));
      expect(await handed(store, 2)).toBeUndefined();
      const given: unknown[] = [];
      await store.append((...args) => {
        given.push(args[3]);
        return undefined;
      });
      expect(given).toEqual([undefined]);
    });

    it('are undefined where they are more than a mebibyte', async () => {
      const store = await makeStore();
      const long = 'x'.repeat(60_000);
      await store.append((head) => notes(head, ...Array.from({ length: 18 }, () => long)));
      expect(await handed(store, 0)).toBeUndefined();
      expect(await handed(store, 17)).toEqual([long]);
      expect((await handed(store, 2))?.length).toBe(16);
    });

    it('have in them what others append at the same time, whole or not at all', async () => {
      const store = await makeStore({ segmentLimit: 20_000 });
      const seen: { readonly seq: number; readonly since: number; readonly texts: string[] | undefined }[] =
        [];
      const calls = Array.from({ length: 300 }, (_, i) => {
        if (i % 7 !== 0) return store.append((head) => notes(head, `${head.seq + 1}`));
        const since = Math.max(0, i - 40);
        return store.append(
          (head, _state, _shared, behind) => {
            seen.push({ seq: head.seq, since, texts: behind && parseLines(behind).map(textOf) });
            return notes(head, `${head.seq + 1}`);
          },
          { since },
        );
      });
      await Promise.all(calls);
      const texts = (await readEntries(store)).map(textOf);
      expect(texts).toEqual(Array.from({ length: 300 }, (_, i) => `${i + 1}`));
      for (const { seq, since, texts: found } of seen)
        if (found !== undefined) expect(found).toEqual(texts.slice(since, seq));
      // A new segment may have begun in between; most of the time none has.
      expect(seen.filter((each) => each.texts !== undefined).length).toBeGreaterThan(seen.length / 2);
    });
  });

  describe(`states of ${name}`, () => {
    /** Appends a note and counts on in a state; gives what was handed in. */
    const count = async (store: Store, state: string, text = 'x'): Promise<string | undefined> => {
      let seen: string | undefined;
      await store.append(
        (head, bytes) => {
          seen = bytes === undefined ? undefined : decode(bytes);
          return { ...notes(head, text), state: utf8Encode(`${seen ?? ''}|${head.seq}`) };
        },
        { state },
      );
      return seen;
    };

    it('hands in a shared one beside it, and keeps both or neither', async () => {
      const store = await makeStore();
      const add = (state: string, fails = false): Promise<Head | undefined> =>
        store.append(
          (head, own, shared) => {
            const next = (of: Uint8Array | undefined): Uint8Array =>
              utf8Encode(`${of === undefined ? '' : decode(of)}|${head.seq}`);
            if (fails) throw new Error('not now');
            return { ...notes(head, 'x'), state: next(own), shared: next(shared) };
          },
          { state, shared: 'both' },
        );
      await Promise.all([add('a'), add('b'), expect(add('a', true)).rejects.toThrow('not now'), add('a')]);
      // Within an append: what is published may lag behind it.
      const read = async (name: string): Promise<string[]> => {
        const seen: string[] = [];
        await store.append(
          (_, own, shared) => {
            seen.push(...[own, shared].map((bytes) => (bytes === undefined ? '' : decode(bytes))));
            return undefined;
          },
          { state: name, shared: 'both' },
        );
        return seen;
      };
      expect(await read('a')).toEqual(['|0|2', '|0|1|2']);
      expect(await read('b')).toEqual(['|1', '|0|1|2']);
      await store.append((head) => notes(head, 'as it is'), { state: 'a', shared: 'both' });
      expect(await read('a')).toEqual(['|0|2', '|0|1|2']);
      // A block without lines changes states alone.
      await store.append(
        (head) => ({ lines: new Uint8Array(0), head, state: utf8Encode('new'), shared: utf8Encode('too') }),
        { state: 'a', shared: 'both' },
      );
      expect(await read('a')).toEqual(['new', 'too']);
      expect((await readEntries(store)).length).toBe(4);
      await store.close();
    });

    it('are handed to build as the append before left them, each under its own name', async () => {
      const store = await makeStore();
      expect(await store.readState('a')).toBeUndefined();
      expect(await count(store, 'a')).toBeUndefined();
      expect(await count(store, 'b')).toBeUndefined();
      expect(await count(store, 'a')).toBe('|0');
      expect(await count(store, 'a')).toBe('|0|2');
      expect(await count(store, 'b')).toBe('|1');
      const seen: (Uint8Array | undefined)[] = [];
      await store.append((head, state) => {
        seen.push(state);
        return notes(head, 'about none');
      });
      expect(seen).toEqual([undefined]);
    });

    it('follow one another in the order of the calls, also of calls made at once', async () => {
      const store = await makeStore();
      const seen = await Promise.all(
        Array.from({ length: 200 }, (_, i) => count(store, i % 2 === 0 ? 'even' : 'odd')),
      );
      const expected = seen.map((_, i) =>
        i < 2
          ? undefined
          : Array.from({ length: Math.floor(i / 2) }, (_2, k) => `|${2 * k + (i % 2)}`).join(''),
      );
      expect(seen).toEqual(expected);
    });

    it('stay as they are where a build gives none, gives nothing, or throws', async () => {
      const store = await makeStore();
      await count(store, 'a');
      const outcomes = await Promise.allSettled([
        store.append((head) => notes(head, 'no state'), { state: 'a' }),
        store.append(() => undefined, { state: 'a' }),
        store.append(
          () => {
            throw new RangeError('mine');
          },
          { state: 'a' },
        ),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
      expect(await count(store, 'a')).toBe('|0');
    });

    it('are read as they were published, which they are when the store is closed', async () => {
      const store = await makeStore();
      await count(store, 'claude-code.x_1');
      await store.close();
      const state = await store.readState('claude-code.x_1');
      expect(state && decode(state)).toBe('|0');
    });

    it('are copied: memory that is used again changes none', async () => {
      const store = await makeStore();
      const memory = utf8Encode('first');
      await store.append((head) => ({ ...notes(head, 'x'), state: memory }), { state: 'a' });
      memory.fill(0x2e);
      const seen: string[] = [];
      for (let i = 0; i < 2; i++)
        await store.append(
          (head, state) => {
            seen.push(decode(state ?? memory));
            state?.fill(0x2d);
            return i === 0 ? undefined : notes(head, 'y');
          },
          { state: 'a' },
        );
      expect(seen).toEqual(['first', 'first']);
      await store.close();
      const read = await store.readState('a');
      expect(read && decode(read)).toBe('first');
    });

    it('have harmless names: another is a RangeError, and nothing is written', async () => {
      const store = await makeStore();
      for (const state of ['', '../x', 'A', '.hidden', 'a/b', 'x.tmp', 'a'.repeat(129)]) {
        const append = store.append((head) => ({ ...notes(head, 'x'), state: utf8Encode('s') }), { state });
        await expect(append, state).rejects.toThrow(RangeError);
        await expect(store.readState(state), state).rejects.toThrow(RangeError);
      }
      expect((await store.head()).seq).toBe(0);
    });
  });

  describe(`read from ${name}`, () => {
    it.each([{ segmentLimit: 1 << 20 }, { segmentLimit: 1500 }, { segmentLimit: 1 }])(
      'gives any range as stored, in pieces of whole lines, across segments (%o)',
      async (options) => {
        const store = await makeStore(options);
        const count = 13;
        for (let i = 1; i <= count; i++) await store.append((head) => notes(head, 'x'.repeat(i * 40)));
        const all = (await readEntries(store)).map(({ entry_hash }) => entry_hash);
        expect(all.length).toBe(count);
        for (let from = 1; from <= count; from++) {
          for (let to = from; to <= count; to++) {
            const got = (await readEntries(store, from, to)).map(({ entry_hash }) => entry_hash);
            expect(got, `${from} to ${to}`).toEqual(all.slice(from - 1, to));
          }
        }
      },
    );

    it('gives nothing for an empty range, and what there is for one that is too wide', async () => {
      const store = await makeStore();
      expect(await readEntries(store, 1, 1)).toEqual([]);
      await store.append((head) => notes(head, 'a', 'b', 'c'));
      expect(await readEntries(store, 2, 1)).toEqual([]);
      expect(await readEntries(store, 4, 9)).toEqual([]);
      expect((await readEntries(store, 3, 9)).map(textOf)).toEqual(['c']);
      expect((await readEntries(store, 0, 2)).map(textOf)).toEqual(['a', 'b']);
    });

    it('finds lines of every length in a large log', async () => {
      const store = await makeStore({ segmentLimit: 3_000_000 });
      const texts = Array.from({ length: 400 }, (_, i) => 'y'.repeat((i * 7919) % 60_000));
      await Promise.all(texts.map((text) => store.append((head) => notes(head, text))));
      for (const seq of [1, 2, 99, 100, 256, 257, 399, 400]) {
        const [entry] = await readEntries(store, seq, seq);
        expect(entry?.seq).toBe(seq);
        expect(entry && textOf(entry).length).toBe(texts[seq - 1]?.length);
      }
    });

    it('may go on while others append', async () => {
      const store = await makeStore({ segmentLimit: 5000 });
      await store.append((head) => notes(head, ...Array.from({ length: 50 }, (_, i) => `${i}`)));
      const pieces: Uint8Array[] = [];
      for await (const piece of store.read(1, 50)) {
        pieces.push(piece);
        await store.append((head) => notes(head, 'later'));
      }
      expect(pieces.flatMap(parseLines).map(({ seq }) => seq)).toEqual(
        Array.from({ length: 50 }, (_, i) => i + 1),
      );
    });
  });

  describe(`sealing ${name}`, () => {
    it('runs one work at a time, and gives back what it gave', async () => {
      const store = await makeStore();
      let running = 0;
      let most = 0;
      const work = async (): Promise<number> => {
        running++;
        most = Math.max(most, running);
        for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
        return running--;
      };
      expect(await Promise.all([store.sealing(work), store.sealing(work), store.sealing(work)])).toEqual([
        1, 1, 1,
      ]);
      expect(most).toBe(1);
    });

    it('lets appends go on meanwhile', async () => {
      const store = await makeStore();
      const head = await store.sealing(() => store.append((at) => notes(at, 'inside')));
      expect(head?.seq).toBe(1);
    });

    it('rejects as work does, and the next one runs', async () => {
      const store = await makeStore();
      const mine = new Error('mine');
      await expect(store.sealing(() => Promise.reject(mine))).rejects.toBe(mine);
      expect(await store.sealing(async () => 'next')).toBe('next');
    });
  });

  describe(`tiles of ${name}`, () => {
    const tile = (index: number, width: number, level = 0): Tile => ({ level, index, width });
    const bytes = (width: number, fill = 7): Uint8Array => new Uint8Array(width * 32).fill(fill);

    it('are there once written, at every level and depth of path', async () => {
      const store = await makeStore();
      const tiles = [
        tile(0, 256),
        tile(1, 5),
        tile(1234, 256),
        tile(1_234_567, 17),
        tile(0, 1, 1),
        tile(3, 256, 2),
      ];
      await store.writeTiles(tiles.map((one, i) => ({ tile: one, bytes: bytes(one.width, i) })));
      for (const [i, one] of tiles.entries()) {
        expectBytes(await store.readTile(one), bytes(one.width, i));
      }
      await store.writeTiles([]);
    });

    it('are served from a wider one, partial or full', async () => {
      const store = await makeStore();
      const wide = Uint8Array.from({ length: 256 * 32 }, (_, i) => i % 251);
      await store.writeTiles([{ tile: tile(0, 9), bytes: wide.slice(0, 9 * 32) }]);
      expectBytes(await store.readTile(tile(0, 4)), wide.slice(0, 4 * 32));
      expectBytes(await store.readTile(tile(0, 9)), wide.slice(0, 9 * 32));
      await store.writeTiles([{ tile: tile(0, 256), bytes: wide }]);
      expectBytes(await store.readTile(tile(0, 200)), wide.slice(0, 200 * 32));
      expectBytes(await store.readTile(tile(0, 4)), wide.slice(0, 4 * 32));
    });

    it('are undefined when neither it nor a wider one is there', async () => {
      const store = await makeStore();
      expect(await store.readTile(tile(0, 256))).toBeUndefined();
      expect(await store.readTile(tile(0, 1))).toBeUndefined();
      await store.writeTiles([{ tile: tile(0, 3), bytes: bytes(3) }]);
      expect(await store.readTile(tile(0, 4))).toBeUndefined();
      expect(await store.readTile(tile(0, 256))).toBeUndefined();
      expect(await store.readTile(tile(1, 1))).toBeUndefined();
      expect(await store.readTile(tile(0, 1, 1))).toBeUndefined();
    });

    it('may be written again with the same bytes; other bytes are DAMAGED and change nothing', async () => {
      const store = await makeStore();
      await store.writeTiles([{ tile: tile(0, 3), bytes: bytes(3) }]);
      await store.writeTiles([{ tile: tile(0, 3), bytes: bytes(3) }]);
      const write = store.writeTiles([{ tile: tile(0, 3), bytes: bytes(3, 8) }]);
      await expect(write).rejects.toMatchObject({ code: 'DAMAGED' });
      expectBytes(await store.readTile(tile(0, 3)), bytes(3));
    });
  });

  describe(`checkpoints of ${name}`, () => {
    const signer = makeSigner('counterfoil/0123456789abcdef', new Uint8Array(32).fill(1));
    const note = (size: number): Uint8Array =>
      signCheckpoint({ origin: signer.name, size, root: new Uint8Array(32).fill(size) }, signer);

    it('give the newest, and keep the earlier ones', async () => {
      const store = await makeStore();
      expect(await store.readCheckpoint()).toBeUndefined();
      for (const size of [1, 5, 300]) {
        await store.writeCheckpoint(size, note(size));
        expectBytes(await store.readCheckpoint(), note(size));
      }
      const names = (await store.files.list('checkpoints')).map((file) => file.name);
      expect(names).toEqual(['0000000000000001', '0000000000000005', '0000000000000300']);
      expectBytes(await store.files.read('checkpoints/0000000000000005'), note(5));
      expectBytes(await store.files.read('checkpoint'), note(300));
    });

    it('keep the tiles that the newest one needs', async () => {
      const store = await makeStore();
      const leaves = Uint8Array.from({ length: 256 * 32 }, (_, i) => i % 253);
      for (const size of [1, 5, 200]) {
        const tile = { level: 0, index: 0, width: size };
        await store.writeTiles([{ tile, bytes: leaves.slice(0, size * 32) }]);
        await store.writeCheckpoint(size, note(size));
        expectBytes(await store.readTile(tile), leaves.slice(0, size * 32));
        expectBytes(await store.readTile({ level: 0, index: 0, width: 1 }), leaves.slice(0, 32));
      }
    });
  });

  describe(`content of ${name}`, () => {
    const text = utf8Encode('attack at dawn');
    const sizes = [0, 1, 64 * 1024, 512 * 1024, 512 * 1024 + 1, 1_100_000];

    it.each(sizes)('comes back as it was put: %i bytes', async (size) => {
      const store = await makeStore();
      const content = Uint8Array.from({ length: size }, (_, i) => (i * 31) % 256);
      for (const session of [null, SESSION]) {
        for (const plain of [false, true]) {
          const ref = await store.putContent(session, content, { plain });
          expect(ref.bytes).toBe(size);
          expectBytes(await store.getContent(session, ref), content);
        }
      }
    });

    it('is committed to under the salt of its session, made on first use; plain without', async () => {
      const store = await makeStore();
      const refs = await Promise.all([
        store.putContent(SESSION, text, { type: 'text/plain' }),
        store.putContent(SESSION, text),
        store.putContent(OTHER, text),
        store.putContent(SESSION, text, { plain: true }),
        store.putContent(OTHER, text, { plain: true }),
      ]);
      const [a, b, other, plain, plainOther] = refs as [
        ContentRef,
        ContentRef,
        ContentRef,
        ContentRef,
        ContentRef,
      ];
      expect(a).toMatchObject({ algorithm: 'keyed-sha256', type: 'text/plain' });
      expect(b).not.toHaveProperty('type');
      expect(b.hash).toBe(a.hash);
      expect(other.hash).not.toBe(a.hash);
      expect(plain).toMatchObject({ algorithm: 'sha256', hash: sha256Hex(text) });
      expect(plainOther.hash).toBe(plain.hash);
      expect(a.hash).not.toBe(plain.hash);
      expect((await store.files.list('salts')).map((file) => file.name)).toEqual([SESSION, OTHER]);
    });

    it('is committed to without being kept: the same hash, and nothing there but the salt', async () => {
      const store = await makeStore();
      const committed = await store.commitContent(SESSION, text);
      expect(await store.getContent(SESSION, committed)).toBeUndefined();
      expect(await store.files.list(`blobs/${SESSION}`)).toEqual([]);
      expect((await store.files.list('salts')).map((file) => file.name)).toEqual([SESSION]);
      const put = await store.putContent(SESSION, text);
      expect(committed).toEqual(put);
      expect(await store.commitContent(SESSION, text)).toEqual(put);
      expect((await store.commitContent(OTHER, text)).hash).not.toBe(put.hash);
      expectBytes(await store.getContent(SESSION, committed), text);
      await store.eraseContent(SESSION);
      expect((await store.commitContent(SESSION, text)).hash).not.toBe(put.hash);
      const many = await Promise.all(Array.from({ length: 20 }, () => store.commitContent(null, text)));
      expect(new Set(many.map(({ hash }) => hash)).size).toBe(1);
      await expect(store.commitContent('nobody', text)).rejects.toThrow(RangeError);
    });

    it('gives keys that follow from a session and a purpose, and go with its content', async () => {
      const store = await makeStore();
      const key = await store.deriveKey(SESSION, 'a');
      expect(key.length).toBe(32);
      expectBytes(await store.deriveKey(SESSION, 'a'), key);
      const others = [await store.deriveKey(SESSION, 'b'), await store.deriveKey(OTHER, 'a')];
      // Nor is it anything that a commitment to content could show.
      const shown = parseHex((await store.commitContent(SESSION, utf8Encode('a'))).hash, 32);
      await store.eraseContent(SESSION);
      for (const other of [...others, shown, await store.deriveKey(SESSION, 'a')])
        expect(other).not.toEqual(key);
      await expect(store.deriveKey('nobody', 'a')).rejects.toThrow(RangeError);
    });

    it('many pieces at once, of several sessions, salted and plain: each comes back by its own reference', async () => {
      const store = await makeStore();
      const pieces = Array.from({ length: 300 }, (_, i) => ({
        session: [SESSION, OTHER, null][i % 3] as string | null,
        content: utf8Encode(`${i} `.repeat(1 + ((i * 37) % 900))),
        plain: i % 5 === 0,
      }));
      const refs = await Promise.all(
        pieces.map(({ session, content, plain }) => store.putContent(session, content, { plain })),
      );
      for (const [i, { session, content }] of pieces.entries())
        expectBytes(await store.getContent(session, refs[i] as ContentRef), content);
    });

    it('put and erased at once is there whole or not at all, and what comes after the erasure is there', async () => {
      const store = await makeStore();
      const put = (i: number) => store.putContent(SESSION, utf8Encode(`piece ${i}`));
      const before = Array.from({ length: 10 }, (_, i) => put(i));
      const erased = store.eraseContent(SESSION);
      const during = Array.from({ length: 10 }, (_, i) => put(10 + i));
      const refs = await Promise.all([...before, ...during]);
      await erased;
      const after = await put(20);
      expectBytes(await store.getContent(SESSION, after), utf8Encode('piece 20'));
      for (const [i, ref] of refs.entries()) {
        const found = await store.getContent(SESSION, ref);
        if (found !== undefined) expectBytes(found, utf8Encode(`piece ${i}`));
      }
    });

    it('is found by its reference whatever it looks like', async () => {
      const store = await makeStore();
      const first = await store.putContent(SESSION, text);
      const header = `blob keyed-sha256:${first.hash} 14\n`;
      const contents = [
        '\n',
        '\n\n',
        `${header}attack at noon\n`,
        `\n${header}`,
        `x\n${header}attack at n`,
        'blob ',
        '',
      ];
      const refs = await Promise.all(
        contents.map((content) => store.putContent(SESSION, utf8Encode(content))),
      );
      expectBytes(await store.getContent(SESSION, first), text);
      for (const [i, ref] of refs.entries()) {
        expectBytes(await store.getContent(SESSION, ref), utf8Encode(contents[i] ?? ''));
      }
    });

    it('is undefined when it is not kept, and never anything that does not match the reference', async () => {
      const store = await makeStore();
      const ref = await store.putContent(SESSION, text);
      const plain = await store.putContent(SESSION, text, { plain: true });
      expect(await store.getContent(OTHER, ref)).toBeUndefined();
      expect(await store.getContent(null, ref)).toBeUndefined();
      expect(await store.getContent(SESSION, { ...ref, hash: 'ee'.repeat(32) })).toBeUndefined();
      expect(await store.getContent(SESSION, { ...ref, bytes: 13 })).toBeUndefined();
      expect(await store.getContent(SESSION, { ...ref, algorithm: 'sha256' })).toBeUndefined();
      expect(await store.getContent(SESSION, { ...plain, algorithm: 'keyed-sha256' })).toBeUndefined();
    });

    it('is gone once erased, with its salt; evidence and other sessions stay', async () => {
      const store = await makeStore();
      const large = new Uint8Array(600_000).fill(3);
      const salted = [await store.putContent(SESSION, text), await store.putContent(SESSION, large)];
      const kept = [
        await store.putContent(SESSION, text, { plain: true }),
        await store.putContent(SESSION, large, { plain: true }),
      ];
      const other = await store.putContent(OTHER, text);
      await store.eraseContent(SESSION);
      for (const ref of salted) expect(await store.getContent(SESSION, ref)).toBeUndefined();
      expectBytes(await store.getContent(SESSION, kept[0] as ContentRef), text);
      expectBytes(await store.getContent(SESSION, kept[1] as ContentRef), large);
      expectBytes(await store.getContent(OTHER, other), text);
      expect(await store.files.read(saltPath(SESSION))).toBeUndefined();
      for (const { name: file, directory } of await store.files.list(`blobs/${SESSION}`)) {
        const bytes = directory ? new Uint8Array() : await store.files.read(`blobs/${SESSION}/${file}`);
        const found = Buffer.from(bytes ?? []).indexOf(salted[0]?.hash ?? '');
        expect(found, `${file} names what was erased`).toBe(-1);
      }
    });

    it('gets a new salt after it was erased; erasing what is not there is no harm', async () => {
      const store = await makeStore();
      await store.eraseContent(SESSION);
      const before = await store.putContent(SESSION, text);
      await store.eraseContent(SESSION);
      await store.eraseContent(SESSION);
      const now = await store.putContent(SESSION, text);
      expect(now.hash).not.toBe(before.hash);
      expectBytes(await store.getContent(SESSION, now), text);
      expect(await store.getContent(SESSION, before)).toBeUndefined();
    });

    it('has a session of 64 hex digits, or none', async () => {
      const store = await makeStore();
      for (const session of ['', 'AB'.repeat(32), '../../x', 'ab'.repeat(31)]) {
        await expect(store.putContent(session, text)).rejects.toThrow(RangeError);
        await expect(store.eraseContent(session)).rejects.toThrow(RangeError);
      }
    });
  });

  describe(`close of ${name}`, () => {
    it('waits for what is under way, may be called again, and then nothing is written', async () => {
      const store = await makeStore();
      const appends = Array.from({ length: 10 }, (_, i) => store.append((head) => notes(head, `${i}`)));
      const put = store.putContent(null, utf8Encode('x'));
      const sealed = store.sealing(async () => (await store.head()).seq);
      await store.close();
      await store.close();
      expect((await Promise.all(appends)).map((head) => head?.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect((await put).bytes).toBe(1);
      expect(await sealed).toBeTypeOf('number');
      const refused = { code: 'CLOSED', fatal: true };
      await expect(store.append((head) => notes(head, 'late'))).rejects.toMatchObject(refused);
      await expect(store.sealing(async () => 1)).rejects.toMatchObject(refused);
      await expect(store.putContent(null, utf8Encode('late'))).rejects.toMatchObject(refused);
      await expect(store.eraseContent(null)).rejects.toMatchObject(refused);
      await expect(store.commitContent(null, utf8Encode('late'))).rejects.toMatchObject(refused);
      await expect(store.head()).rejects.toMatchObject(refused);
    });
  });
}
