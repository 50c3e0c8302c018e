// Packs that only named keys open. An own use of RFC 7516 by node:crypto opens what was encrypted, so that it is not
// one library alone that agrees with itself.
import { Buffer } from 'node:buffer';
import {
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type JsonWebKey,
} from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { PackError } from '../../src/format/index.ts';
import {
  decryptPack,
  type EncryptionKey,
  encryptionKeyId,
  encryptPack,
  openPack,
  parseEncryptionKey,
} from '../../src/harness/index.ts';
import { readVector, refusalOf } from './pack-vectors.ts';

const archive = readVector('accepted/small.tar.gz');

interface Pair {
  readonly open: EncryptionKey;
  readonly secret: EncryptionKey;
}

function makePair(): Pair {
  const jwk = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' }) as JsonObject;
  const { d: _, ...open } = jwk;
  return { open: parseEncryptionKey(open, false), secret: parseEncryptionKey(jwk, true) };
}

async function codeOf(act: Promise<unknown>): Promise<string | undefined> {
  try {
    await act;
    return undefined;
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    return error.code;
  }
}

interface Sealed {
  protected: string;
  iv: string;
  ciphertext: string;
  tag: string;
  recipients: { header: { alg: string; kid: string; epk: JsonWebKey }; encrypted_key: string }[];
}

const seal = async (...pairs: Pair[]): Promise<Sealed> =>
  (await encryptPack(
    archive,
    pairs.map(({ open }) => open),
  )) as unknown as Sealed;
const open = (sealed: unknown, { secret }: Pair): Promise<Uint8Array> => decryptPack(sealed as Json, secret);
const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url');

/** RFC 7518, 4.6.2: one round of Concat KDF is enough for 256 bits. */
function wrappingKey(secret: EncryptionKey, epk: JsonWebKey): Buffer {
  const shared = diffieHellman({
    privateKey: createPrivateKey({ key: secret as JsonWebKey, format: 'jwk' }),
    publicKey: createPublicKey({ key: epk, format: 'jwk' }),
  });
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const algorithm = Buffer.from('ECDH-ES+A256KW');
  return createHash('sha256')
    .update(
      Buffer.concat([
        number(1),
        shared,
        number(algorithm.length),
        algorithm,
        number(0),
        number(0),
        number(256),
      ]),
    )
    .digest();
}

