// An Ed25519 public key as SubjectPublicKeyInfo (RFC 8410): the form in which OpenSSL, cosign and others take keys.
import { isAcceptablePoint } from './ed25519-points.ts';
import { encodeBase64, parseHex } from './encoding.ts';

/** All that stands before the 32 bytes of the key: it is the same for each. */
const PREFIX = '302a300506032b6570032100';

/** DER. Throws RangeError for what is no Ed25519 public key. */
export function encodePublicKeyDer(publicKey: Uint8Array): Uint8Array {
  if (!isAcceptablePoint(publicKey)) throw new RangeError('not an Ed25519 public key');
  return Uint8Array.from([...parseHex(PREFIX), ...publicKey]);
}

export function encodePublicKeyPem(publicKey: Uint8Array): string {
  // 60 characters: one line.
  const line = encodeBase64(encodePublicKeyDer(publicKey));
  return `-----BEGIN PUBLIC KEY-----\n${line}\n-----END PUBLIC KEY-----\n`;
}
