// Random histories against the simplest model there is: a list of hashes. Whatever is done between appends (sealing,
// closing segments, archiving, rotating the key, closing and opening), the list reads back and the ledger verifies.
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ContentRef } from '../../src/format/index.ts';
import { createLedger, type Ledger } from '../../src/ledger/index.ts';
import type { FileStore } from '../../src/store/files/index.ts';
import { MemoryStore, memoryKeyring } from '../../src/store/memory/index.ts';
import { verifyLedger } from '../../src/verify/index.ts';
import { archive, createFileLedger, openFileLedger } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { fastDirectory, seededRandom, temporary } from '../temporary.ts';

interface Model {
  hashes: string[];
  sealed: number;
  keys: number;
  kept: { ref: ContentRef; content: Uint8Array }[];
}

interface Real {
  ledger: Ledger;
  reopen?: () => Promise<void>;
  archive?: (closeCurrent: boolean) => Promise<number>;
}

type Step = (model: Model, real: Real) => Promise<void>;

const SESSION = '5e'.repeat(32);

/** Takes over what the ledger itself wrote since, and compares everything before. */
async function compare(model: Model, real: Real): Promise<void> {
  const hashes = (await readEntries(real.ledger.store)).map(({ entry_hash }) => entry_hash);
  expect(hashes.slice(0, model.hashes.length)).toEqual(model.hashes);
  model.hashes = hashes;
}

const steps: Record<string, (size: number) => Step> = {
  append: (size) => async (model, real) => {
    const { ledger } = real;
    const entries = Array.from({ length: 1 + (size % 5) }, (_, i) => ({
      kind: 'note',
      payload: { text: 'n'.repeat((size * (i + 1)) % 900) },
      source: 'test',
    }));
    const [one, many] = await Promise.all([ledger.append(entries), ledger.append(entries)]);
    expect(one.first).toBe(model.hashes.length + 1);
    expect(many.last).toBe(model.hashes.length + 2 * entries.length);
    await compare(model, real);
    expect(model.hashes.at(-1)).toBe(many.hash);
  },
  seal:
    () =>
    async (model, { ledger }) => {
      const { checkpoint } = await ledger.seal();
      expect(checkpoint.size).toBe(model.hashes.length);
      model.sealed = checkpoint.size;
    },
  rotate: () => async (model, real) => {
    const { seq } = await real.ledger.rotateKey();
    expect(seq).toBe(model.hashes.length + 1);
    await compare(model, real);
    model.sealed = model.hashes.length;
    model.keys++;
  },
  reopen: () => async (_, real) => real.reopen?.(),
  archive: (size) => async (model, real) => {
    await real.archive?.(size % 2 === 0);
    await compare(model, real);
  },
  content:
    (size) =>
    async (model, { ledger }) => {
      const content = new Uint8Array(size * 37).fill(size);
      const ref = await ledger.putContent(SESSION, content);
      model.kept.push({ ref, content });
    },
  prove:
    (size) =>
    async (model, { ledger }) => {
      const seq = 1 + (size % model.hashes.length);
      if (seq <= model.sealed) await ledger.prove(seq);
      else await expect(ledger.prove(seq)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    },
};

const history = fc.array(fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.nat(2000)), { maxLength: 25 });

async function play(real: Real, steps_: readonly (readonly [string, number])[]): Promise<void> {
  const model: Model = { hashes: [], sealed: 1, keys: 1, kept: [] };
  await compare(model, real);
  for (const [name, size] of steps_) await steps[name]?.(size)(model, real);
  await real.ledger.seal();
  await compare(model, real);
  expect((await real.ledger.epochs()).length).toBe(model.keys);
  for (const { ref, content } of model.kept) {
    expect((await real.ledger.store.getContent(SESSION, ref))?.length).toBe(content.length);
  }
  const report = await verifyLedger(real.ledger.store.files);
  expect(report.failures).toEqual([]);
  expect(report).toMatchObject({ verdict: 'INTACT', entries: model.hashes.length });
  expect(report.facets.truncation.status).toBe('pass');
}

it('K1a, K1b, K1c the memory store: any history reads back and verifies', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (list) => {
      const store = new MemoryStore(seededRandom('store'));
      const keyring = memoryKeyring();
      await play({ ledger: await createLedger({ store, keyring, random: seededRandom('ledger') }) }, list);
    }),
    { numRuns: 40 },
  );
});

it('K1d, K12a, K12b the file store: any history reads back and verifies, across closed and gzipped segments', async () => {
  const directory = temporary(fastDirectory);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(history, fc.constantFrom(1, 700, 5000, 1 << 20), async (list, segmentLimit) => {
      const place = join(directory, `${run++}`);
      let opened = await createFileLedger(place, { segmentLimit });
      const real: Real = {
        ledger: opened.ledger,
        archive: async (closeCurrent) => (await archive(opened, closeCurrent)).length,
        reopen: async () => {
          await opened.store.close();
          opened = openFileLedger(place, { segmentLimit });
          real.ledger = opened.ledger;
        },
      };
      try {
        await play(real, list);
      } finally {
        await (real.ledger.store as FileStore).close();
      }
    }),
    { numRuns: 40 },
  );
});
