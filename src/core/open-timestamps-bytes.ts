// How an OpenTimestamps proof writes numbers and byte strings: unsigned LEB128, and a length in it before the bytes.
// The reader stands before bytes from anyone. It takes the shortest form of a number and no other, so that a proof has
// one encoding, and it copies what it hands out.
import { ParseError } from './errors.ts';

export interface ByteReader {
  byte(): number;
  bytes(length: number): Uint8Array;
  varuint(most: number): number;
  /** A length from `least` to `most`, then as many bytes. */
  varbytes(least: number, most: number): Uint8Array;
  /** Nothing may be left over. */
  end(): void;
  /** An error that names the place. */
  error(...about: ConstructorParameters<typeof ParseError>): ParseError;
}

/** `start` is where these bytes stand in the file, for messages. */
export function byteReader(source: Uint8Array, start = 0): ByteReader {
  let at = 0;
  const error: ByteReader['error'] = (code, message) => new ParseError(code, message, `byte ${start + at}`);

  function bytes(length: number): Uint8Array {
    if (length > source.length - at) throw error('MALFORMED', 'the proof ends too early');
    at += length;
    return source.slice(at - length, at);
  }

  function byte(): number {
    const value = source[at];
    if (value === undefined) throw error('MALFORMED', 'the proof ends too early');
    at += 1;
    return value;
  }

  function varuint(most: number): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const part = byte();
      value += (part & 0x7f) * scale;
      if (value > most) throw error('BAD_NUMBER', `a number above ${most}`);
      if (part < 0x80) {
        if (part === 0 && scale > 1) throw error('NOT_CANONICAL', 'a number with needless zeros');
        return value;
      }
      // Zeros that go on say nothing, and are refused at their end; a number is never longer than this.
      if (scale > most) throw error('BAD_NUMBER', `a number above ${most}`);
    }
  }

  function varbytes(least: number, most: number): Uint8Array {
    const length = varuint(most);
    if (length < least) throw error('MALFORMED', `fewer than ${least} bytes`);
    return bytes(length);
  }

  function end(): void {
    if (at < source.length) throw error('MALFORMED', 'bytes are left over');
  }

  return { byte, bytes, varuint, varbytes, end, error };
}

export function encodeVaruint(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError('a whole number from 0 on');
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}

export function encodeVarbytes(bytes: Uint8Array): Uint8Array {
  return joinBytes([encodeVaruint(bytes.length), bytes]);
}

export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
