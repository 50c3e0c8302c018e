// The validator key: made on first use under a certificate of the ledger's key, one even where many make it at once,
// rotated without invalidating anything, and never used once it was replaced.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ed25519Verify } from '#platform';
import {
  type JsonObject,
  parseBase64,
  parseHex,
  validationMessage,
  validatorKeyMessage,
} from '../../src/core/index.ts';
import { parseValidation, parseValidatorKey, type Validation } from '../../src/format/index.ts';
import {
  createLedger,
  type Keyring,
  type Ledger,
  openValidator,
  rotateValidator,
  type Store,
  type ValidatorSigner,
  validatorName,
} from '../../src/ledger/index.ts';
import { openKeyring } from '../../src/store/files/index.ts';
import { MemoryStore, memoryKeyring } from '../../src/store/memory/index.ts';
import { newFileLedger, reopen } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { seededRandom, temporary } from '../temporary.ts';

const SESSION = 'cd'.repeat(32);
const VALIDATION: Validation = {
  validator: 'test_pass',
  validatorVersion: 1,
  claim: 7,
  contract: null,
  args: {},
  outcome: 'pass',
  code: null,
  evidence: [5],
  tree: null,
  changed: null,
  weakened: [],
  grade: 'reported',
  policyHash: 'ab'.repeat(32),
};
const note = (text: string) => ({ kind: 'note', payload: { text }, source: 'test' });

async function make(): Promise<{ ledger: Ledger; store: MemoryStore; keyring: Keyring; origin: string }> {
  const store = new MemoryStore(seededRandom('store'));
  const keyring = memoryKeyring();
  const ledger = await createLedger({ store, keyring, random: seededRandom('ledger') });
  return { ledger, store, keyring, origin: (await ledger.identity()).origin };
}

const keysIn = async (store: Store) =>
  (await readEntries(store)).filter(({ kind }) => kind === 'validator.key');

function holds(validator: ValidatorSigner, origin: string, payload: JsonObject, session = SESSION): boolean {
  const { signature } = parseValidation(payload);
  return ed25519Verify(
    parseHex(validator.publicKey, 32),
    validationMessage({ origin, sessionId: session, payload }),
    parseBase64(signature),
  );
}

