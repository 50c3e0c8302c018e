import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeBase64,
  encodeSignerKey,
  encodeVerifierKey,
  isKeyName,
  keyId,
  makeSigner,
  makeVerifierKey,
  type Note,
  ParseError,
  parseBase64,
  parseNote,
  parseSignerKey,
  parseVerifierKey,
  signNote,
  type VerifierKey,
  verifyNote,
} from '../../src/core/index.ts';
import { bytes, checkStrict, ofText, text } from './parser-property.ts';
import { flipped } from './tree.ts';

// The example of Go's package note, whose key and signature are public.
const GO_VKEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const GO_SKEY = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
const GO_NOTE = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`;

const alice = makeSigner('alice.example/log', new Uint8Array(32).fill(1));
const bob = makeSigner('bob', new Uint8Array(32).fill(2));
const publicPart = ({ name, id, publicKey }: VerifierKey): VerifierKey => ({ name, id, publicKey });

describe('note keys', () => {
  it('agree with Go’s', () => {
    const key = parseVerifierKey(GO_VKEY);
    expect(key.name).toBe('PeterNeumann');
    expect(key.id).toBe(0xc74f20a3);
    expect(keyId(key.name, 1, key.publicKey)).toBe(0xc74f20a3);
    expect(encodeVerifierKey(key)).toBe(GO_VKEY);
    const signer = parseSignerKey(GO_SKEY);
    expect(publicPart(signer)).toEqual(key);
    expect(
      encodeSignerKey('PeterNeumann', parseBase64(GO_SKEY.slice(GO_SKEY.indexOf('c74f20a3+') + 9)).slice(1)),
    ).toBe(GO_SKEY);
    expect(text(signNote(GO_NOTE.slice(0, GO_NOTE.indexOf('\n\n') + 1), [signer]))).toBe(GO_NOTE);
  });

  it('take names without spaces, control characters and plus signs', () => {
    for (const name of ['a', 'counterfoil/0123456789abcdef', 'é', '\ufeff', '😀'])
      expect(isKeyName(name)).toBe(true);
    for (const name of [
      '',
      'a b',
      'a+b',
      'a\n',
      '\u00a0',
      '\u0085',
      '\u2028',
      '\u3000',
      '\u007f',
      '\u0000',
      '\ud800',
    ]) {
      expect(isKeyName(name)).toBe(false);
      expect(() => makeSigner(name, new Uint8Array(32))).toThrow(RangeError);
    }
  });

  it('give back what was encoded', () => {
    const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const names = fc.string({ unit: 'grapheme', minLength: 1 }).filter(isKeyName);
    fc.assert(
      fc.property(names, seeds, (name, seed) => {
        const signer = makeSigner(name, seed);
        const key = parseVerifierKey(encodeVerifierKey(signer));
        expect(key).toEqual(publicPart(signer));
        expect(publicPart(parseSignerKey(encodeSignerKey(name, seed)))).toEqual(key);
      }),
      { numRuns: 50 },
    );
  });

  it('have one form, and throw nothing but ParseError', () => {
    const seed = new Uint8Array(32).fill(1);
    const verifier = bytes(encodeVerifierKey(alice));
    const signer = bytes(encodeSignerKey('alice.example/log', seed));
    checkStrict(ofText(parseVerifierKey), (key) => bytes(encodeVerifierKey(key)), [verifier]);
    checkStrict(
      ofText((raw) => ({ ...parseSignerKey(raw), raw })),
      // The seed is not given back; that the id belongs to it is what the parser has checked.
      (key) => bytes(encodeSignerKey(key.name, parseBase64(key.raw.split('+').slice(4).join('+')).slice(1))),
      [signer],
    );
  });

  it('refuse other types, other ids and points of small order', () => {
    const key = (name: string, id: string, type: number, point: Uint8Array) =>
      `${name}+${id}+${encodeBase64(Uint8Array.of(type, ...point))}`;
    const id = (type: number, point: Uint8Array) => keyId('a', type, point).toString(16).padStart(8, '0');
    const good = alice.publicKey;
    const small = Uint8Array.of(1, ...new Uint8Array(31));
    expect(parseVerifierKey(key('a', id(1, good), 1, good)).publicKey).toEqual(good);
    expect(() => parseVerifierKey(key('a', id(1, good).toUpperCase(), 1, good))).toThrow(ParseError);
    expect(() => parseVerifierKey(key('b', id(1, good), 1, good))).toThrow(ParseError);
    expect(() => parseVerifierKey(key('a', id(4, good), 4, good))).toThrow(ParseError);
    expect(() => parseVerifierKey(key('a', id(1, small), 1, small))).toThrow(ParseError);
    expect(() => parseVerifierKey(key('a', id(1, good.slice(1)), 1, good.slice(1)))).toThrow(ParseError);
    expect(() => parseVerifierKey('a'.repeat(5000))).toThrow(ParseError);
    expect(() => parseSignerKey(encodeVerifierKey(alice))).toThrow(ParseError);
    expect(() => parseVerifierKey(GO_SKEY)).toThrow(ParseError);
    expect(() => makeVerifierKey('a', small)).toThrow(RangeError);
  });

  it('never quote a secret in an error', () => {
    const secret = encodeBase64(Uint8Array.of(1, ...new Uint8Array(32).fill(7)));
    for (const broken of [
      `PRIVATE+KEY+a+00000000+${secret}`,
      `PRIVATE+KEY+a+${secret}`,
      `PRIVATE+KEY+a b+0+${secret}`,
    ]) {
      try {
        parseSignerKey(broken);
        expect.unreachable();
      } catch (error) {
        expect(String(error)).not.toContain(secret.slice(4, 20));
      }
    }
  });
});

function encodeNote(note: Note): Uint8Array {
  const lines = note.signatures.map(({ name, keyId: id, signature }) => {
    const raw = Buffer.alloc(4 + signature.length);
    raw.writeUInt32BE(id);
    raw.set(signature, 4);
    return `— ${name} ${raw.toString('base64')}\n`;
  });
  return bytes(`${note.text}\n${lines.join('')}`);
}

describe('parseNote', () => {
  it('has one form, and throws nothing but ParseError', () => {
    checkStrict(parseNote, encodeNote, [
      bytes(GO_NOTE),
      signNote('one\n', [alice]),
      signNote('two\n\nparagraphs — and a dash\n', [alice, bob]),
    ]);
  });

  it('gives back any text', () => {
    const line = fc.string({ unit: 'grapheme' }).filter((t) => !/\p{Cc}/u.test(t));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const body = `${lines.join('\n')}\n`;
        const note = parseNote(signNote(body, [alice]));
        expect(note.text).toBe(body);
        expect(verifyNote(note, [alice]).verified).toEqual([alice]);
      }),
      { numRuns: 50 },
    );
  });

  const signature = GO_NOTE.slice(GO_NOTE.indexOf('—'));
  it.each([
    ['nothing', ''],
    ['no signature', 'text\n\n'],
    ['no blank line', `text\n${signature}`],
    ['no newline at the end', `text\n\n${signature.slice(0, -1)}`],
    ['an empty line at the end', `text\n\n${signature}\n`],
    ['a blank line between signatures', `text\n\n${signature}\n${signature}x`],
    ['carriage returns', `text\r\n\r\n${signature}`],
    ['a tab', `te\txt\n\n${signature}`],
    ['a NUL', `te\0xt\n\n${signature}`],
    ['DEL', `te\u007fxt\n\n${signature}`],
    ['a C1 control', `te\u0085xt\n\n${signature}`],
    ['a hyphen for the dash', `text\n\n${signature.replace('—', '-')}`],
    ['an en dash', `text\n\n${signature.replace('—', '–')}`],
    ['two spaces', `text\n\n${signature.replace(' x08', '  x08')}`],
    ['a no-break space', `text\n\n${signature.replace('— ', '—\u00a0')}`],
    ['a plus in the name', `text\n\n${signature.replace('Peter', 'Peter+')}`],
    ['no name', `text\n\n${signature.replace('PeterNeumann', '')}`],
    ['base64 without padding', `text\n\n${signature.replace('=', '')}`],
    ['base64 with stray bits', `text\n\n${signature.replace('JnAM=', 'JnAN=')}`],
    ['a key id alone', 'text\n\n— a AAAAAA==\n'],
    ['a short key id', 'text\n\n— a AAA=\n'],
    ['65 signatures', `text\n\n${signature.repeat(65)}`],
    ['more than 64 KiB', `${'a'.repeat(65_536)}\n\n${signature}`],
  ])('refuses %s', (_, note) => {
    expect(() => parseNote(bytes(note))).toThrow(ParseError);
  });

  it('refuses what is not UTF-8', () => {
    expect(() => parseNote(Uint8Array.of(0xff, ...bytes(GO_NOTE)))).toThrow(ParseError);
    expect(() => parseNote(Uint8Array.of(0xed, 0xa0, 0x80, ...bytes(GO_NOTE)))).toThrow(ParseError);
    expect(parseNote(bytes(`\ufeff${GO_NOTE}`)).text.startsWith('\ufeff')).toBe(true);
  });
});

describe('signNote', () => {
  it('refuses a text that is none, and signers that are not different', () => {
    for (const wrong of ['', 'no newline', 'a\tb\n', 'a\r\n', '\ud800\n']) {
      expect(() => signNote(wrong, [alice])).toThrow(RangeError);
    }
    expect(() => signNote('a\n', [])).toThrow(RangeError);
    expect(() => signNote('a\n', [alice, alice])).toThrow(RangeError);
    expect(() => signNote(`${'a'.repeat(65_536)}\n`, [alice])).toThrow(RangeError);
  });
});

describe('verifyNote', () => {
  const note = parseNote(signNote('text\n', [alice, bob]));
  const [byAlice, byBob] = note.signatures as [Note['signatures'][0], Note['signatures'][0]];

  it('keeps verified, invalid and unknown apart', () => {
    expect(verifyNote(note, [alice, bob])).toEqual({ verified: [alice, bob], invalid: [], unknown: 0 });
    expect(verifyNote(note, [alice])).toEqual({ verified: [alice], invalid: [], unknown: 1 });
    expect(verifyNote(note, [])).toEqual({ verified: [], invalid: [], unknown: 2 });
    expect(verifyNote({ ...note, text: 'other\n' }, [alice])).toEqual({
      verified: [],
      invalid: [alice],
      unknown: 1,
    });
  });

  it('calls a wrong signature by a known key invalid, every byte of it', () => {
    for (let at = 0; at < 64; at += 7) {
      const bad = { ...note, signatures: [{ ...byAlice, signature: flipped(byAlice.signature, at) }, byBob] };
      expect(verifyNote(bad, [alice, bob])).toEqual({ verified: [bob], invalid: [alice], unknown: 0 });
    }
    const long = { ...byAlice, signature: Uint8Array.of(...byAlice.signature, 0) };
    expect(verifyNote({ ...note, signatures: [long] }, [alice]).invalid).toEqual([alice]);
  });

  it('calls a key that signs twice invalid, even when both are good', () => {
    const twice = { ...note, signatures: [byAlice, byAlice, byBob] };
    expect(verifyNote(twice, [alice, bob])).toEqual({ verified: [bob], invalid: [alice], unknown: 0 });
    expect(verifyNote(twice, [bob])).toEqual({ verified: [bob], invalid: [], unknown: 2 });
  });

  it('takes neither the name nor the id for evidence', () => {
    expect(verifyNote({ ...note, signatures: [{ ...byAlice, name: 'bob' }] }, [alice, bob]).unknown).toBe(1);
    const forged = { name: bob.name, keyId: bob.id, signature: byAlice.signature };
    expect(verifyNote({ ...note, signatures: [forged] }, [alice, bob])).toEqual({
      verified: [],
      invalid: [bob],
      unknown: 0,
    });
    // A key whose id collides with bob's: whichever of the two signed is found.
    const twin = { ...publicPart(bob), publicKey: alice.publicKey };
    expect(verifyNote(note, [twin, bob]).verified).toEqual([bob]);
    expect(verifyNote(note, [bob, bob]).verified).toEqual([bob]);
  });
});
