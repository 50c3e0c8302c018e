// Packs that only named attesters can open: one JWE (RFC 7516, general JSON), A256GCM, the content key wrapped for each
// recipient by ECDH-ES+A256KW over X25519. Opened in memory, never on disk.

import { calculateJwkThumbprint, GeneralEncrypt, generalDecrypt, importJWK, type JWK } from 'jose';
import { type Json, type JsonObject, ParseError } from '../core/index.ts';
import { PackError } from '../format/index.ts';

export const ENCRYPTED_FILE = 'harness-pack.jwe.json';
const ALGORITHM = 'ECDH-ES+A256KW';
const ENCRYPTION = 'A256GCM';
const TYPE = 'harness_pack.v1+gzip';
export const MOST_RECIPIENTS = 32;

/** An X25519 key as a JWK, `d` only in a private one. */
export type EncryptionKey = JWK;

/** Throws PackError for what is no X25519 key. */
export function parseEncryptionKey(value: Json, isPrivate: boolean): EncryptionKey {
  const key = value as JWK | null;
  if (!isPrivate && key !== null && typeof key === 'object' && 'd' in key)
    throw new PackError(
      'BAD_KEY',
      'this is a private key, which only its owner should have. Use its public part, without "d".',
    );
  const word = (text: unknown): boolean => typeof text === 'string' && /^[A-Za-z0-9_-]{43}$/.test(text);
  if (key?.kty !== 'OKP' || key.crv !== 'X25519' || !word(key.x) || (isPrivate && !word(key.d)))
    throw new PackError(
      'BAD_KEY',
      `not ${isPrivate ? 'a private' : 'a'} X25519 key in JWK form, {"kty":"OKP","crv":"X25519","x":"…"${isPrivate ? ',"d":"…"' : ''}}.`,
    );
  return { kty: key.kty, crv: key.crv, x: key.x, ...(isPrivate ? { d: key.d } : {}) } as JWK;
}

/** RFC 7638, which names a recipient. */
export function encryptionKeyId(key: EncryptionKey): Promise<string> {
  return calculateJwkThumbprint(key, 'sha256');
}

export async function encryptPack(
  archive: Uint8Array,
  recipients: readonly EncryptionKey[],
): Promise<JsonObject> {
  if (recipients.length === 0 || recipients.length > MOST_RECIPIENTS)
    throw new PackError('BAD_KEY', `name 1 to ${MOST_RECIPIENTS} recipients.`);
  const encrypt = new GeneralEncrypt(archive).setProtectedHeader({ enc: ENCRYPTION, typ: TYPE });
  const kids = new Set<string>();
  for (const key of recipients) {
    const kid = await encryptionKeyId(key);
    if (kids.has(kid)) throw new PackError('BAD_KEY', `the recipient ${kid} is named twice.`);
    kids.add(kid);
    encrypt.addRecipient(await importJWK(key, ALGORITHM)).setUnprotectedHeader({ alg: ALGORITHM, kid });
  }
  try {
    return (await encrypt.encrypt()) as unknown as JsonObject;
  } catch {
    // Some points give everybody the same secret, and the platform refuses them.
    throw new PackError('BAD_KEY', "a recipient's key can't be used for encryption.");
  }
}

/** The archive. Throws PackError: for another key, for what was changed, for what is not encrypted. */
export async function decryptPack(value: Json, key: EncryptionKey): Promise<Uint8Array> {
  const sealed = value as { recipients?: { header?: { kid?: unknown } }[] } | null;
  if (typeof sealed !== 'object' || !Array.isArray(sealed?.recipients))
    throw new PackError('NOT_ENCRYPTED', 'not an encrypted pack (JWE in general JSON form).');
  if (sealed.recipients.length > MOST_RECIPIENTS)
    throw new PackError('NOT_ENCRYPTED', `more than ${MOST_RECIPIENTS} recipients.`);
  const kid = await encryptionKeyId(key);
  if (!sealed.recipients.some((recipient) => recipient?.header?.kid === kid))
    throw new PackError('NOT_FOR_THIS_KEY', `the pack was not encrypted for this key (${kid}).`);
  try {
    const { plaintext, protectedHeader } = await generalDecrypt(
      sealed as unknown as Parameters<typeof generalDecrypt>[0],
      await importJWK(key, ALGORITHM),
      { keyManagementAlgorithms: [ALGORITHM], contentEncryptionAlgorithms: [ENCRYPTION] },
    );
    if (protectedHeader?.typ !== TYPE) throw new ParseError('MALFORMED', 'another type');
    return plaintext;
  } catch {
    throw new PackError('NOT_FOR_THIS_KEY', "this key can't open the pack, or the pack was changed.");
  }
}
