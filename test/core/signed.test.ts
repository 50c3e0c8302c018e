import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  contentCommitment,
  contentKey,
  headChecksumInput,
  keyRotateMessage,
  noteKeyIdInput,
  policyHashOf,
  policyMessage,
  validationMessage,
  validatorKeyMessage,
} from '../../src/core/index.ts';
import { bytes, text } from './parser-property.ts';

const rotation = {
  origin: 'counterfoil/0123456789abcdef',
  seq: 1000,
  prevHash: 'ab'.repeat(32),
  root: new Uint8Array(32).fill(1),
  oldKey: new Uint8Array(32).fill(2),
  newKey: new Uint8Array(32).fill(3),
};

describe('what is signed', () => {
  it('is these seven lines for a key rotation', () => {
    expect(text(keyRotateMessage(rotation))).toBe(
      [
        'counterfoil/key-rotate/v1',
        'counterfoil/0123456789abcdef',
        '1000',
        'ab'.repeat(32),
        'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=',
        '02'.repeat(32),
        '03'.repeat(32),
        '',
      ].join('\n'),
    );
  });

  it('refuses parts that would shift the lines', () => {
    for (const wrong of [
      { origin: '' },
      { origin: 'a\nb' },
      { seq: -1 },
      { seq: 2 ** 53 },
      { prevHash: 'AB'.repeat(32) },
      { prevHash: '' },
      { root: new Uint8Array(31) },
      { oldKey: new Uint8Array(33) },
      { newKey: new Uint8Array(0) },
    ]) {
      expect(() => keyRotateMessage({ ...rotation, ...wrong })).toThrow(RangeError);
    }
  });
});

describe('what the gate signs', () => {
  const origin = 'counterfoil/0123456789abcdef';
  const sessionId = 'cd'.repeat(32);
  const key = { origin, version: 2, publicKey: new Uint8Array(32).fill(3) };
  const validation = { origin, sessionId, payload: { validator: 'test_pass', claim: 7, signature: 'x' } };
  const policy = { origin, seq: 9, prevHash: 'ab'.repeat(32), policyHash: 'ef'.repeat(32) };

  it('a validator key: tag, origin, version and key', () => {
    expect(text(validatorKeyMessage(key))).toBe(
      `counterfoil/validator-key/v1\n${origin}\n2\n${'03'.repeat(32)}\n`,
    );
  });

  it('a validation: tag, origin, session, and the payload without its signature in canonical JSON', () => {
    expect(text(validationMessage(validation))).toBe(
      `counterfoil/validation/v1\n${origin}\n${sessionId}\n{"claim":7,"validator":"test_pass"}\n`,
    );
    const forged = { ...validation, payload: { args: '}\n', claim: 7 } };
    expect(text(validationMessage(forged)).split('\n')).toHaveLength(5);
  });

  it('a policy: tag, origin, its place, and its hash', () => {
    expect(text(policyMessage(policy))).toBe(
      `counterfoil/policy/v1\n${origin}\n9\n${'ab'.repeat(32)}\n${'ef'.repeat(32)}\n`,
    );
    expect(policyHashOf({ b: 1, a: [] })).toBe(createHash('sha256').update('{"a":[],"b":1}').digest('hex'));
  });

  it('refuses parts that would shift the lines', () => {
    for (const wrong of [
      { origin: 'a\nb' },
      { origin: '' },
      { version: 0 },
      { publicKey: new Uint8Array(31) },
    ])
      expect(() => validatorKeyMessage({ ...key, ...wrong })).toThrow(RangeError);
    for (const wrong of [{ origin: 'a\nb' }, { sessionId: '' }, { sessionId: 'CD'.repeat(32) }])
      expect(() => validationMessage({ ...validation, ...wrong })).toThrow(RangeError);
    for (const wrong of [{ origin: '' }, { seq: 0 }, { prevHash: 'x' }, { policyHash: '' }])
      expect(() => policyMessage({ ...policy, ...wrong })).toThrow(RangeError);
  });
});

describe('what is hashed under a tag', () => {
  it('commits to content under the salt, or plainly without one', () => {
    const content = bytes('content');
    const salt = new Uint8Array(32).fill(5);
    const hmac = (key: Uint8Array, ...parts: (string | Uint8Array)[]): Buffer =>
      parts.reduce((mac, part) => mac.update(part), createHmac('sha256', key)).digest();
    const digest = createHash('sha256').update(content).digest();
    expect(contentCommitment('sha256', null, content)).toBe(digest.toString('hex'));
    expect(contentCommitment('hmac-sha256', salt, content)).toBe(hmac(salt, content).toString('hex'));
    const derived = createHash('sha256').update('counterfoil/derived-key/v1\n').update(salt).digest();
    const key = hmac(hmac(derived, 'content'), digest);
    expect(Buffer.from(contentKey(salt, digest))).toEqual(key);
    expect(contentCommitment('keyed-sha256', salt, content)).toBe(hmac(key, content).toString('hex'));
    for (const algorithm of ['hmac-sha256', 'keyed-sha256'] as const)
      for (const bad of [new Uint8Array(16), null])
        expect(() => contentCommitment(algorithm, bad, content)).toThrow(RangeError);
  });

  it('tags the head file', () => {
    expect(headChecksumInput('body\n')).toBe('counterfoil/head/v1\nbody\n');
  });

  it('puts name, newline, type and key into a key id', () => {
    expect(noteKeyIdInput('é', 1, Uint8Array.of(9, 8))).toEqual(Uint8Array.of(0xc3, 0xa9, 0x0a, 1, 9, 8));
  });
});
