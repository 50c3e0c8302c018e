// Rotation: the old key signs everything before, hands over, and is destroyed. A crash between any two steps leaves a
// ledger that goes on with a key somebody holds, and the old key is gone as soon as the new one has signed.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeHex, openCheckpoint, type VerifierKey, verifyNote } from '../../src/core/index.ts';
import { encodeEntry } from '../../src/format/index.ts';
import { createLedger, type Keyring, Ledger, type Store } from '../../src/ledger/index.ts';
import { openKeyring } from '../../src/store/files/index.ts';
import { MemoryStore, memoryKeyring } from '../../src/store/memory/index.ts';
import { verifyLedger } from '../../src/verify/index.ts';
import { newFileLedger } from '../file-ledger.ts';
import { readEntries, TS } from '../read-log.ts';
import { seededRandom, temporary } from '../temporary.ts';

const note = (text: string) => ({ kind: 'note', payload: { text }, source: 'test' });
const hex = (key: VerifierKey): string => encodeHex(key.publicKey);

async function make(): Promise<{ ledger: Ledger; store: MemoryStore; keyring: Keyring; first: VerifierKey }> {
  const store = new MemoryStore(seededRandom('store'));
  const keyring = memoryKeyring();
  const ledger = await createLedger({ store, keyring, random: seededRandom('ledger') });
  return { ledger, store, keyring, first: (await ledger.identity()).firstKey };
}

/** Does the report stand with this key pinned, over everything? */
async function signedTo(store: Store, key: VerifierKey): Promise<number | undefined> {
  const report = await verifyLedger(store.files, { keys: [key] });
  expect(report.failures).toEqual([]);
  return report.marks.signed?.to;
}

describe('a rotation', () => {
  it('hands over to a new key, and both epochs verify from the first', async () => {
    const { ledger, store, keyring, first } = await make();
    await ledger.append([note('a'), note('b')]);
    const { seq, oldKey, newKey } = await ledger.rotateKey();
    expect(seq).toBe(4);
    expect(hex(oldKey)).toBe(hex(first));
    await ledger.append(note('c'));
    const { note: sealed } = await ledger.seal();
    expect(verifyNote(openCheckpoint(sealed).note, [newKey]).verified).toHaveLength(1);
    expect(verifyNote(openCheckpoint(sealed).note, [oldKey]).verified).toHaveLength(0);
    expect(await keyring.list(first.name)).toEqual([hex(newKey)]);
    expect(await keyring.load(first.name, hex(oldKey))).toBeUndefined();
    expect((await ledger.epochs()).map(({ from, key }) => [from, hex(key)])).toEqual([
      [1, hex(oldKey)],
      [4, hex(newKey)],
    ]);
    expect(await signedTo(store, first)).toBe(5);
  });

  it('may happen again and again', async () => {
    const { ledger, store, keyring, first } = await make();
    const keys = [hex(first)];
    for (let i = 0; i < 4; i++) {
      await ledger.append(note(`${i}`));
      keys.push(hex((await ledger.rotateKey()).newKey));
    }
    expect(new Set(keys).size).toBe(5);
    expect((await ledger.epochs()).map(({ key }) => hex(key))).toEqual(keys);
    expect(await keyring.list(first.name)).toEqual([keys[4]]);
    expect(await signedTo(store, first)).toBe(9);
  });

  it('seals what others append in between, and goes on', async () => {
    const { store, keyring, first } = await make();
    let busy = 5;
    const others = intercept(store, async (name) => {
      if (name === 'writeCheckpoint' && busy-- > 0)
        await new Ledger({ store, keyring, random: seededRandom() }).append(note('x'));
    });
    const { seq } = await new Ledger({ store: others, keyring, random: seededRandom('new') }).rotateKey();
    const entries = await readEntries(store);
    expect(entries[seq - 1]?.kind).toBe('key.rotate');
    await new Ledger({ store, keyring, random: seededRandom() }).seal();
    expect(await signedTo(store, first)).toBe(entries.length);
  });

  it('needs the old key', async () => {
    const { store, first } = await make();
    const keyring = memoryKeyring();
    const ledger = new Ledger({ store, keyring, random: seededRandom('new') });
    await expect(ledger.rotateKey()).rejects.toMatchObject({ code: 'KEY' });
    expect(await readEntries(store)).toHaveLength(1);
    expect(await signedTo(store, first)).toBe(1);
  });

  it('refuses a hand-over that the old key did not sign', async () => {
    const { ledger, store, keyring } = await make();
    const payload = {
      checkpoint: 'counterfoil/0123456789abcdef\n1\nAA==\n',
      public_key: 'ab'.repeat(32),
      signature: 'AAAA',
    };
    await expect(ledger.append({ kind: 'key.rotate', payload, source: 'ledger' })).rejects.toThrow(
      'only the ledger itself',
    );
    await store.append(({ seq, hash }) => {
      const draft = { kind: 'key.rotate', payload, source: 'ledger', ts: TS };
      const { line, hash: next } = encodeEntry(draft, seq + 1, hash);
      return { lines: Buffer.from(`${line}\n`), head: { seq: seq + 1, hash: next } };
    });
    await expect(ledger.seal()).rejects.toMatchObject({
      code: 'DAMAGED',
      message: expect.stringContaining('rotation'),
    });
    await expect(ledger.epochs()).rejects.toMatchObject({ code: 'DAMAGED' });
    expect((await keyring.list((await ledger.identity()).origin)).length).toBe(1);
    expect((await verifyLedger(store.files)).verdict).toBe('BROKEN');
  });
});

