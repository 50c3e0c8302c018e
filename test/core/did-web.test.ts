// did:web: where a document is, what it says, and what is refused.
import { describe, expect, it } from 'vitest';
import { ed25519Signer } from '#platform';
import {
  didDocument,
  didWebUrl,
  encodeDidKey,
  type Json,
  type JsonObject,
  ParseError,
  parseDidDocument,
} from '../../src/core/index.ts';

const DID = 'did:web:attest.example.org';
const { publicKey } = ed25519Signer(new Uint8Array(32).fill(7));
const { publicKey: otherKey } = ed25519Signer(new Uint8Array(32).fill(8));

describe('didWebUrl', () => {
  it.each([
    ['did:web:example.org', 'https://example.org/.well-known/did.json'],
    ['did:web:example.org%3A8443', 'https://example.org:8443/.well-known/did.json'],
    ['did:web:example.org:user:alice', 'https://example.org/user/alice/did.json'],
    ['did:web:localhost%3A3000:a', 'https://localhost:3000/a/did.json'],
    ['did:web:x', 'https://x/.well-known/did.json'],
  ])('%s is at %s', (did, url) => {
    expect(didWebUrl(did)).toBe(url);
  });

  it.each([
    '',
    'did:web:',
    'did:key:z6Mk',
    'did:web:Example.org',
    'did:web:exa mple.org',
    'did:web:example.org/x',
    'did:web:example.org?x',
    'did:web:user@example.org',
    'did:web:example.org%3a8443',
    'did:web:example.org%3A0',
    'did:web:example.org%3A99999',
    'did:web:example.org:..',
    'did:web:example.org:a:',
    'did:web:example.org:a%2Fb',
    'did:web:-example.org',
    'did:web:example..org',
    'did:web:127.0.0.1',
    `did:web:${'a'.repeat(500)}`,
    `did:web:${'a-'.repeat(190)}`,
  ])('refuses %s', (did) => {
    expect(() => didWebUrl(did)).toThrow(ParseError);
  });
});

describe('a document', () => {
  const document = didDocument(DID, { signing: publicKey, encryption: new Uint8Array(32).fill(9) });
  const [method] = document.verificationMethod as JsonObject[];

  it('C15 names its key in the form that others read', () => {
    expect(method).toEqual({
      id: `${DID}#${encodeDidKey(publicKey).slice(8)}`,
      type: 'Multikey',
      controller: DID,
      publicKeyMultibase: encodeDidKey(publicKey).slice(8),
    });
    expect(parseDidDocument(document, DID)).toEqual([publicKey]);
  });

  it('is read in the forms that others write', () => {
    const more = { ...method, id: `${DID}#two`, publicKeyMultibase: encodeDidKey(otherKey).slice(8) };
    const both = { ...document, service: [], verificationMethod: [method, more] } as unknown as JsonObject;
    expect(parseDidDocument(both, DID)).toEqual([publicKey]);
    const short = { ...both, assertionMethod: [method?.id, '#two'] } as unknown as JsonObject;
    expect(parseDidDocument(short, DID)).toEqual([publicKey, otherKey]);
  });

  it.each<[string, JsonObject]>([
    ['of another controller', { controller: 'did:web:evil.example' }],
    ['that is no Multikey', { type: 'JsonWebKey' }],
    ['that may not sign', { id: `${DID}#other` }],
    ['of another kind', { publicKeyMultibase: 'z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc' }],
    ['that is no text', { publicKeyMultibase: 5 }],
  ])('has no use for a key %s', (_, changes) => {
    const changed = { ...document, verificationMethod: [{ ...method, ...changes }] } as unknown as JsonObject;
    expect(parseDidDocument(changed, DID)).toEqual([]);
  });

  it.each<[string, Json]>([
    ['nothing', null],
    ['a list', []],
    ['another identifier', { ...document, id: 'did:web:evil.example' }],
    ['no methods', { ...document, verificationMethod: null }],
    ['a method that is none', { ...document, verificationMethod: ['x'] }],
    [
      'too many methods',
      { ...document, verificationMethod: Array.from({ length: 33 }, () => method ?? null) },
    ],
    ['no list of those that sign', { ...document, assertionMethod: 'x' }],
    ['a broken key', { ...document, verificationMethod: [{ ...method, publicKeyMultibase: 'z6Mk0' }] }],
  ])('is refused: %s', (_, value) => {
    expect(() => parseDidDocument(value, DID)).toThrow(ParseError);
  });
});
