// Content that is kept encrypted opens with the ledger's key, for its session, and as it was written; else not at all.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  contentRefs,
  encodeContentRef,
  encryptedType,
  NO_SESSION,
  typeOfEncrypted,
} from '../../src/format/index.ts';
import { decryptContent, encryptContent } from '../../src/record/content-cipher.ts';
import { MemoryStore } from '../../src/store/memory/index.ts';
import { seededRandom } from '../temporary.ts';

type Vector = { key: string; session: string; encrypted: string; content: string | null };

const file = new URL('../../spec/vectors/content-encrypted.json', import.meta.url);
const vectors = (JSON.parse(readFileSync(file, 'utf8')) as { encrypted: Vector[] }).encrypted;
const hex = (text: string): Uint8Array => Buffer.from(text, 'hex');
const KEY = seededRandom('key')(32);
const SESSION = 'ab'.repeat(32);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('content that is encrypted', () => {
  it('comes back as it was', () => {
    for (const content of [utf8(''), utf8('a'), utf8('hello'.repeat(10_000)), seededRandom()(1_000_003)]) {
      const encrypted = encryptContent(KEY, SESSION, content);
      expect(encrypted.length).toBe(18 + 12 + content.length + 16);
      const opened = decryptContent(KEY, SESSION, encrypted);
      expect(opened !== undefined && Buffer.compare(opened, content)).toBe(0);
    }
  });

  it('shows nothing of itself, and never looks the same twice', () => {
    const content = utf8('the same content '.repeat(4));
    const [a, b] = [encryptContent(KEY, SESSION, content), encryptContent(KEY, SESSION, content)];
    expect(Buffer.from(a).includes('content ')).toBe(false);
    expect(Buffer.compare(a, b)).not.toBe(0);
    expect(Buffer.compare(a.subarray(18, 30), b.subarray(18, 30))).not.toBe(0);
  });

  it('does not open once a bit of it is flipped, wherever that is', () => {
    const encrypted = encryptContent(KEY, SESSION, utf8('some content'));
    for (let at = 0; at < encrypted.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const flipped = encrypted.slice();
        flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
        expect(decryptContent(KEY, SESSION, flipped)).toBeUndefined();
      }
    }
  });

  it('does not open when it is cut short or longer', () => {
    const encrypted = encryptContent(KEY, SESSION, utf8('some content'));
    for (let length = 0; length < encrypted.length; length++) {
      expect(decryptContent(KEY, SESSION, encrypted.subarray(0, length))).toBeUndefined();
    }
    expect(decryptContent(KEY, SESSION, new Uint8Array([...encrypted, 0]))).toBeUndefined();
  });

  it('does not open for another session or with another key', () => {
    const encrypted = encryptContent(KEY, SESSION, utf8('x'));
    expect(decryptContent(KEY, 'cd'.repeat(32), encrypted)).toBeUndefined();
    expect(decryptContent(KEY, NO_SESSION, encrypted)).toBeUndefined();
    expect(decryptContent(seededRandom('other')(32), SESSION, encrypted)).toBeUndefined();
    expect(() => encryptContent(KEY.subarray(1), SESSION, utf8('x'))).toThrow(RangeError);
  });

  it('is what the specification says', () => {
    for (const { key, session, encrypted, content } of vectors) {
      const opened = decryptContent(hex(key), session, hex(encrypted));
      expect(opened === undefined ? null : new TextDecoder().decode(opened)).toBe(content);
    }
    expect(vectors.filter(({ content }) => content === null).length).toBeGreaterThan(vectors.length / 2);
  });

  it('G13 is committed to as ciphertext, under a type that says so', async () => {
    const type = encryptedType('text/plain');
    expect(type).toBe('application/vnd.counterfoil.encrypted;type="text/plain"');
    expect(typeOfEncrypted({ type })).toBe('text/plain');
    expect(typeOfEncrypted({ type: 'text/plain' })).toBeUndefined();
    expect(typeOfEncrypted({})).toBeUndefined();
    const store = new MemoryStore(seededRandom());
    const ref = await store.putContent(SESSION, encryptContent(KEY, SESSION, utf8('hello')), { type });
    expect(contentRefs({ output: encodeContentRef(ref) })).toEqual([ref]);
    const kept = (await store.getContent(SESSION, ref)) as Uint8Array;
    expect(new TextDecoder().decode(decryptContent(KEY, SESSION, kept))).toBe('hello');
  });
});
