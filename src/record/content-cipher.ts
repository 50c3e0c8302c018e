// `content: encrypt`. What is kept is ciphertext under AES-256-GCM, with a key for each session derived from the
// ledger's content key, so that one session can be handed over without the others. spec/content.md is the
// specification. node:crypto is loaded on first use: a hook that encrypts nothing does not pay for it.

import { ENCRYPTED_HEADER as HEADER } from '../format/index.ts';
import type { Keyring } from '../ledger/index.ts';

/** Turns content into what is stored in its place. */
export type Cipher = (session: string, content: Uint8Array) => Promise<Uint8Array>;

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** The ledger's own key for content, made on first use. */
export async function openCipher(keyring: Pick<Keyring, 'contentKey'>, origin: string): Promise<Cipher> {
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  const key = await keyring.contentKey(origin, randomBytes);
  if (key === undefined) throw new TypeError('a key was to be made');
  return async (session, content) => encryptContent(key, session, content);
}

/** `session` is the id that the content is kept under. No two results are alike, not even of the same content. */
export function encryptContent(contentKey: Uint8Array, session: string, content: Uint8Array): Uint8Array {
  const { createCipheriv, randomBytes } = process.getBuiltinModule('node:crypto');
  const header = Buffer.from(HEADER, 'latin1');
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sessionKey(contentKey, session), nonce, {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(header);
  return concat([header, nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined when it does not open: another key, another session, or not what was written. */
export function decryptContent(
  contentKey: Uint8Array,
  session: string,
  encrypted: Uint8Array,
): Uint8Array | undefined {
  const start = HEADER.length + NONCE_BYTES;
  const end = encrypted.length - TAG_BYTES;
  if (end < start) return undefined;
  const { createDecipheriv } = process.getBuiltinModule('node:crypto');
  const header = encrypted.subarray(0, HEADER.length);
  if (Buffer.from(header).toString('latin1') !== HEADER) return undefined;
  const nonce = encrypted.subarray(HEADER.length, start);
  const decipher = createDecipheriv('aes-256-gcm', sessionKey(contentKey, session), nonce, {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(header);
  decipher.setAuthTag(encrypted.subarray(end));
  try {
    return concat([decipher.update(encrypted.subarray(start, end)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** HKDF-SHA256 without a salt: the content key is uniform already. */
function sessionKey(contentKey: Uint8Array, session: string): Uint8Array {
  if (contentKey.length !== KEY_BYTES) throw new RangeError(`a content key has ${KEY_BYTES} bytes`);
  const { hkdfSync } = process.getBuiltinModule('node:crypto');
  const info = Buffer.from(`${HEADER}${session}`, 'utf8');
  return new Uint8Array(hkdfSync('sha256', contentKey, new Uint8Array(0), info, KEY_BYTES));
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    out.set(piece, at);
    at += piece.length;
  }
  return out;
}
