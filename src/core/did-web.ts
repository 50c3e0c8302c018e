// did:web (w3c-ccg.github.io/did-method-web): an identifier that names an HTTPS host, and the document there that lists its
// keys. The document comes from a stranger: it is bounded, and says what its host claims and nothing more.
import type { Json, JsonObject } from './canonical-json.ts';
import { encodeDidKey, parseDidKey } from './did.ts';
import { encodeBase64Url } from './encoding.ts';
import { ParseError } from './errors.ts';

const LONGEST_DID = 400;
const MOST_METHODS = 32;
/** Behind it stands the Multikey of an Ed25519 key, `z6Mk…`. */
const DID_KEY = 'did:key:';
const ED25519_MULTIKEY = 'z6Mk';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const SEGMENT = /^[A-Za-z0-9._~-]{1,100}$/;

/** Where the document of a did:web is. Throws ParseError where it is no did:web in its one spelling. */
export function didWebUrl(did: string): string {
  const refuse = (why: string): never => {
    throw new ParseError('MALFORMED', why);
  };
  const [scheme, method, authority = '', ...segments] = did.length > LONGEST_DID ? [] : did.split(':');
  if (scheme !== 'did' || method !== 'web') refuse('not a did:web such as did:web:example.org');
  const [, host = '', port] = /^([^%]+)(?:%3A([1-9]\d{0,4}))?$/.exec(authority) ?? [];
  const labels = host.split('.');
  const isAddress = /^\d+$/.test(labels.at(-1) ?? '');
  if (!labels.every((label) => LABEL.test(label)) || isAddress || host.length > 253)
    refuse('its host is not a lower-case domain name');
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
  const multikey = encodeDidKey(signing).slice(DID_KEY.length);
  const own = `${did}#${multikey}`;
  const other = `${did}#encryption`;
  return {
    '@context': [
      'https://www.w3.org/ns/did/v1',
      'https://w3id.org/security/multikey/v1',
      ...(encryption === undefined ? [] : ['https://w3id.org/security/jwk/v1']),
    ],
    id: did,
    verificationMethod: [
      { id: own, type: 'Multikey', controller: did, publicKeyMultibase: multikey },
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
    if (publicKeyMultibase.startsWith(ED25519_MULTIKEY)) keys.push(parseDidKey(DID_KEY + publicKeyMultibase));
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
