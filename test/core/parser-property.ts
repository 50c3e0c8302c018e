// What every strict parser owes: nothing but ParseError comes out, what it accepts it writes back byte for byte, and no
// single changed byte goes unnoticed.
import fc from 'fast-check';
import { expect } from 'vitest';
import { ParseError } from '../../src/core/index.ts';

export function parseOrUndefined<T>(parse: (bytes: Uint8Array) => T, bytes: Uint8Array): T | undefined {
  try {
    return parse(bytes);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return undefined;
  }
}

/** `encode` must give back exactly the bytes that `parse` accepted. */
export function checkStrict<T>(
  parse: (bytes: Uint8Array) => T,
  encode: (value: T) => Uint8Array,
  samples: readonly Uint8Array[],
): void {
  const accepts = (bytes: Uint8Array) => {
    const value = parseOrUndefined(parse, bytes);
    if (value !== undefined) expect(Buffer.from(encode(value)).equals(bytes)).toBe(true);
    return value;
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void accepts(bytes)));
  for (const sample of samples) {
    expect(accepts(sample)).toBeDefined();
    const place = fc.nat(sample.length - 1);
    const edit = fc.oneof(
      fc.tuple(place, fc.nat(255)).map(([at, byte]) => sample.map((old, i) => (i === at ? byte : old))),
      fc
        .tuple(place, fc.constantFrom(0, 9, 10, 13, 32, 43, 45, 48, 61))
        .map(([at, byte]) => splice(sample, at, 0, [byte])),
      fc.tuple(place, fc.nat(8)).map(([at, count]) => splice(sample, at, count, [])),
      fc.tuple(place, place).map(([from, to]) => splice(sample, to, 0, sample.slice(from, from + 60))),
    );
    fc.assert(
      fc.property(edit, (bytes) => void accepts(bytes)),
      { numRuns: 400 },
    );
    // Each bit of each byte: refused, or another value. Acceptance as the same value would break the line above.
    for (let at = 0; at < sample.length; at++) {
      for (let bit = 1; bit < 256; bit *= 2) accepts(sample.map((old, i) => (i === at ? old ^ bit : old)));
    }
  }
}

function splice(bytes: Uint8Array, at: number, remove: number, insert: ArrayLike<number>): Uint8Array {
  return Uint8Array.from([...bytes.subarray(0, at), ...Array.from(insert), ...bytes.subarray(at + remove)]);
}

/** A parser of text as one of bytes, which must be UTF-8. */
export function ofText<T>(parse: (text: string) => T): (bytes: Uint8Array) => T {
  return (bytes) => {
    const value = text(bytes);
    if (!Buffer.from(value).equals(bytes)) throw new ParseError('INVALID_UTF8', 'not UTF-8');
    return parse(value);
  };
}

export const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
export const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