describe('B5a the validator key', () => {
  it('is made on first use, certified by the ledger’s key, and found again', async () => {
    const { ledger, store, origin } = await make();
    await ledger.append(note('a'));
    const validator = await ledger.validator();
    expect(validator.version).toBe(1);
    const [entry, ...more] = await keysIn(store);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ seq: 3, session_id: null, source: 'ledger' });
    const { version, publicKey, certificate } = parseValidatorKey(entry?.payload ?? {});
    expect({ version, publicKey }).toEqual({ version: 1, publicKey: validator.publicKey });
    const [{ key } = { key: undefined }] = await ledger.epochs();
    const message = validatorKeyMessage({ origin, version, publicKey: parseHex(publicKey, 32) });
    expect(key && ed25519Verify(key.publicKey, message, parseBase64(certificate))).toBe(true);
    expect((await ledger.validator()).publicKey).toBe(validator.publicKey);
    expect(await keysIn(store)).toHaveLength(1);
  });

  it('signs synchronously, over origin, session and every member', async () => {
    const { ledger, origin } = await make();
    const validator = await ledger.validator();
    const payload = validator.sign(VALIDATION, SESSION);
    expect(parseValidation(payload)).toMatchObject({ ...VALIDATION, keyVersion: 1 });
    expect(holds(validator, origin, payload)).toBe(true);
    expect(holds(validator, origin, payload, 'ce'.repeat(32))).toBe(false);
    expect(holds(validator, `${origin}0`, payload)).toBe(false);
    for (const name of Object.keys(payload).filter((each) => each !== 'signature')) {
      const other = name === 'code' ? 'x' : name === 'outcome' ? 'fail' : payload[name];
      const changed: JsonObject = { ...payload, [name]: typeof other === 'number' ? other + 1 : ['x'] };
      const message = validationMessage({ origin, sessionId: SESSION, payload: changed });
      const { signature } = parseValidation(payload);
      expect(ed25519Verify(parseHex(validator.publicKey, 32), message, parseBase64(signature)), name).toBe(
        false,
      );
    }
  });

  it('of many that make it at once all get the same', async () => {
    const { store, keyring } = await make();
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, i) => openValidator({ store, keyring, random: seededRandom(`${i}`) })),
    );
    expect(new Set(made.map(({ publicKey }) => publicKey)).size).toBe(1);
    expect(await keysIn(store)).toHaveLength(1);
  });

  it('through several stores on files, too, with one key left', async () => {
    const directory = temporary();
    const { store, ledger } = await newFileLedger(directory);
    const made = await Promise.all([1, 2, 3, 4].map(() => reopen(directory).ledger.validator()));
    expect(new Set(made.map(({ publicKey }) => publicKey)).size).toBe(1);
    const [{ publicKey } = { publicKey: '' }] = made;
    expect(await keysIn(store)).toHaveLength(1);
    const { origin } = await ledger.identity();
    const keyring = openKeyring(join(directory, 'keys'));
    expect(await keyring.list(validatorName(origin))).toEqual([publicKey]);
    // Like the ledger's own, readable only by its owner, and not taken for one of those.
    expect(await keyring.list(origin)).toHaveLength(1);
    const file = `${origin.split('/')[1]}.validator-${publicKey.slice(0, 16)}.key`;
    expect(statSync(join(directory, 'keys', file)).mode & 0o777).toBe(0o600);
  });

  it('can not be made without the ledger’s key, nor used without its own', async () => {
    const { ledger, store } = await make();
    const strange = { store, keyring: memoryKeyring(), random: seededRandom('x') };
    await expect(openValidator(strange)).rejects.toMatchObject({
      code: 'KEY',
      message: expect.stringContaining("a validator key can't be made, because the private key"),
    });
    await expect(rotateValidator(strange)).rejects.toMatchObject({ code: 'KEY' });
    await ledger.validator();
    await expect(openValidator(strange)).rejects.toMatchObject({
      code: 'KEY',
      message: expect.stringContaining('foil key rotate --validator'),
    });
    expect(await keysIn(store)).toHaveLength(1);
  });

  it('no caller may write its entry', async () => {
    const { ledger } = await make();
    const payload = { version: 1, public_key: 'ab'.repeat(32), certificate: 'AAAA' };
    await expect(ledger.append({ kind: 'validator.key', payload, source: 'test' })).rejects.toThrow(
      'only the ledger itself',
    );
  });

  it('is certified by the key of its place, also behind a rotation of the ledger’s own', async () => {
    const { ledger, store, origin } = await make();
    const { newKey } = await ledger.rotateKey();
    await ledger.validator();
    const [entry] = await keysIn(store);
    const { version, publicKey, certificate } = parseValidatorKey(entry?.payload ?? {});
    const message = validatorKeyMessage({ origin, version, publicKey: parseHex(publicKey, 32) });
    expect(ed25519Verify(newKey.publicKey, message, parseBase64(certificate))).toBe(true);
  });

  it('is found without reading the ledger again', async () => {
    const { ledger, store, keyring } = await make();
    await ledger.append(Array.from({ length: 50 }, (_, i) => note(`${i}`)));
    await ledger.validator();
    const read: number[] = [];
    const watched = new Proxy(store, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (name !== 'read') return typeof value === 'function' ? value.bind(target) : value;
        return (from: number, to: number) => {
          read.push(to - from + 1);
          return target.read(from, to);
        };
      },
    });
    await openValidator({ store: watched, keyring, random: seededRandom('x') });
    expect(read).toEqual([1]);
  });
});

