// What a message says besides what its entry has of it anyway.
import type { Json, JsonObject } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';
import { REQUEST, RESPONSE, restOf } from './purpose.ts';

/** Bytes of what a message says besides, in the entry itself; more is an observation. */
const LONGEST_REST = 2048;

/** What it says: all of the message where that is more than its params or its answer. */
export function saidIn(value: Json): Json | undefined {
  if (!isObject(value)) return value;
  const known =
    value.method === undefined ? RESPONSE : { ...REQUEST, params: Object.keys(objectOf(value.params)) };
  return restOf(value, known) === null ? (value.params ?? value.result ?? value.error) : value;
}

/** Beside what an entry has of a message anyway. Null for `known`: all of its params. */
export function restIn(value: Json | undefined, known: typeof REQUEST | null): JsonObject | null {
  if (!isObject(value)) return null;
  return restOf(value, known ?? { ...REQUEST, params: Object.keys(objectOf(value.params)) });
}

export function isLong(rest: JsonObject | null): rest is JsonObject {
  return rest !== null && JSON.stringify(rest).length > LONGEST_REST;
}

export function withRest(mark: JsonObject, rest: JsonObject | null): JsonObject {
  if (rest === null || isLong(rest)) return mark;
  return { ...mark, mcp: { ...objectOf(mark.mcp), beside: rest } };
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