describe('C4 an encrypted pack', () => {
  it('is opened by its recipient, byte for byte', async () => {
    const reader = makePair();
    const opened = await open(JSON.parse(JSON.stringify(await seal(reader))), reader);
    expect(Buffer.compare(opened, archive)).toBe(0);
    expect(openPack(opened).hashes.root).toBe(openPack(archive).hashes.root);
  });

  it('is a JWE as the specification says, and another implementation opens it', async () => {
    const [one, two] = [makePair(), makePair()];
    const sealed = await seal(one, two);
    expect(JSON.parse(bytesOf(sealed.protected).toString())).toEqual({
      enc: 'A256GCM',
      typ: 'harness_pack.v1+gzip',
    });
    expect(sealed.recipients.map(({ header }) => header.alg)).toEqual(['ECDH-ES+A256KW', 'ECDH-ES+A256KW']);
    const thumbprint = createHash('sha256').update(
      JSON.stringify({ crv: 'X25519', kty: 'OKP', x: two.open.x }),
    );
    const kid = thumbprint.digest('base64url');
    expect(sealed.recipients[1]?.header.kid).toBe(kid);
    expect(await encryptionKeyId(two.secret)).toBe(kid);

    const { header, encrypted_key } = sealed.recipients[1]!;
    // RFC 3394's initial value.
    const unwrap = createDecipheriv(
      'id-aes256-wrap',
      wrappingKey(two.secret, header.epk),
      Buffer.alloc(8, 0xa6),
    );
    const key = Buffer.concat([unwrap.update(bytesOf(encrypted_key)), unwrap.final()]);
    const cipher = createDecipheriv('aes-256-gcm', key, bytesOf(sealed.iv));
    cipher.setAAD(Buffer.from(sealed.protected));
    cipher.setAuthTag(bytesOf(sealed.tag));
    const plain = Buffer.concat([cipher.update(bytesOf(sealed.ciphertext)), cipher.final()]);
    expect(Buffer.compare(plain, archive)).toBe(0);
  });

  it('is opened by each of its recipients, and by nobody else', async () => {
    const [one, two, stranger] = [makePair(), makePair(), makePair()];
    const sealed = await seal(one, two);
    for (const reader of [one, two]) expect(Buffer.compare(await open(sealed, reader), archive)).toBe(0);
    expect(await codeOf(open(sealed, stranger))).toBe('NOT_FOR_THIS_KEY');
    // A stranger who writes its own name in can't open it either.
    const kid = await encryptionKeyId(stranger.secret);
    const renamed = structuredClone(sealed);
    for (const { header } of renamed.recipients) header.kid = kid;
    expect(await codeOf(open(renamed, stranger))).toBe('NOT_FOR_THIS_KEY');
  });

  it('is different each time, and says nothing of what is in it', async () => {
    const reader = makePair();
    const [one, two] = [await seal(reader), await seal(reader)];
    expect(one.ciphertext).not.toBe(two.ciphertext);
    expect(bytesOf(one.ciphertext).includes('AGENTS')).toBe(false);
  });

  const flip = (text: string, at = 0): string => {
    const bytes = bytesOf(text);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes.toString('base64url');
  };
  const header = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  it.each<[string, (sealed: Sealed) => void]>([
    ['first byte', (sealed) => (sealed.ciphertext = flip(sealed.ciphertext))],
    [
      'last byte',
      (sealed) => (sealed.ciphertext = flip(sealed.ciphertext, bytesOf(sealed.ciphertext).length - 1)),
    ],
    ['length', (sealed) => (sealed.ciphertext = sealed.ciphertext.slice(0, -4))],
    ['tag', (sealed) => (sealed.tag = flip(sealed.tag))],
    [
      'tag that is shorter',
      (sealed) => (sealed.tag = bytesOf(sealed.tag).subarray(0, 4).toString('base64url')),
    ],
    ['tag that is empty', (sealed) => (sealed.tag = '')],
    ['iv', (sealed) => (sealed.iv = flip(sealed.iv))],
    [
      'wrapped key',
      (sealed) => (sealed.recipients[0]!.encrypted_key = flip(sealed.recipients[0]!.encrypted_key)),
    ],
    [
      'ephemeral key',
      (sealed) => (sealed.recipients[0]!.header.epk.x = flip(sealed.recipients[0]!.header.epk.x ?? '')),
    ],
    ['algorithm', (sealed) => (sealed.recipients[0]!.header.alg = 'dir')],
    ['protected type', (sealed) => (sealed.protected = header({ enc: 'A256GCM', typ: 'another' }))],
    ['protected header without a type', (sealed) => (sealed.protected = header({ enc: 'A256GCM' }))],
    [
      'protected encryption',
      (sealed) => (sealed.protected = header({ enc: 'A128GCM', typ: 'harness_pack.v1+gzip' })),
    ],
    [
      'protected header in another form',
      (sealed) => (sealed.protected = header({ typ: 'harness_pack.v1+gzip', enc: 'A256GCM' })),
    ],
    ['protected header that is no JSON', (sealed) => (sealed.protected = 'AAAA')],
    ['additional data', (sealed) => Object.assign(sealed, { aad: 'AAAA' })],
  ])('is refused with another %s', async (_, change) => {
    const reader = makePair();
    const sealed = await seal(reader, makePair());
    change(sealed);
    expect(await codeOf(open(sealed, reader))).toBe('NOT_FOR_THIS_KEY');
  });

  it('is not opened as a pack where it is another thing that was encrypted for the same key', async () => {
    const { GeneralEncrypt, importJWK } = await import('jose');
    const reader = makePair();
    const sealed = await new GeneralEncrypt(archive)
      .setProtectedHeader({ enc: 'A256GCM', typ: 'letter' })
      .addRecipient(await importJWK(reader.open, 'ECDH-ES+A256KW'))
      .setUnprotectedHeader({ alg: 'ECDH-ES+A256KW', kid: await encryptionKeyId(reader.open) })
      .encrypt();
    expect(await codeOf(open(sealed, reader))).toBe('NOT_FOR_THIS_KEY');
  });

  it('has at most 32 recipients, written or read', async () => {
    const reader = makePair();
    const many = [reader, ...Array.from({ length: 31 }, makePair)];
    const sealed = await seal(...many);
    expect(Buffer.compare(await open(sealed, reader), archive)).toBe(0);
    expect(await codeOf(seal(...many, makePair()))).toBe('BAD_KEY');
    expect(await codeOf(seal())).toBe('BAD_KEY');
    sealed.recipients.push(sealed.recipients[0]!);
    expect(await codeOf(open(sealed, reader))).toBe('NOT_ENCRYPTED');
  });

  it.each([null, 1, 'x', [], {}, { recipients: {} }, { recipients: 'all' }])('is not %j', async (value) => {
    expect(await codeOf(open(value, makePair()))).toBe('NOT_ENCRYPTED');
  });

  it.each([[[]], [[null]], [[1]], [[{}]], [[{ header: null }]], [[{ header: { kid: 1 } }]]])(
    'is not for a key where its recipients are %j',
    async (recipients) => {
      expect(await codeOf(open({ recipients }, makePair()))).toBe('NOT_FOR_THIS_KEY');
    },
  );
});

describe('a key for encrypted packs', () => {
  const { x, d } = makePair().secret;
  const half = { kty: 'OKP', crv: 'X25519', x } as unknown as JsonObject;
  const good = { ...half, d } as unknown as JsonObject;

  it('C4 is not a private one where the public one is asked for', () => {
    expect(parseEncryptionKey({ ...half, use: 'enc' }, false)).toEqual(half);
    expect(() => parseEncryptionKey(good, false)).toThrow('a private key, which only its owner should have.');
    expect(parseEncryptionKey({ ...good, use: 'enc', kid: 'mine' }, true)).toEqual({ ...good });
  });

  it('C4 is not one that gives everybody the same secret, nor one that was named already', async () => {
    const zero = parseEncryptionKey({ kty: 'OKP', crv: 'X25519', x: 'A'.repeat(43) }, false);
    const { open } = makePair();
    await expect(encryptPack(new Uint8Array(9), [open, zero])).rejects.toThrow(
      "a recipient's key can't be used for encryption.",
    );
    await expect(encryptPack(new Uint8Array(9), [open, { ...open }])).rejects.toThrow(
      /^the recipient \S+ is named twice\.$/,
    );
  });

  it.each<[string, Json]>([
    ['null', null],
    ['a text', 'x'],
    ['a list', []],
    ['another type', { ...half, kty: 'EC' }],
    ['a key for signatures', { ...half, crv: 'Ed25519' }],
    ['a short key', { ...half, x: 'AAAA' }],
    ['padding', { ...half, x: `${String(x).slice(0, 42)}=` }],
    ['a number', { ...half, x: 1 }],
  ])('is not %s', (_, value) => {
    expect(refusalOf(() => parseEncryptionKey(value, false))).toBe('BAD_KEY');
  });

  it('is not private without its private part', () => {
    expect(refusalOf(() => parseEncryptionKey(half, true))).toBe('BAD_KEY');
  });
});
