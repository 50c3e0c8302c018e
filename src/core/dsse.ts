// DSSE v1 (github.com/secure-systems-lab/dsse): an envelope around a payload of a named type, with signatures over both. The
// bytes that are signed are the pre-authentication encoding; the payload is taken as it is and never re-encoded.
import { ed25519Verify, utf8Encode } from '#platform';
import { canonicalize, type Json, type JsonObject } from './canonical-json.ts';
import { encodeBase64, parseBase64 } from './encoding.ts';
import { ParseError } from './errors.ts';
import { dsseMessage } from './signed.ts';

export interface DsseSignature {
  /** A hint that is not signed: which key to try. Never trusted. */
  readonly keyid: string;
  readonly sig: Uint8Array;
}

export interface DsseEnvelope {
  readonly payloadType: string;
  readonly payload: Uint8Array;
  readonly signatures: readonly DsseSignature[];
}

const MOST_SIGNATURES = 16;
const LONGEST_TYPE = 256;
const LONGEST_KEYID = 512;

/** Canonical JSON, so that an envelope has one encoding. */
export function encodeDsse({ payloadType, payload, signatures }: DsseEnvelope): Uint8Array {
  return utf8Encode(
    canonicalize({
      payload: encodeBase64(payload),
      payloadType,
      signatures: signatures.map(({ keyid, sig }) => ({ keyid, sig: encodeBase64(sig) })),
    }),
  );
}

/** Parts of an envelope; nothing is verified. Members that others add are refused. Throws ParseError. */
export function parseDsse(value: Json): DsseEnvelope {
  const envelope = members(value, ['payload', 'payloadType', 'signatures'], 'envelope');
  const { signatures } = envelope;
  if (!Array.isArray(signatures) || signatures.length === 0 || signatures.length > MOST_SIGNATURES)
    throw new ParseError('BAD_MEMBER', `not 1 to ${MOST_SIGNATURES} signatures`, 'envelope.signatures');
  return {
    payloadType: text(envelope, 'payloadType', LONGEST_TYPE, 'envelope'),
    payload: parseBase64(text(envelope, 'payload', Number.MAX_SAFE_INTEGER, 'envelope')),
    signatures: signatures.map((each: Json, i) => {
      const path = `envelope.signatures[${i}]`;
      const signature = members(each, ['keyid', 'sig'], path);
      const sig = parseBase64(text(signature, 'sig', 128, path));
      if (sig.length !== 64) throw new ParseError('BAD_MEMBER', 'not 64 bytes in base64', `${path}.sig`);
      return { keyid: text(signature, 'keyid', LONGEST_KEYID, path), sig };
    }),
  };
}

/** Did this key sign the envelope? */
export function isDsseSignedBy(envelope: DsseEnvelope, publicKey: Uint8Array): boolean {
  const message = dsseMessage(envelope.payloadType, envelope.payload);
  return envelope.signatures.some(({ sig }) => ed25519Verify(publicKey, message, sig));
}

function members(value: Json | undefined, names: readonly string[], path: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ParseError('BAD_MEMBER', 'not an object', path);
  const found = Object.keys(value);
  const wrong = found.find((name) => !names.includes(name)) ?? names.find((name) => !found.includes(name));
  if (wrong !== undefined) throw new ParseError('BAD_MEMBER', 'missing, or unknown', `${path}.${wrong}`);
  return value as JsonObject;
}

function text(object: JsonObject, name: string, most: number, path: string): string {
  const value = object[name];
  if (typeof value !== 'string' || value.length > most)
    throw new ParseError('BAD_MEMBER', 'not a text, or too long', `${path}.${name}`);
  return value;
}
