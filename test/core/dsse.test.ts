// DSSE envelopes: the specification's own example of what is signed, and what is refused.
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import {
  dsseMessage,
  encodeDsse,
  isDsseSignedBy,
  type Json,
  ParseError,
  parseDsse,
} from '../../src/core/index.ts';

const TYPE = 'http://example.com/HelloWorld';
const payload = utf8Encode('hello world');
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
const envelope = {
  payloadType: TYPE,
  payload,
  signatures: [{ keyid: 'k', sig: new Uint8Array(sign(null, dsseMessage(TYPE, payload), privateKey)) }],
};
const parsed = (bytes: Uint8Array): Json => JSON.parse(new TextDecoder().decode(bytes)) as Json;

describe('a DSSE envelope', () => {
  it('signs type and payload behind their lengths', () => {
    expect(new TextDecoder().decode(dsseMessage(TYPE, payload))).toBe(
      'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
    );
    expect(new TextDecoder().decode(dsseMessage('é', new Uint8Array(0)))).toBe('DSSEv1 2 é 0 ');
  });

  it('comes back as it was written, and another implementation accepts its signature', () => {
    const back = parseDsse(parsed(encodeDsse(envelope)));
    expect(back).toEqual(envelope);
    expect(isDsseSignedBy(back, key)).toBe(true);
    const [signature] = back.signatures;
    expect(verify(null, dsseMessage(back.payloadType, back.payload), publicKey, signature?.sig ?? key)).toBe(
      true,
    );
  });

  it('does not hold with another type, payload or key', () => {
    expect(isDsseSignedBy({ ...envelope, payloadType: `${TYPE}s` }, key)).toBe(false);
    expect(isDsseSignedBy({ ...envelope, payload: utf8Encode('hello worlD') }, key)).toBe(false);
    expect(
      isDsseSignedBy(
        envelope,
        key.map((byte) => byte ^ 1),
      ),
    ).toBe(false);
  });

  it.each<[string, (good: Record<string, Json>) => Json]>([
    ['null', () => null],
    ['a list', () => []],
    ['another member', (good) => ({ ...good, extra: 1 })],
    ['no payload', ({ payload: _, ...rest }) => rest],
    ['a payload that is not base64', (good) => ({ ...good, payload: '?' })],
    ['URL-safe base64', (good) => ({ ...good, payload: 'a-_b' })],
    ['no signature', (good) => ({ ...good, signatures: [] })],
    [
      'too many signatures',
      (good) => ({ ...good, signatures: Array(17).fill((good.signatures as Json[])[0]) }),
    ],
    ['a short signature', (good) => ({ ...good, signatures: [{ keyid: 'k', sig: 'AAAA' }] })],
    ['an odd signature', (good) => ({ ...good, signatures: [{ keyid: 7, sig: 'AAAA' }] })],
  ])('is refused: %s', (_, change) => {
    const good = parsed(encodeDsse(envelope)) as Record<string, Json>;
    expect(() => parseDsse(change(good))).toThrow(ParseError);
  });
});
