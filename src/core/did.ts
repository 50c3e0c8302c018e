// Decentralized identifiers of the two kinds that attesters use. A did:key is the Ed25519 public key itself
// (w3c-ccg.github.io/did-key-spec); a did:web names an HTTPS host whose document lists keys (w3c-ccg.github.io/did-method-web).
// A document comes from a stranger: it is bounded and only says what its host claims.
import type { Json, JsonObject } from './canonical-json.ts';
import { isAcceptablePoint } from './ed25519-points.ts';
import { encodeBase64Url, sameBytes } from './encoding.ts';
import { ParseError } from './errors.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** The multicodec ed25519-pub (0xed) as a varint. */
const ED25519_CODEC = [0xed, 0x01] as const;
const MULTIKEY_BYTES = 34;
const LONGEST_DID = 400;
const MOST_METHODS = 32;

/** `z6Mk…`: the key with its multicodec, in base58btc. */
export function encodeMultikey(publicKey: Uint8Array): string {
  if (publicKey.length !== 32) throw new RangeError('an Ed25519 public key has 32 bytes');
  return `z${encodeBase58(Uint8Array.of(...ED25519_CODEC, ...publicKey))}`;
}

/** The Ed25519 public key. Throws ParseError for any other key or encoding. */
export function parseMultikey(text: string, path = ''): Uint8Array {
  const bytes = text.startsWith('z') && text.length <= 64 ? parseBase58(text.slice(1)) : undefined;
  const key = bytes?.subarray(2);
  const isEd25519 = bytes?.length === MULTIKEY_BYTES && sameBytes(bytes.subarray(0, 2), codec());
  if (key === undefined || !isEd25519 || !isAcceptablePoint(key) || encodeMultikey(key) !== text)
    throw new ParseError('MALFORMED', 'not an Ed25519 Multikey (z6Mk…)', path);
  return key;
}

export function encodeDidKey(publicKey: Uint8Array): string {
  return `did:key:${encodeMultikey(publicKey)}`;
}

/** Throws ParseError where it is no did:key of an Ed25519 key. */
export function parseDidKey(did: string): Uint8Array {
  if (!did.startsWith('did:key:')) throw new ParseError('MALFORMED', 'not a did:key');
  return parseMultikey(did.slice('did:key:'.length), 'did:key');
}

const HOST = /^[a-z0-9](?:[a-z0-9-]{0,62}\.)*[a-z0-9-]{0,62}[a-z0-9]$|^[a-z0-9]$/;
const SEGMENT = /^[A-Za-z0-9._~-]{1,100}$/;

/** Where the document of a did:web is. Throws ParseError where it is no did:web in its one spelling. */
export function didWebUrl(did: string): string {
  const refuse = (why: string): never => {
    throw new ParseError('MALFORMED', why, 'did:web');
  };
  const [scheme, method, authority = '', ...segments] = did.length > LONGEST_DID ? [] : did.split(':');
  if (scheme !== 'did' || method !== 'web') refuse('write did:web:example.org');
  const [, host = '', port] = /^([^%]+)(?:%3A([1-9]\d{0,4}))?$/.exec(authority) ?? [];
  if (!HOST.test(host) || host.length > 253) refuse('its host is not a domain name in small letters');
  if (port !== undefined && Number(port) > 65_535) refuse('its port is not a port');
  for (const segment of segments)
    if (!SEGMENT.test(segment) || /^\.+$/.test(segment)) refuse('its path is not one of plain names');
  const path = segments.length === 0 ? '/.well-known' : `/${segments.join('/')}`;
  return `https://${host}${port === undefined ? '' : `:${port}`}${path}/did.json`;
}

export interface DidKeys {
  /** Ed25519: signs. */
  readonly signing: Uint8Array;
  /** X25519: packs are encrypted for it. */
  readonly encryption?: Uint8Array;
}

/** The document that a did:web leads to. */
export function didDocument(did: string, { signing, encryption }: DidKeys): JsonObject {
  const own = `${did}#${encodeMultikey(signing)}`;
  const other = `${did}#encryption`;
  return {
    '@context': [
      'https://www.w3.org/ns/did/v1',
      'https://w3id.org/security/multikey/v1',
      ...(encryption === undefined ? [] : ['https://w3id.org/security/jwk/v1']),
    ],
    id: did,
    verificationMethod: [
      { id: own, type: 'Multikey', controller: did, publicKeyMultibase: encodeMultikey(signing) },
      ...(encryption === undefined
        ? []
        : [
            {
              id: other,
              type: 'JsonWebKey',
              controller: did,
              publicKeyJwk: { kty: 'OKP', crv: 'X25519', x: encodeBase64Url(encryption) },
            },
          ]),
    ],
    assertionMethod: [own],
    ...(encryption === undefined ? {} : { keyAgreement: [other] }),
  };
}

/** The Ed25519 keys that may sign for `did` by its document. Throws ParseError; members that others add are passed over. */
export function parseDidDocument(value: Json, did: string): Uint8Array[] {
  const document = asObject(value, 'document');
  if (document.id !== did) throw new ParseError('BAD_MEMBER', 'is of another identifier', 'document.id');
  const methods = asList(document.verificationMethod, 'document.verificationMethod');
  const signing = asList(document.assertionMethod, 'document.assertionMethod');
  const keys: Uint8Array[] = [];
  for (const [i, each] of methods.entries()) {
    const path = `document.verificationMethod[${i}]`;
    const { id, type, controller, publicKeyMultibase } = asObject(each, path);
    const isNamed =
      typeof id === 'string' && signing.some((name) => name === id || name === shortOf(id, did));
    if (type !== 'Multikey' || controller !== did || !isNamed || typeof publicKeyMultibase !== 'string')
      continue;
    // Keys of other kinds may stand beside ours.
    if (publicKeyMultibase.startsWith('z6Mk'))
      keys.push(parseMultikey(publicKeyMultibase, `${path}.publicKeyMultibase`));
  }
  return keys;
}

/** `#name`, as documents may write it. */
function shortOf(id: string, did: string): string | undefined {
  return id.startsWith(`${did}#`) ? id.slice(did.length) : undefined;
}

function asObject(value: Json | undefined, path: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ParseError('BAD_MEMBER', 'not an object', path);
  return value as JsonObject;
}

function asList(value: Json | undefined, path: string): readonly Json[] {
  if (!Array.isArray(value) || value.length > MOST_METHODS)
    throw new ParseError('BAD_MEMBER', `not a list of at most ${MOST_METHODS}`, path);
  return value;
}

function codec(): Uint8Array {
  return Uint8Array.of(...ED25519_CODEC);
}

function encodeBase58(bytes: Uint8Array): string {
  let number = 0n;
  for (const byte of bytes) number = number * 256n + BigInt(byte);
  let text = '';
  for (; number > 0n; number /= 58n) text = `${ALPHABET[Number(number % 58n)]}${text}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}

/** Undefined where a letter is none of the alphabet. Leading zeros are left out: our codec has none. */
function parseBase58(text: string): Uint8Array | undefined {
  let number = 0n;
  for (const letter of text) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) return undefined;
    number = number * 58n + BigInt(digit);
  }
  const bytes: number[] = [];
  for (; number > 0n; number /= 256n) bytes.unshift(Number(number % 256n));
  return Uint8Array.from(bytes);
}
