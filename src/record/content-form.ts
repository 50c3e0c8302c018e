// The bytes that content is kept as and committed to: a string as it is, anything else as canonical JSON, so that who
// has the value can make the bytes again. Beside the chain there is no limit on depth but canonical JSON's own.
import { utf8Encode } from '#platform';
import { canonicalize, type Json } from '../core/index.ts';
import { tidy } from './tidy.ts';

export interface Content {
  readonly bytes: Uint8Array;
  readonly type: 'text/plain' | 'application/json';
}

/** Never throws: what canonical JSON refuses is made tidy first. */
export function toContent(value: Json): Content {
  if (typeof value === 'string') return { bytes: utf8Encode(value), type: 'text/plain' };
  return { bytes: utf8Encode(canonicalText(value)), type: 'application/json' };
}

function canonicalText(value: Json): string {
  try {
    return canonicalize(value, { safeIntegers: true });
  } catch {
    return canonicalize(tidy(value).value, { safeIntegers: true });
  }
}