describe('B5d its rotation', () => {
  it('gives the next version, destroys the old private key, and invalidates nothing', async () => {
    const { ledger, keyring, origin } = await make();
    const first = await ledger.validator();
    const old = first.sign(VALIDATION, SESSION);
    const rotated = await ledger.rotateValidator();
    expect(rotated).toMatchObject({ version: 2, old: { version: 1, publicKey: first.publicKey } });
    expect(await keyring.list(validatorName(origin))).toEqual([rotated.publicKey]);
    const second = await ledger.validator();
    expect(second).toMatchObject({ version: 2, publicKey: rotated.publicKey });
    expect(holds(first, origin, old)).toBe(true);
    expect(holds(second, origin, second.sign(VALIDATION, SESSION))).toBe(true);
    expect(await ledger.validatorKeys()).toEqual([
      rotated.old,
      { seq: rotated.seq, version: 2, publicKey: rotated.publicKey },
    ]);
  });

  it('no signature by the old key comes after it, even from whoever had it open', async () => {
    const { ledger } = await make();
    const first = await ledger.validator();
    await ledger.rotateValidator();
    expect(() => first.sign(VALIDATION, SESSION)).toThrow(expect.objectContaining({ code: 'KEY' }));
  });

  it('makes the first where there is none', async () => {
    const { ledger } = await make();
    expect(await ledger.rotateValidator()).toMatchObject({ version: 1, old: null });
    expect((await ledger.validator()).version).toBe(1);
  });

  it('helps where the private key was lost', async () => {
    const { ledger, keyring, origin } = await make();
    const { publicKey } = await ledger.validator();
    await keyring.destroy(validatorName(origin), publicKey);
    await expect(ledger.validator()).rejects.toMatchObject({ code: 'KEY' });
    await ledger.rotateValidator();
    expect((await ledger.validator()).version).toBe(2);
  });

  it('a crash between any two steps leaves a validator that can be opened', async () => {
    for (const step of ['save', 'destroy', 'append'] as const)
      for (const when of ['before', 'after'] as const) {
        const { ledger, store, keyring, origin } = await make();
        await ledger.validator();
        const crash = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
          return async (...args: A): Promise<R> => {
            if (when === 'after') await call(...args);
            throw new Error('crash');
          };
        };
        const broken = { ...keyring };
        const broke = new Proxy(store, {
          get: (target, name) => {
            const value = Reflect.get(target, name, target) as unknown;
            const bound = typeof value === 'function' ? value.bind(target) : value;
            return name === 'append' && step === 'append' ? crash(bound) : bound;
          },
        });
        if (step !== 'append') broken[step] = crash(keyring[step] as (...args: unknown[]) => Promise<void>);
        await expect(
          rotateValidator({ store: broke, keyring: broken, random: seededRandom('r') }),
        ).rejects.toThrow('crash');
        const again = await ledger.validator();
        expect(holds(again, origin, again.sign(VALIDATION, SESSION)), `${step} ${when}`).toBe(true);
        const keys = await ledger.validatorKeys();
        expect(keys.at(-1)).toMatchObject({ version: again.version, publicKey: again.publicKey });
        const { version } = await ledger.rotateValidator();
        expect(version).toBe(again.version + 1);
        expect(await keyring.list(validatorName(origin))).toEqual([(await ledger.validator()).publicKey]);
      }
  });

  it('of two at once, the last key is the one that signs', async () => {
    const { ledger, store, keyring, origin } = await make();
    await ledger.validator();
    await Promise.all([ledger.rotateValidator(), ledger.rotateValidator()]);
    const keys = (await keysIn(store)).map(({ payload }) => parseValidatorKey(payload));
    expect(keys.map(({ version }) => version)).toEqual(keys.map((_, i) => i + 1));
    const { publicKey } = await ledger.validator();
    expect(keys.at(-1)?.publicKey).toBe(publicKey);
    expect(await keyring.list(validatorName(origin))).toEqual([publicKey]);
  });
});

it('keys of another ledger in the same directory are not its own', async () => {
  const keyring = openKeyring(temporary());
  const names = ['counterfoil/0123456789abcdef', 'counterfoil/fedcba9876543210'].map(validatorName);
  await keyring.save(names[0] as string, new Uint8Array(32).fill(1));
  expect(await keyring.list(names[0] as string)).toHaveLength(1);
  expect(await keyring.list(names[1] as string)).toEqual([]);
  expect(await keyring.list('counterfoil/0123456789abcdef')).toEqual([]);
});
