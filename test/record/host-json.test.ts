// The JSON of a hook's standard input, and everything else that may come that way.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize } from '../../src/core/index.ts';
import { MAX_HOST_BYTES, parseHostJson } from '../../src/record/host/host-json.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string) => parseHostJson(utf8(text));

describe('parseHostJson', () => {
  it.each([
    ['{"a":[1,-2.5,1e3,0,0.0,1.50,5e-324,"1e400"],"b":null}'],
    ['{"id":"9007199254740993","hex":"1234567890123456789e99"}'],
    ['{"a\\"b:c":"\\\\","d":":::\\\\\\"1e999"}'],
    ['\t[true]\r\n'],
    ['9007199254740991'],
    ['{"__proto__":{"toJSON":1}}'],
  ])('reads what JSON.parse reads, without loss: %s', (text) => {
    expect(read(text)).toEqual({ value: JSON.parse(text), lossy: 0 });
  });

  it.each([
    ['9007199254740993'],
    ['9007199254740992'],
    ['-9007199254740993'],
    ['123456789012345678901234567890'],
    ['1e400'],
    ['-1e400'],
    ['1e22'],
    ['1e-400'],
    ['-0'],
    ['-0.0'],
    ['0.12345678901234567890'],
    ['1.0000000000000000001'],
  ])('keeps the number %s as the text it was', (digits) => {
    const text = `{"s":"\\"${digits}","n":${digits},"a":[ ${digits}, 1],"t":"${digits}"}`;
    expect(read(text)).toEqual({
      value: { s: `"${digits}`, n: digits, a: [digits, 1], t: digits },
      lossy: 2,
    });
    expect(read(digits)).toEqual({ value: digits, lossy: 1 });
  });

  it('counts members that are there twice; the last one wins, as everywhere', () => {
    expect(read('{"a":1,"b":{"c":":","c":2,"c":3},"a":4}')).toEqual({
      value: { a: 4, b: { c: 3 } },
      lossy: 3,
    });
  });

  it('reads past a byte order mark, and replaces bytes that are no UTF-8', () => {
    expect(parseHostJson(utf8('\ufeff{"a":1}'))).toEqual({ value: { a: 1 }, lossy: 0 });
    const bytes = new Uint8Array([...utf8('{"a":"\ufffd'), 0xff, 0xc3, ...utf8('"}')]);
    expect(parseHostJson(bytes)).toEqual({ value: { a: '\ufffd\ufffd\ufffd' }, lossy: 2 });
  });

  it('replaces lone surrogates that were escaped', () => {
    expect(read('{"a":"\\ud800","b":"\\ud83d\\ude00"}')).toEqual({
      value: { a: '\ufffd', b: '\u{1f600}' },
      lossy: 1,
    });
  });

  it.each<[string, string, string]>([
    ['nothing', '', 'empty'],
    ['only space', ' \r\n\t', 'empty'],
    ['no JSON', 'hello', 'not-json'],
    ['JSON cut short', '{"a":', 'not-json'],
    ['two values', '{} {}', 'not-json'],
    ['a NUL byte', '{"a":1}\0', 'not-json'],
    ['a single quote', "{'a':1}", 'not-json'],
  ])('keeps %s as text', (_, text, problem) => {
    expect(read(text)).toEqual({ problem, text, lossy: 0 });
  });

  it('K3 what is too large is not cut within a word: half a secret is one that no rule knows', () => {
    const bytes = Buffer.alloc(MAX_HOST_BYTES + 1, ' ');
    const token = `ghp_${'a1B2'.repeat(9)}`;
    bytes.write(`x ${token}`, 1024 * 1024 - 20);
    const found = parseHostJson(bytes);
    expect('text' in found && found.text.trim()).toBe('x');
  });

  it('keeps the beginning of what is too large, also where that is one word', () => {
    const bytes = new Uint8Array(MAX_HOST_BYTES + 1).fill(0x61);
    const found = parseHostJson(bytes);
    expect(found).toMatchObject({ problem: 'too-large', lossy: 1 });
    expect('text' in found && found.text).toBe('a'.repeat(1024 * 1024 - 4096));
  });

  it('reads 50 MB', () => {
    const text = JSON.stringify({ tool: 'Write', content: '\\"1e400'.repeat(7_000_000), n: [1, 2] });
    const found = read(text);
    expect(found.lossy).toBe(0);
    expect('value' in found && (found.value as { n: unknown }).n).toEqual([1, 2]);
  });

  it('survives nesting of any depth', () => {
    for (const depth of [40, 5_000, 1_000_000]) {
      const found = read(`${'['.repeat(depth)}${']'.repeat(depth)}`);
      expect(found.lossy > 0 || 'problem' in found).toBe(true);
      if ('value' in found) canonicalize(found.value, { safeIntegers: true });
    }
  });

  it('is exact for any JSON, and never throws for any bytes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 2), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const found = read(text);
        expect('value' in found).toBe(true);
        if (!('value' in found)) return;
        canonicalize(found.value, { safeIntegers: true });
        if (found.lossy === 0) expect(found.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const found = parseHostJson(bytes);
        expect(found.lossy).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps every digit of every number', () => {
    const digits = fc
      .tuple(fc.bigInt(), fc.option(fc.nat({ max: 10 ** 9 })), fc.option(fc.integer({ min: -400, max: 400 })))
      .map(
        ([whole, part, power]) =>
          `${whole}${part === null ? '' : `.${part}`}${power === null ? '' : `e${power}`}`,
      );
    fc.assert(
      fc.property(digits, (text) => {
        const found = read(`[${text}]`);
        const [value] = 'value' in found ? (found.value as [string | number]) : [undefined];
        // Where it stayed a number, writing it out again is the same number: compared as exact fractions.
        if (typeof value === 'string') expect(value).toBe(text);
        else expect(exact(String(value))).toEqual(exact(text));
      }),
      { numRuns: 2000 },
    );
  });
});

/** As an integer and a power of ten, with no zero at its end. */
function exact(text: string): [bigint, number] {
  const [mantissa = '', power = '0'] = text.split('e');
  const [whole = '', part = ''] = mantissa.split('.');
  let value = BigInt(`${whole}${part}`);
  let exponent = Number(power) - part.length;
  if (value === 0n) return [0n, 0];
  while (value % 10n === 0n) {
    value /= 10n;
    exponent++;
  }
  return [value, exponent];
}
