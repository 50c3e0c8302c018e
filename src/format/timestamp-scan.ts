// The timestamp of an entry, read where it stands: milliseconds, UTC, and a day that exists.
import { COLON, isDigit } from './entry-bytes.ts';

const DAYS = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The offset behind it, or -1; -1 too where an earlier step failed. */
export function timestampEnd(buffer: Uint8Array, at: number): number {
  if (at < 0) return -1;
  const year = digits(buffer, at, 2) * 100 + digits(buffer, at + 2, 2);
  const month = digits(buffer, at + 5, 2);
  const day = digits(buffer, at + 8, 2);
  const good =
    year >= 0 &&
    buffer[at + 4] === 0x2d &&
    month >= 1 &&
    month <= 12 &&
    buffer[at + 7] === 0x2d &&
    day >= 1 &&
    day <= (DAYS[month] ?? 0) &&
    (month !== 2 || day < 29 || (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0))) &&
    buffer[at + 10] === 0x54 &&
    inRange(digits(buffer, at + 11, 2), 23) &&
    buffer[at + 13] === COLON &&
    inRange(digits(buffer, at + 14, 2), 59) &&
    buffer[at + 16] === COLON &&
    inRange(digits(buffer, at + 17, 2), 59) &&
    buffer[at + 19] === 0x2e &&
    inRange(digits(buffer, at + 20, 3), 999) &&
    buffer[at + 23] === 0x5a;
  return good ? at + 24 : -1;
}

/** A decimal of fixed width; hugely negative where a byte is no digit, so that sums stay negative. */
function digits(buffer: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let i = at; i < at + width; i++) {
    const b = buffer[i];
    if (!isDigit(b)) return -1e6;
    value = value * 10 + ((b ?? 0) - 0x30);
  }
  return value;
}

function inRange(value: number, max: number): boolean {
  return value >= 0 && value <= max;
}