const STEPS = ['append', 'writeTiles', 'writeCheckpoint', 'save', 'destroy'] as const;

describe('a rotation that stops', () => {
  it.each(['before', 'after'] as const)('%s any of its steps leaves a ledger that goes on', async (when) => {
    // Counts the steps first, then stops at each of them in turn.
    let steps = Number.POSITIVE_INFINITY;
    for (let stop = 0; stop < steps; stop++) {
      const { store, keyring, ledger, first } = await make();
      await ledger.append(note('a'));
      let step = 0;
      const stopHere = (name: string): void => {
        if (stop > 0 && step === stop) throw new Error(`stopped ${when} ${name}`);
      };
      const watch = async (name: string, phase: 'before' | 'after'): Promise<void> => {
        if (!(STEPS as readonly string[]).includes(name)) return;
        if (phase === 'before') step++;
        if (phase === when) stopHere(name);
      };
      const rotating = new Ledger({
        store: intercept(
          store,
          (name) => watch(name, 'before'),
          (name) => watch(name, 'after'),
        ),
        keyring: intercept(
          keyring,
          (name) => watch(name, 'before'),
          (name) => watch(name, 'after'),
        ),
        random: seededRandom(`stop ${stop}`),
      });
      if (stop === 0) {
        await rotating.rotateKey();
        steps = step + 1;
        expect(steps).toBeGreaterThan(8);
        continue;
      }
      await expect(rotating.rotateKey()).rejects.toThrow(`stopped ${when}`);
      expect((await verifyLedger(store.files)).failures).toEqual([]);
      const after = new Ledger({ store, keyring, random: seededRandom() });
      await after.append(note('b'));
      await after.seal();
      const epochs = await after.epochs();
      const current = epochs.at(-1)?.key ?? first;
      const held = await keyring.list(first.name);
      expect(held, `step ${stop}: the current key is here`).toContain(hex(current));
      for (const { key } of epochs.slice(0, -1))
        expect(held, `step ${stop}: the old one is not`).not.toContain(hex(key));
      expect(await signedTo(store, first)).toBe((await store.head()).seq);
      const again = await after.rotateKey();
      expect(hex(again.oldKey)).toBe(hex(current));
      expect(await signedTo(store, first)).toBe((await store.head()).seq);
    }
  });
});

describe('keys on files', () => {
  it('are for their owner alone, and gone once destroyed', async () => {
    const directory = join(temporary(), 'ledger');
    const { ledger } = await newFileLedger(directory);
    const keys = join(directory, 'keys');
    const { oldKey, newKey } = await ledger.rotateKey();
    const { readdirSync, readFileSync, statSync, chmodSync, writeFileSync } = await import('node:fs');
    const [name = '', ...rest] = readdirSync(keys);
    expect(rest).toEqual([]);
    expect(name).toContain(hex(newKey).slice(0, 16));
    expect(statSync(join(keys, name)).mode & 0o777).toBe(0o600);
    const keyring = openKeyring(keys);
    expect(await keyring.load(oldKey.name, hex(oldKey))).toBeUndefined();
    expect((await keyring.load(newKey.name, hex(newKey)))?.name).toBe(newKey.name);
    await keyring.destroy(oldKey.name, hex(oldKey));
    chmodSync(join(keys, name), 0o640);
    const leaky = { code: 'KEY', message: expect.stringContaining('chmod 600') };
    await expect(keyring.load(newKey.name, hex(newKey))).rejects.toMatchObject(leaky);
    chmodSync(join(keys, name), 0o600);
    const text = readFileSync(join(keys, name), 'utf8');
    writeFileSync(join(keys, name), text.slice(0, -10));
    const spoilt = await keyring.load(newKey.name, hex(newKey)).catch((error: Error) => error);
    expect(spoilt).toMatchObject({ code: 'KEY' });
    expect((spoilt as Error).message).not.toContain(text.split('+').slice(4).join('+').slice(4, 20));
    await ledger.append(note('a'));
    await expect(ledger.seal()).rejects.toMatchObject({ code: 'KEY' });
  });
});

/** Calls of a store or keyring, with something before and after each. */
function intercept<T extends object>(
  target: T,
  before: (name: string) => Promise<void>,
  after: (name: string) => Promise<void> = async () => {},
): T {
  return new Proxy(target, {
    get(inner, name) {
      const member: unknown = Reflect.get(inner, name);
      if (typeof member !== 'function') return member;
      if (name === 'read' || name === 'sealing') return member.bind(inner);
      return async (...args: unknown[]) => {
        await before(String(name));
        const result: unknown = await member.apply(inner, args);
        await after(String(name));
        return result;
      };
    },
  });
}
