// The contract of Keyring in src/ledger/ports.ts, for every keyring; and what the one on files promises beyond it.
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeHex, makeSigner, sameBytes } from '../../src/core/index.ts';
import type { Keyring } from '../../src/ledger/index.ts';
import { openKeyring } from '../../src/store/files/index.ts';
import { memoryKeyring } from '../../src/store/memory/index.ts';
import { diskDirectory, seededRandom, temporary } from '../temporary.ts';

const ORIGIN = 'counterfoil/0123456789abcdef';
const OTHER = 'counterfoil/fedcba9876543210';

describe.each<[string, () => Keyring]>([
  ['memory', memoryKeyring],
  ['files', () => openKeyring(join(temporary(diskDirectory), 'keys'))],
])('the keyring in %s', (_, make) => {
  it('keeps signing keys by ledger, and destroys them', async () => {
    const keyring = make();
    const seed = seededRandom()(32);
    const key = encodeHex(makeSigner(ORIGIN, seed).publicKey);
    expect(await keyring.list(ORIGIN)).toEqual([]);
    await keyring.save(ORIGIN, seed);
    expect(await keyring.list(ORIGIN)).toEqual([key]);
    expect(await keyring.list(OTHER)).toEqual([]);
    expect((await keyring.load(ORIGIN, key))?.name).toBe(ORIGIN);
    await keyring.destroy(ORIGIN, key);
    await keyring.destroy(ORIGIN, key);
    expect(await keyring.load(ORIGIN, key)).toBeUndefined();
  });

  it('makes a content key on first use and gives the same one ever after, one a ledger', async () => {
    const keyring = make();
    const random = seededRandom();
    expect(await keyring.contentKey(ORIGIN)).toBeUndefined();
    const key = (await keyring.contentKey(ORIGIN, random)) as Uint8Array;
    expect(key).toHaveLength(32);
    expect(await keyring.contentKey(ORIGIN)).toEqual(key);
    expect(await keyring.contentKey(ORIGIN, random)).toEqual(key);
    const other = (await keyring.contentKey(OTHER, random)) as Uint8Array;
    expect(sameBytes(other, key)).toBe(false);
    expect(await keyring.list(ORIGIN)).toEqual([]);
  });

  it('gives all who make a content key at once the same one', async () => {
    const keyring = make();
    const keys = await Promise.all(
      Array.from({ length: 8 }, (_, i) => keyring.contentKey(ORIGIN, seededRandom(String(i)))),
    );
    for (const key of keys) expect(key).toEqual(keys[0]);
    expect(await keyring.contentKey(ORIGIN)).toEqual(keys[0]);
  });

  it('gives out copies: who clears one clears no other', async () => {
    const keyring = make();
    const key = (await keyring.contentKey(ORIGIN, seededRandom())) as Uint8Array;
    const before = key.slice();
    key.fill(0);
    expect(await keyring.contentKey(ORIGIN)).toEqual(before);
  });

  it('keeps the content key when a signing key is destroyed', async () => {
    const keyring = make();
    const seed = seededRandom('seed')(32);
    await keyring.save(ORIGIN, seed);
    const key = await keyring.contentKey(ORIGIN, seededRandom());
    await keyring.destroy(ORIGIN, encodeHex(makeSigner(ORIGIN, seed).publicKey));
    expect(await keyring.contentKey(ORIGIN)).toEqual(key);
  });
});

describe('the content key in files', () => {
  it('is a file of its own that only its owner can read', async () => {
    const directory = join(temporary(diskDirectory), 'keys');
    const key = (await openKeyring(directory).contentKey(ORIGIN, seededRandom())) as Uint8Array;
    expect(readdirSync(directory)).toEqual(['0123456789abcdef.content']);
    const file = join(directory, '0123456789abcdef.content');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'latin1')).toBe(`${encodeHex(key)}\n`);
    expect(await openKeyring(directory).contentKey(ORIGIN)).toEqual(key);
  });

  it('is refused when others can read it, and never shown', async () => {
    const directory = join(temporary(diskDirectory), 'keys');
    const keyring = openKeyring(directory);
    const key = (await keyring.contentKey(ORIGIN, seededRandom())) as Uint8Array;
    const file = join(directory, '0123456789abcdef.content');
    chmodSync(file, 0o640);
    const refused = await keyring.contentKey(ORIGIN, seededRandom()).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'KEY' });
    expect(String(refused)).toContain('chmod 600');
    expect(String(refused)).not.toContain(encodeHex(key).slice(0, 8));
  });

  it.each(['', '\n', 'ab\n', `${'ab'.repeat(32)}`, `${'AB'.repeat(32)}\n`, `${'ab'.repeat(33)}\n`])(
    'is refused, not replaced, when it is damaged: %j',
    async (content) => {
      const directory = join(temporary(diskDirectory), 'keys');
      const keyring = openKeyring(directory);
      await keyring.contentKey(ORIGIN, seededRandom());
      const file = join(directory, '0123456789abcdef.content');
      writeFileSync(file, content);
      await expect(keyring.contentKey(ORIGIN, seededRandom())).rejects.toMatchObject({ code: 'KEY' });
      expect(readFileSync(file, 'latin1')).toBe(content);
    },
  );
});
