// Material for real-looking secrets, made at run time from pieces, so that no scanner takes the repository for a leak.
// Predictable: the same pieces in every run.

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';

export const ALNUM = UPPER + LOWER + DIGITS;
export const HEX = '0123456789abcdef';
export const BASE32 = `${UPPER}234567`;
export const BASE64 = `${ALNUM}+/`;
export const BASE64URL = `${ALNUM}-_`;
export const BECH32 = 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L';

let state = 0x2545f491;

function next(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return state >>> 0;
}

/** The same sequence again for whoever asks for the corpus a second time. */
export function restart(): void {
  state = 0x2545f491;
}

/** Random characters; from an alphabet with all three kinds, always some of each, as in all but one of a million. */
export function random(length: number, alphabet = ALNUM): string {
  let text = '';
  for (let i = 0; i < length; i++) text += alphabet[next() % alphabet.length];
  if (length < 12 || alphabet.length < 60) return text;
  const at = 1 + (next() % (length - 9));
  return `${text.slice(0, at)}7kQ2xR${text.slice(at + 6)}`;
}

export const join = (...pieces: string[]): string => pieces.join('');

export function base64(value: string): string {
  return Buffer.from(value, 'latin1').toString('base64');
}

export function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** A body as PEM has it: lines of 64. */
export function pem(label: string, bytes: number, newline = '\n'): string {
  const body = `MII${random(Math.ceil((bytes * 4) / 3), BASE64)}`.match(/.{1,64}/g) ?? [];
  return [join('-----', 'BEGIN ', label, '-----'), ...body, join('-----', 'END ', label, '-----')].join(
    newline,
  );
}

export function uuid(): string {
  return [8, 4, 4, 4, 12].map((length) => random(length, HEX)).join('-');
}
