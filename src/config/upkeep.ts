// What counterfoil.yaml says about tidying up a ledger: how long content is kept (`retention`), and when segments of the
// log are closed and gzipped (`archive`). Every number has bounds, because a typing error must not erase anything.
import { ParseError } from '../core/index.ts';
import {
  type Archiving,
  DEFAULT_ARCHIVING,
  DEFAULT_RETENTION,
  KEEP_ALL,
  type Retention,
} from '../ledger/index.ts';

type Bounds = Readonly<Record<string, readonly [least: number, most: number]>>;

const MOST_DAYS = 36_500;
/** A smaller limit would be a typing error. */
const LEAST_BYTES = 1024 * 1024;
const RETENTION: Bounds = { days: [1, MOST_DAYS], bytes: [LEAST_BYTES, Number.MAX_SAFE_INTEGER] };
/** An hour is the least that is left alone, and appending closes a segment at about 50 MB whatever is said here. */
const ARCHIVE: Bounds = {
  days: [1, MOST_DAYS],
  bytes: [LEAST_BYTES, DEFAULT_ARCHIVING.bytes],
  quiet_hours: [1, 24 * 31],
};

/** `off`, or days and bytes, each the default where it is not given. */
export function parseRetention(value: unknown, path: string): Retention {
  if (value === 'off') return KEEP_ALL;
  const { days, bytes } = wholeNumbers(value, RETENTION, path, 'off, or ');
  return { days: days ?? DEFAULT_RETENTION.days, bytes: bytes ?? DEFAULT_RETENTION.bytes };
}

/** Days, bytes and quiet_hours, each the default where it is not given. */
export function parseArchiving(value: unknown, path: string): Archiving {
  const { days, bytes, quiet_hours: quietHours } = wholeNumbers(value, ARCHIVE, path);
  return {
    days: days ?? DEFAULT_ARCHIVING.days,
    bytes: bytes ?? DEFAULT_ARCHIVING.bytes,
    quietHours: quietHours ?? DEFAULT_ARCHIVING.quietHours,
  };
}

function wholeNumbers(value: unknown, bounds: Bounds, path: string, or = ''): Record<string, number> {
  const names = Object.keys(bounds);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ParseError('BAD_MEMBER', `must be ${or}a mapping of ${names.join(', ')}`, path);
  const found: Record<string, number> = {};
  for (const [name, given] of Object.entries(value)) {
    const bound = Object.hasOwn(bounds, name) ? bounds[name] : undefined;
    if (bound === undefined)
      throw new ParseError(
        'BAD_MEMBER',
        `unknown; write ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`,
        `${path}.${name}`,
      );
    const [least, most] = bound;
    if (typeof given !== 'number' || !Number.isSafeInteger(given) || given < least || given > most)
      throw new ParseError(
        'BAD_MEMBER',
        `must be a whole number from ${least} to ${most}`,
        `${path}.${name}`,
      );
    found[name] = given;
  }
  return found;
}
